#pragma once

#include "core/base/result.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/scenario_fields.hpp"

#include <string>
#include <string_view>

/// Scenarios as TOML (docs/scenario-reference.md). Whatever the bytes, the answer is a scenario
/// that passed `check` or one error with file, line, what was found and what is allowed.
namespace lockstep::scenario {

/// `file` is for messages; its stem is the scenario's name unless the text gives one.
Result<Scenario> parse_scenario(std::string_view text, const std::string& file);
Result<Scenario> load_scenario(const std::string& path);

/// The scenario as text that reads back as an equal one: the story as a comment, every value
/// written out. For a repro, write `pinned(scenario, resolved)`.
std::string to_toml(const Scenario& scenario);

/// `file:line: message`, as compilers print it.
std::string to_string(const Error& error);

}  // namespace lockstep::scenario
