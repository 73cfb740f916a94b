#include "properties/rapid/scenarios.hpp"

#include "harness/shrink/simpler.hpp"

#include <utility>
#include <vector>

namespace lockstep::rapid {
namespace {

using scenario::Scenario;

/// All that is simpler, as RapidCheck walks through it.
rc::Shrinkable<Scenario> shrinkable(Scenario scenario) {
    return rc::shrinkable::lambda(
        [scenario] { return scenario; },
        [scenario] {
            std::vector<rc::Shrinkable<Scenario>> simpler;
            for (auto& candidate : harness::simpler(scenario))
                simpler.push_back(shrinkable(std::move(candidate.scenario)));
            return rc::seq::fromContainer(std::move(simpler));
        });
}

}  // namespace

rc::Gen<Scenario> scenarios() {
    return [](const rc::Random& random, int size) {
        const auto drawn =
            rc::gen::tuple(
                rc::gen::inRange<std::uint32_t>(1, 6), rc::gen::inRange<std::uint32_t>(1, 6),
                rc::gen::inRange<std::uint32_t>(1, 4),
                rc::gen::element(scenario::WorkloadKind::Counter, scenario::WorkloadKind::Append,
                                 scenario::WorkloadKind::ManyLocks),
                rc::gen::inRange<std::int64_t>(3, 9))(random, size)
                .value();
        Scenario scenario;
        scenario.name = "drawn";
        scenario.cluster.servers = std::get<0>(drawn);
        scenario.cluster.clients = std::get<1>(drawn);
        scenario.cluster.locks = std::get<2>(drawn);
        scenario.workload.kind = std::get<3>(drawn);
        scenario.run.faults_for = seconds(std::get<4>(drawn));
        scenario.lease.ttl = {seconds(2), seconds(4)};
        scenario.swarm.emplace();
        return shrinkable(scenario);
    };
}

}  // namespace lockstep::rapid
