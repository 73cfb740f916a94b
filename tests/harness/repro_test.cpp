#include "harness/repro/repro.hpp"

#include "harness/catalogue.hpp"
#include "harness/judge.hpp"
#include "harness/shrink/shrink.hpp"
#include "harness/shrink/simpler.hpp"
#include "scenarios/scenario_toml.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>

namespace lockstep {
namespace {

using namespace lockstep::harness;

Outcome with_evidence(properties::PropertyId id, const std::string& evidence) {
    Outcome outcome;
    outcome.process_names = {"n1", "worker-a", "worker-b", "store"};
    outcome.process_kinds = {sim::ProcessKind::Server, sim::ProcessKind::Client,
                             sim::ProcessKind::Client, sim::ProcessKind::Resource};
    outcome.lock_names = {"job"};
    properties::Report report{};
    report.id = id;
    report.verdict = properties::Verdict::Violated;
    report.first = properties::Violation{id, {}, 1, evidence, {}};
    outcome.reports = {report};
    return outcome;
}

std::string kind_of(const std::string& evidence) {
    return fingerprints(with_evidence(properties::PropertyId::Fence2, evidence)).at(0).kind;
}

scenario::Scenario unfenced() {
    return load_scenario("pause-past-lease", {"resource.fencing=none"}).value();
}

}  // namespace

TEST_CASE("repro: a fingerprint knows parts and operations, not names, numbers and times") {
    const auto one = kind_of(
        "update 2 of client worker-a read version 1 of resource store and "
        "overwrote version 5, update 10 of client worker-b");
    CHECK(one == kind_of("update 7 of client worker-b read version 3 of resource store and "
                         "overwrote version 4, of unknown origin"));
    CHECK(one != kind_of("update 2 of client worker-a took effect twice at resource store, the "
                         "second time as version 3"));
    CHECK(kind_of("client worker-a was granted lock job at 1.250000 s") ==
          kind_of("client worker-b was granted lock job at 31.000001 s"));
    CHECK(kind_of("server n1 did it") != kind_of("client worker-a did it"));
}

TEST_CASE("repro: fingerprints read back, and others are none") {
    const Fingerprint one{properties::PropertyId::Fence2, "client-and-client"};
    CHECK(parse_fingerprint(to_string(one)) == one);
    const Fingerprint bad_end{std::nullopt, "stuck"};
    CHECK(parse_fingerprint(to_string(bad_end)) == bad_end);
    CHECK_FALSE(parse_fingerprint("FENCE-99/client"));
    CHECK_FALSE(parse_fingerprint("FENCE-2"));
    CHECK_FALSE(parse_fingerprint("FENCE-2/Client 3"));
}

TEST_CASE("repro: what is shrunk fails for the same reason, is minimal, and is always the same") {
    const auto scenario = unfenced();
    const auto why = fingerprints(run(scenario, 1)).at(0);
    const Shrunk shrunk = shrink(scenario, 1, why);
    CHECK(shrunk.minimal);
    const auto found = fingerprints(run(shrunk.scenario, shrunk.seed));
    CHECK(std::find(found.begin(), found.end(), why) != found.end());
    CHECK(shrunk.after.servers == 1);
    CHECK(shrunk.after.clients == 2);
    CHECK(shrunk.after.faults == 1);
    CHECK(shrunk.after.horizon < shrunk.before.horizon);
    CHECK(shrink(scenario, 1, why).scenario == shrunk.scenario);
}

TEST_CASE("repro: every chain of simpler scenarios ends, and all in it are scenarios") {
    scenario::Scenario at = load_scenario("chaos", {}).value();
    int steps = 0;
    for (auto next = simpler(at); !next.empty(); next = simpler(at)) {
        REQUIRE(++steps < 20'000);
        CHECK_FALSE(next.back().scenario == at);
        CHECK_FALSE(scenario::check(next.back().scenario));
        at = next.back().scenario;
    }
}

TEST_CASE("repro: the kept ones hold, or are violated as they foretell") {
    const auto folder = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "scenarios/regressions";
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".toml") continue;
        INFO(file.path().string());
        ++files;
        const auto repro = load_repro(file.path().string());
        REQUIRE(repro);
        const Replay again = replay(repro.value());
        CHECK_FALSE(again.untrustworthy);
        if (repro.value().scenario.expect.empty()) {
            CHECK(again.result == Replay::Result::Held);
            continue;
        }
        const auto demands = demands_of(repro.value().scenario, repro.value().seed);
        const auto judgement = judge(demands.value(), again.outcome);
        CHECK(judgement.as_expected());
        CHECK(judgement.as_foretold.size() == demands.value().violated.size());
    }
    CHECK(files > 0);
}

}  // namespace lockstep
