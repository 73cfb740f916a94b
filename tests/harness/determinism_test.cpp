#include "harness/determinism.hpp"

#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

#include <csignal>
#include <map>
#include <unistd.h>

namespace lockstep::test {
namespace {

Outcome logged(std::uint64_t seed, std::uint64_t term) {
    Outcome outcome = held_outcome(seed);
    outcome.process_names = {"n1"};
    outcome.checkpoints = {1, 2, term};
    outcome.digest = term;
    outcome.log.push_back({sim::SimTime{1'000'000}, sim::ProcessId(1),
                           events::Event(events::VoteCast{Term(1), NodeId(1)})});
    outcome.log.push_back({sim::SimTime{2'000'000}, sim::ProcessId(1),
                           events::Event(events::BecameLeader{Term(term), LogIndex(0), 0})});
    return outcome;
}

}  // namespace

TEST_CASE("determinism: runs that are the same twice have no difference") {
    const auto result = harness::run_twice(
        [](std::uint64_t seed, const harness::RunOptions&) { return logged(seed, seed); }, 5, 4);
    CHECK_FALSE(result.different.has_value());
    REQUIRE(result.digests.size() == 4);
    CHECK(result.digests[0] == harness::SeedDigest{5, 5});
    CHECK(result.digests[3] == harness::SeedDigest{8, 8});
}

TEST_CASE("determinism: a run that comes out differently the second time is found and explained") {
    std::map<std::uint64_t, std::uint64_t> times;
    const auto result = harness::run_twice(
        [&](std::uint64_t seed, const harness::RunOptions& options) {
            const std::uint64_t nth = ++times[seed];
            Outcome outcome = logged(seed, seed == 6 ? 100 + nth : 1);
            if (!options.keep_log) outcome.log.clear();
            return outcome;
        },
        5, 4);
    REQUIRE(result.different == 6);
    CHECK(result.explanation.find("between steps 8192 and 12288") != std::string::npos);
    CHECK(result.explanation.find("event 2 differs") != std::string::npos);
    CHECK(result.explanation.find("became-leader term=103") != std::string::npos);
}

TEST_CASE("determinism: the second time is in another process, and the other way round") {
    // What a process remembers of earlier runs must be of no consequence; here it is.
    std::uint64_t nth = 0;
    const auto by_turn = harness::run_twice(
        [&](std::uint64_t seed, const harness::RunOptions&) { return logged(seed, ++nth); }, 5, 4);
    CHECK(by_turn.different == 5);
    const pid_t self = ::getpid();
    const auto by_process = harness::run_twice(
        [&](std::uint64_t seed, const harness::RunOptions&) {
            return logged(seed, ::getpid() == self ? 1 : 2);
        },
        5, 4);
    CHECK(by_process.different == 5);
    CHECK(by_process.explanation.find("in one process, came out the same") != std::string::npos);
}

TEST_CASE("determinism: a second run that takes its process down is a difference") {
    const pid_t self = ::getpid();
    const auto result = harness::run_twice(
        [&](std::uint64_t seed, const harness::RunOptions&) {
            if (seed == 6 && ::getpid() != self) ::raise(SIGKILL);
            return logged(seed, 1);
        },
        5, 4);
    CHECK(result.different == 6);
    CHECK(result.explanation.find("signal 9") != std::string::npos);
    CHECK_FALSE(result.unfinished);
}

TEST_CASE("determinism: the first difference of two outcomes") {
    const Outcome a = logged(1, 1);
    CHECK(harness::first_difference(a, a).empty());
    Outcome longer = a;
    longer.log.push_back(a.log[0]);
    CHECK(harness::first_difference(a, longer).find("the run is over") != std::string::npos);
    Outcome unlogged = a;
    unlogged.log.clear();
    unlogged.digest = 2;
    CHECK(harness::first_difference(unlogged, a).find("last common checkpoint") !=
          std::string::npos);
}

}  // namespace lockstep::test
