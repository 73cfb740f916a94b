#pragma once

#include "harness/repro/fingerprint.hpp"
#include "harness/run.hpp"
#include "scenarios/scenario.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace lockstep::harness {

/// How large a failing scenario is, for "38 faults to 2, 45 s to 9 s".
struct ScenarioSize {
    std::size_t faults = 0;
    std::uint32_t servers = 0;
    std::uint32_t clients = 0;
    std::uint32_t locks = 0;
    Duration horizon;  ///< until the violation
};

struct ShrinkProgress {
    std::uint64_t tried = 0;
    std::uint64_t taken = 0;  ///< candidates that failed for the same reason, and were gone on with
    ScenarioSize size;
    std::chrono::milliseconds elapsed{0};
};

struct ShrinkOptions {
    /// Wall time after which what was reached is the result. Zero: none.
    std::chrono::milliseconds budget{30'000};
    /// Asked between candidates. Absent: never.
    std::function<bool()> stop = nullptr;
    std::function<void(const ShrinkProgress&)> on_progress = nullptr;
};

struct Shrunk {
    scenario::Scenario scenario;  ///< pinned; a seed decides its luck alone
    std::uint64_t seed = 1;       ///< another than the first where luck was re-drawn
    Outcome outcome;              ///< of the result, without a log
    Fingerprint fingerprint;
    ScenarioSize before;
    ScenarioSize after;
    std::uint64_t tried = 0;
    std::chrono::milliseconds elapsed{0};
    /// Takes nothing away any more without losing the failure; false if time ran out before that
    /// was known.
    bool minimal = false;
};

/// The smallest scenario that still fails for the same reason (the fingerprint). The failing run is
/// (scenario, seed); the first thing is to write its plan out and to cut the horizon to the
/// violation. The same arguments give the same result, unless time runs out.
Shrunk shrink(const scenario::Scenario& scenario, std::uint64_t seed, const Fingerprint& why,
              const ShrinkOptions& options = {});

}  // namespace lockstep::harness
