#include "harness/explore.hpp"

#include "harness/batch.hpp"
#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

#include <csignal>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lockstep::test {
namespace {

using harness::End;
using harness::Exploration;
using harness::ExplorePlan;

/// What an exploration passed on, by subject.
struct Heard {
    Exploration exploration;
    std::map<std::size_t, std::vector<Outcome>> outcomes;

    std::vector<std::uint64_t> seeds(std::size_t subject) const {
        std::vector<std::uint64_t> all;
        const auto it = outcomes.find(subject);
        if (it == outcomes.end()) return all;
        for (const auto& outcome : it->second) all.push_back(outcome.seed);
        return all;
    }
};

Heard explore_all(const ExplorePlan& plan, const harness::RunSeed& run_seed) {
    Heard heard;
    heard.exploration = harness::explore(
        plan, run_seed,
        [&](std::size_t subject, const Outcome& o) { heard.outcomes[subject].push_back(o); }, {});
    return heard;
}

std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t seed = first; seed <= last; ++seed) all.push_back(seed);
    return all;
}

ExplorePlan plan_of(std::size_t subjects, std::uint64_t first, std::uint64_t seeds, unsigned jobs) {
    ExplorePlan plan;
    plan.subjects = subjects;
    plan.first_seed = first;
    plan.seeds = seeds;
    plan.jobs = jobs;
    return plan;
}

Outcome run_fake(std::size_t subject, std::uint64_t seed) {
    Outcome outcome = held_outcome(seed);
    outcome.digest += subject;
    if (seed % 10 == 3) violate(outcome, PropertyId::Lock1, sim::SimTime{1}, "two holders");
    return outcome;
}

}  // namespace

TEST_CASE("explore: every seed of every subject runs once and is heard in order") {
    for (const unsigned jobs : {1U, 3U}) {
        const Heard heard = explore_all(plan_of(2, 100, 57, jobs), run_fake);
        CHECK(heard.exploration.done == 114);
        CHECK(heard.exploration.total == 114);
        CHECK_FALSE(heard.exploration.interrupted);
        CHECK_FALSE(heard.exploration.out_of_time);
        CHECK(heard.seeds(0) == from_to(100, 156));
        CHECK(heard.seeds(1) == from_to(100, 156));
        CHECK(heard.outcomes.at(1)[0].digest == heard.outcomes.at(0)[0].digest + 1);
    }
}

TEST_CASE("explore: the table does not depend on the number of workers") {
    std::set<std::string> texts;
    for (const unsigned jobs : {1U, 2U, 4U}) {
        harness::Batch batch;
        batch.tallies = {{"one", {}}, {"two", {}}};
        batch.repeats = {{"one", {}}, {"two", {}}};
        batch.exploration = harness::explore(
            plan_of(2, 1, 40, jobs),
            [](std::size_t subject, std::uint64_t seed) {
                // Uneven, so that workers finish in an order of their own.
                if (seed % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
                return run_fake(subject, seed);
            },
            [&](std::size_t subject, const Outcome& o) { batch.tallies[subject].add(o); }, {});
        batch.exploration.elapsed = std::chrono::milliseconds(1'000);
        texts.insert(harness::batch_text(batch, {}) + std::to_string(batch.tallies[0].digest()));
    }
    CHECK(texts.size() == 1);
}

TEST_CASE("explore: a worker that dies takes down one seed, and the others still run") {
    for (const unsigned jobs : {1U, 2U}) {
        const Heard heard =
            explore_all(plan_of(1, 1, 60, jobs), [](std::size_t subject, std::uint64_t seed) {
                if (seed == 20 || seed == 21 || seed == 60) ::kill(::getpid(), SIGKILL);
                return run_fake(subject, seed);
            });
        CHECK(heard.seeds(0) == from_to(1, 60));
        CHECK(heard.exploration.done == 60);
        for (const auto& outcome : heard.outcomes.at(0)) {
            const bool died = outcome.seed == 20 || outcome.seed == 21 || outcome.seed == 60;
            CHECK((outcome.end == End::Crashed) == died);
            if (died) CHECK(outcome.end_detail.find("signal 9") != std::string::npos);
        }
    }
}

TEST_CASE("explore: an exception is the end of its run alone") {
    const Heard heard =
        explore_all(plan_of(1, 1, 5, 1), [](std::size_t subject, std::uint64_t seed) {
            if (seed == 2) throw std::runtime_error("out of luck");
            return run_fake(subject, seed);
        });
    REQUIRE(heard.seeds(0) == from_to(1, 5));
    CHECK(heard.outcomes.at(0)[1].end == End::Crashed);
    CHECK(heard.outcomes.at(0)[1].end_detail == "out of luck");
    CHECK(heard.outcomes.at(0)[2].end == End::Finished);
}

TEST_CASE("explore: a budget ends the handing out, and what has finished counts") {
    ExplorePlan plan = plan_of(2, 1, 100'000, 2);
    plan.budget = std::chrono::milliseconds(150);
    const Heard heard = explore_all(plan, [](std::size_t subject, std::uint64_t seed) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return run_fake(subject, seed);
    });
    CHECK(heard.exploration.out_of_time);
    CHECK(heard.exploration.done > 0);
    CHECK(heard.exploration.done < heard.exploration.total);
    CHECK(heard.outcomes.at(0).size() + heard.outcomes.at(1).size() == heard.exploration.done);
}

TEST_CASE("explore: a run without end is given up, not judged") {
    ExplorePlan plan = plan_of(1, 1, 4, 1);
    plan.watchdog = std::chrono::milliseconds(200);
    const Heard heard = explore_all(plan, [](std::size_t subject, std::uint64_t seed) {
        while (seed == 2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return run_fake(subject, seed);
    });
    REQUIRE(heard.exploration.given_up.size() == 1);
    CHECK(heard.exploration.given_up[0].seed == 2);
    CHECK(heard.seeds(0) == std::vector<std::uint64_t>{1, 3, 4});
}

TEST_CASE("explore: an interruption keeps what has finished") {
    const pid_t self = ::getpid();
    const Heard heard =
        explore_all(plan_of(1, 1, 100'000, 2), [self](std::size_t subject, std::uint64_t seed) {
            if (seed == 50) ::kill(self, SIGINT);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return run_fake(subject, seed);
        });
    CHECK(heard.exploration.interrupted);
    CHECK(heard.exploration.done >= 40);
    CHECK(heard.exploration.done < 100'000);
    CHECK(heard.outcomes.at(0).size() == heard.exploration.done);
}

}  // namespace lockstep::test
