#include "harness/catalogue.hpp"

#include "harness/judge.hpp"
#include "harness/services.hpp"
#include "scenarios/scenario_fields.hpp"
#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace lockstep::harness {
namespace {

using scenario::Surroundings;

bool is_path(const std::string& text) {
    return text.find('/') != std::string::npos || text.ends_with(".toml");
}

Result<scenario::Scenario> parse(const CatalogueFile& file, const Surroundings& around) {
    return scenario::parse_scenario(file.text,
                                    fmt::format("scenarios/catalogue/{}.toml", file.name), around);
}

Result<scenario::Scenario> from_catalogue(const std::string& name, const Surroundings& around) {
    const auto& files = embedded_files();
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const CatalogueFile& f) { return f.name == name; });
    if (file != files.end()) return parse(*file, around);
    std::vector<std::string> names;
    for (const auto& f : catalogue_files()) names.emplace_back(f.name);
    const std::string nearest = scenario::nearest(name, names);
    Error error;
    error.message = fmt::format(
        "no scenario is called '{}'{}; the catalogue has {}; the path of a file contains a slash "
        "or ends in .toml",
        name, nearest.empty() ? std::string() : fmt::format(" (did you mean {}?)", nearest),
        fmt::join(names, ", "));
    return error;
}

Result<scenario::Scenario> load(const std::string& name_or_path, const Surroundings& around) {
    return is_path(name_or_path) ? scenario::load_scenario(name_or_path, around)
                                 : from_catalogue(name_or_path, around);
}

/// What only the program knows: its services, properties and marks.
std::optional<scenario::Objection> check_program(const scenario::Scenario& scenario) {
    auto objection = check_service(scenario);
    return objection ? objection : check_names(scenario);
}

/// What the program has against the scenario, at its place in the file if that is where it came
/// from.
std::optional<Error> objection_to(const scenario::Scenario& scenario,
                                  const std::string& name_or_path,
                                  const std::vector<std::string>& sets) {
    const auto objection = check_program(scenario);
    if (!objection) return std::nullopt;
    const bool other_service = std::any_of(sets.begin(), sets.end(), [](const std::string& set) {
        return set.starts_with("service=");
    });
    if (!other_service) {
        const auto in_file = load(name_or_path, {default_service(), check_program});
        if (!in_file) return in_file.error();
    }
    return scenario::about_sets(sets, *objection);
}

}  // namespace

std::vector<CatalogueFile> catalogue_files() {
    std::vector<CatalogueFile> fitting;
    for (const CatalogueFile& file : embedded_files()) {
        const auto scenario = parse(file, {default_service(), nullptr});
        // One that cannot be read at all is a mistake that must not hide itself.
        if (!scenario || !check_service(scenario.value())) fitting.push_back(file);
    }
    return fitting;
}

Result<scenario::Scenario> load_scenario(const std::string& name_or_path,
                                         const std::vector<std::string>& sets) {
    auto loaded = load(name_or_path, {default_service(), nullptr});
    if (!loaded) return loaded;
    scenario::Scenario& scenario = loaded.value();
    if (auto error = scenario::apply_sets(scenario, sets)) return *std::move(error);
    if (auto error = objection_to(scenario, name_or_path, sets)) return *std::move(error);
    if (!is_path(name_or_path) && scenario.service != "raft") {
        scenario.required_marks.clear();
        scenario.minimum_share.clear();
    }
    return loaded;
}

std::string error_text(const Error& error) {
    return scenario::to_string(error);
}

}  // namespace lockstep::harness
