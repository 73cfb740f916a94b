#include "harness/marks.hpp"
#include "harness/run.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/workloads/workload.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lockstep::test::workloads_test {
namespace {

using harness::Mark;
using harness::Outcome;
using properties::PropertyId;
using properties::Verdict;
using scenario::ResourceKind;
using scenario::WorkloadKind;
using workloads::Point;

constexpr std::array all_workloads{
    WorkloadKind::Counter,  WorkloadKind::Election,  WorkloadKind::Append, WorkloadKind::Cron,
    WorkloadKind::Payments, WorkloadKind::ManyLocks, WorkloadKind::Herd,   WorkloadKind::Drain};

bool calls(WorkloadKind kind) {
    return kind == WorkloadKind::Cron || kind == WorkloadKind::Payments;
}

scenario::Scenario scenario_of(WorkloadKind kind) {
    scenario::Scenario s;
    s.name = "workload";
    s.cluster.clients = 3;
    s.lease.ttl = {seconds(4), seconds(4)};
    s.resource.kind = calls(kind) ? ResourceKind::Endpoint : ResourceKind::Store;
    s.workload.kind = kind;
    s.workload.think = {milliseconds(100), milliseconds(400)};
    s.workload.hold = {milliseconds(20), milliseconds(60)};
    s.run.faults_for = seconds(20);
    return s;
}

/// Pauses past leases, cuts, crashes, lost messages; the same kinds for every seed.
scenario::Scenario troubled(scenario::Scenario s) {
    using enum sim::FaultKind;
    s.swarm = scenario::Swarm{{Pause, Cut, CrashKill, CrashPower, DropMessage}, false, false};
    s.network.loss = Ppm{20'000};
    s.run.slack = seconds(5);  // for what is lost more than once
    s.network.server_links = s.network.client_links = scenario::LinkChoice::Datagram;
    return s;
}

struct Run {
    explicit Run(const scenario::Scenario& s, std::uint64_t seed = 1)
        : outcome(harness::run(s, seed, {.keep_log = true})) {
        INFO(outcome.end_detail);
        REQUIRE(outcome.end == harness::End::Finished);
    }
    std::uint64_t reached(Mark mark) const {
        return outcome.marks[static_cast<std::size_t>(mark)].reached;
    }
    Verdict verdict(PropertyId id) const {
        return outcome.reports[static_cast<std::size_t>(id)].verdict;
    }
    std::vector<std::string> violated() const {
        std::vector<std::string> ids;
        for (const auto& report : outcome.reports)
            if (report.verdict == Verdict::Violated)
                ids.push_back(std::string(properties::code_of(report.id)) + ": " +
                              report.first->evidence);
        return ids;
    }
    /// Calls f(process, event, at) for each event of that kind.
    template <class Event>
    void each(auto&& f) const {
        for (const auto& logged : outcome.log)
            if (const auto* event = std::get_if<events::Event>(&logged.what))
                if (const auto* e = std::get_if<Event>(event)) f(logged.process, *e, logged.at);
    }
    template <class Event>
    std::size_t count() const {
        std::size_t n = 0;
        each<Event>([&](auto&&...) { ++n; });
        return n;
    }
    /// How many workers or clients there were of which the event was heard.
    template <class Event>
    std::size_t processes() const {
        std::set<std::uint32_t> seen;
        each<Event>([&](sim::ProcessId p, auto&&...) { seen.insert(p.value); });
        return seen.size();
    }
    Outcome outcome;
};

/// How often each key took effect.
std::map<std::uint64_t, int> effects(const Run& run) {
    std::map<std::uint64_t, int> of;
    run.each<events::CallAccepted>(
        [&](auto, const events::CallAccepted& e, auto) { of[e.key] += e.first ? 1 : 0; });
    return of;
}

const std::vector<std::string> nothing;

}  // namespace

TEST_CASE("workloads: each passes every point, and breaks no promise") {
    for (const WorkloadKind kind : all_workloads) {
        const Run run(scenario_of(kind));
        INFO("workload " << static_cast<int>(kind));
        CHECK(run.violated() == nothing);
        std::array<int, scenario::point_names.size()> passed{};
        run.each<events::PointReached>(
            [&](auto, const events::PointReached& e, auto) { ++passed.at(e.point); });
        CHECK(*std::min_element(passed.begin(), passed.end()) >= 5);
        CHECK(run.processes<events::PointReached>() == 4);  // the probe, too
    }
}

TEST_CASE("workloads: each keeps its promises under faults, and does its work") {
    for (const WorkloadKind kind : all_workloads)
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const Run run(troubled(scenario_of(kind)), seed);
            INFO("workload " << static_cast<int>(kind) << " seed " << seed);
            CHECK(run.violated() == nothing);
            CHECK((calls(kind) ? run.count<events::CallAccepted>()
                               : run.count<events::WriteAccepted>()) > 5);
        }
}

TEST_CASE("workloads: append writes several times under each grant, each on the write before") {
    auto s = scenario_of(WorkloadKind::Append);
    s.workload.writes = 5;
    const Run run(s);
    std::map<std::uint64_t, std::uint64_t> last;
    run.each<events::WriteAccepted>([&](auto, const events::WriteAccepted& e, auto) {
        CHECK(e.n == ++last[e.token.value]);
        CHECK(e.read_version == e.prior_version);
    });
    CHECK(last.size() > 10);
    for (const auto& [token, n] : last) CHECK(n == 5);
}

TEST_CASE(
    "workloads: cron runs the job of each tick once, whichever of the fleet it is that does") {
    const Run calm(scenario_of(WorkloadKind::Cron));
    const auto ticks = effects(calm);
    CHECK(ticks.size() > 20);
    CHECK(ticks.rbegin()->first - ticks.begin()->first + 1 == ticks.size());  // none left out
    for (const auto& [tick, n] : ticks) CHECK(n == 1);
    CHECK(calm.reached(Mark::CallRepeated) > ticks.size() / 2);  // the others asked, too
    std::set<std::uint64_t> runners;
    calm.each<events::CallAccepted>([&](auto, const events::CallAccepted& e, auto) {
        if (e.first) runners.insert(e.op >> 32);
    });
    CHECK(runners.size() == 3);

    std::size_t under_faults = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Run run(troubled(scenario_of(WorkloadKind::Cron)), seed);
        for (const auto& [tick, n] : effects(run)) CHECK(n <= 1);
        under_faults += effects(run).size();
        CHECK(run.verdict(PropertyId::Fence2) == Verdict::Held);
    }
    CHECK(under_faults > 100);
}

// Each answer of the endpoint is lost for a while: outcomes are unknown, and payments are made
// again, after the lock went to others.
TEST_CASE("workloads: a payment is made again under its key until it is known, and once at most") {
    auto s = scenario_of(WorkloadKind::Payments);
    s.lease.ttl = {seconds(1), seconds(1)};
    sim::Fault loss;
    loss.kind = sim::FaultKind::Loss;
    loss.aim = {sim::Aim::By::Process, "endpoint"};
    loss.peers = {"clients"};
    loss.direction = sim::Direction::Out;
    loss.ppm = 700'000;
    loss.start = seconds(4);
    loss.duration = seconds(14);
    s.network.client_links = scenario::LinkChoice::Datagram;
    s.faults = {loss};
    const Run run(s);
    CHECK(run.violated() == nothing);

    std::map<std::uint64_t, std::set<std::uint64_t>> attempts, tokens;
    std::map<std::uint64_t, int> known;
    run.each<events::CallSent>([&](auto, const events::CallSent& e, auto) {
        attempts[e.key].insert(e.op);
        tokens[e.key].insert(e.token.value);
    });
    run.each<events::CallTold>([&](auto, const events::CallTold& e, auto) {
        known[e.key] += e.outcome == events::WriteOutcome::Accepted ? 1 : 0;
    });
    const auto made = effects(run);
    for (const auto& [key, n] : made) CHECK(n == 1);
    std::size_t again = 0, unknown = 0;
    for (const auto& [key, ops] : attempts) {
        again += ops.size() > 1 && tokens[key].size() > 1 ? 1 : 0;
        unknown += known[key] == 0 ? 1 : 0;
        CHECK(known[key] <= 1);
    }
    CHECK(again >= 2);
    CHECK(unknown == 0);
    CHECK(run.reached(Mark::CallRepeated) >= 2);
}

TEST_CASE("workloads: many_locks holds two at once, and takes them in order") {
    auto s = scenario_of(WorkloadKind::ManyLocks);
    s.cluster.locks = 6;
    s.cluster.clients = 5;
    const Run run(s);
    CHECK(run.violated() == nothing);
    std::map<std::uint32_t, std::set<std::uint32_t>> held;
    std::set<std::uint32_t> locks;
    std::size_t pairs = 0;
    for (const auto& logged : run.outcome.log) {
        const auto* event = std::get_if<events::Event>(&logged.what);
        if (event == nullptr) continue;
        auto& mine = held[logged.process.value];
        if (const auto* called = std::get_if<events::AcquireCalled>(event))
            for (const std::uint32_t lock : mine) CHECK(lock < called->lock.value);
        if (const auto* told = std::get_if<events::GrantTold>(event)) {
            mine.insert(told->lock.value);
            locks.insert(told->lock.value);
            pairs += mine.size() == 2 ? 1 : 0;
        }
        if (const auto* released = std::get_if<events::ReleaseCalled>(event))
            mine.erase(released->lock.value);
    }
    CHECK(locks.size() == 6);
    CHECK(pairs > 10);
}

TEST_CASE("workloads: herd asks for one lock at about the same time, and again") {
    auto s = scenario_of(WorkloadKind::Herd);
    s.cluster.clients = 8;
    s.workload.period = seconds(2);
    const Run run(s);
    CHECK(run.violated() == nothing);
    std::map<std::int64_t, std::size_t> asked;  // by the second nearest to it
    std::size_t all = 0;
    run.each<events::AcquireCalled>([&](auto, const events::AcquireCalled& e, sim::SimTime at) {
        CHECK(e.lock == LockId(1));
        ++asked[(at.ns + 500'000'000) / 1'000'000'000];
        ++all;
    });
    CHECK(all > 60);
    const auto herds =
        std::count_if(asked.begin(), asked.end(), [](const auto& a) { return a.second >= 6; });
    CHECK(herds >= 10);
    CHECK(run.reached(Mark::WaiterQueued) > all / 2);
}

TEST_CASE(
    "workloads: what drain writes after the release is fenced, and lost where nothing fences") {
    auto s = scenario_of(WorkloadKind::Drain);
    s.workload.stop_every = seconds(3);
    s.workload.drain = seconds(1);
    const Run fenced(s);
    CHECK(fenced.violated() == nothing);
    CHECK(fenced.reached(Mark::WriteAfterRelease) >= 5);
    CHECK(fenced.reached(Mark::StaleWriteRefused) >= 5);
    CHECK(fenced.reached(Mark::SessionExpired) == 0);  // no lease ran out

    s.resource.fencing = scenario::Fencing::None;
    s.expect = {{"FENCE-2", "", ""}};
    const Run open(s);
    CHECK(open.reached(Mark::StaleWriteAccepted) >= 5);
    CHECK(open.verdict(PropertyId::Fence2) == Verdict::Violated);
    CHECK(open.verdict(PropertyId::Belief1) == Verdict::Held);

    s.resource = {ResourceKind::Row, scenario::Fencing::Fenced};
    s.expect = {};
    const Run row(s);
    CHECK(row.violated() == nothing);
    CHECK(row.reached(Mark::RowConflict) >= 5);
    CHECK(row.verdict(PropertyId::Fence1) == Verdict::Idle);
    CHECK(row.verdict(PropertyId::Fence2) == Verdict::Held);
}

TEST_CASE("workloads: a client with several sessions has a worker for each") {
    auto s = scenario_of(WorkloadKind::Counter);
    s.cluster.clients = 2;
    s.cluster.sessions = 4;
    const Run run(s);
    CHECK(run.violated() == nothing);
    // By client: the servers come before, the resource and the probe after the two of them.
    std::map<std::uint32_t, std::set<std::uint64_t>> sessions, grants;
    std::set<std::uint64_t> ops;
    run.each<events::SessionTold>([&](sim::ProcessId p, const events::SessionTold& e, auto) {
        if (p.value <= 5) sessions[p.value].insert(e.session.value);
    });
    run.each<events::GrantTold>([&](sim::ProcessId p, const events::GrantTold& e, auto) {
        if (p.value <= 5) grants[p.value].insert(e.session.value);
    });
    std::size_t writes = 0;
    run.each<events::WriteTold>([&](auto, const events::WriteTold& e, auto) {
        CHECK(e.outcome == events::WriteOutcome::Accepted);
        CHECK(ops.insert(e.op).second);
        ++writes;
    });
    CHECK(sessions.size() == 2);
    for (const auto& [process, its] : sessions) {
        CHECK(its.size() == 4);
        CHECK(grants[process] == its);
    }
    CHECK(writes > 50);
}

}  // namespace lockstep::test::workloads_test
