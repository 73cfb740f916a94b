#pragma once

#include "core/base/prng.hpp"
#include "harness/lease/sweep.hpp"
#include "sim/types.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::lease {

/// What happens once: `index` is the position of the point or bucket in its series.
struct Occurrence {
    sim::SimTime at;
    Duration length;
    std::uint32_t index = 0;
};

/// When a source's things happen in the simulated time, and how long they take: a function of the
/// seed and the source alone, so that all settings meet the same things at the same times.
///
/// A timed series is replayed from its start to its end, again and again. Each round begins at a
/// phase of its own: some place in the middle of the observation, from where it goes on over the
/// end to the start. What follows what, and in which distance, is kept but for the two seams, so
/// that bursts stay bursts. Other series, and rates, come as a Poisson process.
class Occurrences {
public:
    Occurrences(const Source& source, std::uint64_t seed);

    /// The next, in the order of their times; at SimTime::never() there are no more.
    Occurrence next();
    /// Where in the observation each round began, so far.
    const std::vector<Duration>& phases() const { return phases_; }

private:
    void begin_round();
    Duration gap();
    Occurrence drawn();

    const Source& source_;
    Prng prng_;
    sim::SimTime at_{};
    // Of a timed series.
    sim::SimTime round_{};  ///< when this round began
    Duration phase_{};      ///< where in the observation
    std::vector<Duration> phases_;
    std::size_t first_ = 0;  ///< the point that came first in this round
    std::size_t given_ = 0;  ///< points of this round
    // Of others.
    Duration mean_gap_{};
    std::vector<std::uint64_t> below_;  ///< of buckets: how many lie before each
};

/// A length at a time: a function of the seed, the source and the time, constant for `slot`.
class Lengths {
public:
    static constexpr Duration slot = seconds(1);

    Lengths(const Source& source, std::uint64_t seed, const char* purpose);
    bool any() const { return source_.any(); }
    Duration at(sim::SimTime t) const;

private:
    const Source& source_;
    std::uint64_t seed_;
    std::vector<std::uint64_t> below_;
};

}  // namespace lockstep::lease
