#include "harness/shrink/shrink.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/shrinking.hpp"
#include "harness/catalogue.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"
#include "harness/text.hpp"
#include "harness/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <unistd.h>

namespace lockstep::cli {
namespace {

using harness::Fingerprint;
using harness::Tone;

/// Which of the run's failures is meant.
Result<Fingerprint> failure_of(const ShrinkArguments& arguments, const harness::Outcome& outcome) {
    const auto all = harness::fingerprints(outcome);
    if (!arguments.property.empty() && !properties::property_of(arguments.property))
        return Error{fmt::format("--property: no property is called '{}'; `{} list properties` has "
                                 "them all",
                                 arguments.property, harness::program_name()),
                     {}};
    for (const Fingerprint& one : all)
        if (arguments.property.empty() ||
            (one.property && properties::code_of(*one.property) == arguments.property))
            return one;
    return Error{fmt::format("seed {} of {} violates {}: nothing to shrink; `{} explore {}` finds "
                             "seeds that fail",
                             outcome.seed, arguments.scenario,
                             arguments.property.empty() ? "no property" : "no such property",
                             harness::program_name(), arguments.scenario),
                 {}};
}

void print_result(const harness::Shrunk& shrunk, const std::string& path) {
    const auto paint = harness::paint_for(STDOUT_FILENO);
    const std::size_t width = harness::width_for(STDOUT_FILENO);
    constexpr std::size_t column = 12;
    const auto line = [&](std::string_view word, const std::string& text) {
        fmt::print("  {:<10}{}\n", word, harness::wrapped(text, column, width));
    };
    fmt::print("{}\n", paint(Tone::Strong, to_string(shrunk.fingerprint)));
    line("violated", harness::printable(evidence_of(shrunk)));
    line("shrunk", harness::reduction_text(shrunk.before, shrunk.after));
    for (const auto& fault : shrunk.scenario.faults) line("fault", fault.label());
    line("runs", fmt::format("{} in {} s{}", harness::grouped(shrunk.tried),
                             harness::seconds_text(shrunk.elapsed.count() * 1'000'000),
                             shrunk.minimal ? "; nothing more can be taken away"
                                            : "; not the minimum: time ran out (--for)"));
    line("again", fmt::format("{} replay {}", harness::program_name(), path));
    line("keep", fmt::format("{} accept {}", harness::program_name(), path));
}

}  // namespace

ExitCode shrink(const ShrinkArguments& arguments) {
    const auto span = parse_wall_time("--for", arguments.span);
    if (!span) return bad_input(span.error());
    if (arguments.table) return shrink_table(arguments.seed, span.value());
    if (arguments.scenario.empty())
        return bad_input({"name a scenario: one of the catalogue, or a .toml file", {}});
    const std::vector<std::string> names{arguments.scenario};
    const auto loaded =
        load_scenario(arguments.scenario, {names, arguments.sets, {}, arguments.sets_from});
    if (!loaded) return bad_input(loaded.error());
    const harness::StopSignals signals;
    harness::RunOptions run_options;
    run_options.stop = harness::StopSignals::caught;
    const auto outcome = harness::run(loaded.value(), arguments.seed, run_options);
    if (harness::StopSignals::caught()) return ExitCode::GaveUp;
    const auto why = failure_of(arguments, outcome);
    if (!why) return bad_input(why.error());
    ShrinkLine line(arguments.scenario);
    harness::ShrinkOptions options;
    options.budget = span.value();
    options.stop = harness::StopSignals::caught;
    options.on_progress = [&](const harness::ShrinkProgress& progress) { line.show(progress); };
    const auto shrunk = harness::shrink(loaded.value(), arguments.seed, why.value(), options);
    line.finish();
    const harness::Repeat repeat{arguments.scenario, arguments.sets};
    const auto repro = repro_of(shrunk, harness::repeat_command(repeat, arguments.seed));
    const std::string path =
        arguments.out.empty() ? ".lockstep/repros/" + file_name_of(repro) : arguments.out;
    if (const auto error = write_new_file(path, to_toml(repro))) return bad_input(*error);
    print_result(shrunk, path);
    return harness::StopSignals::caught() ? ExitCode::GaveUp : ExitCode::AsExpected;
}

}  // namespace lockstep::cli
