#pragma once

#include "core/base/assert.hpp"
#include "core/base/blob.hpp"
#include "core/base/strong.hpp"
#include "core/base/time.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

/// Appends values in a fixed little-endian form. Reused: `clear` keeps the memory.
class Writer {
public:
    void u8(std::uint8_t v) {
        if (used_ == room_.size()) [[unlikely]]
            grow(1);
        room_[used_++] = static_cast<std::byte>(v);
    }
    void u32(std::uint32_t v) { word(v); }
    void u64(std::uint64_t v) { word(v); }
    void i64(std::int64_t v) { u64(static_cast<std::uint64_t>(v)); }
    /// Seven bits a byte, low ones first: small numbers, which most are, take one byte.
    void varint(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7) u8(static_cast<std::uint8_t>(v | 0x80));
        u8(static_cast<std::uint8_t>(v));
    }
    void raw(std::span<const std::byte> bytes) {
        if (bytes.size() > room_.size() - used_) [[unlikely]]
            grow(bytes.size());
        std::copy(bytes.begin(), bytes.end(), room_.data() + used_);
        used_ += bytes.size();
    }
    void blob(const Blob& b) {
        varint(b.size());
        raw(b.bytes());
    }
    void boolean(bool v) { u8(v ? 1 : 0); }
    void duration(Duration d) { i64(d.ns); }
    template <class Tag, class Rep>
    void id(Strong<Tag, Rep> v) {
        varint(v.value);
    }

    std::span<const std::byte> bytes() const { return {room_.data(), used_}; }
    std::size_t size() const { return used_; }
    void clear() { used_ = 0; }

    /// Writes over what is there already, for what is known only when the rest has been written.
    void u32_at(std::size_t at, std::uint32_t v) { overwrite(at, little_endian(v)); }
    void u64_at(std::size_t at, std::uint64_t v) { overwrite(at, little_endian(v)); }

private:
    template <class Word>
    static std::array<std::byte, sizeof(Word)> little_endian(Word v) {
        auto bytes = std::bit_cast<std::array<std::byte, sizeof(Word)>>(v);
        if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
        return bytes;
    }
    template <class Word>
    void word(Word v) {
        if (sizeof(Word) > room_.size() - used_) [[unlikely]]
            grow(sizeof(Word));
        std::ranges::copy(little_endian(v), room_.data() + used_);
        used_ += sizeof(Word);
    }
    void overwrite(std::size_t at, std::span<const std::byte> bytes) {
        LOCKSTEP_ASSERT(at + bytes.size() <= used_, "at={} more={} size={}", at, bytes.size(),
                        used_);
        std::ranges::copy(bytes, room_.data() + at);
    }
    /// Doubles, but begins with room for most messages and records: growth from a single byte would
    /// allocate half a dozen times for each of them.
    void grow(std::size_t more) {
        static constexpr std::size_t at_first = 128;
        room_.resize(std::max({used_ + more, 2 * room_.size(), at_first}));
    }

    // Not the vector's own size: its insertions cost more than what they insert.
    std::vector<std::byte> room_;
    std::size_t used_ = 0;
};

/// Reads what Writer wrote. Never asserts and never reads past the end: the first thing that is
/// wrong makes it `failed`, after which every read gives zero. Check once, at the end.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    std::uint8_t u8() {
        if (rest_.empty()) {
            fail();
            return 0;
        }
        const auto v = static_cast<std::uint8_t>(rest_.front());
        rest_ = rest_.subspan(1);
        return v;
    }
    std::uint32_t u32() { return static_cast<std::uint32_t>(get(4)); }
    std::uint64_t u64() { return get(8); }
    std::int64_t i64() { return static_cast<std::int64_t>(get(8)); }
    std::uint64_t varint() {
        std::uint64_t v = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::uint64_t b = u8();
            if (shift == 63 && b > 1) break;
            v |= (b & 0x7f) << shift;
            // A last byte of zero would be a second spelling of the same number.
            if (b < 0x80) {
                if (b == 0 && shift > 0) break;
                return v;
            }
        }
        fail();
        return 0;
    }
    std::span<const std::byte> raw(std::size_t n) {
        if (n > rest_.size()) {
            fail();
            return {};
        }
        const auto head = rest_.first(n);
        rest_ = rest_.subspan(n);
        return head;
    }
    Blob blob() { return Blob::copy_of(raw(varint())); }
    bool boolean() {
        const auto v = u8();
        if (v > 1) fail();
        return v == 1;
    }
    Duration duration() { return {i64()}; }
    template <class Id>
    Id id() {
        const std::uint64_t v = varint();
        if (v > static_cast<typename Id::rep>(-1)) {
            fail();
            return Id();
        }
        return Id(static_cast<typename Id::rep>(v));
    }
    /// An enumerator that was written as its number, of which `count` exist.
    template <class E>
    E enumerator(std::size_t count) {
        const auto v = u8();
        if (v >= count) {
            fail();
            return E{};
        }
        return static_cast<E>(v);
    }
    /// A number of elements to follow, each of at least one byte: more than what is left is wrong,
    /// so that no decoder reserves what a corrupt length asks for.
    std::size_t count() {
        const auto n = varint();
        if (n > rest_.size()) {
            fail();
            return 0;
        }
        return n;
    }

    std::size_t left() const { return rest_.size(); }
    bool failed() const { return failed_; }
    /// Read everything, and nothing was wrong.
    bool done() const { return !failed_ && rest_.empty(); }
    void fail() {
        failed_ = true;
        rest_ = {};
    }

private:
    std::uint64_t get(int n) {
        std::uint64_t v = 0;
        for (int i = 0; i < n; ++i) v |= static_cast<std::uint64_t>(u8()) << (8 * i);
        return v;
    }
    std::span<const std::byte> rest_;
    bool failed_ = false;
};

}  // namespace lockstep
