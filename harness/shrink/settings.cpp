// The same cluster and faults in plainer surroundings.
#include "harness/shrink/candidates.hpp"
#include "scenarios/scenario_fields.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace lockstep::harness {
namespace {

using scenario::DurationRange;
using scenario::Swarm;
using scenario::WorkloadKind;

/// Settings that go back together to what they are by default.
struct Plain {
    const char* what;
    void (*set)(Scenario& to, const Scenario& by_default);
};

constexpr Plain plain_settings[] = {
    {"plain network", [](Scenario& s, const Scenario& d) { s.network = d.network; }},
    {"plain servers",
     [](Scenario& s, const Scenario& d) {
         s.raft = d.raft;
         s.limits = d.limits;
         s.disk = d.disk;
     }},
    {"no loss", [](Scenario& s, const Scenario& d) { s.network.loss = d.network.loss; }},
    {"no duplicates",
     [](Scenario& s, const Scenario& d) { s.network.duplicate = d.network.duplicate; }},
    {"no reordering",
     [](Scenario& s, const Scenario& d) { s.network.reorder = d.network.reorder; }},
    {"no long delays",
     [](Scenario& s, const Scenario& d) {
         s.network.tail_chance = d.network.tail_chance;
         s.network.tail = d.network.tail;
     }},
    {"delays as by default",
     [](Scenario& s, const Scenario& d) { s.network.delay = d.network.delay; }},
    {"ordered links between servers",
     [](Scenario& s, const Scenario& d) { s.network.server_links = d.network.server_links; }},
    {"ordered links of clients",
     [](Scenario& s, const Scenario& d) { s.network.client_links = d.network.client_links; }},
    {"connections time out as by default",
     [](Scenario& s, const Scenario& d) {
         s.network.connection_timeout = d.network.connection_timeout;
     }},
    {"syncs as by default", [](Scenario& s, const Scenario& d) { s.disk = d.disk; }},
    {"limits as by default", [](Scenario& s, const Scenario& d) { s.limits = d.limits; }},
    {"snapshots as by default",
     [](Scenario& s, const Scenario& d) {
         s.raft.snapshot_every = d.raft.snapshot_every;
         s.raft.append_entries = d.raft.append_entries;
     }},
    {"elections as by default",
     [](Scenario& s, const Scenario& d) {
         s.raft.election_min = d.raft.election_min;
         s.raft.election_max = d.raft.election_max;
         s.raft.heartbeat = d.raft.heartbeat;
     }},
    {"renewals as by default",
     [](Scenario& s, const Scenario& d) { s.lease.renew_every = d.lease.renew_every; }},
    {"margin as by default",
     [](Scenario& s, const Scenario& d) { s.lease.margin = d.lease.margin; }},
    {"no checkpoints of leases",
     [](Scenario& s, const Scenario& d) { s.lease.checkpoint_every = d.lease.checkpoint_every; }},
    {"no lock delay",
     [](Scenario& s, const Scenario& d) { s.lease.lock_delay = d.lease.lock_delay; }},
    {"holds without end",
     [](Scenario& s, const Scenario& d) { s.lease.hold_max = d.lease.hold_max; }},
    {"no zones", [](Scenario& s, const Scenario& d) { s.cluster.zones = d.cluster.zones; }},
    {"waits without end",
     [](Scenario& s, const Scenario& d) { s.workload.wait_max = d.workload.wait_max; }},
    {"no wire codec", [](Scenario& s, const Scenario& d) { s.run.wire_codec = d.run.wire_codec; }},
    {"no required marks",
     [](Scenario& s, const Scenario& d) { s.required_marks = d.required_marks; }},
    {"no minimum shares",
     [](Scenario& s, const Scenario& d) { s.minimum_share = d.minimum_share; }},
};

void without_swarm(Candidates& to) {
    if (!to.origin().swarm) return;
    const auto offer = [&](const auto& change, std::string_view what) {
        Scenario changed = to.origin();
        change(*changed.swarm);
        to.offer(std::move(changed), std::string(what));
    };
    Scenario none = to.origin();
    none.swarm.reset();
    to.offer(std::move(none), "no swarm");
    offer([](Swarm& s) { s.break_disks = false; }, "no broken disks");
    offer([](Swarm& s) { s.break_clocks = false; }, "no broken clocks");
    std::vector<sim::FaultKind> kinds = to.origin().swarm->kinds;
    if (kinds.empty())  // all
        for (std::size_t k = 0; k < sim::fault_kinds; ++k)
            kinds.push_back(static_cast<sim::FaultKind>(k));
    if (kinds.size() < 2) return;
    const auto middle = kinds.cbegin() + static_cast<std::ptrdiff_t>(kinds.size() / 2);
    offer([&](Swarm& s) { s.kinds.assign(kinds.cbegin(), middle); }, "half the kinds of faults");
    offer([&](Swarm& s) { s.kinds.assign(middle, kinds.cend()); },
          "the other half of the kinds of faults");
    for (std::size_t i = 0; i < kinds.size(); ++i)
        offer(
            [&](Swarm& s) {
                s.kinds = kinds;
                s.kinds.erase(s.kinds.begin() + static_cast<std::ptrdiff_t>(i));
            },
            fmt::format("no drawn {}", sim::to_string(kinds[i])));
}

/// What people read first, and what every other workload is a variant of.
void plain_workload(Candidates& to) {
    Scenario changed = to.origin();
    changed.workload.kind = WorkloadKind::Counter;
    to.offer(std::move(changed), "the workload counter");
}

/// Of a number: what goes back to its default stays there; for the others smaller is simpler, or
/// only rounder.
enum class Simpler : std::uint8_t { Smaller, Rounder, Default };

class Numbers {
public:
    explicit Numbers(Candidates& to) : to_(to) {}

    /// One value in place of a range, which is then made rounder, or smaller, too.
    template <class Get>
    void range(const char* what, Get get, Simpler simpler) {
        Scenario probe = to_.origin();
        const DurationRange now = get(probe);
        Scenario by_default;
        if (simpler == Simpler::Default && now == get(by_default)) return;
        for (const Duration d : {now.max, now.min})
            if (now.min != now.max) offer(what, get, DurationRange{d, d});
        if (now.min != now.max) return;
        const auto fewer =
            simpler == Simpler::Smaller ? smaller(now.max.ns, 0) : rounder(now.max.ns, 0);
        for (const std::int64_t ns : fewer) offer(what, get, DurationRange{{ns}, {ns}});
    }
    template <class Get>
    void span(const char* what, Get get, Simpler simpler) {
        Scenario probe = to_.origin();
        const Duration now = get(probe);
        if (now == Duration::max()) return;
        for (const std::int64_t ns :
             simpler == Simpler::Smaller ? smaller(now.ns, 0) : rounder(now.ns, 0))
            offer(what, get, Duration{ns});
    }

private:
    template <class Get, class T>
    void offer(const char* what, Get get, T value) {
        Scenario changed = to_.origin();
        get(changed) = value;
        to_.offer(std::move(changed), fmt::format("{} {}", what, scenario::text_of(value)));
    }

    Candidates& to_;
};

}  // namespace

void with_plainer_settings(Candidates& to) {
    without_swarm(to);
    const Scenario by_default;
    for (const Plain& plain : plain_settings) {
        Scenario changed = to.origin();
        plain.set(changed, by_default);
        to.offer(std::move(changed), plain.what);
    }
    plain_workload(to);
}

void with_simpler_numbers(Candidates& to) {
    Numbers numbers(to);
    for (const std::int64_t n : smaller(to.origin().workload.writes, 1)) {
        Scenario changed = to.origin();
        changed.workload.writes = static_cast<std::uint32_t>(n);
        to.offer(std::move(changed), fmt::format("{} writes", n));
    }
    numbers.range(
        "a lease of", [](Scenario& s) -> DurationRange& { return s.lease.ttl; }, Simpler::Rounder);
    numbers.range(
        "hold for", [](Scenario& s) -> DurationRange& { return s.workload.hold; },
        Simpler::Smaller);
    // Who thinks less does more.
    numbers.range(
        "think for", [](Scenario& s) -> DurationRange& { return s.workload.think; },
        Simpler::Rounder);
    numbers.span(
        "a period of", [](Scenario& s) -> Duration& { return s.workload.period; },
        Simpler::Rounder);
    numbers.span(
        "drain for", [](Scenario& s) -> Duration& { return s.workload.drain; }, Simpler::Smaller);
    numbers.span(
        "stop every", [](Scenario& s) -> Duration& { return s.workload.stop_every; },
        Simpler::Rounder);
    numbers.range(
        "delays of", [](Scenario& s) -> DurationRange& { return s.network.delay; },
        Simpler::Default);
    numbers.range(
        "syncs of", [](Scenario& s) -> DurationRange& { return s.disk.sync; }, Simpler::Default);
    numbers.range(
        "elections after", [](Scenario& s) -> DurationRange& { return s.raft.election_min; },
        Simpler::Default);
    numbers.range(
        "elections before", [](Scenario& s) -> DurationRange& { return s.raft.election_max; },
        Simpler::Default);
}

}  // namespace lockstep::harness
