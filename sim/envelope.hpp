#pragma once

#include "core/base/assert.hpp"
#include "core/base/codec.hpp"
#include "sim/types.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace lockstep::sim {

/// Specialise for every type that travels:
///   static constexpr std::uint16_t kind;  static constexpr const char* name;   (unique per run)
///   static std::uint16_t kind_of(const T&)  optional: a finer kind per value (a variant's
///   alternative) static void encode(const T&, Writer&);  static bool decode(Reader&, T&);  static
///   std::string print(const T&);
/// The type is copyable, has a default value, and moves without throwing.
template <class T>
struct PayloadTraits;

/// What a payload can do, by its type.
struct PayloadOps {
    const char* name;
    bool flat;  ///< stored inline and moved by copying its bytes; needs no destruction
    void (*move)(std::byte* from, std::byte* to) noexcept;  ///< leaves nothing behind
    void (*clone)(const std::byte* from, std::byte* to);
    void (*destroy)(std::byte* at) noexcept;
    void (*encode)(const std::byte* at, Writer& out);
    bool (*decode)(Reader& in, std::byte* to, std::uint16_t& kind);  ///< makes a value in any case
    std::string (*print)(const std::byte* at);
};

/// A message's content: move-only, stored inline up to a limit, else boxed; one table of operations
/// a type (move, clone, destroy, encode, decode, print).
class Payload {
public:
    static constexpr std::size_t inline_size = 96;

    Payload() = default;
    Payload(Payload&& o) noexcept { take(o); }
    Payload& operator=(Payload&& o) noexcept {
        if (this != &o) {
            reset();
            take(o);
        }
        return *this;
    }
    ~Payload() { reset(); }

    template <class T>
    static Payload make(T&& value);
    template <class T>
    T& get();  ///< asserts the type
    template <class T>
    const T& get() const;
    template <class T>
    bool holds() const;

    bool empty() const { return ops_ == nullptr; }
    void reset() noexcept {
        if (ops_ != nullptr && !ops_->flat) ops_->destroy(storage_);
        ops_ = nullptr;
    }

    /// For duplication by the network.
    Payload clone() const;
    /// What comes out of the wire codec when this goes in. Asserts that it decodes.
    Payload recode(Writer& scratch) const;
    std::uint16_t kind() const { return kind_; }  ///< message kind; faults aim at it
    const char* type_name() const { return ops_ == nullptr ? "nothing" : ops_->name; }
    std::string print() const { return ops_ == nullptr ? "nothing" : ops_->print(storage_); }

private:
    template <class T>
    static constexpr bool fits =
        sizeof(T) <= inline_size && alignof(T) <= alignof(std::max_align_t);
    template <class T>
    struct Store;
    template <class T>
    static const PayloadOps ops_of;

    void take(Payload& o) noexcept {
        ops_ = o.ops_;
        kind_ = o.kind_;
        if (ops_ == nullptr) return;
        if (ops_->flat)
            std::memcpy(storage_, o.storage_, inline_size);
        else
            ops_->move(o.storage_, storage_);
        o.ops_ = nullptr;
    }

    const PayloadOps* ops_ = nullptr;
    std::uint16_t kind_ = 0;
    alignas(std::max_align_t) std::byte storage_[inline_size];
};

/// How a value of the type lies in the storage: itself, or the address of its box.
template <class T>
struct Payload::Store {
    static_assert(std::is_nothrow_move_constructible_v<T>);

    static T& at(std::byte* storage) {
        if constexpr (fits<T>)
            return *std::launder(reinterpret_cast<T*>(storage));
        else
            return **std::launder(reinterpret_cast<T**>(storage));
    }
    static const T& at(const std::byte* storage) { return at(const_cast<std::byte*>(storage)); }
    template <class... Args>
    static T& make(std::byte* storage, Args&&... args) {
        if constexpr (fits<T>)
            return *::new (storage) T(std::forward<Args>(args)...);
        else
            return **::new (storage) T*(new T(std::forward<Args>(args)...));
    }
    static void destroy(std::byte* storage) noexcept {
        if constexpr (fits<T>)
            at(storage).~T();
        else
            delete &at(storage);
    }
    static void move(std::byte* from, std::byte* to) noexcept {
        if constexpr (fits<T>) {
            ::new (to) T(std::move(at(from)));
            at(from).~T();
        } else {
            ::new (to) T*(&at(from));
        }
    }
    static std::uint16_t kind_of(const T& value) {
        if constexpr (requires { PayloadTraits<T>::kind_of(value); })
            return PayloadTraits<T>::kind_of(value);
        else
            return PayloadTraits<T>::kind;
    }
    static void clone(const std::byte* from, std::byte* to) { make(to, at(from)); }
    static void encode(const std::byte* from, Writer& out) {
        PayloadTraits<T>::encode(at(from), out);
    }
    static bool decode(Reader& in, std::byte* to, std::uint16_t& kind) {
        T& value = make(to);
        const bool good = PayloadTraits<T>::decode(in, value);
        kind = kind_of(value);
        return good;
    }
    static std::string print(const std::byte* from) { return PayloadTraits<T>::print(at(from)); }
};

template <class T>
inline constexpr PayloadOps Payload::ops_of = {
    PayloadTraits<T>::name, fits<T>&& std::is_trivially_copyable_v<T>,
    &Store<T>::move,        &Store<T>::clone,
    &Store<T>::destroy,     &Store<T>::encode,
    &Store<T>::decode,      &Store<T>::print,
};

template <class T>
Payload Payload::make(T&& value) {
    using Value = std::remove_cvref_t<T>;
    Payload made;
    made.kind_ = Store<Value>::kind_of(value);
    Store<Value>::make(made.storage_, std::forward<T>(value));
    made.ops_ = &ops_of<Value>;
    return made;
}

template <class T>
bool Payload::holds() const {
    return ops_ == &ops_of<T>;
}

template <class T>
T& Payload::get() {
    LOCKSTEP_ASSERT(holds<T>(), "holds={} asked={}", type_name(), PayloadTraits<T>::name);
    return Store<T>::at(storage_);
}

template <class T>
const T& Payload::get() const {
    LOCKSTEP_ASSERT(holds<T>(), "holds={} asked={}", type_name(), PayloadTraits<T>::name);
    return Store<T>::at(storage_);
}

struct Envelope {
    ProcessId from;
    ProcessId to;
    SimTime sent;
    Payload payload;
};

}  // namespace lockstep::sim
