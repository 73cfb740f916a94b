#pragma once

#include "cli/commands.hpp"
#include "core/base/result.hpp"
#include "scenarios/scenario.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::cli {

/// Says on standard error what is wrong with the input.
ExitCode bad_input(const Error& error);

/// Which scenarios are meant, with which values, and where a file says so.
struct Selection {
    const std::vector<std::string>& names;
    const std::vector<std::string>& sets;
    const Origin& names_from;
    const Origin& sets_from;
};
/// The named scenarios, each once, or the whole catalogue if none is named.
Result<std::vector<scenario::Scenario>> load_scenarios(const Selection& selection);
/// The scenario; what is wrong with the name, or with --set, is said with its place in the file
/// that it came from.
Result<scenario::Scenario> load_scenario(const std::string& name, const Selection& selection);
/// `names` without those that were there before, or those of the catalogue if there are none.
std::vector<std::string> or_catalogue(const std::vector<std::string>& names);

/// The path, if the scenario is named by one; else empty.
std::string path_of(const std::string& scenario);

/// A span of wall time, "90s", "5m", "2h", "1500ms". `option` is for the error; empty: says
/// nothing of it.
Result<std::chrono::milliseconds> parse_wall_time(const std::string& option,
                                                  const std::string& text);

/// A span as "5ms", "1.5s", "200us", in nanoseconds; nothing if the text is empty.
Result<std::optional<std::int64_t>> parse_span(const char* flag, const std::string& text);

/// All that is in a file; `option`, which named it, is for the error.
Result<std::string> read_file(const std::string& option, const std::string& path);

/// As many workers as were asked for; zero: one a core.
unsigned jobs_of(std::uint64_t asked);

/// That the last seed is still a 64-bit number.
Result<bool> check_seeds(std::uint64_t first, std::uint64_t count);

}  // namespace lockstep::cli
