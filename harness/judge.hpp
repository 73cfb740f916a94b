#pragma once

#include "core/base/result.hpp"
#include "harness/run.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::harness {

/// What a scenario demands of its runs, with its conditions on values already decided.
struct Demands {
    std::vector<properties::PropertyId> violated;  ///< it is there to see these violated
    std::vector<std::string> required_marks;       ///< each reached in at least one run of a batch
    /// Least share of a batch's runs in which the property had something to check and no excuse.
    std::vector<std::pair<properties::PropertyId, Ppm>> minimum_share;

    bool expects(properties::PropertyId id) const;
};

/// Whether there are the properties and marks that the scenario names.
std::optional<scenario::Objection> check_names(const scenario::Scenario& scenario);

/// An error names the property or mark that does not exist. The seed matters only where an
/// expectation depends on a value that is drawn.
Result<Demands> demands_of(const scenario::Scenario& scenario, std::uint64_t seed);

/// One run against the demands. Properties that are excused or idle are as expected; so is a
/// violation that the scenario is there to show.
struct Judgement {
    bool ended_badly = false;  ///< stuck or crashed
    std::vector<properties::PropertyId> unexpected;
    std::vector<properties::PropertyId> as_foretold;  ///< violated, and expected to be

    bool as_expected() const { return !ended_badly && unexpected.empty(); }
};
Judgement judge(const Demands& demands, const Outcome& outcome);

/// The program's exit codes (docs/command-line.md).
enum class ExitCode : int {
    AsExpected = 0,
    Violated = 1,
    BadInput = 2,
    GaveUp = 3,        ///< interrupted, or without a verdict on some seed
    Untrustworthy = 4  ///< digests differ, marks not reached, faults that never fire, ...
};

}  // namespace lockstep::harness
