#pragma once

#include "harness/batch.hpp"
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

/// Two scenarios, with one of everything that a table can say.
inline harness::Batch mixed_batch() {
    harness::Demands with_marks;
    with_marks.required_marks = {"lease-expired", "stale-write-refused"};
    harness::Demands with_violation;
    with_violation.violated = {PropertyId::Fence2};
    harness::Batch batch;
    batch.tallies = {{"pause-past-lease", with_marks}, {"no-fencing", with_violation}};
    batch.repeats = {{"pause-past-lease", {}}, {"./no fencing.toml", {"resource.fencing=none"}}};
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Outcome outcome = held_outcome(seed);
        outcome.marks = {{"lease-expired", 2}, {"two-leaders", 0}};
        outcome.faults = {{"pause", 1, 1, 0}, {"cut", 7, 0, 7}};
        outcome.roles = {{"leader", seed}, {"holder", 1}};
        outcome.triggers = {2, 1};
        if (seed == 1) {
            violate(outcome, PropertyId::Belief1, sim::SimTime{1}, "both");
            Report& report = report_of(outcome, PropertyId::Belief1);
            report.verdict = Verdict::Excused;
            report.excusable = true;
            report.first->excused_by = {sim::Assumption::ClockRate, sim::ProcessKind::Server};
        }
        if (seed == 2)
            violate(outcome, PropertyId::Lock1, sim::SimTime{1'500'000'000},
                    "job has two holders, worker-a and worker-b");
        if (seed == 3) {
            outcome.end = harness::End::Crashed;
            outcome.end_detail = "the process that ran it ended with signal 11";
        }
        batch.tallies[0].add(outcome);
        Outcome other = held_outcome(seed);
        violate(other, PropertyId::Fence2, sim::SimTime{1}, "lost");
        report_of(other, PropertyId::Live1).verdict = Verdict::Idle;
        batch.tallies[1].add(other);
    }
    batch.exploration.done = batch.exploration.total = 6;
    batch.exploration.elapsed = std::chrono::milliseconds(2'000);
    return batch;
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
