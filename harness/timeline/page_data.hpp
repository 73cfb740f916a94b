#pragma once

#include "harness/timeline/model.hpp"
#include "harness/timeline/timeline.hpp"

#include <cstddef>
#include <string>

namespace lockstep::harness::timeline {

/// What the page shows, as one JSON object fit for a script element. Docs/timeline.md says how it
/// is cut to size: `room` is how many bytes the tracks and the records may take together.
std::string page_data(const Outcome& outcome, const scenario::Resolved& settings,
                      const TimelineOptions& options, const Model& model, std::size_t room);

}  // namespace lockstep::harness::timeline
