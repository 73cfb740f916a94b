#pragma once

#include "cli/commands.hpp"
#include "core/base/result.hpp"
#include "harness/lease/sweep.hpp"

#include <string>

namespace lockstep::cli {

/// What the arguments ask to be swept. Files are read.
Result<lease::SweepPlan> lease_plan(const LeaseArguments& arguments);

/// A file, or a rate and lengths ("2/month x 5s..90s"), which each take `otherwise` if no length is
/// given. Empty: none.
Result<lease::Source> lease_source(const std::string& option, const std::string& text,
                                   data::Measure measure, Duration otherwise);

}  // namespace lockstep::cli
