#include "harness/explore.hpp"

#include "cli/batch_files.hpp"
#include "cli/commands.hpp"
#include "cli/explore_failures.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "harness/batch.hpp"
#include "harness/explore_about.hpp"
#include "harness/explore_store.hpp"
#include "harness/run.hpp"
#include "harness/services.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

namespace lockstep::cli {
namespace {

using harness::ExploreStore;

/// For tests of this program: LOCKSTEP_TEST_RUN="crash SCENARIO SEED" ends the process of that run
/// by a signal; with "hang" it never ends.
void meet_test_fate(const std::string& scenario, std::uint64_t seed) {
    const char* fate = std::getenv("LOCKSTEP_TEST_RUN");
    if (fate == nullptr) return;
    if (fate == fmt::format("crash {} {}", scenario, seed)) ::raise(SIGSEGV);
    while (fate == fmt::format("hang {} {}", scenario, seed)) ::pause();
}

using MaybeShard = std::optional<harness::Shard>;

/// Which part of the seeds is meant; says so where the environment decided it.
Result<MaybeShard> shard_of(const ExploreArguments& arguments) {
    const auto found = harness::find_shard(
        arguments.shard, [](const char* name) -> const char* { return std::getenv(name); });
    if (!found) return found.error();
    const auto& [shard, source] = found.value();
    if (!shard) return shard;
    if (arguments.seeds < shard->count)
        return Error{fmt::format("shard {}: {} seeds leave some of the parts with none; give at "
                                 "least as many seeds as there are parts",
                                 to_string(*shard), arguments.seeds),
                     {}};
    if (!source.empty())
        fmt::print(stderr, "explore: shard {}, as {} says\n", to_string(*shard), source);
    return shard;
}

/// Where results are kept: each shard has a folder of its own.
std::string directory_of(const ExploreArguments& arguments, const MaybeShard& shard) {
    return shard ? (std::filesystem::path(arguments.out) / folder_of(*shard)).string()
                 : arguments.out;
}

Result<harness::ExplorePlan> plan_of(const ExploreArguments& arguments, std::size_t scenarios,
                                     const MaybeShard& shard) {
    harness::ExplorePlan plan;
    plan.subjects = scenarios;
    const auto part =
        harness::part_of(shard.value_or(harness::Shard{}), {arguments.first_seed, arguments.seeds});
    plan.first_seed = part.first;
    plan.seeds = part.count;
    plan.jobs = jobs_of(arguments.jobs);
    if (!arguments.budget.empty()) {
        const auto budget = parse_wall_time("--budget", arguments.budget);
        if (!budget) return budget.error();
        plan.budget = budget.value();
    }
    const auto watchdog = parse_wall_time("--watchdog", arguments.watchdog);
    if (!watchdog) return watchdog.error();
    plan.watchdog = watchdog.value();
    return plan;
}

harness::ExplorationIdentity identity_of(const ExploreArguments& arguments,
                                         const std::vector<scenario::Scenario>& scenarios,
                                         const MaybeShard& shard) {
    harness::ExplorationIdentity identity;
    identity.build = harness::build_id();
    identity.plan_epoch = scenario::plan_epoch;
    identity.first_seed = arguments.first_seed;
    identity.seeds = arguments.seeds;
    identity.shard = shard;
    for (const auto& scenario : scenarios)
        identity.scenarios.emplace_back(scenario.name, harness::content_hash(scenario));
    return identity;
}

Result<ExploreStore::Opened> open_store(const ExploreArguments& arguments,
                                        const std::vector<scenario::Scenario>& scenarios,
                                        const harness::Batch& batch) {
    if (arguments.no_out) return ExploreStore::Opened{};
    harness::ExplorationAbout about;
    about.repeats = batch.repeats;
    for (const auto& tally : batch.tallies) about.demands.push_back(tally.demands());
    about.whole_catalogue = batch.whole_catalogue;
    const std::string directory = directory_of(arguments, batch.shard);
    auto opened = ExploreStore::open(directory, identity_of(arguments, scenarios, batch.shard),
                                     encode(about));
    if (opened && !opened.value().note.empty())
        fmt::print(stderr, "explore: {} ({})\n", opened.value().note,
                   harness::printable(directory));
    return opened;
}

Result<harness::Batch> empty_batch(const ExploreArguments& arguments,
                                   const std::vector<scenario::Scenario>& scenarios) {
    harness::Batch batch;
    const auto names = or_catalogue(arguments.scenarios);
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        auto demands = harness::demands_of(scenarios[i], arguments.first_seed);
        if (!demands) return demands.error();
        batch.tallies.emplace_back(scenarios[i].name, std::move(demands).value());
        batch.repeats.push_back({names[i], arguments.sets, arguments.again_without_config});
    }
    batch.whole_catalogue = arguments.scenarios.empty() && harness::default_service() == "raft" &&
                            arguments.sets.empty();
    return batch;
}

/// Says once that nothing is kept any longer.
void say_trouble(const ExploreStore* store, const ExploreArguments& arguments, bool& said) {
    if (store == nullptr || store->trouble().empty() || said) return;
    said = true;
    fmt::print(stderr,
               "explore: {}: {}; goes on without keeping results. What was kept so far stays; "
               "make room and\nsay the same again to go on from there.\n",
               harness::printable(arguments.out), store->trouble());
}

}  // namespace

ExitCode explore(const ExploreArguments& arguments) {
    if (const auto fits = check_seeds(arguments.first_seed, arguments.seeds); !fits)
        return bad_input(fits.error());
    const auto loaded = load_scenarios(
        {arguments.scenarios, arguments.sets, arguments.scenarios_from, arguments.sets_from});
    if (!loaded) return bad_input(loaded.error());
    const auto& scenarios = loaded.value();
    const auto shard = shard_of(arguments);
    if (!shard) return bad_input(shard.error());
    auto planned = plan_of(arguments, scenarios.size(), shard.value());
    if (!planned) return bad_input(planned.error());
    harness::ExplorePlan plan = planned.value();
    auto begun = empty_batch(arguments, scenarios);
    if (!begun) return bad_input(begun.error());
    harness::Batch& batch = begun.value();
    batch.shard = shard.value();
    for (const auto& name : arguments.scenarios)
        for (const std::string& file : {arguments.json, arguments.junit})
            if (same_file(path_of(name), file))
                return bad_input({fmt::format("{}: that file is a scenario, and would be written "
                                              "over",
                                              file == arguments.json ? "--json" : "--junit"),
                                  file});
    auto files = BatchFiles::open(arguments.json, arguments.junit, arguments.rates);
    if (!files) return bad_input(files.error());
    auto opened = open_store(arguments, scenarios, batch);
    if (!opened) return bad_input(opened.error());
    plan.store = opened.value().store.get();

    Progress progress;
    bool said = false;
    batch.exploration = harness::explore(
        plan,
        [&](std::size_t subject, std::uint64_t seed) {
            meet_test_fate(scenarios[subject].name, seed);
            return harness::run(scenarios[subject], seed);
        },
        [&](std::size_t subject, const harness::Outcome& outcome) {
            const auto before = batch.tallies[subject].failed();
            batch.tallies[subject].add(outcome);
            if (batch.tallies[subject].failed() > before) progress.count_failure();
        },
        [&](const harness::ExploreProgress& p) {
            progress.show(p);
            if (!said && plan.store != nullptr && !plan.store->trouble().empty()) progress.finish();
            say_trouble(plan.store, arguments, said);
        });
    progress.finish();
    say_trouble(plan.store, arguments, said);

    const ExitCode code = files.value().write(batch, harness::build_id());
    const bool quiet = arguments.json == "-" || arguments.junit == "-";
    if (!quiet && !arguments.no_shrink && !batch.exploration.interrupted) {
        std::fflush(stdout);
        tell_failures(arguments, batch, scenarios);
    }
    return code;
}

}  // namespace lockstep::cli
