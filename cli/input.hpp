#pragma once

#include "cli/commands.hpp"
#include "core/base/result.hpp"
#include "scenarios/scenario.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace lockstep::cli {

/// Says on standard error what is wrong with the input.
ExitCode bad_input(const Error& error);

/// The named scenarios, or the whole catalogue if none is named.
Result<std::vector<scenario::Scenario>> load_scenarios(const std::vector<std::string>& names,
                                                       const std::vector<std::string>& sets);
/// `names`, or those of the catalogue if there are none.
std::vector<std::string> or_catalogue(const std::vector<std::string>& names);

/// A span of wall time, "90s", "5m", "2h", "1500ms". `option` is for the error.
Result<std::chrono::milliseconds> parse_wall_time(const std::string& option,
                                                  const std::string& text);

/// That the last seed is still a 64-bit number.
Result<bool> check_seeds(std::uint64_t first, std::uint64_t count);

}  // namespace lockstep::cli
