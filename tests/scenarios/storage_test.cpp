#include "harness/run.hpp"
#include "sim/world.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

/// What the servers of service `raft` do when their disks fail.
namespace lockstep::scenario::storage_tests {

using harness::Outcome;

Outcome run_with(const std::vector<sim::Fault>& faults, std::uint64_t seed) {
    Scenario scenario;
    scenario.run.faults_for = seconds(20);
    scenario.raft.snapshot_every = 20;
    scenario.lease.ttl = {seconds(3), seconds(3)};
    scenario.faults = faults;
    harness::RunOptions options;
    options.keep_log = true;
    Outcome outcome = harness::run(scenario, seed, options);
    CHECK(outcome.end == harness::End::Finished);
    for (const auto& report : outcome.reports)
        CHECK(report.verdict != properties::Verdict::Violated);
    return outcome;
}

sim::Fault on_disk(sim::FaultKind kind, const char* process, Duration at, Duration lasts) {
    sim::Fault fault;
    fault.kind = kind;
    fault.aim = {sim::Aim::By::Process, process};
    fault.start = at;
    fault.duration = lasts;
    return fault;
}

/// Of the process, in the order of the log. `All` is the variant that E is in.
template <class All, class E>
std::vector<std::pair<sim::SimTime, E>> events_of(const Outcome& outcome, std::uint32_t process) {
    std::vector<std::pair<sim::SimTime, E>> found;
    for (const auto& logged : outcome.log) {
        const auto* event = std::get_if<All>(&logged.what);
        if (logged.process.value != process || event == nullptr) continue;
        if (const auto* e = std::get_if<E>(event)) found.emplace_back(logged.at, *e);
    }
    return found;
}

TEST_CASE("raft-service: a server whose disk fails or is full says so, ends itself, comes back") {
    for (const bool full : {false, true}) {
        const auto kind = full ? sim::FaultKind::DiskFull : sim::FaultKind::DiskError;
        std::size_t failures = 0;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            std::vector<sim::Fault> faults;
            for (const char* server : {"n1", "n2", "n3"})
                faults.push_back(on_disk(kind, server, seconds(6), milliseconds(1'500)));
            const Outcome outcome = run_with(faults, seed);
            for (std::uint32_t server = 1; server <= 3; ++server) {
                const auto failed =
                    events_of<events::Event, events::StorageFailed>(outcome, server);
                const auto stopped =
                    events_of<sim::WorldEvent, sim::ProcessStopped>(outcome, server);
                const auto started =
                    events_of<sim::WorldEvent, sim::ProcessStarted>(outcome, server);
                failures += failed.size();
                CHECK(stopped.size() == failed.size());
                REQUIRE(started.size() == failed.size() + 1);
                for (std::size_t i = 0; i < failed.size(); ++i) {
                    CHECK(failed[i].second.full == full);
                    CHECK(stopped[i].first == failed[i].first);
                    CHECK(started[i + 1].first == failed[i].first + sim::World::restart_delay);
                }
            }
        }
        CHECK(failures > 5);
    }
}

TEST_CASE("raft-service: nothing is lost when disks fail again and again and power is lost") {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        std::vector<sim::Fault> faults;
        for (std::int64_t s = 4; s < 18; s += 2)
            for (const char* server : {"n1", "n2", "n3"})
                faults.push_back(on_disk(sim::FaultKind::DiskError, server,
                                         seconds(s) + milliseconds(100 * (server[1] - '0')),
                                         milliseconds(100)));
        faults.push_back(on_disk(sim::FaultKind::CrashPower, "n1", seconds(9), seconds(1)));
        faults.push_back(on_disk(sim::FaultKind::CrashPower, "n2", seconds(13), seconds(1)));
        faults.push_back(on_disk(sim::FaultKind::CrashPower, "n3", seconds(17), seconds(1)));
        for (sim::Fault& fault : faults)
            fault.duration = std::min(fault.duration, seconds(20) - fault.start);
        run_with(faults, seed);
    }
}

}  // namespace lockstep::scenario::storage_tests
