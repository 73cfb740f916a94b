#pragma once

#include "harness/gate/gate.hpp"
#include "scenarios/scenario.hpp"

#include <chrono>
#include <string>

namespace lockstep::harness {

struct BaselineQuestion {
    std::string program;  ///< another build of this program
    std::string name;     ///< of the scenario, in its catalogue, or a path
    /// The scenario as this program knows it, in a file; if the baseline does not understand it,
    /// its own of that name is asked.
    std::string file;
    std::uint64_t seed = 1;
    Fingerprint why;
    /// What else the run violates: a baseline that does not violate all of it fails otherwise.
    std::vector<properties::PropertyId> also = {};
    std::chrono::milliseconds patience{120'000};
};

/// Runs the seed there (`PROGRAM run FILE --seed N --json -`) and compares properties: the evidence
/// of another version may have other words.
BaselineAnswer ask_baseline(const BaselineQuestion& question);

/// What a `run --json` says, against the failure: for tests.
BaselineAnswer read_baseline(std::string_view json, const Fingerprint& why,
                             const std::vector<properties::PropertyId>& also = {});

}  // namespace lockstep::harness
