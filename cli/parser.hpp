#pragma once

#include "cli/commands.hpp"
#include "core/base/result.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

/// The command line: what there is to say, and what is done with it.
namespace lockstep::cli {

/// What was said.
struct Arguments {
    std::string config = "lockstep.toml";
    bool no_config = false;
    RunArguments run;
    ExploreArguments explore;
    DigestArguments digest;
    CheckArguments check;
    ListArguments list;
    std::string shell;  ///< for completion
};

/// Adds all commands and options. `arguments` must outlive the app.
void add_commands(CLI::App& app, Arguments& arguments);

/// Whether a file may set the command's options: what only tells what there is must go on working
/// beside a bad file.
bool has_settings(const std::string& command);

/// Options that the command line did not give take the values that the file gives: a key at the top
/// is for every command that has such an option, one in a table for the command of that name, and
/// wins. Without a file only `demanded` is an error.
std::optional<Error> apply_settings(CLI::App& app, const std::string& path, bool demanded);

/// A script for bash that completes commands, options, and what they take.
std::string bash_completion(const CLI::App& app);

}  // namespace lockstep::cli
