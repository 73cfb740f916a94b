// What more servers cost and what narrower locks buy: acquire latency and acquires a simulated
// second, over sizes of cluster and numbers of locks. Simulated figures: they depend on the model
// of network and disk, and on no machine. Prints the table of docs/performance.md.
//   bench_throughput [SIMULATED_SECONDS]
#include "harness/run.hpp"
#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace lockstep;

constexpr std::uint32_t clients = 20;
constexpr std::uint32_t sessions = 5;  ///< of each client, with a worker each

/// A hundred workers that take a lock, read and write what it guards, and give it back, without a
/// rest.
scenario::Scenario busy(std::uint32_t servers, std::uint32_t locks, Duration length) {
    scenario::Scenario s;
    s.name = "bench-throughput";
    s.cluster.servers = servers;
    s.cluster.clients = clients;
    s.cluster.sessions = sessions;
    s.cluster.locks = locks;
    s.workload.kind = scenario::WorkloadKind::Counter;
    s.workload.think = {Duration{}, Duration{}};
    s.workload.hold = {Duration{}, Duration{}};
    s.run.faults_for = length;
    return s;
}

struct Figures {
    std::vector<Duration> waits;
    double per_second = 0;
};

Figures measure(const scenario::Scenario& scenario) {
    harness::RunOptions options;
    options.keep_log = true;
    const auto outcome = harness::run(scenario, 1, options);
    std::map<std::pair<SessionId, RequestSeq>, sim::SimTime> asked;
    Figures figures;
    for (const auto& logged : outcome.log) {
        if (logged.at.ns >= scenario.run.faults_for.ns) break;  // the workers stop some time later
        const auto* event = std::get_if<events::Event>(&logged.what);
        if (event == nullptr) continue;
        if (const auto* called = std::get_if<events::AcquireCalled>(event))
            asked[{called->session, called->seq}] = logged.at;
        if (const auto* told = std::get_if<events::AcquireReturned>(event)) {
            const auto call = asked.find({told->session, told->seq});
            if (call == asked.end()) continue;
            if (told->outcome == events::AcquireOutcome::Granted)
                figures.waits.push_back(logged.at - call->second);
            asked.erase(call);
        }
    }
    std::sort(figures.waits.begin(), figures.waits.end());
    figures.per_second = static_cast<double>(figures.waits.size()) /
                         (static_cast<double>(scenario.run.faults_for.ns) * 1e-9);
    return figures;
}

double ms(const std::vector<Duration>& sorted, double quantile) {
    if (sorted.empty()) return 0;
    const auto at = static_cast<std::size_t>(quantile * static_cast<double>(sorted.size() - 1));
    return static_cast<double>(sorted[at].ns) * 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
    const auto length = seconds(argc > 1 ? std::atoll(argv[1]) : 20);
    fmt::print("| servers | locks | acquires/s | p50 (ms) | p99 (ms) |\n");
    fmt::print("|--------:|------:|-----------:|---------:|---------:|\n");
    bool any_empty = false;
    for (const std::uint32_t servers : {3U, 5U, 7U})
        for (const std::uint32_t locks : {1U, 10U, 100U}) {
            const Figures f = measure(busy(servers, locks, length));
            any_empty = any_empty || f.waits.empty();
            fmt::print("| {:7} | {:5} | {:10.0f} | {:8.1f} | {:8.1f} |\n", servers, locks,
                       f.per_second, ms(f.waits, 0.5), ms(f.waits, 0.99));
        }
    return any_empty ? 1 : 0;
}
