#include "harness/catalogue.hpp"

#include "harness/determinism.hpp"
#include "harness/judge.hpp"
#include "harness/marks.hpp"
#include "harness/run.hpp"
#include "harness/tally.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace lockstep::harness {
namespace runs_test {
namespace {

scenario::Scenario named(std::string_view name, const std::vector<std::string>& sets = {}) {
    return load_scenario(std::string(name), sets).value();
}

const properties::Report& report(const Outcome& outcome, properties::PropertyId id) {
    return outcome.reports[static_cast<std::size_t>(id)];
}

std::uint64_t reached(const Outcome& outcome, Mark mark) {
    return outcome.marks[static_cast<std::size_t>(mark)].reached;
}

TEST_CASE("runs: a few seeds of every scenario go as it says") {
    for (const CatalogueFile& file : catalogue_files()) {
        const auto scenario = named(file.name);
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            const Outcome outcome = run(scenario, seed);
            const Judgement judgement = judge(demands_of(scenario, seed).value(), outcome);
            INFO(file.name << " seed " << seed << " " << outcome.end_detail);
            CHECK(judgement.as_expected());
            for (const properties::PropertyId id : judgement.unexpected)
                UNSCOPED_INFO(report(outcome, id).first->evidence);
        }
    }
}

TEST_CASE("runs: a run is a function of scenario and seed") {
    for (const CatalogueFile& file : catalogue_files()) {
        const auto scenario = named(file.name);
        const TwiceResult twice =
            run_twice([&](std::uint64_t seed,
                          const RunOptions& options) { return run(scenario, seed, options); },
                      1, 3);
        INFO(file.name << " " << twice.explanation);
        CHECK(!twice.different.has_value());
        CHECK(twice.digests[0].digest != twice.digests[1].digest);
    }
}

TEST_CASE("runs: keeping a log, and encoding every message, changes nothing") {
    for (const CatalogueFile& file : catalogue_files()) {
        const auto scenario = named(file.name);
        INFO(file.name);
        const std::uint64_t plain = run(scenario, 2, {.wire_codec = 0}).digest;
        CHECK(run(scenario, 2, {.wire_codec = 1}).digest == plain);
        const Outcome logged = run(scenario, 2, {.keep_log = true, .keep_messages = true});
        CHECK(logged.digest == plain);
        std::uint64_t events = 0;
        std::uint64_t sent = 0;
        std::uint64_t taken = 0;
        for (const LoggedEvent& line : logged.log) {
            sent += std::holds_alternative<MessageLine>(line.what);
            taken += std::holds_alternative<MessageTaken>(line.what);
            events += !std::holds_alternative<MessageLine>(line.what) &&
                      !std::holds_alternative<MessageTaken>(line.what);
        }
        CHECK(events == logged.events);
        CHECK(sent == logged.messages);
        CHECK(taken > sent / 2);
    }
}

TEST_CASE("runs: a paused holder's late write is refused, and accepted where nothing fences") {
    const Outcome fenced = run(named("pause-past-lease"), 1);
    CHECK(reached(fenced, Mark::StaleWriteRefused) == 1);
    CHECK(report(fenced, properties::PropertyId::Fence2).verdict == properties::Verdict::Held);

    const Outcome open = run(named("pause-past-lease", {"resource.fencing=none"}), 1);
    CHECK(reached(open, Mark::StaleWriteAccepted) == 1);
    CHECK(reached(open, Mark::LostUpdate) >= 1);
    CHECK(report(open, properties::PropertyId::Fence2).verdict == properties::Verdict::Violated);
}

// Without the resource's look at tokens of reads, an older writer slips in between.
TEST_CASE("runs: fencing writes alone still refuses a write below one that was accepted") {
    const Outcome outcome = run(named("pause-past-lease", {"resource.fencing=write_only"}), 1);
    CHECK(reached(outcome, Mark::StaleWriteRefused) == 1);
    CHECK(report(outcome, properties::PropertyId::Fence1).verdict == properties::Verdict::Held);
    CHECK(report(outcome, properties::PropertyId::Fence2).verdict == properties::Verdict::Idle);
}

TEST_CASE("runs: a clock that stood still excuses what rests on clocks, and nothing else") {
    const Outcome outcome = run(named("frozen-clock"), 1);
    const auto& belief = report(outcome, properties::PropertyId::Belief1);
    REQUIRE(belief.verdict == properties::Verdict::Excused);
    CHECK(belief.first->excused_by->assumption == sim::Assumption::ClockRuns);
    CHECK(report(outcome, properties::PropertyId::Fence1).verdict == properties::Verdict::Held);
    CHECK(report(outcome, properties::PropertyId::Fence2).verdict == properties::Verdict::Held);
}

TEST_CASE("runs: without any fault nothing is excused, lost or late") {
    const Outcome outcome = run(named("calm"), 3);
    for (const auto& each : outcome.reports) {
        INFO(properties::code_of(each.id));
        CHECK(each.violations == 0);
    }
    CHECK(reached(outcome, Mark::SessionExpired) == 0);
    CHECK(reached(outcome, Mark::ToldOfLoss) == 0);
    CHECK(reached(outcome, Mark::StaleWriteRefused) == 0);
    CHECK(outcome.faults.empty());
}

TEST_CASE("runs: the election workload keeps one holder at work, and hands over") {
    auto scenario =
        named("calm", {"workload.kind=election", "workload.hold=5s..8s", "workload.period=200ms"});
    const Outcome outcome = run(scenario, 1);
    CHECK(reached(outcome, Mark::WriteAccepted) > 100);
    CHECK(reached(outcome, Mark::WaiterGranted) > 5);
    CHECK(reached(outcome, Mark::LostUpdate) == 0);
}

TEST_CASE("runs: the budget of steps ends a run as stuck, with a digest") {
    const auto scenario = named("calm");
    const Outcome outcome = run(scenario, 1, {.step_limit = 1'000});
    CHECK(outcome.end == End::Stuck);
    CHECK(outcome.steps == 1'001);  // the one too many
    CHECK(outcome.end_detail.find("too many steps in one run") == 0);
    CHECK(outcome.digest == run(scenario, 1, {.step_limit = 1'000}).digest);
    CHECK(!judge(demands_of(scenario, 1).value(), outcome).as_expected());
}

}  // namespace
}  // namespace runs_test
}  // namespace lockstep::harness
