#pragma once

#include "harness/run.hpp"
#include "scenarios/resolve.hpp"

#include <string>

namespace lockstep::history {

/// The history of a run, as its clients would have written it with a perfect clock: their calls and
/// what they were told, in the format of docs/history-format.md. The outcome must have its log.
///
/// Openings of sessions are renewals. A lease that ends by the client's own clock is `lost` at the
/// true instant of that, as is everything that a process held when it died. What a store read is
/// told by the store itself, since no client reports it.
std::string history_of(const harness::Outcome& outcome, const scenario::Resolved& settings);

}  // namespace lockstep::history
