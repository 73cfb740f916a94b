#pragma once

#include "cli/commands.hpp"
#include "core/base/result.hpp"
#include "harness/lease/sweep.hpp"
#include "harness/lease/wants.hpp"

#include <string>
#include <vector>

namespace lockstep::cli {

/// What the arguments ask to be swept. Files are read.
Result<lease::SweepPlan> lease_plan(const LeaseArguments& arguments);

/// The command that sweeps the same again: all that decides a result, and nothing else.
std::string lease_command(const LeaseArguments& arguments);

/// Sweeps that --json kept, or one that was made in parts; and the command that made it.
Result<lease::Sweep> lease_from(const std::vector<std::string>& files, std::string& command);

/// "3 losses in 90d", or a log of lost leases.
Result<lease::Observed> lease_observed(const std::string& text);

/// A file, or a rate and lengths ("2/month x 5s..90s"), which each take `otherwise` if no length is
/// given. Empty: none.
Result<lease::Source> lease_source(const std::string& option, const std::string& text,
                                   data::Measure measure, Duration otherwise);

}  // namespace lockstep::cli
