#pragma once

#include "scenarios/scenario.hpp"

#include <rapidcheck.h>

#include <ostream>

/// RapidCheck generators of whole small clusters with fault plans. Test-only.
namespace lockstep::properties::rapid {

/// A run as a value that RapidCheck draws and shrinks: the plan first of all, then the cluster.
struct SmallCluster {
    std::uint64_t seed = 1;
    std::uint32_t servers = 3;
    std::uint32_t clients = 2;
    sim::FaultPlan plan;
};

/// The scenario it stands for: short leases and elections, so that twenty seconds hold many of
/// them.
scenario::Scenario scenario_of(const SmallCluster& cluster);

/// Any cluster of 1 to 5 servers and 1 to 3 clients, with up to `size` faults that all end.
rc::Gen<SmallCluster> small_clusters();

void showValue(const SmallCluster& cluster, std::ostream& out);

}  // namespace lockstep::properties::rapid
