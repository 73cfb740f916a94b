#include "harness/catalogue.hpp"

#include "scenarios/scenario_fields.hpp"
#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::harness {
namespace {

bool is_path(const std::string& text) {
    return text.find('/') != std::string::npos || text.ends_with(".toml");
}

Result<scenario::Scenario> from_catalogue(const std::string& name) {
    const auto& files = catalogue_files();
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const CatalogueFile& f) { return f.name == name; });
    if (file != files.end())
        return scenario::parse_scenario(file->text,
                                        fmt::format("scenarios/catalogue/{}.toml", name));
    std::vector<std::string> names;
    std::string all;
    for (const auto& f : files) {
        names.emplace_back(f.name);
        all += fmt::format("{}{}", all.empty() ? "" : ", ", f.name);
    }
    const std::string nearest = scenario::nearest(name, names);
    Error error;
    error.message = fmt::format(
        "no scenario is called '{}'{}; the catalogue has {}; the path of a file contains a slash "
        "or "
        "ends in .toml",
        name, nearest.empty() ? std::string() : fmt::format(" (did you mean {}?)", nearest), all);
    return error;
}

}  // namespace

Result<scenario::Scenario> load_scenario(const std::string& name_or_path,
                                         const std::vector<std::string>& sets) {
    auto loaded = is_path(name_or_path) ? scenario::load_scenario(name_or_path)
                                        : from_catalogue(name_or_path);
    if (!loaded) return loaded;
    for (const auto& set : sets)
        if (auto error = scenario::apply_set(loaded.value(), set)) return *std::move(error);
    return loaded;
}

std::string error_text(const Error& error) {
    return scenario::to_string(error);
}

}  // namespace lockstep::harness
