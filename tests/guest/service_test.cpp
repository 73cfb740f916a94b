// Whole runs over a service that is not ours (post.hpp).
#include "harness/run.hpp"
#include "harness/services.hpp"
#include "scenarios/scenario_toml.hpp"
#include "tests/guest/post.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>

namespace lockstep::test::guest {
namespace {

using harness::Outcome;
using properties::PropertyId;
using properties::Verdict;

constexpr const char* post_story = R"(
service = "post"
[cluster]
servers = 1
clients = 4
[lease]
ttl = "3s"
[workload]
think = "50ms..500ms"
hold = "100ms..400ms"
wait_max = "5s"
[run]
faults_for = "20s"
)";

scenario::Scenario post_scenario(const std::string& more = "", const std::string& first = "") {
    post::add();
    auto scenario = scenario::parse_scenario(first + post_story + more, "post.toml",
                                             {"raft", harness::check_service});
    if (!scenario) FAIL(scenario::to_string(scenario.error()));
    return std::move(scenario).value();
}

Verdict verdict_of(const Outcome& outcome, PropertyId id) {
    return outcome.reports.at(static_cast<std::size_t>(id)).verdict;
}

/// How many of so many seeds violate the property.
std::size_t violating(const scenario::Scenario& scenario, PropertyId id, std::uint64_t seeds) {
    std::size_t found = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Outcome outcome = harness::run(scenario, seed);
        INFO("seed " << seed << " " << outcome.end_detail);
        REQUIRE(outcome.end == harness::End::Finished);
        if (verdict_of(outcome, id) == Verdict::Violated) ++found;
    }
    return found;
}

}  // namespace

TEST_CASE("guest: a service that keeps its promises is found to keep them") {
    const auto scenario = post_scenario();
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Outcome outcome = harness::run(scenario, seed);
        CHECK(outcome.end == harness::End::Finished);
        for (const PropertyId id :
             {PropertyId::Raft1, PropertyId::Lock1, PropertyId::Lock2, PropertyId::Lock4,
              PropertyId::Act1, PropertyId::Fence1, PropertyId::Fence2, PropertyId::Belief1,
              PropertyId::Live1, PropertyId::Live2}) {
            INFO("seed " << seed << " " << properties::code_of(id));
            CHECK(verdict_of(outcome, id) == Verdict::Held);
        }
        for (const auto& report : outcome.reports) {
            INFO("seed " << seed << " " << properties::code_of(report.id) << " "
                         << (report.first ? report.first->evidence : ""));
            CHECK(report.verdict != Verdict::Violated);
        }
    }
}

TEST_CASE("guest: it also keeps them in trouble") {
    const auto scenario = post_scenario(R"(
[swarm]
kinds = ["pause", "stall-fiber", "cut", "loss", "duplicate", "delay", "drop-message", "clock-drift"]
)");
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const Outcome outcome = harness::run(scenario, seed);
        CHECK(outcome.end == harness::End::Finished);
        for (const auto& report : outcome.reports) {
            INFO("seed " << seed << " " << properties::code_of(report.id) << " "
                         << (report.first ? report.first->evidence : ""));
            CHECK(report.verdict != Verdict::Violated);
        }
    }
}

TEST_CASE("guest: each planted bug is found by the property that it breaks") {
    const auto with = [](const char* setting) {
        return post_scenario(std::string("[service_settings]\n") + setting + "\n");
    };
    CHECK(violating(with("twice = true"), PropertyId::Lock1, 3) == 3);
    CHECK(violating(with("twice = true"), PropertyId::Belief1, 3) == 3);
    CHECK(violating(with("unfair = true"), PropertyId::Lock4, 3) == 3);
    CHECK(violating(with("backwards = true"), PropertyId::Lock2, 3) == 3);
    // A client that takes its lease for longer than it is, and is paused for about as long.
    const std::string pause = R"(
[[fault]]
kind = "pause"
aim = "holder"
at = "5s"
for = "3100ms"
clock = "runs"
)";
    CHECK(violating(post_scenario("[service_settings]\nextra = 50\n" + pause), PropertyId::Belief1,
                    3) == 3);
    CHECK(violating(post_scenario(pause), PropertyId::Belief1, 3) == 0);
}

TEST_CASE("guest: what a service does not report is nobody's evidence") {
    post::add();
    if (harness::find_service("mute") == nullptr) {
        world::ServiceFace mute = post::face();
        mute.reports_leaders = false;
        mute.reports_grants = false;
        add_service("mute", post::make, mute);
    }
    auto scenario = post_scenario("[service_settings]\ntwice = true\n");
    scenario.service = "mute";
    const Outcome outcome = harness::run(scenario, 1);
    std::set<PropertyId> judged;
    for (const auto& report : outcome.reports)
        if (report.verdict != Verdict::Idle) judged.insert(report.id);
    for (const PropertyId id : judged) {
        INFO(properties::code_of(id));
        const std::string_view code = properties::code_of(id);
        CHECK_FALSE(code.starts_with("RAFT"));
        CHECK_FALSE(code.starts_with("LOCK"));
        CHECK(id != PropertyId::Grant1);
        CHECK(id != PropertyId::Live1);
    }
    CHECK(judged.contains(PropertyId::Act1));
    CHECK(judged.contains(PropertyId::Fence2));
    // Its clients tell on it all the same.
    CHECK(verdict_of(outcome, PropertyId::Belief1) == Verdict::Violated);
}

TEST_CASE("guest: no leader after healing is nothing to hold against a service without leaders") {
    const auto* raft = harness::find_service("raft");
    REQUIRE(raft != nullptr);
    harness::ServiceEntry guest{"g", post::make, {}};
    for (const PropertyId id : properties::all_properties())
        CHECK(harness::has_evidence(*raft, id));
    CHECK_FALSE(harness::has_evidence(guest, PropertyId::Live1));
    CHECK_FALSE(harness::has_evidence(guest, PropertyId::Lock1));
    CHECK(harness::has_evidence(guest, PropertyId::Belief1));
    guest.face.reports_leaders = true;
    CHECK(harness::has_evidence(guest, PropertyId::Live1));
    CHECK_FALSE(harness::has_evidence(guest, PropertyId::Lock1));
    guest.face.reports_grants = true;
    CHECK(harness::has_evidence(guest, PropertyId::Lock1));
    CHECK_FALSE(harness::has_evidence(guest, PropertyId::Raft5));
}

TEST_CASE("guest: a run has one digest, with the wire codec and a log and without") {
    const auto scenario =
        post_scenario("[swarm]\nkinds = [\"pause\", \"drop-message\", \"loss\"]\n");
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto plain = harness::run(scenario, seed).digest;
        harness::RunOptions codec;
        codec.wire_codec = 1;
        CHECK(harness::run(scenario, seed, codec).digest == plain);
        harness::RunOptions log;
        log.keep_log = true;
        log.keep_messages = true;
        CHECK(harness::run(scenario, seed, log).digest == plain);
    }
}

TEST_CASE("guest: faults are aimed at its messages and roles by name") {
    const auto fired = [](const std::string& fault) {
        const Outcome outcome = harness::run(post_scenario("[[fault]]\n" + fault), 1);
        REQUIRE(outcome.faults.size() == 1);
        return outcome.faults.front().started;
    };
    CHECK(fired("kind = \"drop-message\"\naim = \"worker-a\"\ndirection = \"in\"\nmessage = "
                "\"given\"\nat = \"2s\"\n") == 1);
    CHECK(fired("kind = \"pause\"\naim = \"leader\"\nat = \"2s\"\nfor = \"1s\"\n") == 1);
    CHECK(fired("kind = \"pause\"\naim = \"next-waiter\"\nat = \"2s\"\nfor = \"1s\"\n") == 1);
    // A trigger on messages is met whether somebody traces messages or not.
    CHECK(fired("kind = \"pause\"\naim = \"trigger\"\nfor = \"1s\"\n"
                "when = { message = \"leave\", nth = 3 }\n") == 1);
}

TEST_CASE("guest: drawn plans use its own words") {
    auto scenario = post_scenario("[swarm]\nkinds = \"all\"\n");
    const auto* post = harness::find_service("post");
    REQUIRE(post != nullptr);
    std::set<std::string> messages;
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        for (const sim::Fault& fault : harness::resolve(scenario, seed).plan) {
            if (fault.message.empty()) continue;
            messages.insert(fault.message);
            CHECK(harness::message_kind(*post, fault.message) != 0);
        }
    for (const char* name : {"want", "leave", "given", "left", "write", "read-reply"})
        CHECK(messages.contains(name));

    // Of a service that has no leaders, nobody is aimed at as a leader.
    scenario::Vocabulary words = harness::message_names(*post);
    words.roles = {"holder"};
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        for (const sim::Fault& fault : scenario::resolve(scenario, seed, words).plan)
            CHECK((fault.aim.by != sim::Aim::By::Role || fault.aim.name == "holder"));
}

}  // namespace lockstep::test::guest
