#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace lockstep {

/// Immutable bytes, encoded once and shared by log, messages and disk. Counts its owners without
/// atomics: a run has one thread. The hash of the bytes is computed once, when the blob is made.
class Blob {
public:
    Blob() = default;
    static Blob copy_of(std::span<const std::byte> bytes);
    Blob(const Blob& o) : rep_(o.rep_) {
        if (rep_ != nullptr) ++rep_->owners;
    }
    Blob(Blob&& o) noexcept : rep_(std::exchange(o.rep_, nullptr)) {}
    Blob& operator=(Blob o) noexcept {
        std::swap(rep_, o.rep_);
        return *this;
    }
    ~Blob() {
        if (rep_ != nullptr && --rep_->owners == 0) destroy(rep_);
    }

    std::size_t size() const { return rep_ == nullptr ? 0 : rep_->size; }
    bool empty() const { return size() == 0; }
    std::uint64_t hash() const { return rep_ == nullptr ? 0 : rep_->hash; }
    std::span<const std::byte> bytes() const {
        return rep_ == nullptr
                   ? std::span<const std::byte>()
                   : std::span(reinterpret_cast<const std::byte*>(rep_ + 1), rep_->size);
    }
    bool operator==(const Blob& o) const;

private:
    struct Rep {
        std::uint32_t owners;
        std::uint32_t size;
        std::uint64_t hash;
    };
    static void destroy(Rep* rep);
    Rep* rep_ = nullptr;
};

}  // namespace lockstep
