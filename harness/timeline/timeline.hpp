#pragma once

#include "harness/explain/explanation.hpp"
#include "harness/explain/pinpoint.hpp"
#include "harness/run.hpp"
#include "scenarios/resolve.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::harness {

struct TimelineOptions {
    std::string title;    ///< of the scenario
    std::string command;  ///< that has the run again
    std::optional<Explanation> explanation;
    std::vector<FailureChance> chances;
};

/// One run as a page that needs nothing else: HTML with its style and script in it. The outcome
/// must have a log with messages. Everything that came from outside is escaped.
std::string timeline_html(const Outcome& outcome, const scenario::Resolved& settings,
                          const TimelineOptions& options);

/// One run in the trace event format, for Perfetto and chrome://tracing: a process a track, leases
/// as async slices, messages as flows. In pieces, in order.
void perfetto_json(const Outcome& outcome, const scenario::Resolved& settings,
                   const std::function<void(std::string_view)>& on_text);

}  // namespace lockstep::harness
