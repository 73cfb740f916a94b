#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "harness/catalogue.hpp"
#include "harness/marks.hpp"
#include "harness/text.hpp"
#include "properties/property.hpp"
#include "sim/fault.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace lockstep::cli {
namespace {

using harness::Table;
using harness::Tone;
using Align = Table::Align;

std::string first_line(std::string_view story) {
    return std::string(story.substr(0, story.find('\n')));
}

std::string needs_of(const properties::Description& property) {
    std::string out;
    for (std::size_t i = 0; i < property.need_count; ++i)
        out += fmt::format("{}{}({})", out.empty() ? "" : ", ",
                           properties::to_string(property.needs[i].assumption),
                           properties::to_string(property.needs[i].kind));
    return out.empty() ? "-" : out;
}

}  // namespace

ExitCode list() {
    const auto paint = harness::paint_for(STDOUT_FILENO);
    const auto heading = [&](std::string_view text) {
        fmt::print("{}\n", paint(Tone::Strong, text));
    };

    heading("scenarios");
    Table scenarios({Align::Left, Align::Left});
    for (const auto& file : harness::catalogue_files()) {
        const auto scenario = harness::load_scenario(std::string(file.name), {});
        if (!scenario) return bad_input(scenario.error());
        scenarios.row({{std::string(file.name)}, {first_line(scenario.value().story)}});
    }
    fmt::print("{}", scenarios.text(paint));

    heading("\nservices");
    fmt::print(
        "  raft  Lockstep's own: a replicated lock table on Raft, with sessions and leases\n");

    heading("\nfaults");
    std::string faults;
    for (std::size_t i = 0; i < sim::fault_kinds; ++i)
        faults += fmt::format("  {}\n", sim::to_string(static_cast<sim::FaultKind>(i)));
    fmt::print("{}", faults);

    heading("\nproperties");
    Table properties({Align::Left, Align::Left, Align::Left});
    for (const auto id : properties::all_properties()) {
        const auto& property = properties::describe(id);
        properties.row({{std::string(property.code)},
                        {std::string(property.name)},
                        {std::string(property.promise)}});
        properties.row({{""}, {""}, {"needs " + needs_of(property), Tone::Faint}});
    }
    fmt::print("{}", properties.text(paint));

    heading("\nmarks");
    Table marks({Align::Left, Align::Left});
    for (std::size_t i = 0; i < harness::mark_count; ++i) {
        const auto mark = static_cast<harness::Mark>(i);
        marks.row({{std::string(harness::to_string(mark))}, {std::string(harness::meaning(mark))}});
    }
    fmt::print("{}", marks.text(paint));
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
