#include "harness/explain/pinpoint.hpp"

#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"
#include "harness/timeline/timeline.hpp"
#include "harness/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace lockstep::cli {
namespace {

using harness::Outcome;
using harness::Tone;
using properties::PropertyId;

Error error_of(std::string message) {
    Error error;
    error.message = std::move(message);
    return error;
}

/// The one that was asked for, or the one that the repro is about; nothing: whichever was violated
/// first.
Result<std::optional<PropertyId>> property_for(const PinpointArguments& arguments,
                                               const scenario::Scenario& scenario) {
    if (arguments.property.empty()) {
        if (!scenario.repro) return std::optional<PropertyId>();
        const std::string& fingerprint = scenario.repro->fingerprint;
        return properties::property_of(fingerprint.substr(0, fingerprint.find('/')));
    }
    const auto id = properties::property_of(arguments.property);
    if (!id)
        return error_of(fmt::format("--property: no property is called '{}' (`{} list properties`)",
                                    arguments.property, harness::program_name()));
    return id;
}

/// The violation to look into: without excuse before with one, then the earliest.
const properties::Violation* violation_of(const Outcome& outcome,
                                          const std::optional<PropertyId>& property) {
    const properties::Violation* found = nullptr;
    for (const auto& report : outcome.reports) {
        if (!report.first || (property && report.id != *property)) continue;
        const auto& candidate = *report.first;
        const bool worse = found != nullptr && found->excused_by && !candidate.excused_by;
        const bool same =
            found != nullptr && found->excused_by.has_value() == candidate.excused_by.has_value();
        if (found == nullptr || worse || (same && candidate.at < found->at)) found = &candidate;
    }
    return found;
}

std::optional<Error> out_of_bounds(const PinpointArguments& arguments) {
    if (arguments.points < 2 || arguments.points > 1'000)
        return error_of(fmt::format("--points: found {}; allowed are 2 to 1000", arguments.points));
    if (arguments.runs < 1 || arguments.runs > 1'000'000)
        return error_of(fmt::format("--runs: found {}; allowed are 1 to 1000000", arguments.runs));
    return std::nullopt;
}

}  // namespace

ExitCode pinpoint(const PinpointArguments& arguments) {
    if (const auto error = out_of_bounds(arguments)) return bad_input(*error);
    const std::vector<std::string> names{arguments.scenario};
    const auto loaded =
        load_scenario(arguments.scenario, {names, arguments.sets, {}, arguments.sets_from});
    if (!loaded) return bad_input(loaded.error());
    const scenario::Scenario& scenario = loaded.value();
    const auto property = property_for(arguments, scenario);
    if (!property) return bad_input(property.error());
    std::uint64_t seed = arguments.seed.value_or(1);
    if (!arguments.seed && scenario.repro) seed = scenario.repro->seed;

    auto html = OutputFile::open("--html", arguments.html);
    if (!html) return bad_input(html.error());
    const harness::StopSignals signals;
    harness::RunOptions options;
    options.keep_log = true;
    options.keep_messages = true;
    options.stop = harness::StopSignals::caught;
    const Outcome outcome = harness::run(scenario, seed, options);
    if (outcome.end == harness::End::OutOfTime) return ExitCode::GaveUp;
    const properties::Violation* violation = violation_of(outcome, property.value());
    if (violation == nullptr)
        return bad_input(error_of(fmt::format(
            "{} with seed {} violates {}: there is nothing to pinpoint", arguments.scenario, seed,
            property.value() ? std::string(properties::code_of(*property.value())) : "nothing")));

    harness::PinpointPlan plan;
    plan.points = arguments.points;
    plan.runs = arguments.runs;
    plan.jobs = jobs_of(arguments.jobs);
    const auto paint = harness::paint_for(STDOUT_FILENO);
    const auto width = harness::width_for(STDOUT_FILENO);
    const auto& described = properties::describe(violation->id);
    fmt::print("{}  seed {}, plan epoch {}\n{} {} violated at {}: {}\n\n",
               paint(Tone::Strong, scenario.name), seed, scenario::plan_epoch, described.code,
               described.name, harness::seconds_text(violation->at.ns),
               harness::printable(violation->evidence));
    Progress progress("pinpoint");
    const auto found =
        harness::pinpoint(scenario, outcome, *violation, plan,
                          [&](const harness::ExploreProgress& p) { progress.show(p); });
    progress.finish();
    if (html.value()) {
        const harness::Repeat repeat{arguments.scenario, arguments.sets};
        html.value().write(
            harness::timeline_html(outcome, harness::resolve(scenario, seed),
                                   {scenario.name, harness::repeat_command(repeat, seed),
                                    found.explanation, found.chances}));
        if (const std::string why = html.value().close(); !why.empty())
            return bad_input(error_of(why));
    }
    if (!html.value().is_standard_output())
        fmt::print("{}", harness::pinpoint_text(found, outcome.process_names, paint, width));
    return found.interrupted ? ExitCode::GaveUp : ExitCode::AsExpected;
}

}  // namespace lockstep::cli
