#include "harness/run.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "harness/determinism.hpp"
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
#include <vector>

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
    if (outcome.end == End::OutOfTime && judgement.unexpected.empty()) return ExitCode::GaveUp;
    if (!judgement.as_expected()) return ExitCode::Violated;
    if (judgement.as_foretold.size() < demands.violated.size()) return ExitCode::Untrustworthy;
    return ExitCode::AsExpected;
}

/// Keeping a log must change nothing: exploring keeps none. What differs, if anything does.
std::string difference_without_log(const scenario::Scenario& scenario, const Outcome& outcome) {
    harness::RunOptions bare;
    bare.checkpoints = true;
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

/// The files that were asked for, in the order of their options below.
struct Exports {
    std::array<OutputFile, 5> files;
    OutputFile& events = files[0];
    OutputFile& json = files[1];
    OutputFile& history = files[2];
    OutputFile& html = files[3];
    OutputFile& perfetto = files[4];

    bool take_standard_output() const {
        return std::any_of(files.begin(), files.end(),
                           [](const OutputFile& file) { return file.is_standard_output(); });
    }
    /// False if one of them is not whole, which is said.
    bool close() {
        bool whole = true;
        for (OutputFile& file : files) {
            const std::string why = file.close();
            if (why.empty()) continue;
            whole = false;
            fmt::print(stderr, "{}: {}\n", harness::program_name(), why);
        }
        return whole;
    }
};

using NamedFile = std::pair<const char*, std::string>;

std::array<NamedFile, 5> export_options(const RunArguments& arguments) {
    return {{{"--events", arguments.events},
             {"--json", arguments.json},
             {"--history", arguments.history},
             {"--html", arguments.html},
             {"--perfetto", arguments.perfetto}}};
}

std::optional<Error> refuse_shared_files(const RunArguments& arguments) {
    std::vector<NamedFile> files{{"the scenario", path_of(arguments.scenario)}};
    for (const NamedFile& file : export_options(arguments)) files.push_back(file);
    for (std::size_t i = 0; i < files.size(); ++i)
        for (std::size_t k = i + 1; k < files.size(); ++k)
            if (same_file(files[i].second, files[k].second))
                return Error{fmt::format("{}: that file is {}, and would be written over",
                                         files[k].first, files[i].first),
                             files[k].second};
    return std::nullopt;
}

std::optional<Error> open_exports(const RunArguments& arguments, Exports& exports) {
    const auto options = export_options(arguments);
    const auto to_stdout = std::count_if(options.begin(), options.end(),
                                         [](const NamedFile& file) { return file.second == "-"; });
    if (to_stdout > 1)
        return Error{
            "--events, --json, --history, --html, --perfetto: only one of them can go to standard "
            "output",
            {}};
    if (auto error = refuse_shared_files(arguments)) return error;
    for (std::size_t i = 0; i < options.size(); ++i) {
        auto file = OutputFile::open(options[i].first, options[i].second);
        if (!file) return file.error();
        exports.files[i] = std::move(file).value();
    }
    return std::nullopt;
}

void write_timelines(const scenario::Scenario& scenario, const Outcome& outcome,
                     const scenario::Resolved& resolved, const harness::Repeat& repeat,
                     Exports& exports) {
    if (exports.html) {
        harness::TimelineOptions options;
        options.title = scenario.name;
        options.command = harness::repeat_command(repeat, outcome.seed);
        exports.html.write(harness::timeline_html(outcome, resolved, options));
    }
    if (exports.perfetto)
        harness::perfetto_json(outcome, resolved,
                               [&](std::string_view text) { exports.perfetto.write(text); });
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
    Exports exports;
    if (const auto error = open_exports(arguments, exports)) return bad_input(*error);
    const bool quiet = exports.take_standard_output();
    const auto paint = harness::paint_for(STDOUT_FILENO);

    if (!quiet)
        fmt::print("{}  seed {}, plan epoch {}\n{}", paint(Tone::Strong, scenario.name),
                   arguments.seed, scenario::plan_epoch,
                   paint(Tone::Faint, first_paragraph(scenario.story)));
    options.keep_log = true;
    options.keep_messages = arguments.verbose || exports.html || exports.perfetto;
    options.checkpoints = true;
    Outcome outcome = harness::run(scenario, arguments.seed, options);
    if (outcome.end == End::OutOfTime)
        outcome.end_detail +=
            harness::StopSignals::caught() ? ", by a signal" : ", when the budget was used up";
    const harness::Repeat repeat{arguments.scenario, arguments.sets,
                                 arguments.again_without_config};
    const auto resolved = harness::resolve(scenario, arguments.seed);
    if (exports.events)
        harness::event_lines(outcome, resolved.plan, [&](std::string_view line) {
            exports.events.write(line);
            exports.events.write("\n");
        });
    if (exports.json)
        exports.json.write(harness::outcome_json(outcome, demands, repeat,
                                         {version_number(), harness::build_id()}));
    if (exports.history) exports.history.write(history::history_of(outcome, resolved));
    write_timelines(scenario, outcome, resolved, repeat, exports);
    const bool whole = exports.close();

    ExitCode code = exit_code_of(demands, outcome);
    std::string difference;
    if (code != ExitCode::GaveUp) difference = difference_without_log(scenario, outcome);
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
            "\n{}\n{}  again     {}\n  {}\n", harness::tell_story(outcome, resolved.plan, story),
            harness::verdict_text(outcome, demands, paint, harness::width_for(STDOUT_FILENO)),
            harness::repeat_command(repeat, arguments.seed),
            last_line(code, demands, outcome, difference, paint));
    }
    return code == ExitCode::AsExpected && !whole ? ExitCode::GaveUp : code;
}

}  // namespace lockstep::cli
