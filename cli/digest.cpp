#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "harness/determinism.hpp"
#include "harness/run.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace lockstep::cli {
namespace {

ExitCode unfinished() {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", harness::program_name(),
               harness::StopSignals::caught() ? "interrupted before all runs had finished"
                                              : "gave up before all runs had finished");
    return ExitCode::GaveUp;
}

}  // namespace

ExitCode digest(const DigestArguments& arguments) {
    if (const auto fits = check_seeds(arguments.first_seed, arguments.seeds); !fits)
        return bad_input(fits.error());
    const auto loaded = load_scenarios(
        {arguments.scenarios, arguments.sets, arguments.scenarios_from, arguments.sets_from});
    if (!loaded) return bad_input(loaded.error());
    int codec = -1;
    if (!arguments.wire_codec.empty()) codec = arguments.wire_codec == "on" ? 1 : 0;

    const harness::StopSignals signals;
    bool all_same = true;
    for (const auto& scenario : loaded.value()) {
        const auto run = [&](std::uint64_t seed, const harness::RunOptions& wanted) {
            harness::RunOptions options = wanted;
            options.wire_codec = codec;
            options.stop = harness::StopSignals::caught;
            return harness::run(scenario, seed, options);
        };
        if (arguments.twice) {
            const auto result = harness::run_twice(run, arguments.first_seed, arguments.seeds);
            for (const auto& [seed, value] : result.digests)
                fmt::print("{} {} {:016x}\n", scenario.name, seed, value);
            if (result.unfinished) return unfinished();
            if (!result.different) continue;
            all_same = false;
            std::fflush(stdout);
            fmt::print(stderr, "DIFFERENT  {} seed {}, run again in another process\n{}\n",
                       scenario.name, *result.different, result.explanation);
        } else {
            for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
                const std::uint64_t seed = arguments.first_seed + i;
                const std::uint64_t value = run(seed, {}).digest;
                if (harness::StopSignals::caught()) return unfinished();
                fmt::print("{} {} {:016x}\n", scenario.name, seed, value);
            }
        }
        std::fflush(stdout);
    }
    return all_same ? ExitCode::AsExpected : ExitCode::Untrustworthy;
}

}  // namespace lockstep::cli
