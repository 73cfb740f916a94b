#pragma once

#include "cli/commands.hpp"
#include "harness/batch.hpp"
#include "scenarios/scenario.hpp"

#include <vector>

namespace lockstep::cli {

/// Shrinks and explains one failure of each kind that the exploration met, prints the reports, and
/// keeps the repros in the folder of its results. A kind is a scenario, and a fingerprint.
void tell_failures(const ExploreArguments& arguments, const harness::Batch& batch,
                   const std::vector<scenario::Scenario>& scenarios);

}  // namespace lockstep::cli
