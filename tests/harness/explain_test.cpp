#include "harness/explain/causality.hpp"
#include "harness/explain/explanation.hpp"
#include "tests/harness/explain_logs.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

namespace lockstep::test::explain {
namespace {

TEST_CASE("explain: a renewal that a deposed leader answered") {
    FailureLog log;
    log.begin(n1).renewal(8'000, n1, 5, 1).election(9'000, n2, 2);
    // Nobody asked: the answer leaves with the receipt.
    log.renewal(12'000, n1, 6, 1).expiry(19'020, n2, 20, 2, 2).grant(19'023, n2, worker_b, 20);
    log.deadline(21'800);
    const auto why = log.why(PropertyId::Belief1, 1);
    CHECK(why.harm == "worker-a and worker-b both may act on job from 19.024 to 21.800 (2.776 s)");
    CHECK(why.looks_like == "a lease extended without a quorum's confirmation");
    CHECK(contains(why.cause,
                   "sent at 12.000 was answered at 12.003 by n1 as leader of term 1, "
                   "although n2 had been elected for term 2 at 9.000"));
    CHECK(decisive_step(why) == "answers worker-a's renewal as leader of term 1");
}

TEST_CASE("explain: a renewal that its leader answers before it is deposed is no flaw") {
    FailureLog log;
    log.begin(n1).renewal(8'000, n1, 5, 1).election(9'000, n2, 2);
    log.expiry(19'020, n2, 20, 2, 2).grant(19'023, n2, worker_b, 20).deadline(21'800);
    const auto why = log.why(PropertyId::Belief1, 1);
    CHECK(why.looks_like == "a client that acts past its deadline");
    CHECK(contains(why.cause,
                   "9.900 s from the sending at 8.000, was over at 17.900, but worker-a "
                   "believed until 21.800"));
}

TEST_CASE("explain: an expiry of one term that ends a session in another") {
    FailureLog log;
    log.begin(n1).expiry(11'000, n1, 20, 1, 2);
    // It takes effect only later, in the log of the next leader.
    auto& entries = log.outcome().log;
    const auto ended = entries.back();
    entries.resize(entries.size() - 2);
    log.election(12'000, n2, 2).renewal(13'000, n2, 6, 2);
    const auto at = sim::SimTime{14'000'000'000};
    entries.push_back({at, n2, events::Event(events::Applied{LogIndex(20), Term(2), 11})});
    entries.push_back({at, n2, ended.what});
    const auto why = log.why(PropertyId::Lock3);
    CHECK(why.looks_like == "an expiry that was not bound to its term");
    CHECK(contains(why.cause, "asked for in term 1, and took effect as entry 20 of term 2"));
    CHECK(
        contains(why.cause, "although a renewal sent at 13.000 had been answered at 13.003 by n2"));
    CHECK(contains(why.harm, "worker-a still relied on job"));
    CHECK(contains(decisive_step(why), "proposes its end in term 1"));
}

TEST_CASE("explain: a new leader that does not give the full time anew") {
    FailureLog log;
    log.begin(n1).renewal(8'000, n1, 5, 1).election(9'000, n2, 2).expiry(11'500, n2, 20, 2, 2);
    const auto why = log.why(PropertyId::Lock3);
    CHECK(why.looks_like == "timers not restarted by a new leader");
    CHECK(contains(why.cause, "n2 had led for only 2.500 s when it proposed at 11.500"));
    CHECK(contains(why.cause,
                   "the renewal sent at 8.000 had been answered at 8.003 by the leader "
                   "of term 1"));
    CHECK(why.story.back().text == "ends the session of worker-a: its lease ran out; free: job");
}

TEST_CASE("explain: an early end under one and the same leader is no matter of failover") {
    FailureLog log;
    log.begin(n1).renewal(8'000, n1, 5, 1).expiry(11'500, n1, 20, 1, 1);
    const auto why = log.why(PropertyId::Lock3);
    CHECK(contains(why.looks_like, "a lease that was cut short"));
    CHECK(contains(why.cause, "only 3.500 s after worker-a had sent a renewal at 8.000"));
    CHECK(contains(why.cause, "6.400 s too early for a lease of 10 s"));
}

TEST_CASE("explain: a session that no leader times") {
    FailureLog log;
    log.begin(n1)
        .election(3'000, n2, 2)
        .at(4'000, worker_a, sim::ProcessStopped{sim::CrashKind::Kill});
    log.at(5'000, {}, sim::Healed{}).at(40'000, n2, events::CommitAdvanced{});
    const auto why = log.why(PropertyId::Live3, 100, "lock job was not free by 40.0 s");
    CHECK(why.looks_like == "timers not restarted by a new leader");
    CHECK(contains(why.cause, "no leader proposed to end it: n2, elected at 3.000"));
    CHECK(decisive_step(why) == "is elected leader, term 2");
}

TEST_CASE("explain: two leaders of a term, and the vote that was forgotten") {
    FailureLog log;
    log.at(100, n3, events::VoteCast{Term(4), n1}).election(110, n1, 4);
    log.at(200, n3, sim::ProcessStopped{sim::CrashKind::Power}).at(300, n3, sim::ProcessStarted{2});
    log.at(400, n3, events::VoteCast{Term(4), n2}).election(410, n2, 4);
    const auto why = log.why(PropertyId::Raft1, 0, "server n1 and server n2 both lead term 4");
    CHECK(why.harm.starts_with("n1 and n2 both lead term 4 from 0.410 on"));
    CHECK(why.looks_like == "a vote forgotten");
    CHECK(contains(why.cause,
                   "n3 voted for n1 in term 4 at 0.100, stopped at 0.200 and came back, "
                   "and for n2 in the same term at 0.400"));
    CHECK(contains(decisive_step(why), "loses power"));
    CHECK(std::count(why.processes.begin(), why.processes.end(), n3) == 1);
}

TEST_CASE("explain: a grant that the next leader did not know of") {
    FailureLog log;
    log.begin(n1).election(3'000, n2, 2).grant(3'500, n2, worker_b, 9);
    const auto why = log.why(PropertyId::Lock1, 1);
    CHECK(why.looks_like == "a grant lost in failover");
    CHECK(why.harm ==
          "job was granted to worker-b at 3.500 (token 9) while worker-a held it "
          "(token 4, since 0.700)");
    CHECK(decisive_step(why) == "is elected leader, term 2");
}

TEST_CASE("explain: a violation that an assumption excuses ends with the assumption") {
    FailureLog log;
    sim::Fault drift;
    drift.kind = sim::FaultKind::ClockDrift;
    drift.aim = {sim::Aim::By::Process, "n1"};
    drift.ppm = 50'000;
    drift.duration = seconds(60);
    log.settings().plan = {drift};
    log.begin(n1).at(1'000, n1, sim::FaultStarted{0});
    log.at(1'000, n1, sim::AssumptionBroken{sim::Assumption::ClockRate, sim::ProcessKind::Server});
    log.expiry(8'000, n1, 20, 1, 1);
    properties::Violation violation{};
    violation.id = PropertyId::Lock3;
    violation.ordinal = 12;
    violation.at = sim::SimTime{8'003'000'000};
    violation.excused_by = properties::Need{sim::Assumption::ClockRate, sim::ProcessKind::Server};
    const auto why = harness::explain(log.outcome(), log.settings(), violation);
    CHECK(
        why.looks_like.starts_with("the assumption clock-rate of a server, which LOCK-3 needs, "
                                   "had been broken at 1.000 by the fault"));
    CHECK(contains(why.cause, "It is excused: the assumption clock-rate"));
}

TEST_CASE("explain: of a service that tells nothing, the clients and their messages are asked") {
    FailureLog log;
    log.at(100, worker_a, events::AcquireCalled{job, of_a, RequestSeq(1), Duration::max()});
    log.sent(200, worker_a, n1, 4);
    log.at(300, worker_b, events::AcquireCalled{job, of_b, RequestSeq(1), Duration::max()});
    log.sent(310, worker_b, n1, 5).taken(311, n1, worker_b, 5);
    log.at(400, worker_b,
           events::GrantTold{job, of_b, RequestSeq(1), FencingToken(1), LocalTime{}});
    log.taken(1'300, n1, worker_a, 4);
    log.at(1'400, worker_a,
           events::GrantTold{job, of_a, RequestSeq(1), FencingToken(2), LocalTime{}});
    log.at(2'000, worker_b, events::ReleaseCalled{job, of_b, FencingToken(1)});
    const auto why = log.why(PropertyId::Belief1, 1);
    CHECK(why.harm == "worker-b and worker-a both may act on job from 1.400 to 2.000 (0.600 s)");
    CHECK(why.looks_like == "a lock that two can take at once");
    CHECK(decisive_step(why) ==
          "sends keep-alive to n1, which takes it only at 1.300, 1.100 s later");
    CHECK(contains(why.cause, "worker-b gave nothing up before 2.000"));
}

TEST_CASE("explain: causes are what came before in a process, and what was heard of") {
    FailureLog log;
    log.election(100, n1, 1);        // 0: heard of
    log.sent(200, n1, worker_a, 7);  // 1
    log.at(250, n1,
           events::SteppedDown{
               Term(1), events::StepDownReason::HigherTerm});  // 2: after the message had left
    log.taken(300, worker_a, n1, 7);                           // 3
    log.at(300, worker_a, events::CloseCalled{of_a});          // 4
    log.at(350, worker_b, events::CloseCalled{of_b});          // 5: beside it
    log.at(400, worker_a, events::SessionOverTold{of_a});
    const harness::Chronicle chronicle(log.outcome());
    const harness::Causality causes(chronicle);
    CHECK(causes.past_of(6) == std::vector<bool>{true, true, false, true, true, false, true});
    CHECK(causes.message_behind(4) == 1);
    CHECK(causes.message_behind(6) == harness::nowhere);
}

TEST_CASE("explain: the end of a hold comes before the next grant, on another server, too") {
    FailureLog log;
    log.begin(n1);
    log.at(800, n1, events::Released{job, of_a, RequestSeq(1), FencingToken(4), LogIndex(6)});
    log.at(900, n2, events::Granted{job, of_b, RequestSeq(1), FencingToken(6)});
    const harness::Chronicle chronicle(log.outcome());
    const harness::Causality causes(chronicle);
    const std::size_t last = log.outcome().log.size() - 1;
    CHECK(causes.before(last) == std::vector<harness::Place>{last - 1});
}

TEST_CASE("explain: a log without the event, or without anything, still gives an explanation") {
    FailureLog log;
    properties::Violation violation{};
    violation.id = PropertyId::Belief1;
    violation.evidence = "client worker-a and client worker-b";
    CHECK(harness::explain(log.outcome(), log.settings(), violation).harm == violation.evidence);
    log.begin(n1);
    for (const PropertyId id : properties::all_properties()) {
        violation.id = id;
        violation.ordinal = 99;
        violation.at = sim::SimTime{600'000'000};
        const auto why = harness::explain(log.outcome(), log.settings(), violation);
        INFO(properties::code_of(id));
        CHECK(!why.harm.empty());
        CHECK(!why.story.empty());
        CHECK(contains(why.cause, violation.evidence));
    }
}

}  // namespace
}  // namespace lockstep::test::explain
