#include "core/base/blob.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace lockstep {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t hash_name(const char* name) {
    return XXH3_64bits(name, std::strlen(name));
}

Blob Blob::copy_of(std::span<const std::byte> bytes) {
    Blob blob;
    if (bytes.empty()) return blob;
    LOCKSTEP_ASSERT(bytes.size() <= UINT32_MAX, "blob of {} bytes", bytes.size());
    void* memory = ::operator new(sizeof(Rep) + bytes.size());
    blob.rep_ = new (memory) Rep{1, static_cast<std::uint32_t>(bytes.size()), hash_bytes(bytes)};
    std::memcpy(blob.rep_ + 1, bytes.data(), bytes.size());
    return blob;
}

void Blob::destroy(Rep* rep) {
    ::operator delete(rep);
}

bool Blob::operator==(const Blob& o) const {
    if (rep_ == o.rep_) return true;
    return size() == o.size() && hash() == o.hash() && std::ranges::equal(bytes(), o.bytes());
}

}  // namespace lockstep
