#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "harness/repro/repro.hpp"
#include "harness/stop_signals.hpp"
#include "harness/text.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace lockstep::cli {
namespace {

using harness::Replay;
using harness::Tone;

std::string names_of(const std::vector<harness::Fingerprint>& found) {
    std::vector<std::string> names;
    for (const auto& one : found) names.push_back(to_string(one));
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string result_text(const harness::Repro& repro, const Replay& replay) {
    switch (replay.result) {
        case Replay::Result::FailsAgain:
            return "fails again: " + to_string(repro.fingerprint);
        case Replay::Result::FailsOtherwise:
            return fmt::format("fails otherwise: {}; it was made for {}", names_of(replay.found),
                               to_string(repro.fingerprint));
        case Replay::Result::Held:
            return "held: nothing is violated, and all faults fired";
        case Replay::Result::NoLongerExercises:
            break;
    }
    return fmt::format("no longer exercises: nothing is violated, but these never fired: {}",
                       fmt::join(replay.missed, "; "));
}

std::string digest_text(const harness::Repro& repro, const Replay& replay) {
    if (replay.same_digest) return "the same";
    std::string why = "of another build, which is no failure";
    if (replay.untrustworthy) why = "of this very build: the harness is not to be trusted";
    if (replay.edited) why = "of the file before it was edited";
    if (repro.plan_epoch != scenario::plan_epoch)
        why = fmt::format("of plan epoch {}", repro.plan_epoch);
    return fmt::format("{:016x}, and {:016x} in the file, {}", replay.outcome.digest, repro.digest,
                       why);
}

ExitCode code_of(const Replay& replay) {
    if (replay.untrustworthy) return ExitCode::Untrustworthy;
    if (replay.outcome.end == harness::End::OutOfTime) return ExitCode::GaveUp;
    switch (replay.result) {
        case Replay::Result::FailsAgain:
        case Replay::Result::FailsOtherwise:
            return ExitCode::Violated;
        case Replay::Result::Held:
            return ExitCode::AsExpected;
        case Replay::Result::NoLongerExercises:
            break;
    }
    return ExitCode::GaveUp;
}

}  // namespace

ExitCode replay(const ReplayArguments& arguments) {
    const auto loaded = harness::load_repro(arguments.file);
    if (!loaded) return bad_input(loaded.error());
    const harness::Repro& repro = loaded.value();
    const harness::StopSignals signals;
    harness::RunOptions options;
    options.keep_log = !arguments.against.empty();
    options.stop = harness::StopSignals::caught;
    const Replay replay = harness::replay(repro, options);
    std::optional<harness::EventDifference> difference;
    if (options.keep_log && replay.outcome.end != harness::End::OutOfTime) {
        auto compared = harness::compare_events(replay.outcome, repro.scenario, arguments.against);
        if (!compared) return bad_input(compared.error());
        difference = std::move(compared).value();
    }
    const auto paint = harness::paint_for(STDOUT_FILENO);
    const std::size_t width = harness::width_for(STDOUT_FILENO);
    constexpr std::size_t column = 12;
    const ExitCode code = code_of(replay);
    if (replay.outcome.end == harness::End::OutOfTime) {
        fmt::print("  {:<10}without a verdict\n", "interrupted");
        return code;
    }
    const Tone tone = code == ExitCode::AsExpected ? Tone::Good
                      : code == ExitCode::GaveUp   ? Tone::Warn
                                                   : Tone::Bad;
    const auto line = [&](std::string_view word, const std::string& text, Tone in = Tone::Plain) {
        fmt::print("  {:<10}{}\n", word,
                   harness::wrapped(harness::printable(text), column, width, paint, in));
    };
    fmt::print("{}  seed {}\n", paint(Tone::Strong, repro.scenario.name), repro.seed);
    line("replay", result_text(repro, replay), tone);
    for (const auto& report : replay.outcome.reports)
        if (report.verdict == properties::Verdict::Violated && report.first)
            line("violated",
                 fmt::format("{} at {}: {}", properties::code_of(report.id),
                             harness::seconds_text(report.first->at.ns), report.first->evidence));
    line("digest", digest_text(repro, replay), replay.untrustworthy ? Tone::Bad : Tone::Plain);
    if (difference) {
        const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
        line("differs", fmt::format("first at line {} of {}", difference->line, arguments.against));
        line("  here", or_none(difference->ours));
        line("  there", or_none(difference->theirs));
    } else if (options.keep_log) {
        line("events", "the same");
    }
    return code;
}

}  // namespace lockstep::cli
