#pragma once

#include "harness/run.hpp"
#include "harness/text.hpp"
#include "sim/fault.hpp"

#include <string>

namespace lockstep::harness {

struct StoryOptions {
    /// Every event and message, below the lines that tell the story.
    bool verbose = false;
    /// How many ordinary lines are shown before and after one that matters.
    std::size_t context = 2;
    Paint paint;
    /// Longer lines are broken; 0: they are not.
    std::size_t width = 0;
};

/// The log of a run in plain lines: true time, who, what happened. What matters are faults,
/// elections, lost leases, refused and stale writes, and violations; what goes on in between is
/// counted. `plan` is the run's fault plan.
std::string tell_story(const Outcome& outcome, const sim::FaultPlan& plan,
                       const StoryOptions& options = {});

}  // namespace lockstep::harness
