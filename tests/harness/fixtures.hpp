#pragma once

#include "harness/run.hpp"
#include "harness/tally.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

/// Outcomes made by hand.
namespace lockstep::test {

using harness::Outcome;
using properties::PropertyId;
using properties::Report;
using properties::Verdict;

/// All properties held in it, but for the ones that a test changes.
inline Outcome held_outcome(std::uint64_t seed) {
    Outcome outcome;
    outcome.seed = seed;
    outcome.digest = seed * 0x9e37'79b9U + 7;
    outcome.steps = 1'000 + seed;
    outcome.events = 300;
    outcome.messages = 200;
    outcome.simulated = seconds(60);
    for (const PropertyId id : properties::all_properties()) {
        Report report{};
        report.id = id;
        report.verdict = Verdict::Held;
        report.checks = 10;
        outcome.reports.push_back(report);
    }
    return outcome;
}

inline Report& report_of(Outcome& outcome, PropertyId id) {
    return outcome.reports[static_cast<std::size_t>(id)];
}

inline void violate(Outcome& outcome, PropertyId id, sim::SimTime at, std::string evidence) {
    Report& report = report_of(outcome, id);
    report.verdict = Verdict::Violated;
    report.violations = 1;
    properties::Violation violation{};
    violation.id = id;
    violation.at = at;
    violation.evidence = std::move(evidence);
    report.first = violation;
}

inline std::string read_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The text of tests/harness/golden/NAME. With LOCKSTEP_UPDATE_GOLDEN set, `actual` is written
/// there first: look at the difference before keeping it.
inline std::string golden(const std::string& name, const std::string& actual) {
    const std::string path = std::string(LOCKSTEP_TEST_DIR) + "/harness/golden/" + name;
    if (std::getenv("LOCKSTEP_UPDATE_GOLDEN") != nullptr)
        std::ofstream(path, std::ios::binary) << actual;
    return read_text(path);
}

}  // namespace lockstep::test
