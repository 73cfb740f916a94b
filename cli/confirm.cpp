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
#include <string>

namespace lockstep::cli {
namespace {

using harness::End;
using harness::Outcome;

constexpr double doubt = 0.05;

/// What a run says, in place of how it ended, for the names that a reason needs do not come back
/// from a worker.
constexpr const char* same_reason = "fails again";
constexpr const char* other_reason = "fails otherwise";
constexpr const char* missed_target = "missed";

struct Confirmed {
    std::uint64_t runs = 0;
    std::uint64_t again = 0;      ///< failed for the same reason
    std::uint64_t otherwise = 0;  ///< failed, for another one
    std::uint64_t missed = 0;     ///< held, but a fault met nobody: shows nothing
    bool unfinished = false;
};

Outcome judged(harness::Repro repro, std::uint64_t seed) {
    repro.seed = seed;
    const harness::Replay replayed = harness::replay(repro);
    Outcome outcome = replayed.outcome;
    using Result = harness::Replay::Result;
    const Result result = replayed.result;
    outcome.end_detail = result == Result::FailsAgain          ? same_reason
                         : result == Result::FailsOtherwise    ? other_reason
                         : result == Result::NoLongerExercises ? missed_target
                                                               : "";
    outcome.end = End::Finished;
    outcome.seed = seed;
    return outcome;
}

void count(const harness::Repro& repro, const Outcome& outcome, Confirmed& all) {
    ++all.runs;
    // By a signal: whatever else ends a run badly, its worker has judged.
    const bool crashed = outcome.end == End::Crashed;
    const bool same = crashed ? harness::fingerprints(outcome).front() == repro.fingerprint
                              : outcome.end_detail == same_reason;
    if (same)
        ++all.again;
    else if (crashed || outcome.end_detail == other_reason)
        ++all.otherwise;
    else if (outcome.end_detail == missed_target)
        ++all.missed;
}

/// `own`: the repro's own seed is counted, too.
Confirmed run_seeds(const harness::Repro& repro, std::uint64_t first, std::uint64_t seeds,
                    unsigned jobs, bool own) {
    harness::ExplorePlan plan;
    plan.first_seed = first;
    plan.seeds = seeds;
    plan.jobs = jobs;
    Confirmed all;
    Progress progress("confirm");
    const auto exploration = harness::explore(
        plan, [&](std::size_t, std::uint64_t seed) { return judged(repro, seed); },
        [&](std::size_t, const Outcome& outcome) {
            if (own || outcome.seed != repro.seed) count(repro, outcome, all);
        },
        [&](const harness::ExploreProgress& p) { progress.show(p); });
    all.unfinished = exploration.interrupted || !exploration.given_up.empty();
    return all;
}

std::string own_text(const Confirmed& own) {
    if (own.runs == 0) return "gave no result";
    if (own.again > 0) return "fails for this reason";
    if (own.otherwise > 0) return "fails for another reason";
    return own.missed > 0 ? "holds, but a fault met nobody" : "holds";
}

void print(const harness::Repro& repro, const Confirmed& own, const Confirmed& others,
           std::uint64_t seeds) {
    fmt::print("{}\n", to_string(repro.fingerprint));
    fmt::print("before: failed with seed {}, as the repro says (program {})\n", repro.seed,
               repro.build.empty() ? "unknown" : repro.build);
    fmt::print("now:    seed {} {}\n", repro.seed, own_text(own));
    if (others.runs == 0) return;
    fmt::print("        {} of {} other seeds fail for this reason\n",
               harness::grouped(others.again), harness::grouped(others.runs));
    if (others.otherwise > 0)
        fmt::print("        {} fail for another reason\n", harness::grouped(others.otherwise));
    if (others.missed > 0)
        fmt::print("        {} hold, but a fault met nobody: they count for nothing\n",
                   harness::grouped(others.missed));
    const std::uint64_t telling = others.runs - others.missed;
    if (telling > 0)
        fmt::print("        its chance is at most {:.3g}%, with 95% confidence\n",
                   harness::rate_at_most(others.again, telling, doubt) * 100);
    else
        fmt::print(
            "        nothing can be said of its chance; mend the faults of the repro by hand\n");
    if (others.runs < seeds)
        fmt::print("unfinished: {} of {} runs gave a result\n", harness::grouped(others.runs),
                   harness::grouped(seeds));
}

}  // namespace

ExitCode confirm(const ConfirmArguments& arguments) {
    if (const auto fits = check_seeds(1, arguments.seeds); !fits) return bad_input(fits.error());
    const auto loaded = harness::load_repro(arguments.repro);
    if (!loaded) return bad_input(loaded.error());
    const harness::Repro& repro = loaded.value();
    const auto jobs = jobs_of(arguments.jobs);
    // It was chosen because it fails, and would tilt the rate.
    const bool among = repro.seed >= 1 && repro.seed <= arguments.seeds;
    const Confirmed own = run_seeds(repro, repro.seed, 1, 1, true);
    Confirmed others;
    if (!own.unfinished)
        others = run_seeds(repro, 1, arguments.seeds + (among ? 1 : 0), jobs, false);
    print(repro, own, others, arguments.seeds);
    if (own.again + own.otherwise + others.again + others.otherwise > 0) return ExitCode::Violated;
    const bool telling = others.runs > others.missed;
    return own.unfinished || others.unfinished || !telling ? ExitCode::GaveUp
                                                           : ExitCode::AsExpected;
}

}  // namespace lockstep::cli
