#include "cli/commands.hpp"
#include "harness/catalogue.hpp"
#include "harness/judge.hpp"
#include "properties/property.hpp"
#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {
namespace {

using properties::PropertyId;

/// "Raft1", by which tests/properties has the pair of runs of RAFT-1: one to object to, one to
/// accept.
std::string enumerator_of(std::string_view code) {
    std::string out;
    for (const char c : code) {
        if (c == '-') continue;
        const bool letter = c >= 'A' && c <= 'Z';
        out += letter && !out.empty() ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

std::string needs_text(const properties::Description& property) {
    std::string out;
    for (std::size_t i = 0; i < property.need_count; ++i)
        out += fmt::format("{}{}({})", out.empty() ? "" : ", ",
                           properties::to_string(property.needs[i].assumption),
                           properties::to_string(property.needs[i].kind));
    return out.empty() ? "-" : out;
}

/// Those that demand a share of judged runs, then those that expect it to be violated.
std::string scenarios_about(PropertyId id, const std::vector<scenario::Scenario>& catalogue) {
    const auto code = properties::code_of(id);
    std::string demand;
    std::string expect;
    for (const auto& scenario : catalogue) {
        const auto shares =
            std::any_of(scenario.minimum_share.begin(), scenario.minimum_share.end(),
                        [&](const auto& share) { return share.first == code; });
        if (shares) demand += fmt::format("{}{}", demand.empty() ? "" : ", ", scenario.name);
        for (const auto& expected : scenario.expect) {
            if (expected.violated != code) continue;
            expect += fmt::format("{}{}", expect.empty() ? "" : ", ", scenario.name);
            if (!expected.when_key.empty())
                expect += fmt::format(" (with {}={})", expected.when_key, expected.when_value);
        }
    }
    if (!expect.empty()) expect = "violated on purpose: " + expect;
    if (!demand.empty() && !expect.empty()) return demand + "; " + expect;
    return demand.empty() && expect.empty() ? "-" : demand + expect;
}

/// A bar would end the cell.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, 1, '\\');
    return text;
}

}  // namespace

Result<std::string> properties_markdown() {
    std::vector<scenario::Scenario> catalogue;
    for (const auto& file : harness::embedded_files()) {
        auto scenario = harness::load_scenario(std::string(file.name), {});
        if (!scenario) return scenario.error();
        catalogue.push_back(std::move(scenario).value());
    }
    std::string out =
        "| property | promise | needs | negative test, in `tests/properties` | "
        "scenarios that demand it |\n"
        "|---|---|---|---|---|\n";
    for (const PropertyId id : properties::all_properties()) {
        const auto& property = properties::describe(id);
        out += fmt::format("| {} {} | {} | {} | `{}` | {} |\n", property.code, property.name,
                           cell(std::string(property.promise)), needs_text(property),
                           enumerator_of(property.code), cell(scenarios_about(id, catalogue)));
    }
    return out;
}

}  // namespace lockstep::cli
