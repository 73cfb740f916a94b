#pragma once

#include "harness/explain/explanation.hpp"
#include "harness/explore.hpp"
#include "harness/text.hpp"
#include "scenarios/scenario.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::harness {

/// A line of `lockstep pinpoint`: how often the run fails when its luck is drawn anew from there.
struct FailureChance {
    sim::SimTime from;
    std::uint64_t runs = 0;
    std::uint64_t failed = 0;
};

struct PinpointPlan {
    std::uint64_t points = 40;  ///< instants, from the beginning to the violation; at least 2
    std::uint64_t runs = 100;   ///< with other luck, from each of them
    unsigned jobs = 1;          ///< worker processes
};

/// Where in a run its failure was decided.
struct Pinpoint {
    properties::Violation violation;
    std::vector<FailureChance> chances;  ///< in the order of time
    /// The largest rise, as a place in `chances` (from the one before to this one); absent if no
    /// two of them can be told apart, at 95%.
    std::optional<std::size_t> jump;
    std::optional<ExplainedStep> happened;  ///< what the run's story has at the jump
    Explanation explanation;
    bool interrupted = false;
};

/// Runs the scenario with its own luck up to each of many instants and with other luck from there
/// on, and counts how often the same promise is broken, by when it may have been. Luck is all that
/// is drawn during a run, and when the faults strike that had not struck by that instant: at a time
/// drawn from there on, whatever they had waited for. Around the largest rise more instants are
/// looked at. The outcome must be that of (scenario, seed), with a log with messages, and have the
/// violation. Does not depend on `jobs`.
Pinpoint pinpoint(const scenario::Scenario& scenario, const Outcome& outcome,
                  const properties::Violation& violation, const PinpointPlan& plan,
                  const std::function<void(const ExploreProgress&)>& on_progress);

/// Wilson's interval at 95%: the least and the greatest chance, in per mille, that is compatible
/// with so many failures.
std::pair<std::uint64_t, std::uint64_t> interval_95(std::uint64_t failed, std::uint64_t runs);

/// As a plot with bars, and what it says in a sentence.
std::string pinpoint_text(const Pinpoint& pinpoint, const std::vector<std::string>& process_names,
                          const Paint& paint = {}, std::size_t width = 0);

}  // namespace lockstep::harness
