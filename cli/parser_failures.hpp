#pragma once

#include "cli/commands.hpp"

#include <CLI/CLI.hpp>

/// The commands that are about one failure.
namespace lockstep::cli {

void add_shrink(CLI::App& app, ShrinkArguments& arguments);
void add_replay(CLI::App& app, ReplayArguments& arguments);
void add_accept(CLI::App& app, AcceptArguments& arguments);
void add_pinpoint(CLI::App& app, PinpointArguments& arguments);

}  // namespace lockstep::cli
