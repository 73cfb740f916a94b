#pragma once

#include "harness/lease/sweep.hpp"
#include "sim/types.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace lockstep::lease {

/// One loss of the lease by a holder that lived.
struct Loss {
    sim::SimTime at;
    Harm::Kind kind = Harm::Kind::RoundTrip;
    std::uint32_t index = 0;  ///< of the occurrence in its source
    Duration length;
    bool stood_down = false;
    bool taken_over = false;
    std::uint64_t refused_writes = 0;
    Duration double_belief;
};

/// What happened in one stretch of simulated time.
struct Bin {
    Counts counts;
    Duration without_holder;
    Duration double_belief;
};

/// How long it took from a crash of the holder, if another got the lock then.
struct Takeover {
    sim::SimTime at;
    Duration takes;
};

inline constexpr std::size_t harm_kinds = 5;

/// What came of one setting.
struct Tally {
    Duration bin;  ///< the length of each
    std::vector<Bin> bins;
    std::vector<Loss> losses;
    std::vector<Takeover> crashes;
    std::vector<Takeover> releases;
    std::vector<Takeover> failovers;  ///< takes: what a failover would have added to a takeover
    /// By kind of harm and by index in the source: how often that one happened.
    std::array<std::vector<std::uint32_t>, harm_kinds> happened;
    /// Of a timed series of pauses: where in the observation each round of it began.
    std::vector<Duration> phases;
    std::uint64_t steps = 0;
    std::uint64_t digest = 0;
};

}  // namespace lockstep::lease
