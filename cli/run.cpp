#include "harness/run.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "harness/determinism.hpp"
#include "harness/explain/failure_report.hpp"
#include "harness/explore_store.hpp"
#include "harness/export_json.hpp"
#include "harness/history/writer.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"
#include "harness/story.hpp"
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
std::string why_violated(const scenario::Scenario& scenario, const Outcome& outcome,
                         const harness::RunOptions& options, const harness::Paint& paint) {
    const properties::Violation* violation = first_violation(outcome);
    if (violation == nullptr || harness::StopSignals::caught()) return "";
    const auto settings = harness::resolve(scenario, outcome.seed);
    harness::Explanation explanation;
    if (options.keep_messages) {
        explanation = harness::explain(outcome, settings, *violation);
    } else {
        harness::RunOptions with_messages = options;
        with_messages.keep_messages = true;
        const Outcome full = harness::run(scenario, outcome.seed, with_messages);
        explanation = harness::explain(full, settings, *violation);
    }
    return fmt::format(
        "{}\n{}\n", paint(Tone::Strong, fmt::format("why {}", properties::code_of(violation->id))),
        harness::explanation_text(explanation, outcome.process_names, paint,
                                  harness::width_for(STDOUT_FILENO)));
}

/// The files that were asked for.
struct Exports {
    OutputFile events;
    OutputFile json;
    OutputFile history;

    bool take_standard_output() const {
        return events.is_standard_output() || json.is_standard_output() ||
               history.is_standard_output();
    }
    /// False if one of them is not whole, which is said.
    bool close() {
        bool whole = true;
        for (OutputFile* file : {&events, &json, &history}) {
            const std::string why = file->close();
            if (why.empty()) continue;
            whole = false;
            fmt::print(stderr, "{}: {}\n", harness::program_name(), why);
        }
        return whole;
    }
};

std::optional<Error> refuse_shared_files(const RunArguments& arguments) {
    const std::array<std::pair<const char*, std::string>, 4> files{{
        {"the scenario", path_of(arguments.scenario)},
        {"--events", arguments.events},
        {"--json", arguments.json},
        {"--history", arguments.history},
    }};
    for (std::size_t i = 0; i < files.size(); ++i)
        for (std::size_t k = i + 1; k < files.size(); ++k)
            if (same_file(files[i].second, files[k].second))
                return Error{fmt::format("{}: that file is {}, and would be written over",
                                         files[k].first, files[i].first),
                             files[k].second};
    return std::nullopt;
}

Result<Exports> open_exports(const RunArguments& arguments) {
    const auto to_stdout = [](const std::string& path) { return path == "-" ? 1 : 0; };
    if (to_stdout(arguments.events) + to_stdout(arguments.json) + to_stdout(arguments.history) > 1)
        return Error{"--events, --json, --history: only one of them can go to standard output", {}};
    if (auto error = refuse_shared_files(arguments)) return *std::move(error);
    auto events = OutputFile::open("--events", arguments.events);
    if (!events) return events.error();
    auto json = OutputFile::open("--json", arguments.json);
    if (!json) return json.error();
    auto history = OutputFile::open("--history", arguments.history);
    if (!history) return history.error();
    return Exports{std::move(events).value(), std::move(json).value(), std::move(history).value()};
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
    auto exports = open_exports(arguments);
    if (!exports) return bad_input(exports.error());
    const bool quiet = exports.value().take_standard_output();
    const auto paint = harness::paint_for(STDOUT_FILENO);

    if (!quiet)
        fmt::print("{}  seed {}, plan epoch {}\n{}", paint(Tone::Strong, scenario.name),
                   arguments.seed, scenario::plan_epoch,
                   paint(Tone::Faint, first_paragraph(scenario.story)));
    options.keep_log = true;
    options.keep_messages = arguments.verbose;
    options.checkpoints = true;
    Outcome outcome = harness::run(scenario, arguments.seed, options);
    if (outcome.end == End::OutOfTime)
        outcome.end_detail +=
            harness::StopSignals::caught() ? ", by a signal" : ", when the budget was used up";
    const harness::Repeat repeat{arguments.scenario, arguments.sets,
                                 arguments.again_without_config};
    const auto resolved = harness::resolve(scenario, arguments.seed);
    if (auto& events = exports.value().events)
        harness::event_lines(outcome, resolved.plan, [&](std::string_view line) {
            events.write(line);
            events.write("\n");
        });
    if (auto& json = exports.value().json)
        json.write(harness::outcome_json(outcome, demands, repeat,
                                         {version_number(), harness::build_id()}));
    if (auto& history = exports.value().history)
        history.write(history::history_of(outcome, resolved));
    const bool whole = exports.value().close();

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
            why_violated(scenario, outcome, options, paint),
            harness::verdict_text(outcome, demands, paint, harness::width_for(STDOUT_FILENO)),
            harness::repeat_command(repeat, arguments.seed),
            last_line(code, demands, outcome, difference, paint));
    }
    return code == ExitCode::AsExpected && !whole ? ExitCode::GaveUp : code;
}

}  // namespace lockstep::cli
