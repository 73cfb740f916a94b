#include "harness/catalogue.hpp"
#include "harness/explain/chronicle.hpp"
#include "harness/explain/explanation.hpp"
#include "harness/explain/failure_report.hpp"
#include "harness/services.hpp"
#include "tests/harness/explain_logs.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <sstream>

namespace lockstep::test::explain {
namespace {

struct Explained {
    Outcome outcome;
    harness::Explanation why;
};

/// The first of a few seeds that violates the property.
Explained explained(const std::string& name, PropertyId id,
                    const std::vector<std::string>& sets = {}) {
    const auto scenario = harness::load_scenario(name, sets).value();
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Outcome outcome = harness::run(scenario, seed, {.keep_log = true, .keep_messages = true});
        const auto first = report_of(outcome, id).first;
        if (!first) continue;
        auto why = harness::explain(outcome, harness::resolve(scenario, seed), *first);
        return {std::move(outcome), std::move(why)};
    }
    FAIL("no seed violates it: " << name);
    return {};
}

void is_well_formed(const Explained& e) {
    const auto& why = e.why;
    const auto& first = *e.outcome.reports[static_cast<std::size_t>(why.property)].first;
    INFO(why.cause);
    CHECK(why.story.size() >= 5);
    CHECK(why.story.size() <= 10);
    CHECK(why.at == first.at);
    CHECK(why.begins == why.story.front().at);
    CHECK(why.story.back().at == first.at);
    CHECK(std::count_if(why.story.begin(), why.story.end(),
                        [](const auto& step) { return step.decisive; }) == 1);
    REQUIRE(!why.chain.empty());
    CHECK(std::is_sorted(why.chain.begin(), why.chain.end()));
    CHECK(why.chain.back() == why.story.back().position);
    for (const auto& step : why.story) {
        CHECK(std::binary_search(why.chain.begin(), why.chain.end(), step.position));
        CHECK(e.outcome.log[step.position].at == step.at);
        CHECK(!step.text.empty());
    }
    CHECK(why.chain.size() < 400);
}

TEST_CASE("explain: the pause of a holder, and a store that does not fence") {
    for (const char* name : {"fencing-none", "pause-between-check-and-write", "two-pauses"}) {
        const auto e = explained(name, PropertyId::Fence2, {"resource.fencing=none"});
        INFO(name << ": " << e.why.cause);
        is_well_formed(e);
        CHECK(contains(decisive_step(e.why), "is paused for"));
        CHECK(e.why.looks_like == "a resource that does not fence");
        CHECK(contains(e.why.harm, "update is lost"));
        CHECK(contains(e.why.fencing, "did not help: store looks at no token"));
        CHECK(contains(e.why.story.back().text, "ACCEPTS"));
        CHECK(e.why.locks == std::vector<LockId>{job});
    }
}

TEST_CASE("explain: reads that nobody fences, and writes after the release") {
    const auto reads = explained("fencing-writes-only", PropertyId::Fence2);
    is_well_formed(reads);
    CHECK(reads.why.looks_like == "a resource that does not fence reads");
    const auto drain =
        explained("graceful-stop-drains-too-late", PropertyId::Fence2, {"resource.fencing=none"});
    is_well_formed(drain);
    CHECK(drain.why.looks_like == "a client that acts after it has released");
    CHECK(contains(decisive_step(drain.why), "releases job"));
}

TEST_CASE("explain: clocks beyond their bound are named as what excuses the overlap") {
    const auto fast = explained("clock-fast-beyond-bound", PropertyId::Belief1);
    is_well_formed(fast);
    CHECK(contains(fast.why.harm, "both may act on job from"));
    CHECK(contains(fast.why.looks_like, "the assumption clock-rate of a server"));
    CHECK(contains(fast.why.cause, "too early for a lease of"));
    const auto slow = explained("clock-slow-beyond-bound", PropertyId::Belief1);
    is_well_formed(slow);
    CHECK(contains(slow.why.looks_like, "the assumption clock-rate of a client"));
    CHECK(contains(decisive_step(slow.why), "FAULT: clock of worker"));
    const auto frozen = explained("frozen-clock", PropertyId::Belief1);
    is_well_formed(frozen);
    CHECK(contains(decisive_step(frozen.why), "its clock with it"));
    CHECK(contains(frozen.why.fencing, "saved the day: store refused"));
}

TEST_CASE("explain: whatever is said to be violated, wherever, is told in order") {
    for (const char* name : {"pause-past-lease", "leader-crash-after-grant", "payments"}) {
        const auto scenario = harness::load_scenario(name, {}).value();
        harness::RunOptions options{.keep_log = true, .keep_messages = true};
        options.until = sim::SimTime{20'000'000'000};
        const Outcome outcome = harness::run(scenario, 1, options);
        const auto settings = harness::resolve(scenario, 1);
        const harness::Chronicle log(outcome);
        for (const PropertyId id : properties::all_properties())
            for (const std::uint64_t part : {0U, 1U, 400U, 700U, 1'000U}) {
                properties::Violation violation{};
                violation.id = id;
                violation.ordinal = outcome.events * part / 1'000;
                violation.at = log.time(log.of_ordinal(violation.ordinal));
                violation.evidence = "worker-a, session 2, job";
                const auto why = harness::explain(outcome, settings, violation);
                INFO(name << ": " << properties::code_of(id) << " at event " << violation.ordinal);
                REQUIRE(!why.story.empty());
                CHECK(why.story.size() <= 10);
                CHECK(std::is_sorted(why.chain.begin(), why.chain.end()));
                CHECK(std::is_sorted(
                    why.story.begin(), why.story.end(),
                    [](const auto& a, const auto& b) { return a.position < b.position; }));
                CHECK(why.story.back().at == violation.at);
                CHECK(!why.harm.empty());
                CHECK(why.cause.find("  ") == std::string::npos);
            }
    }
}

TEST_CASE("explain: the report of a failure") {
    harness::FailureFacts facts;
    facts.scenario = "failover";
    facts.seed = 4'711;
    facts.runs = 5'000;
    facts.failed = 1;
    facts.process_names = {"n1", "worker-a"};
    facts.explanation.property = PropertyId::Belief1;
    facts.explanation.harm = "worker-a and worker-b both may act on job";
    facts.explanation.cause = "It was so.";
    facts.explanation.fencing = "was not needed";
    facts.explanation.story = {
        {sim::SimTime{21'400'000'000}, sim::ProcessId(1), "answers without a quorum", true, 0},
        {sim::SimTime{32'412'000'000}, sim::ProcessId(), "the\x1b[31mend", false, 1}};
    facts.reduction = "41 faults to 1";
    facts.baseline = harness::Baseline::Held;
    facts.baseline_name = "main@1c0ffee";
    facts.again = "lockstep replay a.toml";
    facts.keep = "lockstep accept a.toml";
    CHECK(harness::failure_report(facts) ==
          "FAIL failover seed 4711  BELIEF-1 TruthfulDeadline  1 of 5,000 runs\n"
          "worker-a and worker-b both may act on job\n"
          "    21.400  n1        answers without a quorum  <- decisive\n"
          "    32.412  world     the\\x1b[31mend\n"
          "cause    It was so.\n"
          "fencing  was not needed\n"
          "shrunk   41 faults to 1\n"
          "baseline main@1c0ffee held: new in this change\n"
          "again    lockstep replay a.toml\n"
          "keep     lockstep accept a.toml\n");
    auto crashed = facts;
    crashed.ended = "crashed: it broke";
    crashed.baseline = harness::Baseline::NotAsked;
    CHECK(harness::failure_report(crashed) ==
          "FAIL failover seed 4711  crashed: it broke  1 of 5,000 runs\n"
          "shrunk   41 faults to 1\n"
          "again    lockstep replay a.toml\n"
          "keep     lockstep accept a.toml\n");
    facts.explanation.cause = std::string(40, 'w') + " " + std::string(40, 'w');
    std::istringstream lines(harness::failure_report(facts, {}, 60));
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("FAIL")) CHECK(line.size() <= 60);
}

}  // namespace
}  // namespace lockstep::test::explain
