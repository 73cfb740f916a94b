// Whole runs, with all properties and the digest on, measured from outside.
//   bench_whole_run idle|load|commits [SIMULATED_SECONDS]
//   bench_whole_run long [SIMULATED_HOURS]    what the first hour of `load` costs, and what all do
//   bench_whole_run herd [WAITERS]            a line of that length before one lock, again and
//   again bench_whole_run chaos [SEEDS]             the scenario of the catalogue at its default
//   size
// Prints one line of KEY=VALUE. `commits` is `load` with the log kept, to count what was committed.
// Seconds are of processor time: a run has one thread and waits for nothing, so that on a machine
// with nothing else to do they are those of a clock on the wall.

#include "harness/catalogue.hpp"
#include "harness/judge.hpp"
#include "harness/run.hpp"
#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>
#include <sys/resource.h>
#include <variant>

namespace {

using namespace lockstep;

/// 5 servers that only keep each other informed. No client: not for a scenario file, but here.
scenario::Scenario idle(Duration length) {
    scenario::Scenario s;
    s.name = "bench-idle";
    s.cluster = {5, 0, 1};
    s.raft.heartbeat = milliseconds(50);
    s.run.faults_for = length;
    return s;
}

/// 10 clients that take one of 10 locks in turn and think 100 ms in between.
scenario::Scenario load(Duration length) {
    scenario::Scenario s = idle(length);
    s.name = "bench-load";
    s.cluster.clients = 10;
    s.cluster.locks = 10;
    s.workload.kind = scenario::WorkloadKind::Counter;
    s.workload.think = {milliseconds(100), milliseconds(100)};
    s.workload.hold = {milliseconds(0), milliseconds(0)};
    return s;
}

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t n = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return n;
}

/// Twenty clients whose sessions all ask for one lock at the same moment, as the scenario `herd`;
/// who had its turn asks again while others still wait. Leases are so long that renewals do not
/// count.
scenario::Scenario herd(std::uint32_t waiters) {
    scenario::Scenario s;
    s.name = "bench-herd";
    s.cluster.servers = 3;
    s.cluster.clients = 20;
    s.cluster.locks = 1;
    s.cluster.sessions = waiters / s.cluster.clients;
    s.lease.ttl = {seconds(600), seconds(600)};
    s.workload.kind = scenario::WorkloadKind::Herd;
    s.workload.think = {seconds(1), seconds(1)};
    s.workload.hold = {milliseconds(1), milliseconds(1)};
    s.run.faults_for = seconds(60);
    return s;
}

/// Entries that were committed: the highest index that any server applied.
std::uint64_t commits_of(const harness::Outcome& outcome) {
    std::uint64_t highest = 0;
    for (const auto& logged : outcome.log)
        if (const auto* event = std::get_if<events::Event>(&logged.what))
            if (const auto* applied = std::get_if<events::Applied>(event))
                highest = std::max(highest, applied->index.value);
    return highest;
}

/// Processor time that this process has used.
double used() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double seconds_of(Duration d) {
    return static_cast<double>(d.ns) * 1e-9;
}

bool held(const harness::Outcome& outcome) {
    return harness::judge({}, outcome).as_expected();
}

int finish(bool held) {
    fmt::print(" verdict={}\n", held ? "held" : "NOT-AS-EXPECTED");
    return held ? 0 : 1;
}

int one_run(const scenario::Scenario& scenario, bool commits) {
    harness::RunOptions options;
    options.keep_log = commits;
    const double start = used();
    const auto outcome = harness::run(scenario, 1, options);
    const double took = used() - start;
    const double simulated = seconds_of(outcome.simulated);
    fmt::print(
        "steps={} events={} messages={} simulated_s={:.0f} cpu_s={:.3f} "
        "simulated_s_per_s={:.0f} steps_per_s={:.0f}",
        outcome.steps, outcome.events, outcome.messages, simulated, took, simulated / took,
        static_cast<double>(outcome.steps) / took);
    if (commits) fmt::print(" commits={}", commits_of(outcome));
    return finish(held(outcome));
}

/// Looks at the clock once a simulated second, which changes nothing of the run.
int long_run(std::uint64_t hours) {
    constexpr std::uint64_t hour = 3600;
    const scenario::Scenario scenario = load(seconds(static_cast<std::int64_t>(hours * hour)));
    std::uint64_t second = 0;
    double first = 0;
    double ten = 0;
    harness::RunOptions options;
    const double start = used();
    options.stop = [&] {
        if (second == hour) first = used() - start;
        if (second == 10 * hour) ten = used() - start;
        ++second;
        return false;
    };
    const auto outcome = harness::run(scenario, 1, options);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print(
        "hours={} cpu_s={:.1f} first_hour_s={:.2f} ten_hours_s={:.2f} hundredths={:.0f} "
        "resident_kib={}",
        hours, used() - start, first, ten, first > 0 ? 100 * ten / first : 0, usage.ru_maxrss);
    return finish(held(outcome));
}

/// Counts in the second half: by then sessions are open, and who was served has asked again. What
/// comes after it is the end of all those leases.
int herd_run(std::uint64_t waiters) {
    const scenario::Scenario scenario = herd(static_cast<std::uint32_t>(waiters));
    harness::RunOptions options;
    options.keep_log = true;
    options.keep_messages = true;
    const auto outcome = harness::run(scenario, 1, options);
    std::uint64_t grants = 0;
    std::uint64_t messages = 0;
    std::uint64_t longest = 0;
    for (const auto& logged : outcome.log) {
        if (logged.at.ns < scenario.run.faults_for.ns / 2) continue;
        if (logged.at.ns >= scenario.run.faults_for.ns) break;
        if (std::holds_alternative<harness::MessageLine>(logged.what)) ++messages;
        const auto* event = std::get_if<events::Event>(&logged.what);
        if (event == nullptr) continue;
        if (const auto* queued = std::get_if<events::Queued>(event))
            longest = std::max(longest, queued->position + 1);
        if (std::holds_alternative<events::Granted>(*event)) ++grants;
    }
    fmt::print("waiters={} longest={} grants={} messages={} messages_per_grant={:.1f}", waiters,
               longest, grants, messages,
               static_cast<double>(messages) / static_cast<double>(grants));
    return finish(grants > 0 && held(outcome));
}

/// As an exploration with one worker does it, but for keeping the results.
int chaos_runs(std::uint64_t seeds) {
    const auto scenario = harness::load_scenario("chaos", {});
    if (!scenario) return 2;
    double simulated = 0;
    bool good = true;
    const double start = used();
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto outcome = harness::run(scenario.value(), seed);
        simulated += seconds_of(outcome.simulated);
        good = good && held(outcome);
    }
    const double took = used() - start;
    fmt::print("seeds={} simulated_s={:.0f} cpu_s={:.2f} simulated_s_per_s={:.0f}", seeds,
               simulated, took, simulated / took);
    return finish(good);
}

int usage() {
    fmt::print(stderr,
               "usage: bench_whole_run idle|load|commits [SIMULATED_SECONDS]\n"
               "       bench_whole_run long [SIMULATED_HOURS]\n"
               "       bench_whole_run herd [WAITERS]\n"
               "       bench_whole_run chaos [SEEDS]\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) return usage();
    const std::string_view what = argv[1];
    const auto size = number(argc > 2 ? argv[2] : what == "long" ? "24" : "600");
    if (!size || *size == 0 || *size > 1'000'000) return usage();
    const auto span = seconds(static_cast<std::int64_t>(*size));
    if (what == "idle") return one_run(idle(span), false);
    if (what == "load" || what == "commits") return one_run(load(span), what == "commits");
    if (what == "long") return long_run(*size);
    if (what == "herd") return herd_run(*size);
    if (what == "chaos") return chaos_runs(*size);
    return usage();
}
