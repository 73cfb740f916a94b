#pragma once

#include "scenarios/scenario.hpp"
#include "sim/disk.hpp"
#include "sim/fault.hpp"
#include "sim/network.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::scenario {

/// Raised when an existing draw changes its meaning: seeds are stable within one epoch.
inline constexpr std::uint32_t plan_epoch = 2;

/// A scenario with nothing left open: what one seed makes of it.
struct Resolved {
    std::uint64_t seed = 0;
    std::string service;
    std::vector<std::string> servers;    ///< process 1 ...
    std::vector<std::string> clients;    ///< ... then these ...
    std::vector<std::string> resources;  ///< ... then these; resource k is guarded by lock k
    std::vector<std::string> locks;      ///< of lock 1, 2, ...

    Duration ttl;
    Duration renew_every;
    Ppm drift_bound;
    Duration margin;
    std::optional<Duration> checkpoint_every;
    Duration lock_delay;  ///< zero: none
    Duration hold_max;    ///< zero: without end
    ServerLimits limits;
    std::uint32_t sessions = 1;                   ///< of each client
    std::vector<std::vector<std::string>> zones;  ///< the servers in each; empty: no zones
    std::vector<std::pair<std::string, std::string>> service_settings;

    Duration election_min;
    Duration election_max;
    Duration heartbeat;
    std::uint64_t snapshot_every = 0;
    std::uint64_t append_entries = 0;

    ResourceKind resource = ResourceKind::Store;
    Fencing fencing = Fencing::Fenced;
    sim::LinkModel server_link;  ///< between servers
    sim::LinkModel client_link;  ///< all others
    sim::DiskModel disk;
    Workload workload;

    Duration faults_for;  ///< heal everything then
    Duration quiet;       ///< and go on for this long after Healed
    Duration slack;
    bool wire_codec = false;
    bool recoverable = true;  ///< liveness is demanded after healing

    sim::FaultPlan plan;                           ///< the written faults first, then the drawn
    std::vector<std::string> expected_violations;  ///< those whose condition is met

    /// LIVE-1: a leader within ten election timeouts after healing.
    Duration live1_bound() const { return election_max * 10; }
    /// How long a worker may be busy with what it began before it was told to stop.
    Duration longest_turn() const;
    /// One line for each thing that was drawn.
    std::vector<std::string> drawn;
};

/// What of a service drawn faults can be aimed at: kinds of messages, by who sends them to whom,
/// and roles. Any of the lists may be empty.
struct Vocabulary {
    std::vector<std::string> between_servers;
    std::vector<std::string> from_clients;
    std::vector<std::string> to_clients;
    std::vector<std::string> roles;
};
/// Of our own service, `raft`. The order of its words decides what seeds draw.
Vocabulary raft_vocabulary();

/// Every draw has a stream of its own, keyed by its name, so that giving one value outright changes
/// none of the others. The scenario must have passed `check`, and `words` must be its service's
/// (harness::resolve knows them).
Resolved resolve(const Scenario& scenario, std::uint64_t seed, const Vocabulary& words);
/// Of a scenario for `raft`, or without a swarm.
Resolved resolve(const Scenario& scenario, std::uint64_t seed);

/// The scenario with that seed's draws written in: drawn values as numbers, the whole fault plan as
/// written faults, no swarm. Resolving it with any seed gives the same numbers and plan.
Scenario pinned(const Scenario& scenario, const Resolved& resolved);

}  // namespace lockstep::scenario
