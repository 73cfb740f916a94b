#include "harness/batch.hpp"

#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

namespace lockstep::test {
namespace {

harness::Batch batch_of(std::uint64_t runs, const std::vector<harness::FaultCount>& faults) {
    harness::Batch batch;
    batch.tallies = {{"one", {}}, {"two", {}}};
    batch.repeats = {{"one", {}}, {"two", {}}};
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        Outcome outcome = held_outcome(seed);
        outcome.faults = faults;
        batch.tallies[0].add(outcome);
        batch.tallies[1].add(outcome);
    }
    return batch;
}

std::vector<harness::FaultCount> every_kind() {
    std::vector<harness::FaultCount> all;
    for (std::size_t i = 0; i < sim::fault_kinds; ++i)
        all.push_back({std::string(sim::to_string(static_cast<sim::FaultKind>(i))), 1, 1, 0});
    return all;
}

}  // namespace

TEST_CASE("batch: a kind of fault that was planned often and never fired is not to be trusted") {
    const auto silent = batch_of(10, {{"pause", 1, 0, 1}});  // ten times in each scenario
    REQUIRE(harness::batch_doubts(silent).size() == 1);
    CHECK(harness::batch_doubts(silent)[0].find("pause was planned 20 times") != std::string::npos);
    CHECK(harness::exit_code(silent) == harness::ExitCode::Untrustworthy);
    CHECK(harness::batch_text(silent, {}).find("DOUBT all scenarios: fault pause") !=
          std::string::npos);
    // Too few to say; often enough in one scenario, which says so itself; fired once.
    CHECK(harness::exit_code(batch_of(9, {{"pause", 1, 0, 1}})) == harness::ExitCode::AsExpected);
    const auto loud = batch_of(20, {{"pause", 1, 0, 1}});
    CHECK(harness::batch_doubts(loud).empty());
    CHECK(loud.tallies[0].doubts().size() == 1);
    CHECK(harness::exit_code(loud) == harness::ExitCode::Untrustworthy);
    CHECK(harness::exit_code(batch_of(10, {{"pause", 2, 1, 1}})) == harness::ExitCode::AsExpected);
}

TEST_CASE("batch: over the whole catalogue every kind of fault must have fired") {
    auto whole = batch_of(20, every_kind());
    whole.whole_catalogue = true;
    CHECK(harness::exit_code(whole) == harness::ExitCode::AsExpected);

    auto kinds = every_kind();
    const auto pause = std::find_if(kinds.begin(), kinds.end(),
                                    [](const auto& fault) { return fault.kind == "pause"; });
    kinds.erase(pause);
    auto lacking = batch_of(20, kinds);
    CHECK(harness::exit_code(lacking) == harness::ExitCode::AsExpected);  // a part of the catalogue
    lacking.whole_catalogue = true;
    CHECK(harness::batch_doubts(lacking) ==
          std::vector<std::string>{"fault pause was planned nowhere in the catalogue"});
    CHECK(harness::exit_code(lacking) == harness::ExitCode::Untrustworthy);
    auto few = batch_of(19, kinds);
    few.whole_catalogue = true;
    CHECK(harness::exit_code(few) == harness::ExitCode::AsExpected);
}

TEST_CASE("batch: a violation outweighs what was given up, and that outweighs doubts") {
    CHECK(harness::exit_code(batch_of(0, {})) == harness::ExitCode::GaveUp);  // of nothing
    auto batch = batch_of(20, {{"pause", 1, 0, 1}});
    batch.exploration.given_up = {{0, 7}};
    CHECK(harness::exit_code(batch) == harness::ExitCode::GaveUp);
    Outcome bad = held_outcome(21);
    violate(bad, PropertyId::Lock1, sim::SimTime{1}, "two holders");
    batch.tallies[0].add(bad);
    CHECK(harness::exit_code(batch) == harness::ExitCode::Violated);
}

TEST_CASE("batch: an excuse names its assumption, over scenarios and their sum") {
    const auto batch = mixed_batch();
    const auto row = harness::property_row(batch, PropertyId::Belief1);
    CHECK(row.sum.excused == 1);
    CHECK(row.sum.excused_by == std::map<std::string, std::uint64_t>{{"clock-rate(server)", 1}});
    CHECK(harness::role_rows(batch) ==
          std::map<std::string, std::uint64_t>{{"holder", 3}, {"leader", 6}});
    CHECK(harness::trigger_row(batch).waited == 6);
    CHECK(harness::trigger_row(batch).met == 3);
}

}  // namespace lockstep::test
