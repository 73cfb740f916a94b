#include "harness/timeline/model.hpp"

#include "tests/harness/timeline/timeline_runs.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test::timeline {
namespace {

using harness::timeline::Band;
using harness::timeline::Grant;
using harness::timeline::Message;
using harness::timeline::Model;
using harness::timeline::Role;
using harness::timeline::Write;

constexpr sim::SimTime ms(std::int64_t n) {
    return sim::SimTime{n * 1'000'000};
}

Model model_of(HandMade& made) {
    return harness::timeline::model_of(made.outcome(), made.run().settings);
}

events::SessionEnded expired(std::uint64_t session) {
    return {SessionId(session), LogIndex(9), Term(1), events::EndReason::Expired};
}

TEST_CASE("timeline: a belief that outlasts its grant, and another's beside it, are dangers") {
    HandMade made;
    made.grant(1'000, HandMade::a, 5, 33);
    made.add(3'000, HandMade::n1, expired(5));
    made.grant(3'500, HandMade::b, 6, 35);
    made.add(4'000, HandMade::a, sim::DeadlinePassed{5});
    made.add(4'200, HandMade::a,
             events::LossTold{HandMade::job, SessionId(5), FencingToken(33),
                              events::LossReason::DeadlinePassed});
    const Model model = model_of(made);
    REQUIRE(model.grants.size() == 2);
    CHECK(model.grants[0].client == HandMade::a);
    CHECK(model.grants[0].to == ms(3'000));
    CHECK(model.grants[0].end == Grant::End::Expired);
    CHECK(model.grants[1].to == ms(10'000));
    REQUIRE(model.beliefs.size() == 2);
    CHECK(model.beliefs[0].from == ms(1'001));
    CHECK(model.beliefs[0].over == ms(4'000));
    CHECK(model.beliefs[0].told == ms(4'200));
    CHECK(model.beliefs[0].why == std::string("its deadline passed"));
    REQUIRE(model.dangers.size() == 2);
    CHECK(!model.dangers[0].other);
    CHECK(model.dangers[0].client == HandMade::a);
    CHECK(model.dangers[0].from == ms(3'000));
    CHECK(model.dangers[0].to == ms(4'000));
    CHECK(model.dangers[1].client == HandMade::a);
    CHECK(model.dangers[1].other == HandMade::b);
    CHECK(model.dangers[1].from == ms(3'501));
    CHECK(model.dangers[1].to == ms(4'000));
}

TEST_CASE("timeline: a lease in order is no danger, nor one of a service that tells of no grants") {
    HandMade made;
    made.grant(1'000, HandMade::a, 5, 33);
    made.add(2'000, HandMade::a,
             events::ReleaseCalled{HandMade::job, SessionId(5), FencingToken(33)});
    made.add(2'001, HandMade::n1,
             events::Released{HandMade::job, SessionId(5), RequestSeq(1), FencingToken(33),
                              LogIndex(34)});
    made.grant(2'001, HandMade::b, 6, 34);
    CHECK(model_of(made).dangers.empty());

    HandMade silent;
    silent.add(1'000, HandMade::a,
               events::GrantTold{HandMade::job, SessionId(5), RequestSeq(1), FencingToken(1),
                                 LocalTime::never()});
    const Model model = model_of(silent);
    CHECK(model.beliefs.size() == 1);
    CHECK(model.dangers.empty());
}

TEST_CASE("timeline: who waits leaves the line when granted, cancelled or over") {
    HandMade made;
    made.add(0, HandMade::n1,
             events::SessionOpened{SessionId(6), Nonce(1), seconds(3), HandMade::b});
    for (const std::uint64_t seq : {1U, 2U, 3U})
        made.add(1'000, HandMade::n1,
                 events::Queued{HandMade::job, SessionId(6), RequestSeq(seq), LogIndex(7), 0});
    made.add(2'000, HandMade::n1,
             events::Granted{HandMade::job, SessionId(6), RequestSeq(1), FencingToken(8)});
    made.add(3'000, HandMade::n1,
             events::Cancelled{HandMade::job, SessionId(6), RequestSeq(2), LogIndex(9),
                               events::CancelEffect::LeftQueue});
    made.add(4'000, HandMade::n1, expired(6));
    const Model model = model_of(made);
    REQUIRE(model.waits.size() == 3);
    CHECK(model.waits[0].client == HandMade::b);
    CHECK(model.waits[0].to == ms(2'000));
    CHECK(model.waits[1].to == ms(3'000));
    CHECK(model.waits[2].to == ms(4'000));
}

TEST_CASE("timeline: a write that comes after the lock went on is stale, a refused one is not") {
    HandMade made;
    made.grant(1'000, HandMade::a, 5, 33);
    const auto write = [](std::uint64_t token, std::uint64_t op) {
        return events::WriteAccepted{FencingToken(token), 1, op, 0, 0, 1};
    };
    made.add(1'500, HandMade::a, events::WriteSent{HandMade::store, FencingToken(33), 1, 77, 0});
    made.add(1'600, HandMade::store, write(33, 77));
    made.grant(2'000, HandMade::b, 6, 35);
    made.add(2'500, HandMade::store, write(33, 78));
    made.add(2'600, HandMade::store,
             events::WriteRejected{FencingToken(33), 2, 79, FencingToken(35), 1});
    const Model model = model_of(made);
    REQUIRE(model.writes.size() == 3);
    CHECK(model.writes[0].fate == Write::Fate::Accepted);
    CHECK(model.writes[0].client == HandMade::a);
    CHECK(model.writes[1].fate == Write::Fate::Stale);
    CHECK(model.writes[2].fate == Write::Fate::Rejected);
}

TEST_CASE("timeline: roles go from election to election, and end with the process") {
    HandMade made;
    made.add(0, HandMade::n1, events::Recovered{Term(0), {}, {}, {}, 0});
    made.add(1'000, HandMade::n1, events::VoteCast{Term(1), HandMade::n1});
    made.add(1'200, HandMade::n1, events::BecameLeader{Term(1), LogIndex(1), 0});
    made.add(1'300, HandMade::n1, events::CommitAdvanced{LogIndex(4), Term(1), 0, true});
    made.add(5'000, HandMade::n1, sim::ProcessStopped{sim::CrashKind::Power});
    made.add(6'000, HandMade::n1, sim::ProcessStarted{2});
    made.add(6'000, HandMade::n1, events::Recovered{Term(1), {}, {}, {}, 0});
    const Model model = model_of(made);
    REQUIRE(model.roles.size() == 4);
    CHECK(model.roles[0].kind == Role::Kind::Follower);
    CHECK(model.roles[1].kind == Role::Kind::Candidate);
    CHECK(model.roles[2].kind == Role::Kind::Leader);
    CHECK(model.roles[2].term == Term(1));
    CHECK(model.roles[2].to == ms(5'000));
    CHECK(model.roles[3].from == ms(6'000));
    CHECK(model.roles[3].to == ms(10'000));
    REQUIRE(model.bands.size() == 1);
    CHECK(model.bands[0].kind == Band::Kind::DownPower);
    CHECK(model.bands[0].to == ms(6'000));
    CHECK(model.commits.size() == 1);
}

TEST_CASE("timeline: a fault hits whom it names; pauses of one strand are told apart") {
    HandMade made;
    sim::Fault pause;
    sim::Fault cut;
    cut.kind = sim::FaultKind::Cut;
    cut.peers = {"n1"};
    made.run().settings.plan = {pause, cut};
    made.add(1'000, HandMade::a, sim::FaultStarted{0});
    made.add(1'000, HandMade::a, sim::Paused{sim::ClockMode::Frozen, 0});
    made.add(2'000, HandMade::b, sim::FaultStarted{1});
    made.add(2'000, HandMade::b, sim::LinkTroubled{HandMade::n1, true, true});
    made.add(2'500, HandMade::store, sim::Paused{sim::ClockMode::Runs, 1});
    made.add(3'000, HandMade::a, sim::Resumed{0});
    made.add(3'000, HandMade::a, sim::FaultEnded{0});
    const Model model = model_of(made);
    REQUIRE(model.faults.size() == 2);
    CHECK(model.faults[0].to == ms(3'000));
    CHECK(model.faults[0].hits == std::vector{HandMade::a});
    CHECK(model.faults[1].hits == std::vector{HandMade::n1, HandMade::b});
    REQUIRE(model.bands.size() == 3);
    CHECK(model.bands[0].kind == Band::Kind::PausedClockToo);
    CHECK(model.bands[1].kind == Band::Kind::LinkCut);
    CHECK(model.bands[2].kind == Band::Kind::CallbacksStalled);
}

TEST_CASE(
    "timeline: a renewal is answered when the client hears of the one that the service answered") {
    HandMade made;
    const SessionId session(5);
    for (const std::uint32_t sending : {1U, 2U})
        made.add(1'000 * sending, HandMade::a, events::RenewalSent{session, SendingNo(sending)});
    made.add(2'100, HandMade::n1,
             events::RenewalAnswered{session, SendingNo(2), HandMade::a, Term(1)});
    made.add(2'200, HandMade::a, events::DeadlineMoved{session, LocalTime{9}});
    const Model model = model_of(made);
    REQUIRE(model.renewals.size() == 2);
    CHECK(model.renewals[0].heard == sim::SimTime::never());
    CHECK(model.renewals[1].heard == ms(2'200));
}

TEST_CASE("timeline: messages are taken, dropped, lost, or under way at the end") {
    HandMade made;
    made.send(1'000, 1, HandMade::a, HandMade::n1, "acquire");
    made.send(1'000, 2, HandMade::a, HandMade::n1, "acquire", "loss");
    made.send(1'000, 3, HandMade::a, HandMade::n1, "acquire");
    made.take(1'002, 1, HandMade::a, HandMade::n1);
    made.take(1'900, 1, HandMade::a, HandMade::n1);  // again: a duplicate
    made.send(9'999, 4, HandMade::n1, HandMade::a, "reply");
    const Model model = model_of(made);
    REQUIRE(model.messages.size() == 4);
    CHECK(model.messages[0].fate == Message::Fate::Taken);
    CHECK(model.messages[0].taken == ms(1'002));
    CHECK(model.messages[1].fate == Message::Fate::Dropped);
    CHECK(model.messages[1].dropped == "loss");
    CHECK(model.messages[2].fate == Message::Fate::Lost);
    CHECK(model.messages[3].fate == Message::Fate::UnderWay);
}

TEST_CASE("timeline: a clock is drawn from what the client read off it") {
    HandMade made;
    const auto asked = [](std::int64_t clock_ms) {
        return events::MayActAsked{HandMade::job,      SessionId(5),
                                   FencingToken(1),    LocalTime{clock_ms * 1'000'000},
                                   LocalTime::never(), true};
    };
    made.add(1'000, HandMade::a, asked(7'000));
    made.add(2'000, HandMade::a, asked(8'100));
    made.add(3'000, HandMade::a, sim::ProcessStopped{sim::CrashKind::Kill});
    made.add(4'000, HandMade::a, asked(500));
    const Model model = model_of(made);
    REQUIRE(model.clocks.size() == 3);
    CHECK(model.clocks[0].offset == Duration{});
    CHECK(model.clocks[1].offset == milliseconds(100));
    CHECK(model.clocks[2].offset == Duration{});
}

}  // namespace
}  // namespace lockstep::test::timeline
