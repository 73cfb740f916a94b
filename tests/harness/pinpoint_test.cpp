#include "harness/explain/pinpoint.hpp"

#include "harness/catalogue.hpp"
#include "tests/harness/explain_logs.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test::explain {
namespace {

harness::Pinpoint pinpointed(const std::string& name, const std::vector<std::string>& sets,
                             const harness::PinpointPlan& plan) {
    const auto scenario = harness::load_scenario(name, sets).value();
    Outcome outcome = harness::run(scenario, 1, {.keep_log = true, .keep_messages = true});
    const auto first = report_of(outcome, PropertyId::Fence2).first;
    REQUIRE(first.has_value());
    return harness::pinpoint(scenario, outcome, *first, plan, nullptr);
}

TEST_CASE("pinpoint: the chance jumps at the pause of the holder") {
    for (const char* name : {"fencing-none", "pause-between-check-and-write"}) {
        const auto found = pinpointed(name, {"resource.fencing=none"}, {12, 20, 1});
        INFO(name);
        REQUIRE(found.jump.has_value());
        REQUIRE(*found.jump > 0);
        const auto& before = found.chances[*found.jump - 1];
        const auto& after = found.chances[*found.jump];
        CHECK(before.failed < 5);
        CHECK(after.failed == 20);
        REQUIRE(found.happened.has_value());
        CHECK(contains(found.happened->text, "is paused for"));
        CHECK(found.happened->at > before.from);
        CHECK(found.happened->at <= after.from);
        CHECK(found.chances.back().failed == 20);
        CHECK(contains(harness::pinpoint_text(found, {"n1", "n2", "n3", "worker-a", "worker-b"}),
                       "is paused for"));
    }
}

TEST_CASE("pinpoint: the number of workers changes nothing") {
    const auto one = pinpointed("fencing-none", {}, {5, 7, 1});
    const auto three = pinpointed("fencing-none", {}, {5, 7, 3});
    CHECK(harness::pinpoint_text(one, {}) == harness::pinpoint_text(three, {}));
}

TEST_CASE("pinpoint: what the scenario alone brings about has no instant") {
    const auto found =
        pinpointed("graceful-stop-drains-too-late", {"resource.fencing=none"}, {4, 10, 1});
    for (const auto& chance : found.chances) CHECK(chance.failed == chance.runs);
    CHECK_FALSE(found.jump.has_value());
    CHECK(contains(harness::pinpoint_text(found, {}), "It fails whatever the luck: 10 of 10"));
}

TEST_CASE("pinpoint: intervals at 95% are Wilson's") {
    using Interval = std::pair<std::uint64_t, std::uint64_t>;
    // Reference values of the formula, rounded outwards to per mille.
    CHECK(harness::interval_95(0, 100) == Interval{0, 37});
    CHECK(harness::interval_95(50, 100) == Interval{403, 597});
    CHECK(harness::interval_95(100, 100) == Interval{963, 1'000});
    CHECK(harness::interval_95(0, 0) == Interval{0, 1'000});
}

}  // namespace
}  // namespace lockstep::test::explain
