#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

/// Folds one word into a running 64-bit hash: a 128-bit product, high half onto low half.
constexpr std::uint64_t fold(std::uint64_t hash, std::uint64_t word) {
    const auto product = static_cast<unsigned __int128>(hash ^ 0x9e3779b97f4a7c15ULL) *
                         (word ^ 0xd6e8feb86659fd93ULL);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^
           (hash >> 29);
}

/// Spreads the bits of a word (the finaliser of splitmix64).
constexpr std::uint64_t spread(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

template <class... Words>
constexpr std::uint64_t hash_words(std::uint64_t seed, Words... words) {
    std::uint64_t h = spread(seed);
    ((h = fold(h, static_cast<std::uint64_t>(words))), ...);
    return spread(h);
}

/// The same on every platform, whatever its byte order (XXH3).
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);
/// For names of streams of randomness: `stream("loss")`.
std::uint64_t hash_name(const char* name);

}  // namespace lockstep
