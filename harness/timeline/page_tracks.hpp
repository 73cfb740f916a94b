#pragma once

#include "harness/timeline/model.hpp"
#include "harness/timeline/page_records.hpp"

#include <string>

namespace lockstep::harness::timeline {

/// The tracks of the whole run as members of a JSON object (without its braces), with everything
/// that touches `window`; outside of it, what lies closer together than `resolution` is drawn as
/// one.
std::string page_tracks(const Model& model, Words& words, Span window, Duration resolution);

}  // namespace lockstep::harness::timeline
