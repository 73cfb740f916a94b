#pragma once

#include "core/base/codec.hpp"
#include "core/base/strong.hpp"
#include "scenarios/world/payloads.hpp"
#include "sim/envelope.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::world {

/// What a message of a guest's may consist of.
template <class T>
concept PlainField =
    std::same_as<T, bool> || std::unsigned_integral<T> || std::same_as<T, std::int64_t> ||
    std::same_as<T, Duration> || std::same_as<T, std::string> || requires(T t) { typename T::rep; };

/// How a plain struct of a service of one's own travels, which names itself and its fields:
///
///     struct Ping {
///         static constexpr const char* name = "ping";
///         std::uint64_t id = 0;
///         static void visit(auto&& self, auto&& field) { field("id", self.id); }
///     };
///     template <>
///     struct lockstep::sim::PayloadTraits<Ping>
///         : lockstep::world::PlainPayload<Ping, lockstep::world::GuestFamily + 0> {};
///
/// A message that is more than this specialises sim::PayloadTraits by hand.
template <class T, std::uint16_t number>
struct PlainPayload {
    static_assert(number >= GuestFamily, "the numbers below are taken");
    static constexpr std::uint16_t kind = number;
    static constexpr const char* name = T::name;

    static void encode(const T& message, Writer& out) {
        T::visit(message, [&](const char*, const PlainField auto& f) { write(out, f); });
    }
    static bool decode(Reader& in, T& message) {
        T::visit(message, [&](const char*, PlainField auto& f) { read(in, f); });
        return !in.failed();
    }
    static std::string print(const T& message) {
        std::string text = name;
        T::visit(message, [&](const char* what, const PlainField auto& f) {
            text += fmt::format(" {}={}", what, shown(f));
        });
        return text;
    }

private:
    template <class F>
    static void write(Writer& out, const F& f) {
        if constexpr (std::same_as<F, bool>)
            out.boolean(f);
        else if constexpr (std::same_as<F, Duration>)
            out.duration(f);
        else if constexpr (std::same_as<F, std::int64_t>)
            out.i64(f);
        else if constexpr (std::same_as<F, std::string>) {
            out.varint(f.size());
            for (const char c : f) out.u8(static_cast<std::uint8_t>(c));
        } else if constexpr (std::unsigned_integral<F>)
            out.varint(f);
        else
            out.id(f);
    }
    template <class F>
    static void read(Reader& in, F& f) {
        if constexpr (std::same_as<F, bool>)
            f = in.boolean();
        else if constexpr (std::same_as<F, Duration>)
            f = in.duration();
        else if constexpr (std::same_as<F, std::int64_t>)
            f = in.i64();
        else if constexpr (std::same_as<F, std::string>) {
            f.clear();
            for (std::size_t n = in.count(); n > 0 && !in.failed(); --n)
                f.push_back(static_cast<char>(in.u8()));
        } else if constexpr (std::unsigned_integral<F>)
            f = in.id<Strong<struct PlainTag, F>>().value;
        else
            f = in.id<F>();
    }
    template <class F>
    static auto shown(const F& f) {
        if constexpr (requires { f.ns; })
            return f.ns;
        else if constexpr (requires { f.value; })
            return f.value;
        else if constexpr (std::same_as<F, std::string>)
            return std::string_view(f);
        else
            return f;
    }
};

}  // namespace lockstep::world
