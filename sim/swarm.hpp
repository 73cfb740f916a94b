#pragma once

#include "sim/fault.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::sim {

/// What a plan is drawn from.
struct SwarmInput {
    std::uint64_t seed = 0;
    std::vector<std::string> servers;
    std::vector<std::string> clients;
    std::vector<std::string> resources;
    std::vector<Duration> interesting;  ///< durations to straddle: TTL, renewal, election timeout
    // Kinds of messages that may be dropped, by who sends them to whom.
    std::vector<std::string> between_servers;
    std::vector<std::string> from_clients;
    std::vector<std::string> to_clients;
    std::vector<std::string> roles;  ///< that may be aimed at
    Duration from;                   ///< the earliest start
    Duration to;                     ///< the latest end
    std::vector<FaultKind> kinds;    ///< empty: all
    Ppm drift_bound{10'000};         ///< drifts stay inside it, taken together
    bool break_clocks = false;       ///< some seeds freeze clocks
    bool break_disks = false;        ///< some seeds have disks that rot or lie
    bool unlimited = false;          ///< nothing need be left to serve: more than a minority may go
    std::vector<std::string> groups;  ///< `zone-1`, ...: that may be lost together
};

struct SwarmPlan {
    FaultPlan faults;                     ///< ordered by kind, then as drawn
    std::vector<std::string> dimensions;  ///< what this seed's swarm has on, one line a kind
};

/// Draws which kinds of faults a seed has and how hard, then its plan. Most seeds have about half
/// of the kinds on: a fault that is rare in a crowd is frequent in some seed. (Groce, Zhang, Eide,
/// Chen, Regehr: Swarm Testing, ISSTA 2012.) Each kind draws from a stream of its own, keyed by its
/// name, so that a kind more or less changes no other's draws.
SwarmPlan draw_swarm(const SwarmInput& input);

}  // namespace lockstep::sim
