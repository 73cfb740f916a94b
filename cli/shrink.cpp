#include "harness/shrink/shrink.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/shrink_progress.hpp"
#include "harness/gate/shrunk_failure.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <unistd.h>
#include <utility>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using properties::PropertyId;

Result<std::optional<PropertyId>> property_of(const std::string& code) {
    if (code.empty()) return std::optional<PropertyId>();
    const auto id = properties::property_of(code);
    if (!id)
        return Error{fmt::format("--property: no property is called '{}' (`{} list properties`)",
                                 code, harness::program_name()),
                     {}};
    return id;
}

Result<std::chrono::milliseconds> time_for(const ShrinkArguments& arguments) {
    if (arguments.span.empty()) return std::chrono::milliseconds(0);
    return parse_wall_time("--for", arguments.span);
}

/// Where the repro goes: a folder and a name.
std::pair<std::string, std::string> place_of(const ShrinkArguments& arguments,
                                             const std::string& scenario,
                                             const harness::Fingerprint& why) {
    if (arguments.out.empty())
        return {".lockstep/repros", harness::repro_name(scenario, why, arguments.seed)};
    const fs::path path(arguments.out);
    return {path.has_parent_path() ? path.parent_path().string() : ".", path.filename().string()};
}

}  // namespace

ExitCode shrink(const ShrinkArguments& arguments) {
    const auto loaded = load_scenario(
        arguments.scenario, {{arguments.scenario}, arguments.sets, {}, arguments.sets_from});
    if (!loaded) return bad_input(loaded.error());
    const scenario::Scenario& scenario = loaded.value();
    const auto property = property_of(arguments.property);
    if (!property) return bad_input(property.error());
    const auto span = time_for(arguments);
    if (!span) return bad_input(span.error());
    if (!arguments.out.empty() && fs::exists(arguments.out))
        return bad_input(
            {"--out: that file is there already; remove it, or name another", arguments.out});

    const harness::StopSignals signals;
    harness::RunOptions bare;
    bare.stop = harness::StopSignals::caught;
    const harness::Outcome outcome = harness::run(scenario, arguments.seed, bare);
    if (outcome.end == harness::End::OutOfTime) return ExitCode::GaveUp;
    const auto why = harness::failure_in(outcome, property.value());
    if (!why)
        return bad_input(
            Error{fmt::format("{} with seed {} violates {}: there is nothing to shrink; `{} "
                              "explore {}` looks for a "
                              "seed that does",
                              harness::printable(arguments.scenario), arguments.seed,
                              arguments.property.empty() ? "nothing" : arguments.property,
                              harness::program_name(), harness::printable(arguments.scenario)),
                  {}});

    ShrinkProgress progress;
    harness::ShrinkOptions options;
    options.budget = span.value();
    options.stop = harness::StopSignals::caught;
    options.on_progress = [&](const harness::ShrinkProgress& p) { progress.show(p); };
    auto told = harness::shrink_and_explain(
        {&scenario,
         {arguments.scenario, arguments.sets, arguments.again_without_config},
         arguments.seed,
         *why},
        options);
    progress.finish();
    const auto [directory, name] = place_of(arguments, scenario.name, *why);
    const auto path = harness::keep_repro(told.repro, directory, name);
    if (!path) return bad_input(path.error());
    harness::tell_where(told.facts, path.value(), told.repro.seed);
    fmt::print("{}", harness::failure_report(told.facts, harness::paint_for(STDOUT_FILENO),
                                             harness::width_for(STDOUT_FILENO)));
    fmt::print("\n{} scenarios were tried in {}; the repro is {}\n",
               harness::grouped(told.shrunk.tried),
               harness::span_text(milliseconds(told.shrunk.elapsed.count())), path.value());
    return harness::StopSignals::caught() ? ExitCode::GaveUp : ExitCode::AsExpected;
}

}  // namespace lockstep::cli
