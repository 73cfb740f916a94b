#include "harness/run.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "harness/catalogue.hpp"
#include "harness/determinism.hpp"
#include "harness/story.hpp"
#include "harness/verdict.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <unistd.h>

namespace lockstep::cli {
namespace {

using harness::End;
using harness::Outcome;
using harness::Tone;

/// The scenario's own words, up to the first empty line.
std::string first_paragraph(std::string_view story) {
    const auto end = story.find("\n\n");
    std::string out;
    std::string_view rest = story.substr(0, end);
    while (!rest.empty()) {
        const auto cut = rest.find('\n');
        out += fmt::format("  {}\n", rest.substr(0, cut));
        if (cut == std::string_view::npos) break;
        rest.remove_prefix(cut + 1);
    }
    return out;
}

ExitCode exit_code_of(const harness::Demands& demands, const Outcome& outcome) {
    const auto judgement = harness::judge(demands, outcome);
    if (!judgement.as_expected()) return ExitCode::Violated;
    if (judgement.as_foretold.size() < demands.violated.size()) return ExitCode::Untrustworthy;
    return ExitCode::AsExpected;
}

}  // namespace

ExitCode run(const RunArguments& arguments) {
    const auto loaded = harness::load_scenario(arguments.scenario, arguments.sets);
    if (!loaded) return bad_input(loaded.error());
    const scenario::Scenario& scenario = loaded.value();
    const auto demanded = harness::demands_of(scenario, arguments.seed);
    if (!demanded) return bad_input(demanded.error());
    const harness::Demands& demands = demanded.value();
    const auto paint = harness::paint_for(STDOUT_FILENO);

    fmt::print("{}  seed {}, plan epoch {}\n", paint(Tone::Strong, scenario.name), arguments.seed,
               scenario::plan_epoch);
    fmt::print("{}", paint(Tone::Faint, first_paragraph(scenario.story)));

    harness::RunOptions options;
    options.keep_log = true;
    options.keep_messages = arguments.verbose;
    options.checkpoints = true;
    const Outcome outcome = harness::run(scenario, arguments.seed, options);
    for (const auto& line : outcome.resolved_lines) fmt::print("  drawn: {}\n", line);

    harness::StoryOptions story;
    story.verbose = arguments.verbose;
    story.paint = paint;
    const auto resolved = scenario::resolve(scenario, arguments.seed);
    fmt::print("\n{}\n{}", harness::tell_story(outcome, resolved.plan, story),
               harness::verdict_text(outcome, demands, paint));
    fmt::print("  again     {}\n",
               harness::repeat_command({arguments.scenario, arguments.sets}, arguments.seed));

    // Keeping a log must change nothing: exploring keeps none.
    harness::RunOptions bare;
    bare.checkpoints = true;
    const Outcome unlogged = harness::run(scenario, arguments.seed, bare);
    if (unlogged.digest != outcome.digest) {
        fmt::print("  {}: without the log this run comes out differently; {}\n",
                   paint(Tone::Bad, "NOT DETERMINISTIC"),
                   harness::first_difference(unlogged, outcome));
        return ExitCode::Untrustworthy;
    }
    const ExitCode code = exit_code_of(demands, outcome);
    if (code == ExitCode::AsExpected)
        fmt::print("  {}\n", paint(Tone::Good, "as expected"));
    else
        fmt::print("  {}\n", paint(Tone::Bad, "NOT as expected"));
    return code;
}

}  // namespace lockstep::cli
