#pragma once

#include "cli/commands.hpp"

#include <CLI/CLI.hpp>

/// The commands that choose a lease, and read what it is chosen from.
namespace lockstep::cli {

void add_data(CLI::App& app, DataArguments& arguments);
void add_probe(CLI::App& app, ProbeArguments& arguments);
void add_lease(CLI::App& app, LeaseArguments& arguments);

}  // namespace lockstep::cli
