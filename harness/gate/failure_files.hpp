#pragma once

#include "core/base/result.hpp"
#include "harness/gate/gate.hpp"
#include "harness/repro/repro.hpp"
#include "scenarios/scenario.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

/// What the gate does with files that tell failures: repros are replayed, and written.
namespace lockstep::harness {

struct RegressionFile {
    std::string path;
    Repro repro;
};
/// The repros in a folder, by name. The first that is none is the error.
Result<std::vector<RegressionFile>> load_regressions(const std::string& directory);
/// Replays them, each first in a process of its own, which a crash takes down in its place.
std::vector<GateRegression> replay_regressions(const std::vector<RegressionFile>& files);

struct ReproOptions {
    std::string directory;
    bool shrink = true;
    std::chrono::milliseconds shrink_for{30'000};
    std::function<bool()> stop = nullptr;
    std::string version;  ///< of this program
};
/// Shrinks and explains the failure and writes its repro; what came of it is told in `failure`.
void write_failure(const scenario::Scenario& scenario, const std::string& name,
                   const ReproOptions& options, GateFailure& failure);

/// The scenario as it is, in a file of the folder, for another program. An empty name: it could not
/// be written.
std::string write_scenario(const scenario::Scenario& scenario, const std::string& directory);

}  // namespace lockstep::harness
