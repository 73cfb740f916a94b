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
/// All of them, ordered by name.
const std::vector<CatalogueFile>& embedded_files();
/// Those that can be run over this program's own service (default_service): a scenario whose faults
/// wait for an append is for a service that has appends.
std::vector<CatalogueFile> catalogue_files();

/// The scenario of that name in the catalogue, or in the file at that path (which ends in ".toml"
/// or contains a slash), with `sets` (KEY=VALUE) written over it. One that names no service is for
/// this program's own. Marks and shares that the catalogue demands are demanded of `raft`: over
/// another service, a scenario of the catalogue comes without them.
Result<scenario::Scenario> load_scenario(const std::string& name_or_path,
                                         const std::vector<std::string>& sets);

/// "file:3: message", as far as it is known where.
std::string error_text(const Error& error);

}  // namespace lockstep::harness
