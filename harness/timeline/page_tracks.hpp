#pragma once

#include "harness/timeline/model.hpp"
#include "harness/timeline/page_records.hpp"

#include <string>

namespace lockstep::harness::timeline {

/// How much of the tracks outside of a window is worth its bytes.
struct Coarseness {
    Duration points;  ///< of commits, writes and the like one in such a span; zero: all
    Duration bars;    ///< what lies closer together than this is one; zero: nothing is
};

/// The tracks of the whole run as members of a JSON object (without its braces), with everything
/// that touches `window`.
std::string page_tracks(const Model& model, Words& words, Span window, Coarseness coarseness);

}  // namespace lockstep::harness::timeline
