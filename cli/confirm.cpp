#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "harness/explore.hpp"
#include "harness/gate/odds.hpp"
#include "harness/repro/repro.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace lockstep::cli {
namespace {

constexpr double doubt = 0.05;

struct Confirmed {
    std::uint64_t again = 0;      ///< failed for the same reason
    std::uint64_t otherwise = 0;  ///< failed, for another one
};

/// The bad end that says so in the summary of a run, for the names that a reason needs do not come
/// back from a worker.
constexpr const char* same_reason = "fails again";
constexpr const char* other_reason = "fails otherwise";

harness::Outcome judged(const harness::Repro& repro, std::uint64_t seed) {
    harness::Outcome outcome = harness::run(repro.scenario, seed);
    const auto found = harness::fingerprints(outcome);
    const bool same = std::find(found.begin(), found.end(), repro.fingerprint) != found.end();
    outcome.end_detail = same ? same_reason : found.empty() ? "" : other_reason;
    outcome.end = harness::End::Finished;
    outcome.seed = seed;
    return outcome;
}

}  // namespace

ExitCode confirm(const ConfirmArguments& arguments) {
    if (const auto fits = check_seeds(1, arguments.seeds); !fits) return bad_input(fits.error());
    const auto loaded = harness::load_repro(arguments.repro);
    if (!loaded) return bad_input(loaded.error());
    const harness::Repro& repro = loaded.value();
    harness::ExplorePlan plan;
    plan.seeds = arguments.seeds;
    plan.jobs = static_cast<unsigned>(
        arguments.jobs > 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency()));
    Confirmed count;
    std::uint64_t runs = 0;
    Progress progress("confirm");
    const auto exploration = harness::explore(
        plan, [&](std::size_t, std::uint64_t seed) { return judged(repro, seed); },
        [&](std::size_t, const harness::Outcome& outcome) {
            ++runs;
            const bool crashed = outcome.end == harness::End::Crashed;
            const bool same = crashed ? harness::fingerprints(outcome).front() == repro.fingerprint
                                      : outcome.end_detail == same_reason;
            count.again += same ? 1 : 0;
            count.otherwise += !same && (crashed || !outcome.end_detail.empty()) ? 1 : 0;
        },
        [&](const harness::ExploreProgress& p) { progress.show(p); });
    progress.finish();

    fmt::print("{}\n", to_string(repro.fingerprint));
    fmt::print("before: failed with seed {}, as the repro says (program {})\n", repro.seed,
               repro.build.empty() ? "unknown" : repro.build);
    if (runs == 0) return ExitCode::GaveUp;
    fmt::print(
        "now: {} of {} seeds fail for this reason; with 95% confidence its chance is at "
        "most {:.3g}%\n",
        harness::grouped(count.again), harness::grouped(runs),
        harness::rate_at_most(count.again, runs, doubt) * 100);
    if (count.otherwise > 0)
        fmt::print("     {} fail for another reason\n", harness::grouped(count.otherwise));
    if (exploration.interrupted)
        fmt::print("interrupted: {} of {} runs had finished\n", harness::grouped(runs),
                   harness::grouped(arguments.seeds));
    if (count.again + count.otherwise > 0) return ExitCode::Violated;
    return exploration.interrupted || !exploration.given_up.empty() ? ExitCode::GaveUp
                                                                    : ExitCode::AsExpected;
}

}  // namespace lockstep::cli
