#include "properties/rapid/clusters.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::properties::rapid {
namespace {

constexpr Duration faults_for = seconds(20);

/// The raw numbers of one fault; what they mean depends on the cluster, so that a cluster may
/// shrink without its plan becoming senseless.
struct FaultNumbers {
    std::uint8_t kind;
    std::uint8_t target;
    std::uint16_t start;     // tens of milliseconds
    std::uint16_t duration;  // likewise
};

sim::Fault fault_of(const FaultNumbers& n, std::uint32_t servers, std::uint32_t clients) {
    using sim::FaultKind;
    constexpr std::array kinds{FaultKind::Pause,     FaultKind::Cut,        FaultKind::Delay,
                               FaultKind::Loss,      FaultKind::CrashKill,  FaultKind::CrashPower,
                               FaultKind::DiskStall, FaultKind::StallFiber, FaultKind::ClockStep};
    sim::Fault fault;
    fault.kind = kinds[n.kind % kinds.size()];
    const bool server_only =
        fault.kind == FaultKind::DiskStall || fault.kind == FaultKind::CrashPower;
    const bool client_only = fault.kind == FaultKind::StallFiber;
    const std::uint32_t candidates = client_only ? clients : servers + (server_only ? 0 : clients);
    const std::uint32_t target =
        client_only ? servers + n.target % candidates : n.target % candidates;
    fault.aim.name = target < servers
                         ? "n" + std::to_string(target + 1)
                         : std::string("worker-") + static_cast<char>('a' + target - servers);
    fault.start = milliseconds(10) * (n.start % 1'800);
    fault.duration = milliseconds(10) * (1 + n.duration % 600);
    if (fault.start + fault.duration > faults_for) fault.duration = faults_for - fault.start;
    if (fault.kind == FaultKind::Delay) fault.amount = milliseconds(300);
    if (fault.kind == FaultKind::Loss) fault.ppm = 300'000;
    if (fault.kind == FaultKind::ClockStep) fault.amount = seconds(30);
    return fault;
}

}  // namespace

scenario::Scenario scenario_of(const SmallCluster& cluster) {
    scenario::Scenario s;
    s.name = "small-cluster";
    s.cluster = {cluster.servers, cluster.clients, 1};
    s.lease.ttl = {seconds(2), seconds(2)};
    s.raft.election_min = {milliseconds(300), milliseconds(300)};
    s.raft.election_max = {milliseconds(600), milliseconds(600)};
    s.raft.heartbeat = milliseconds(60);
    s.raft.snapshot_every = 40;
    s.network.server_links = scenario::LinkChoice::Drawn;
    s.network.client_links = scenario::LinkChoice::Drawn;
    s.network.connection_timeout = seconds(1);
    s.workload.think = {milliseconds(20), milliseconds(200)};
    s.workload.hold = {milliseconds(20), milliseconds(200)};
    s.run.faults_for = faults_for;
    s.faults = cluster.plan;
    return s;
}

rc::Gen<SmallCluster> small_clusters() {
    const auto numbers =
        rc::gen::construct<FaultNumbers>(rc::gen::resize(100, rc::gen::arbitrary<std::uint8_t>()),
                                         rc::gen::resize(100, rc::gen::arbitrary<std::uint8_t>()),
                                         rc::gen::resize(100, rc::gen::arbitrary<std::uint16_t>()),
                                         rc::gen::resize(100, rc::gen::arbitrary<std::uint16_t>()));
    const auto parts = rc::gen::tuple(
        rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>())),
        rc::gen::element<std::uint32_t>(1, 3, 3, 3, 5), rc::gen::inRange<std::uint32_t>(1, 4),
        rc::gen::container<std::vector<FaultNumbers>>(numbers));
    return rc::gen::map(parts, [](const auto& drawn) {
        const auto& [seed, servers, clients, faults] = drawn;
        SmallCluster cluster{seed, servers, clients, {}};
        for (std::size_t i = 0; i < faults.size() && i < 12; ++i)
            cluster.plan.push_back(fault_of(faults[i], servers, clients));
        return cluster;
    });
}

void showValue(const SmallCluster& cluster, std::ostream& out) {
    out << cluster.servers << " servers, " << cluster.clients << " clients, seed " << cluster.seed;
    for (const auto& fault : cluster.plan)
        out << "\n  at " << sim::to_string(fault.start) << " " << fault.label();
}

}  // namespace lockstep::properties::rapid
