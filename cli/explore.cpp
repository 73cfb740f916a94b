#include "harness/explore.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "harness/run.hpp"
#include "harness/tally.hpp"
#include "harness/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace lockstep::cli {

ExitCode explore(const ExploreArguments& arguments) {
    harness::ExplorePlan plan;
    if (const auto fits = check_seeds(arguments.first_seed, arguments.seeds); !fits)
        return bad_input(fits.error());
    if (!arguments.budget.empty()) {
        const auto budget = parse_budget(arguments.budget);
        if (!budget) return bad_input(budget.error());
        plan.budget = budget.value();
    }
    const auto loaded = load_scenarios(arguments.scenarios, arguments.sets);
    if (!loaded) return bad_input(loaded.error());
    const auto& scenarios = loaded.value();

    std::vector<harness::Tally> tallies;
    std::vector<harness::Repeat> repeats;
    const auto names = or_catalogue(arguments.scenarios);
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        auto demands = harness::demands_of(scenarios[i], arguments.first_seed);
        if (!demands) return bad_input(demands.error());
        tallies.emplace_back(scenarios[i].name, std::move(demands).value());
        repeats.push_back({names[i], arguments.sets});
    }

    plan.subjects = scenarios.size();
    plan.first_seed = arguments.first_seed;
    plan.seeds = arguments.seeds;
    plan.jobs = static_cast<unsigned>(
        arguments.jobs > 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency()));
    Progress progress;
    const auto exploration = harness::explore(
        plan,
        [&](std::size_t subject, std::uint64_t seed) {
            return harness::run(scenarios[subject], seed);
        },
        [&](std::size_t subject, const harness::Outcome& outcome) {
            const auto before = tallies[subject].failed();
            tallies[subject].add(outcome);
            if (tallies[subject].failed() > before) progress.count_failure();
        },
        [&](const harness::ExploreProgress& p) { progress.show(p); });
    progress.finish();

    fmt::print("{}", harness::batch_text(tallies, repeats, exploration,
                                         harness::paint_for(STDOUT_FILENO)));
    return harness::exit_code(tallies, exploration.interrupted || !exploration.given_up.empty());
}

}  // namespace lockstep::cli
