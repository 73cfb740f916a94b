#pragma once

#include "core/base/result.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/scenario_fields.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Scenarios as TOML (docs/scenario-reference.md). Whatever the bytes, the answer is a scenario
/// that passed `check` or one error with file, line, what was found and what is allowed.
namespace lockstep::scenario {

/// What the reader of a scenario knows that the scenario does not say.
struct Surroundings {
    std::string service = "raft";  ///< of a scenario that names none
    /// Asked when `check` has nothing to object to.
    std::optional<Objection> (*check_service)(const Scenario&) = nullptr;
};

/// `file` is for messages; its stem is the scenario's name unless the text gives one.
Result<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                const Surroundings& around = {});
Result<Scenario> load_scenario(const std::string& path, const Surroundings& around = {});

/// One key of some other file in TOML, with the tables in front of it (`explore.jobs`), and its
/// line.
struct Setting {
    Field field;
    int line = 0;
    std::vector<std::string> words = {};  ///< of a list, which is of strings
};
/// All keys of the file, in its order; what they mean is the reader's business.
Result<std::vector<Setting>> load_settings(const std::string& path);

/// The scenario as text that reads back as an equal one: the story as a comment, every value
/// written out. For a repro, write `pinned(scenario, resolved)`.
std::string to_toml(const Scenario& scenario);

/// `file:line: message`, as compilers print it.
std::string to_string(const Error& error);

}  // namespace lockstep::scenario
