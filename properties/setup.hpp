#pragma once

#include "core/base/strong.hpp"
#include "core/base/time.hpp"
#include "sim/types.hpp"

#include <string>
#include <vector>

namespace lockstep::properties {

/// What a protected resource refuses (core/resource).
enum class FencingMode : std::uint8_t {
    Fenced,     ///< writes below (token, n), reads below the token
    WriteOnly,  ///< writes alone; a read presents nothing that raises the mark
    None,
    /// No tokens are looked at: a row takes an update on condition of the version that it was
    /// computed from, an endpoint knows calls by their keys.
    Conditional,
};

/// What the properties know of a run beforehand: names for evidence, and the numbers on which
/// bounds rest. All spans are of true time unless a property says otherwise.
struct Setup {
    struct Process {
        sim::ProcessId id;
        sim::ProcessKind kind;
        std::string name;
    };
    struct Guard {
        sim::ProcessId resource;
        LockId lock;
    };

    std::vector<Process> roster;
    std::vector<std::string> locks;   ///< the name of lock i is at i - 1
    std::vector<Guard> guards;        ///< which lock guards a resource
    std::vector<std::string> points;  ///< names of the workload's points, by their number

    Duration ttl = seconds(12);
    Ppm drift_bound{10'000};
    Duration margin = milliseconds(50);
    Duration renew_every = seconds(4);
    Duration election_timeout_max = seconds(2);
    Duration lock_delay;  ///< zero: none
    Duration hold_max;    ///< zero: none
    /// The client that, at the end, acquires every lock (LIVE-4); zero: there is none.
    sim::ProcessId probe;
    /// The network loses messages, or keeps some for long, by nature: without any fault.
    bool lossy = false;
    /// What a bound may be overstepped by, for messages and queues on the way.
    Duration slack = milliseconds(500);

    FencingMode fencing = FencingMode::Fenced;
    /// The scenario expects FENCE-2 to be violated: judge it in the other modes too.
    bool fence2_judged = false;
    /// The plan heals, so that liveness may be demanded.
    bool recoverable = true;

    /// How long after healing there is a leader again.
    Duration live1_bound() const { return election_timeout_max * 10; }

    /// The name of a process, or "#7" for one that is not in the roster.
    std::string name_of(sim::ProcessId id) const;
    /// The name of a lock, or "lock 3".
    std::string name_of(LockId lock) const;
};

}  // namespace lockstep::properties
