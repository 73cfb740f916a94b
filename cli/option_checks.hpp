#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// What options of several commands have in common.
namespace lockstep::cli {

inline constexpr const char* scenario_help =
    "Its name in the catalogue, or the path of a .toml file";
inline constexpr const char* set_help = "Overrides a value of the scenario; may be repeated";

/// CLI11 reads -1 as the largest number and 010 as eight: this refuses both.
const CLI::Validator& whole_number();
/// Of worker processes: 1 to 256.
const CLI::Validator& workers();
/// A span of wall time.
const CLI::Validator& wall_time();
const CLI::Validator& directory();

// Options that several commands have, with their checks.
void add_jobs(CLI::App* command, std::uint64_t& jobs,
              const char* help = "Worker processes (default: one a core)");
void add_sets(CLI::App* command, std::vector<std::string>& sets);

}  // namespace lockstep::cli
