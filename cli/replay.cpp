#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "harness/explain/failure_report.hpp"
#include "harness/export_json.hpp"
#include "harness/gate/shrunk_failure.hpp"
#include "harness/repro/repro.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace lockstep::cli {
namespace {

using harness::Fingerprint;
using harness::Paint;
using harness::Replay;
using harness::Repro;
using harness::Tone;

std::string why_text(const Repro& repro, const Replay& replay, const Fingerprint& why,
                     const Paint& paint) {
    const auto* violation = harness::violation_of(replay.outcome, why);
    if (violation == nullptr) return fmt::format("  {}\n", replay.outcome.end_detail);
    const auto settings = harness::resolve(repro.scenario, repro.seed);
    return harness::explanation_text(harness::explain(replay.outcome, settings, *violation),
                                     replay.outcome.process_names, paint,
                                     harness::width_for(STDOUT_FILENO));
}

void print_result(const Repro& repro, const Replay& replay, const Paint& paint) {
    const std::string was = to_string(repro.fingerprint);
    switch (replay.result) {
        case Replay::Result::FailsAgain:
            fmt::print("{}", why_text(repro, replay, repro.fingerprint, paint));
            fmt::print("{}  {}\n", paint(Tone::Bad, "FAILS AGAIN"), was);
            return;
        case Replay::Result::FailsOtherwise:
            fmt::print("{}", why_text(repro, replay, replay.found.front(), paint));
            fmt::print("{}  {}\n", paint(Tone::Bad, "FAILS OTHERWISE"),
                       to_string(replay.found.front()));
            fmt::print("  the repro is about {}, which did not come\n", was);
            return;
        case Replay::Result::Held:
            fmt::print("{}  {} did not come, and every fault found its target\n",
                       paint(Tone::Good, "HELD"), was);
            return;
        case Replay::Result::NoLongerExercises:
            fmt::print("{}  {} did not come, but not all of the faults did either:\n",
                       paint(Tone::Warn, "NO LONGER EXERCISES"), was);
            for (const auto& label : replay.missed)
                fmt::print("  missed: {}\n", harness::printable(label));
            return;
    }
}

void print_digest(const Repro& repro, const Replay& replay, const Paint& paint) {
    fmt::print("  digest {:016x}", replay.outcome.digest);
    if (replay.untrustworthy)
        fmt::print(", {} of the repro {:016x}, by this very program: NOT DETERMINISTIC\n",
                   paint(Tone::Bad, "not that"), repro.digest);
    else if (replay.same_digest)
        fmt::print(", that of the repro{}\n",
                   replay.same_build ? "" : fmt::format(" (of another build, {})", repro.build));
    else
        fmt::print("; the repro's, {:016x}, is of {}\n", repro.digest,
                   replay.edited ? "other values: it was edited" : "another build");
}

/// Where the events part from those of another run; an error if they cannot be read.
Result<bool> compare(const ReplayArguments& arguments, const Repro& repro, const Replay& replay) {
    if (arguments.against.empty()) return true;
    const auto difference =
        harness::compare_events(replay.outcome, repro.scenario, arguments.against);
    if (!difference) return difference.error();
    if (!difference.value()) {
        fmt::print("  events are those of {}\n", harness::printable(arguments.against));
        return true;
    }
    const auto& first = *difference.value();
    fmt::print("  first difference, {}:{}\n    there  {}\n    here   {}\n",
               harness::printable(arguments.against), first.line,
               first.theirs.empty() ? "nothing more" : harness::printable(first.theirs),
               first.ours.empty() ? "nothing more" : harness::printable(first.ours));
    return true;
}

}  // namespace

ExitCode replay(const ReplayArguments& arguments) {
    const auto loaded = harness::load_repro(arguments.file);
    if (!loaded) return bad_input(loaded.error());
    const Repro& repro = loaded.value();
    if (same_file(arguments.file, arguments.events) ||
        same_file(arguments.against, arguments.events))
        return bad_input(
            {"--events: that file is read, and would be written over", arguments.events});
    auto events = OutputFile::open("--events", arguments.events);
    if (!events) return bad_input(events.error());
    const harness::StopSignals signals;
    harness::RunOptions options;
    options.keep_log = true;
    options.keep_messages = true;
    options.stop = harness::StopSignals::caught;
    const Replay replay = harness::replay(repro, options);
    if (replay.outcome.end == harness::End::OutOfTime) return ExitCode::GaveUp;
    if (events.value()) {
        harness::event_lines(replay.outcome, harness::resolve(repro.scenario, repro.seed).plan,
                             [&](std::string_view line) {
                                 events.value().write(line);
                                 events.value().write("\n");
                             });
        if (const std::string why = events.value().close(); !why.empty())
            return bad_input(Error{why, {}});
        if (events.value().is_standard_output()) return ExitCode::AsExpected;
    }
    const Paint paint = harness::paint_for(STDOUT_FILENO);
    print_result(repro, replay, paint);
    print_digest(repro, replay, paint);
    if (const auto compared = compare(arguments, repro, replay); !compared)
        return bad_input(compared.error());
    if (replay.untrustworthy) return ExitCode::Untrustworthy;
    if (replay.result == Replay::Result::Held) return ExitCode::AsExpected;
    return replay.result == Replay::Result::NoLongerExercises ? ExitCode::GaveUp
                                                              : ExitCode::Violated;
}

}  // namespace lockstep::cli
