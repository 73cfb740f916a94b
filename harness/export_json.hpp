#pragma once

#include "harness/batch.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace lockstep::harness {

/// What the program says of itself in what it exports.
struct Provenance {
    std::string version;
    std::string build;  ///< build_id()
};

/// What an exploration came to, as one JSON object with a newline behind it: all that batch_text
/// says, and more. docs/command-line.md describes it. Times are integers in the unit that the key
/// ends with, digests are sixteen hex digits in a string; seeds are numbers of up to 64 bits.
std::string batch_json(const Batch& batch, const Provenance& provenance);

/// What one run came to: all that verdict_text says.
std::string outcome_json(const Outcome& outcome, const Demands& demands, const Repeat& repeat,
                         const Provenance& provenance);

/// The log of a run as JSON lines, one a call, without the newline: true time, process, event, then
/// the event's own fields. Locks, processes and points by their names, times in ns.
void event_lines(const Outcome& outcome, const sim::FaultPlan& plan,
                 const std::function<void(std::string_view line)>& on_line);

}  // namespace lockstep::harness
