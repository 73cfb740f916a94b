#include "cli/explore_failures.hpp"

#include "cli/input.hpp"
#include "cli/shrink_progress.hpp"
#include "harness/gate/shrunk_failure.hpp"
#include "harness/stop_signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace lockstep::cli {
namespace {

using harness::Failure;
using harness::Fingerprint;
using harness::Tally;

/// More kinds are only counted: a broken build fails in all ways at once.
constexpr std::size_t kinds_told = 5;
/// To see which kind a failure is, its run is had again: no more of them than this.
constexpr std::size_t failures_looked_at = 20;
constexpr const char* by_signal = "the process that ran it";

/// One kind of failure of one scenario.
struct Kind {
    std::size_t subject = 0;
    std::uint64_t seed = 0;
    Fingerprint why;
    std::uint64_t failed = 0;  ///< runs in which the property was violated
};

/// A run that was ended by a signal would end this process, too.
bool can_be_repeated(const Failure& failure) {
    return failure.end != harness::End::Crashed || !failure.end_detail.starts_with(by_signal);
}

std::uint64_t failed_runs(const Tally& tally, const Fingerprint& why) {
    if (!why.property) return tally.failed();
    return tally.properties().at(static_cast<std::size_t>(*why.property)).violated;
}

std::vector<Kind> kinds_of(const harness::Batch& batch,
                           const std::vector<scenario::Scenario>& scenarios) {
    std::vector<Kind> kinds;
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        std::size_t looked_at = 0;
        for (const Failure& failure : batch.tallies[i].failures()) {
            if (!can_be_repeated(failure)) continue;
            if (++looked_at > failures_looked_at || harness::StopSignals::caught()) break;
            harness::RunOptions bare;
            bare.stop = harness::StopSignals::caught;
            const auto outcome = harness::run(scenarios[i], failure.seed, bare);
            for (const Fingerprint& why : harness::fingerprints(outcome)) {
                const auto same = [&](const Kind& k) { return k.subject == i && k.why == why; };
                const bool expected =
                    why.property && batch.tallies[i].demands().expects(*why.property);
                if (expected || std::any_of(kinds.begin(), kinds.end(), same)) continue;
                kinds.push_back({i, failure.seed, why, failed_runs(batch.tallies[i], why)});
            }
        }
    }
    return kinds;
}

std::string folder_of(const ExploreArguments& arguments) {
    return (std::filesystem::path(arguments.out) / "repros").string();
}

void tell(const ExploreArguments& arguments, const harness::Batch& batch,
          const scenario::Scenario& scenario, const Kind& kind, std::chrono::milliseconds budget) {
    ShrinkProgress progress;
    harness::ShrinkOptions options;
    options.budget = budget;
    options.stop = harness::StopSignals::caught;
    options.on_progress = [&](const harness::ShrinkProgress& p) { progress.show(p); };
    auto told =
        harness::shrink_and_explain({&scenario, batch.repeats[kind.subject], kind.seed, kind.why,
                                     batch.tallies[kind.subject].runs(), kind.failed},
                                    options);
    progress.finish();
    if (!arguments.no_out) {
        const auto path =
            harness::keep_repro(told.repro, folder_of(arguments),
                                harness::repro_name(scenario.name, kind.why, kind.seed));
        if (path)
            harness::tell_where(told.facts, path.value(), told.repro.seed);
        else
            fmt::print(stderr, "explore: {}: {}\n", path.error().file, path.error().message);
    }
    fmt::print("\n{}", harness::failure_report(told.facts, harness::paint_for(STDOUT_FILENO),
                                               harness::width_for(STDOUT_FILENO)));
}

}  // namespace

void tell_failures(const ExploreArguments& arguments, const harness::Batch& batch,
                   const std::vector<scenario::Scenario>& scenarios) {
    const harness::StopSignals signals;
    const auto kinds = kinds_of(batch, scenarios);
    const auto budget = parse_wall_time("--shrink-for", arguments.shrink_for);
    for (std::size_t i = 0; i < std::min(kinds.size(), kinds_told); ++i) {
        if (harness::StopSignals::caught()) return;
        tell(arguments, batch, scenarios[kinds[i].subject], kinds[i],
             budget ? budget.value() : std::chrono::milliseconds(30'000));
    }
    if (kinds.size() > kinds_told)
        fmt::print(
            "\nand {} more kinds of failures, which were not shrunk; `lockstep shrink` does\n",
            kinds.size() - kinds_told);
}

}  // namespace lockstep::cli
