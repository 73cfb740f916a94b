#include "harness/judge.hpp"

#include "harness/tally.hpp"
#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test {

using harness::Demands;
using harness::End;
using harness::ExitCode;
using harness::Tally;

namespace {

ExitCode exit_code_of(const std::vector<Tally>& tallies, bool interrupted) {
    harness::Batch batch;
    batch.tallies = tallies;
    batch.exploration.interrupted = interrupted;
    return harness::exit_code(batch);
}

}  // namespace

TEST_CASE("judge: held, idle and excused are as expected") {
    Outcome outcome = held_outcome(1);
    report_of(outcome, PropertyId::Live1).verdict = Verdict::Idle;
    report_of(outcome, PropertyId::Belief1).verdict = Verdict::Excused;
    CHECK(harness::judge({}, outcome).as_expected());
}

TEST_CASE("judge: a violation is unexpected unless the scenario is there to show it") {
    Outcome outcome = held_outcome(1);
    violate(outcome, PropertyId::Fence2, {}, "an update is lost");
    const auto unexpected = harness::judge({}, outcome);
    CHECK_FALSE(unexpected.as_expected());
    CHECK(unexpected.unexpected == std::vector{PropertyId::Fence2});

    Demands demands;
    demands.violated = {PropertyId::Fence2};
    const auto foretold = harness::judge(demands, outcome);
    CHECK(foretold.as_expected());
    CHECK(foretold.as_foretold == std::vector{PropertyId::Fence2});

    violate(outcome, PropertyId::Lock1, {}, "two holders");
    CHECK(harness::judge(demands, outcome).unexpected == std::vector{PropertyId::Lock1});
}

TEST_CASE("judge: a run that is stuck or crashes is a failure, whatever its properties say") {
    for (const End end : {End::Stuck, End::Crashed}) {
        Outcome outcome = held_outcome(1);
        outcome.end = end;
        CHECK_FALSE(harness::judge({}, outcome).as_expected());
    }
}

TEST_CASE("judge: an unknown property or mark is named, also where its condition is not met") {
    scenario::Scenario scenario;
    scenario.name = "typo";
    scenario.expect.push_back({"FENCE-9", "resource.fencing", "none"});
    const auto no_property = harness::demands_of(scenario, 1);
    REQUIRE_FALSE(no_property.ok());
    CHECK(no_property.error().message.find("FENCE-9") != std::string::npos);
    CHECK(no_property.error().message.find("FENCE-2") != std::string::npos);

    scenario.expect.clear();
    scenario.required_marks = {"write-acepted"};
    const auto no_mark = harness::demands_of(scenario, 1);
    REQUIRE_FALSE(no_mark.ok());
    CHECK(no_mark.error().message.find("write-acepted") != std::string::npos);
}

TEST_CASE("judge: an expectation holds only under its condition") {
    scenario::Scenario scenario;
    scenario.expect.push_back({"FENCE-2", "resource.fencing", "none"});
    CHECK_FALSE(harness::demands_of(scenario, 1).value().expects(PropertyId::Fence2));
    scenario.resource.fencing = scenario::Fencing::None;
    CHECK(harness::demands_of(scenario, 1).value().expects(PropertyId::Fence2));
}

TEST_CASE("judge: a batch in which a required mark was never reached is in doubt") {
    Demands demands;
    demands.required_marks = {"stale-write-refused"};
    Tally tally("s", demands);
    CHECK(tally.doubts().empty());  // nothing ran, nothing is claimed
    tally.add(held_outcome(1));
    CHECK(tally.doubts().size() == 1);
    CHECK(exit_code_of({tally}, false) == ExitCode::Untrustworthy);

    Outcome reached = held_outcome(2);
    reached.marks = {{"stale-write-refused", 3}};
    tally.add(reached);
    CHECK(tally.doubts().empty());
    CHECK(tally.marks_reached() == 1);
    CHECK(exit_code_of({tally}, false) == ExitCode::AsExpected);
}

TEST_CASE("judge: an expected violation that never comes is in doubt") {
    Demands demands;
    demands.violated = {PropertyId::Fence2};
    Tally tally("s", demands);
    tally.add(held_outcome(1));
    REQUIRE(tally.doubts().size() == 1);
    CHECK(tally.doubts()[0].find("FENCE-2") != std::string::npos);
    Outcome outcome = held_outcome(2);
    violate(outcome, PropertyId::Fence2, {}, "");
    tally.add(outcome);
    CHECK(tally.doubts().empty());
    CHECK(tally.foretold_runs() == 1);
}

TEST_CASE("judge: a fault that is planned often and never fires is in doubt") {
    Tally tally("s", {});
    Outcome outcome = held_outcome(1);
    outcome.faults = {{"pause", 19, 0, 19}, {"cut", 100, 1, 99}};
    tally.add(outcome);
    CHECK(tally.doubts().empty());
    outcome.faults = {{"pause", 1, 0, 1}};
    tally.add(outcome);
    REQUIRE(tally.doubts().size() == 1);
    CHECK(tally.doubts()[0].find("pause") != std::string::npos);
}

TEST_CASE("judge: a property that is judged in too few runs is in doubt") {
    Demands demands;
    demands.minimum_share = {{PropertyId::Live2, Ppm{500'000}}};
    Tally tally("s", demands);
    Outcome idle = held_outcome(1);
    report_of(idle, PropertyId::Live2).verdict = Verdict::Idle;
    for (int i = 0; i < 50; ++i) tally.add(idle);
    for (int i = 0; i < 49; ++i) tally.add(held_outcome(2));
    CHECK(tally.doubts().empty());  // too few runs to say
    tally.add(held_outcome(3));
    CHECK(tally.doubts().empty());  // half of them is enough
    Outcome excusable = held_outcome(4);
    report_of(excusable, PropertyId::Live2).excusable = true;
    tally.add(excusable);
    CHECK(tally.doubts().size() == 1);  // one that could have been excused does not count
}

TEST_CASE("judge: a violation outweighs what else may be said of a batch") {
    Demands demands;
    demands.required_marks = {"lease-expired"};
    Tally tally("s", demands);
    Outcome outcome = held_outcome(1);
    violate(outcome, PropertyId::Lock1, {}, "");
    tally.add(outcome);
    CHECK(exit_code_of({tally}, true) == ExitCode::Violated);
    Tally fine("t", {});
    fine.add(held_outcome(1));
    CHECK(exit_code_of({fine}, true) == ExitCode::GaveUp);
    CHECK(exit_code_of({fine, tally}, false) == ExitCode::Violated);
}

}  // namespace lockstep::test
