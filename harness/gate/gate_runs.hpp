#pragma once

#include "harness/gate/gate.hpp"
#include "scenarios/scenario.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::harness {

struct GatePlan {
    std::vector<scenario::Scenario> scenarios;
    std::vector<Repeat> repeats;  ///< goes with them
    bool whole_catalogue = false;
    std::string base;
    std::uint64_t corpus = 20;  ///< seeds 1, 2, ... of each scenario
    std::uint64_t seeds = 50;   ///< fresh ones of each
    std::uint64_t min_seeds = 5;
    std::chrono::milliseconds budget{300'000};
    unsigned jobs = 1;
    std::uint64_t twice_ppm = 20'000;  ///< share of the runs that is run again
    bool pr = false;
};

/// Called a few times a second. `what` is "corpus", "fresh seeds" or "second runs".
using GateProgress = std::function<void(const std::string& what, const ExploreProgress&)>;

/// Runs the corpus, then fresh seeds, then a sample of both once more, in the time there is. The
/// report lacks the regressions, the reasons of failures, and minimums. `begin` is when the gate
/// began; an error is about a scenario.
Result<GateReport> run_corpus_and_fresh(const GatePlan& plan,
                                        std::chrono::steady_clock::time_point begin,
                                        const GateProgress& on_progress);

struct Reason {
    Fingerprint why;
    std::vector<properties::PropertyId> also;
};
/// Why a run failed in which all these were found: the first that is not known, and what else is
/// not; the first of all if all are known. Nothing if nothing was found.
std::optional<Reason> reason_of(const std::vector<Fingerprint>& found,
                                const std::vector<KnownFailure>& known);

/// Runs failing seeds again to see for which reasons they fail, and sorts them by these. What is
/// `known` (and not expired) is a run's reason only if there is no other. Of each
/// scenario and stage the first hundred are looked at (Tally::failures_kept).
void find_reasons(const GatePlan& plan, const std::vector<KnownFailure>& known, GateReport& report);

}  // namespace lockstep::harness
