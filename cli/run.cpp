#include "harness/run.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/run_exports.hpp"
#include "harness/determinism.hpp"
#include "harness/explain/failure_report.hpp"
#include "harness/explore_store.hpp"
#include "harness/export_json.hpp"
#include "harness/history/writer.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"
#include "harness/story.hpp"
#include "harness/timeline/timeline.hpp"
#include "harness/verdict.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

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
        out += fmt::format("  {}\n", harness::printable(rest.substr(0, cut)));
        if (cut == std::string_view::npos) break;
        rest.remove_prefix(cut + 1);
    }
    return out;
}

ExitCode exit_code_of(const harness::Demands& demands, const Outcome& outcome) {
    const auto judgement = harness::judge(demands, outcome);
    // What was violated until then stands.
    const bool whole = outcome.end != End::OutOfTime && outcome.end != End::Cut;
    if (!whole && judgement.unexpected.empty()) {
        // Of a run that was cut short nothing else can be asked.
        const bool shown =
            !demands.violated.empty() && judgement.as_foretold.size() == demands.violated.size();
        return outcome.end == End::Cut && shown ? ExitCode::AsExpected : ExitCode::GaveUp;
    }
    if (!judgement.as_expected()) return ExitCode::Violated;
    if (judgement.as_foretold.size() < demands.violated.size()) return ExitCode::Untrustworthy;
    return ExitCode::AsExpected;
}

/// Keeping a log must change nothing: exploring keeps none. What differs, if anything does.
std::string difference_without_log(const scenario::Scenario& scenario, const Outcome& outcome,
                                   const std::optional<sim::SimTime>& until) {
    harness::RunOptions bare;
    bare.checkpoints = true;
    bare.until = until;
    bare.stop = harness::StopSignals::caught;
    const Outcome unlogged = harness::run(scenario, outcome.seed, bare);
    if (unlogged.end == End::OutOfTime || unlogged.digest == outcome.digest) return "";
    return harness::first_difference(unlogged, outcome);
}

std::string last_line(ExitCode code, const harness::Demands& demands, const Outcome& outcome,
                      const std::string& difference, const harness::Paint& paint) {
    if (!difference.empty())
        return fmt::format("{}: without the log this run comes out differently; {}",
                           paint(Tone::Bad, "NOT DETERMINISTIC"), difference);
    if (code == ExitCode::GaveUp && outcome.end == End::Cut)
        return paint(Tone::Warn, "cut short, without a verdict");
    if (code == ExitCode::GaveUp)
        return paint(Tone::Warn, harness::StopSignals::caught() ? "interrupted, without a verdict"
                                                                : "without a verdict");
    if (code == ExitCode::AsExpected) return paint(Tone::Good, "as expected");
    std::string text = paint(Tone::Bad, "NOT as expected");
    const auto foretold = harness::judge(demands, outcome).as_foretold;
    if (code == ExitCode::Untrustworthy)
        for (const auto id : demands.violated)
            if (std::find(foretold.begin(), foretold.end(), id) == foretold.end())
                text += fmt::format(": {} was to be violated, and was not in this run",
                                    properties::code_of(id));
    return text;
}

/// Asked by a run whether its time is up, or somebody wants it to end.
Result<std::function<bool()>> stop_when(const std::string& budget_text) {
    if (budget_text.empty()) return std::function<bool()>(harness::StopSignals::caught);
    const auto budget = parse_wall_time("--budget", budget_text);
    if (!budget) return budget.error();
    const auto end = std::chrono::steady_clock::now() + budget.value();
    return std::function<bool()>([end] {
        return harness::StopSignals::caught() || std::chrono::steady_clock::now() >= end;
    });
}

/// The simulated time at which a run is to end; "12.5s", or "12.5" as stories print it.
Result<std::optional<sim::SimTime>> until_of(const std::string& text) {
    if (text.empty()) return std::optional<sim::SimTime>();
    const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
    const auto span = parse_span("--until", bare ? text + "s" : text);
    if (!span) return span.error();
    return std::optional(sim::SimTime{*span.value()});
}

/// The earliest violation, one without excuse if there is any; null if nothing was violated.
const properties::Violation* first_violation(const Outcome& outcome) {
    const properties::Violation* first = nullptr;
    for (const auto& report : outcome.reports) {
        if (report.verdict != properties::Verdict::Violated || !report.first) continue;
        if (first == nullptr || report.first->at < first->at) first = &*report.first;
    }
    return first;
}

/// Why a violated run was; nothing for any other.
std::optional<harness::Explanation> why_violated(const scenario::Scenario& scenario,
                                                 const Outcome& outcome,
                                                 const harness::RunOptions& options) {
    const properties::Violation* violation = first_violation(outcome);
    if (violation == nullptr || harness::StopSignals::caught()) return std::nullopt;
    const auto settings = harness::resolve(scenario, outcome.seed);
    if (options.keep_messages) return harness::explain(outcome, settings, *violation);
    harness::RunOptions with_messages = options;
    with_messages.keep_messages = true;
    const Outcome full = harness::run(scenario, outcome.seed, with_messages);
    return harness::explain(full, settings, *violation);
}

std::string why_text(const std::optional<harness::Explanation>& why, const Outcome& outcome,
                     const harness::Paint& paint) {
    if (!why) return "";
    return fmt::format(
        "{}\n{}\n", paint(Tone::Strong, fmt::format("why {}", properties::code_of(why->property))),
        harness::explanation_text(*why, outcome.process_names, paint,
                                  harness::width_for(STDOUT_FILENO)));
}

void write_timelines(const std::string& title, const std::string& command, const Outcome& outcome,
                     const scenario::Resolved& resolved,
                     const std::optional<harness::Explanation>& explanation, Exports& exports) {
    if (OutputFile& html = exports[Export::Html])
        html.write(harness::timeline_html(outcome, resolved, {title, command, explanation, {}}));
    if (OutputFile& perfetto = exports[Export::Perfetto])
        harness::perfetto_json(outcome, resolved,
                               [&](std::string_view text) { perfetto.write(text); });
}

}  // namespace

ExitCode run(const RunArguments& arguments) {
    const std::vector<std::string> names{arguments.scenario};
    const Selection selection{names, arguments.sets, {}, arguments.sets_from};
    const auto loaded = load_scenario(arguments.scenario, selection);
    if (!loaded) return bad_input(loaded.error());
    const scenario::Scenario& scenario = loaded.value();
    const auto demanded = harness::demands_of(scenario, arguments.seed);
    if (!demanded) return bad_input(demanded.error());
    const harness::Demands& demands = demanded.value();
    harness::RunOptions options;
    const harness::StopSignals signals;
    const auto stop = stop_when(arguments.budget);
    if (!stop) return bad_input(stop.error());
    options.stop = stop.value();
    const auto until = until_of(arguments.until);
    if (!until) return bad_input(until.error());
    options.until = until.value();
    auto opened = Exports::open(arguments);
    if (!opened) return bad_input(opened.error());
    Exports exports = std::move(opened).value();
    const bool quiet = exports.take_standard_output();
    const auto paint = harness::paint_for(STDOUT_FILENO);

    if (!quiet)
        fmt::print("{}  seed {}, plan epoch {}\n{}", paint(Tone::Strong, scenario.name),
                   arguments.seed, scenario::plan_epoch,
                   paint(Tone::Faint, first_paragraph(scenario.story)));
    options.keep_log = true;
    options.keep_messages = arguments.verbose || exports[Export::Html] || exports[Export::Perfetto];
    options.checkpoints = true;
    Outcome outcome = harness::run(scenario, arguments.seed, options);
    if (outcome.end == End::OutOfTime)
        outcome.end_detail +=
            harness::StopSignals::caught() ? ", by a signal" : ", when the budget was used up";
    const harness::Repeat repeat{arguments.scenario, arguments.sets,
                                 arguments.again_without_config};
    const auto resolved = harness::resolve(scenario, arguments.seed);
    if (OutputFile& events = exports[Export::Events])
        harness::event_lines(outcome, resolved.plan, [&](std::string_view line) {
            events.write(line);
            events.write("\n");
        });
    if (OutputFile& json = exports[Export::Json])
        json.write(harness::outcome_json(outcome, demands, repeat,
                                         {version_number(), harness::build_id()}));
    if (OutputFile& history = exports[Export::History])
        history.write(history::history_of(outcome, resolved));
    std::optional<harness::Explanation> why;
    if (!quiet || exports[Export::Html]) why = why_violated(scenario, outcome, options);
    write_timelines(scenario.name, harness::repeat_command(repeat, arguments.seed), outcome,
                    resolved, why, exports);
    const bool whole = exports.close();

    ExitCode code = exit_code_of(demands, outcome);
    std::string difference;
    if (code != ExitCode::GaveUp)
        difference = difference_without_log(scenario, outcome, options.until);
    if (!difference.empty()) code = ExitCode::Untrustworthy;
    // Nobody has seen then that the run comes out the same without its log.
    if (harness::StopSignals::caught()) {
        if (code == ExitCode::AsExpected) code = ExitCode::GaveUp;
        if (quiet) fmt::print(stderr, "{}: interrupted\n", harness::program_name());
    }
    if (!quiet) {
        for (const auto& line : outcome.resolved_lines) fmt::print("  drawn: {}\n", line);
        harness::StoryOptions story;
        story.verbose = arguments.verbose;
        story.paint = paint;
        story.width = harness::width_for(STDOUT_FILENO);
        fmt::print(
            "\n{}\n{}{}  again     {}\n  {}\n", harness::tell_story(outcome, resolved.plan, story),
            why_text(why, outcome, paint),
            harness::verdict_text(outcome, demands, paint, harness::width_for(STDOUT_FILENO)),
            harness::repeat_command(repeat, arguments.seed),
            last_line(code, demands, outcome, difference, paint));
    }
    return code == ExitCode::AsExpected && !whole ? ExitCode::GaveUp : code;
}

}  // namespace lockstep::cli
