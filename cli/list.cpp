#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "harness/catalogue.hpp"
#include "harness/marks.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"
#include "properties/property.hpp"
#include "sim/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lockstep::cli {
namespace {

using harness::Paint;
using harness::Table;
using harness::Tone;
using Align = Table::Align;

/// The first sentence of the story, on one line.
std::string one_line(std::string_view story) {
    std::string line(story.substr(0, story.find("\n\n")));
    std::replace(line.begin(), line.end(), '\n', ' ');
    const auto stop = line.find(". ");
    if (stop != std::string::npos) line.resize(stop);
    if (line.ends_with('.')) line.pop_back();
    return harness::printable(line);
}

std::string needs_of(const properties::Description& property) {
    std::string out;
    for (std::size_t i = 0; i < property.need_count; ++i)
        out += fmt::format("{}{}({})", out.empty() ? "" : ", ",
                           properties::to_string(property.needs[i].assumption),
                           properties::to_string(property.needs[i].kind));
    return out.empty() ? "-" : out;
}

Result<std::string> scenarios_text(const Paint& paint) {
    Table table({Align::Left, Align::Left});
    for (const auto& file : harness::catalogue_files()) {
        const auto scenario = harness::load_scenario(std::string(file.name), {});
        if (!scenario) return scenario.error();
        table.row({{std::string(file.name)}, {one_line(scenario.value().story)}});
    }
    return table.text(paint, "  ", harness::width_for(STDOUT_FILENO));
}

Result<std::string> services_text(const Paint& paint) {
    Table table({Align::Left, Align::Left});
    for (const auto& service : harness::services()) {
        table.row({{service.name}, {service.face.about}});
        for (const auto& setting : service.face.settings)
            table.row({{""},
                       {fmt::format("service_settings.{} = {}: {}", setting.name,
                                    setting.by_default, setting.meaning),
                        Tone::Faint}});
    }
    return table.text(paint, "  ", harness::width_for(STDOUT_FILENO));
}

Result<std::string> faults_text(const Paint& paint) {
    Table table({Align::Left, Align::Left});
    for (std::size_t i = 0; i < sim::fault_kinds; ++i) {
        const auto kind = static_cast<sim::FaultKind>(i);
        table.row({{std::string(sim::to_string(kind))}, {std::string(sim::meaning(kind))}});
    }
    return table.text(paint, "  ", harness::width_for(STDOUT_FILENO));
}

Result<std::string> properties_text(const Paint& paint) {
    Table table({Align::Left, Align::Left});
    for (const auto id : properties::all_properties()) {
        const auto& property = properties::describe(id);
        table.row({{std::string(property.code)}, {std::string(property.name), Tone::Strong}});
        table.note({std::string(property.promise)});
        table.note({"needs " + needs_of(property), Tone::Faint});
    }
    return table.text(paint, "  ", harness::width_for(STDOUT_FILENO));
}

Result<std::string> marks_text(const Paint& paint) {
    Table table({Align::Left, Align::Left});
    for (std::size_t i = 0; i < harness::mark_count; ++i) {
        const auto mark = static_cast<harness::Mark>(i);
        table.row({{std::string(harness::to_string(mark))}, {std::string(harness::meaning(mark))}});
    }
    return table.text(paint, "  ", harness::width_for(STDOUT_FILENO));
}

using GroupText = Result<std::string> (*)(const Paint&);
constexpr std::array<std::pair<const char*, GroupText>, 5> groups{{
    {"scenarios", scenarios_text},
    {"services", services_text},
    {"faults", faults_text},
    {"properties", properties_text},
    {"marks", marks_text},
}};

}  // namespace

const std::vector<std::string>& list_groups() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& [name, text] : groups) all.emplace_back(name);
        return all;
    }();
    return names;
}

ExitCode list(const ListArguments& arguments) {
    if (arguments.markdown) {
        if (arguments.group != "properties")
            return bad_input({"--markdown is for `list properties` alone", {}});
        const auto table = properties_markdown();
        if (!table) return bad_input(table.error());
        fmt::print("{}", table.value());
        return ExitCode::AsExpected;
    }
    const auto paint = harness::paint_for(STDOUT_FILENO);
    bool first = true;
    for (const auto& [name, text] : groups) {
        if (!arguments.group.empty() && arguments.group != name) continue;
        const auto written = text(paint);
        if (!written) return bad_input(written.error());
        if (arguments.group.empty())
            fmt::print("{}{}\n", first ? "" : "\n", paint(Tone::Strong, name));
        first = false;
        fmt::print("{}", written.value());
    }
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
