#pragma once

#include "scenarios/scenario.hpp"

#include <functional>
#include <string>
#include <vector>

namespace lockstep::harness {

/// One step towards a simpler scenario.
struct Candidate {
    scenario::Scenario scenario;
    std::string what;  ///< "without fault 3 (pause of worker-a for 15 s)", "4 clients"
    /// Takes a whole thing away (a fault, a client, a server, a lock, a session): a result must
    /// fail no longer when any one of these is taken.
    bool removal = false;
};

/// The one definition of simpler: fewer faults, clients, servers, locks, sessions and operations, a
/// shorter horizon, shorter and rounder durations and times, a plainer network, disk and lease, a
/// dimension of the swarm off, a weaker kind of fault. The boldest first. Every candidate passes
/// `scenario::check`, is unequal to its origin, and every chain of candidates ends.
std::vector<Candidate> simpler(const scenario::Scenario& scenario);

}  // namespace lockstep::harness
