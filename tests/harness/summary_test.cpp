#include "harness/summary.hpp"

#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test {
namespace {

Outcome full_outcome() {
    Outcome outcome = held_outcome(77);
    outcome.end = harness::End::Stuck;
    outcome.end_detail = "steps an instant";
    violate(outcome, PropertyId::Belief1, sim::SimTime{5'000}, "both believe");
    Report& report = report_of(outcome, PropertyId::Belief1);
    const properties::Need need{sim::Assumption::ClockRate, sim::ProcessKind::Client};
    report.verdict = Verdict::Excused;
    report.first->excused_by = need;
    report.first->ordinal = 42;
    report.needs = {need, {sim::Assumption::DiskHonest, sim::ProcessKind::Server}};
    outcome.marks = {{"lease-expired", 3}, {"two-leaders", 0}};
    outcome.faults = {{"pause", 4, 3, 1}};
    outcome.roles = {{"holder", 2}, {"leader", 1}};
    outcome.triggers = {5, 4};
    outcome.checkpoints = {11, 12};
    return outcome;
}

}  // namespace

TEST_CASE("summary: an outcome survives the way from a worker") {
    const Outcome sent = full_outcome();
    Writer out;
    encode_summary(sent, out);
    Outcome got;
    REQUIRE(harness::decode_summary(out.bytes(), got));
    CHECK(got.seed == sent.seed);
    CHECK(got.end == sent.end);
    CHECK(got.end_detail == sent.end_detail);
    CHECK(got.digest == sent.digest);
    CHECK(got.steps == sent.steps);
    CHECK(got.events == sent.events);
    CHECK(got.messages == sent.messages);
    CHECK(got.simulated == sent.simulated);
    REQUIRE(got.reports.size() == sent.reports.size());
    const Report& report = report_of(got, PropertyId::Belief1);
    CHECK(report.verdict == Verdict::Excused);
    CHECK(report.checks == 10);
    CHECK(report.needs == report_of(got, PropertyId::Belief1).needs);
    CHECK(report.needs.size() == 2);
    REQUIRE(report.first.has_value());
    CHECK(report.first->evidence == "both believe");
    CHECK(report.first->at == sim::SimTime{5'000});
    CHECK(report.first->ordinal == 42);
    REQUIRE(report.first->excused_by.has_value());
    CHECK(report.first->excused_by->kind == sim::ProcessKind::Client);
    REQUIRE(got.marks.size() == 1);  // the other was not reached
    CHECK(got.marks[0].mark == "lease-expired");
    CHECK(got.marks[0].reached == 3);
    REQUIRE(got.faults.size() == 1);
    CHECK(got.faults[0].started == 3);
    REQUIRE(got.roles.size() == 2);
    CHECK(got.roles[0].role == "holder");
    CHECK(got.roles[0].hits == 2);
    CHECK(got.triggers.waited == 5);
    CHECK(got.triggers.met == 4);
    CHECK(got.checkpoints == std::vector<std::uint64_t>{11, 12});
}

TEST_CASE("summary: no beginning of a summary is one") {
    Writer out;
    encode_summary(full_outcome(), out);
    Outcome got;
    for (std::size_t n = 0; n < out.size(); ++n)
        if (harness::decode_summary(out.bytes().first(n), got)) FAIL("accepted " << n << " bytes");
    CHECK(harness::decode_summary(out.bytes(), got));
}

}  // namespace lockstep::test
