#pragma once

#include "harness/lease/compare.hpp"
#include "harness/lease/sweep.hpp"

#include <cstdint>
#include <vector>

/// What the comparisons share.
namespace lockstep::lease {

inline constexpr double z999 = 3.29;  ///< standard errors of 99.9%

inline double in_seconds(Duration d) {
    return static_cast<double>(d.ns) / 1e9;
}

/// A lease renewed every third of it.
Setting plain(Duration lease, std::int64_t jitter_percent);

/// Things of these lengths that never meet: each comes `low` to `high` after the end of the one
/// before, and the next one may be of any length. As many as fill the span, so that none is
/// replayed.
Source apart(const std::vector<Duration>& lengths, Duration low, Duration high, Duration span,
             std::uint64_t seed);

/// Of a share (Wilson).
Interval share_interval(double hits, double all);

}  // namespace lockstep::lease
