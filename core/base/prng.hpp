#pragma once

#include "core/base/hash.hpp"
#include "core/base/time.hpp"

#include <cstdint>

namespace lockstep {

/// A stream of random numbers that is the same everywhere: xoshiro256++ seeded by splitmix64.
/// Draw into named variables: the order in which arguments are evaluated is not specified.
class Prng {
public:
    explicit Prng(std::uint64_t seed) {
        for (auto& word : s_) word = spread(seed += 0x9e3779b97f4a7c15ULL);
    }

    std::uint64_t next() {
        const std::uint64_t result = rotl(s_[0] + s_[3], 23) + s_[0];
        const std::uint64_t t = s_[1] << 17;
        s_[2] ^= s_[0];
        s_[3] ^= s_[1];
        s_[1] ^= s_[2];
        s_[0] ^= s_[3];
        s_[2] ^= t;
        s_[3] = rotl(s_[3], 45);
        return result;
    }

    /// Uniform in [0, n); n must not be zero.
    std::uint64_t below(std::uint64_t n) {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
    }

    /// Uniform in [low, high], both included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }
    Duration between(Duration low, Duration high) { return {between(low.ns, high.ns)}; }

    /// True with a chance of `ppm` in a million.
    bool chance(std::uint32_t ppm) { return below(1'000'000) < ppm; }

private:
    static constexpr std::uint64_t rotl(std::uint64_t x, int k) {
        return (x << k) | (x >> (64 - k));
    }
    std::uint64_t s_[4];
};

}  // namespace lockstep
