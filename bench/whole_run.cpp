// One whole run, with all properties and the digest on, measured from outside.
//   bench_whole_run idle|load|commits [SIMULATED_SECONDS] [SEED]
// Prints one line of KEY=VALUE. `commits` is `load` with the log kept, to count what was committed.

#include "harness/judge.hpp"
#include "harness/run.hpp"
#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>
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

/// Entries that were committed: the highest index that any server applied.
std::uint64_t commits_of(const harness::Outcome& outcome) {
    std::uint64_t highest = 0;
    for (const auto& logged : outcome.log)
        if (const auto* event = std::get_if<events::Event>(&logged.what))
            if (const auto* applied = std::get_if<events::Applied>(event))
                highest = std::max(highest, applied->index.value);
    return highest;
}

int usage() {
    fmt::print(stderr, "usage: bench_whole_run idle|load|commits [SIMULATED_SECONDS] [SEED]\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 4) return usage();
    const std::string_view what = argv[1];
    const auto length = number(argc > 2 ? argv[2] : "600");
    const auto seed = number(argc > 3 ? argv[3] : "1");
    if (!length || !seed || *length == 0 || *length > 1'000'000) return usage();
    if (what != "idle" && what != "load" && what != "commits") return usage();
    const auto span = seconds(static_cast<std::int64_t>(*length));
    const scenario::Scenario scenario = what == "idle" ? idle(span) : load(span);
    harness::RunOptions options;
    options.keep_log = what == "commits";
    const auto start = std::chrono::steady_clock::now();
    const auto outcome = harness::run(scenario, *seed, options);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

    const auto judgement = harness::judge({}, outcome);
    const double simulated = static_cast<double>(outcome.simulated.ns) * 1e-9;
    fmt::print(
        "steps={} events={} messages={} simulated_s={:.0f} wall_s={:.3f} "
        "simulated_s_per_s={:.0f} steps_per_s={:.0f}",
        outcome.steps, outcome.events, outcome.messages, simulated, wall.count(),
        simulated / wall.count(), static_cast<double>(outcome.steps) / wall.count());
    if (options.keep_log) fmt::print(" commits={}", commits_of(outcome));
    fmt::print(" verdict={}\n", judgement.as_expected() ? "held" : "NOT-AS-EXPECTED");
    return judgement.as_expected() ? 0 : 1;
}
