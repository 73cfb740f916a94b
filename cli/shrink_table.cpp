// The expected violations of the catalogue before and after shrinking, for docs/repro.md.
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/shrinking.hpp"
#include "harness/catalogue.hpp"
#include "harness/shrink/shrink.hpp"
#include "harness/stop_signals.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

namespace lockstep::cli {
namespace {

/// Each expectation is met, or the mistake is the scenario's.
constexpr std::uint64_t most_seeds = 2'000;

std::string cells(const harness::ScenarioSize& size) {
    return fmt::format("{} | {} | {} | {} | {} s", size.faults, size.servers, size.clients,
                       size.locks, harness::seconds_text(size.horizon.ns));
}

struct Found {
    std::uint64_t seed;
    harness::Fingerprint why;
};
std::optional<Found> find(const scenario::Scenario& scenario, const std::string& code,
                          std::uint64_t first) {
    for (std::uint64_t i = 0; i < most_seeds && !harness::StopSignals::caught(); ++i)
        for (const auto& why : harness::fingerprints(harness::run(scenario, first + i)))
            if (why.property && properties::code_of(*why.property) == code)
                return Found{first + i, why};
    return std::nullopt;
}

}  // namespace

ExitCode shrink_table(std::uint64_t first_seed, std::chrono::milliseconds budget) {
    const harness::StopSignals signals;
    fmt::print(
        "| scenario | violated | seed | faults | servers | clients | locks | fails at | "
        "faults | servers | clients | locks | fails at |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    bool all_found = true;
    for (const auto& file : harness::catalogue_files()) {
        const std::string name(file.name);
        const auto plain = harness::load_scenario(name, {});
        if (!plain) return bad_input(plain.error());
        for (const auto& expected : plain.value().expect) {
            std::vector<std::string> sets;
            if (!expected.when_key.empty())
                sets.push_back(expected.when_key + "=" + expected.when_value);
            const auto scenario = harness::load_scenario(name, sets);
            if (!scenario) return bad_input(scenario.error());
            const auto found = find(scenario.value(), expected.violated, first_seed);
            if (harness::StopSignals::caught()) return ExitCode::GaveUp;
            if (!found) {
                all_found = false;
                fmt::print("| {} | {} | none |\n", name, expected.violated);
                continue;
            }
            ShrinkLine line(name);
            harness::ShrinkOptions options;
            options.budget = budget;
            options.stop = harness::StopSignals::caught;
            options.on_progress = [&](const auto& progress) { line.show(progress); };
            const auto shrunk = harness::shrink(scenario.value(), found->seed, found->why, options);
            line.finish();
            fmt::print("| {}{} | {} | {} | {} | {} |\n", name,
                       sets.empty() ? "" : ", " + sets.front(), expected.violated, found->seed,
                       cells(shrunk.before), cells(shrunk.after));
        }
    }
    return all_found ? ExitCode::AsExpected : ExitCode::Untrustworthy;
}

}  // namespace lockstep::cli
