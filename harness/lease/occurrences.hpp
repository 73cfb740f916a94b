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
    /// Of a timed series, what is shorter than `least` is left out.
    Occurrences(const Source& source, std::uint64_t seed, Duration least = {});

    /// The next, in the order of their times; at SimTime::never() there are no more.
    Occurrence next();
    /// The sum of the lengths that were left out and begin within that time.
    Duration left_out(sim::SimTime from, sim::SimTime to) const;
    /// Where in the observation each of so many rounds begins.
    std::vector<Duration> phases(std::size_t rounds) const;

private:
    void begin_round();
    Duration phase_of(std::int64_t round) const;
    Duration left_out_before(Duration place) const;
    Occurrence drawn();

    const Source& source_;
    Prng prng_;
    sim::SimTime at_{};
    // Of a timed series.
    std::uint64_t seed_;
    std::vector<std::uint32_t> kept_;     ///< points that are not left out
    std::vector<Duration> left_out_sum_;  ///< of the points before each
    std::int64_t round_ = 0;
    Duration phase_{};       ///< of this round
    std::size_t first_ = 0;  ///< the position in kept_ that came first in this round
    std::size_t given_ = 0;  ///< of this round
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
