#pragma once

#include "cli/commands.hpp"
#include "core/base/result.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

/// The command line: what there is to say, and what is done with it.
namespace lockstep::cli {

/// Read from the working directory, unless another is named.
inline constexpr const char* default_config = "lockstep.toml";

/// What was said.
struct Arguments {
    std::string config = default_config;
    bool no_config = false;
    RunArguments run;
    ExploreArguments explore;
    MergeArguments merge;
    DigestArguments digest;
    CheckArguments check;
    PinpointArguments pinpoint;
    ListArguments list;
    std::string shell;  ///< for completion
};

/// Adds all commands and options. `arguments` must outlive the app.
void add_commands(CLI::App& app, Arguments& arguments);

/// Whether a file may set the options of the command, if it is one: what only tells what there is
/// must go on working beside a bad file.
bool has_settings(const std::string& command);

/// Options that the command line did not give take the values that the file gives: a key at the top
/// is for every command that has such an option, one in a table for the command of that name, and
/// wins. `arguments` are those that were given to add_commands. Without a file only `demanded` is
/// an error.
std::optional<Error> apply_settings(CLI::App& app, Arguments& arguments, bool demanded);

/// Decides what the commands that repeat single runs must say of settings, when all are applied.
void prepare_repeats(const CLI::App& app, Arguments& arguments);

/// A script for bash that completes commands, options, and what they take.
std::string bash_completion(const CLI::App& app);

}  // namespace lockstep::cli
