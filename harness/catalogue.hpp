#pragma once

#include "core/base/result.hpp"
#include "scenarios/scenario.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::harness {

/// A file of scenarios/catalogue, as it was when the program was built.
struct CatalogueFile {
    std::string_view name;  ///< without ".toml"
    std::string_view text;
};
/// Ordered by name.
const std::vector<CatalogueFile>& catalogue_files();

/// The scenario of that name in the catalogue, or in the file at that path (which ends in ".toml"
/// or contains a slash), with `sets` (KEY=VALUE) written over it.
Result<scenario::Scenario> load_scenario(const std::string& name_or_path,
                                         const std::vector<std::string>& sets);

/// "file:3: message", as far as it is known where.
std::string error_text(const Error& error);

}  // namespace lockstep::harness
