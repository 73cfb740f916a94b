#include "properties/linearizable_history.hpp"
#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

ReleaseCalled calls_release(std::uint64_t session, std::uint64_t token) {
    return {lock, SessionId(session), FencingToken(token)};
}
ReleaseReturned answers_release(std::uint64_t session, std::uint64_t token, AnswerStatus status) {
    return {lock, SessionId(session), FencingToken(token), status};
}
/// Alice, in session 5 since second 1, holds the lock with token 7 from second 2 on.
Story& alice_holds(Story& story) {
    story.at(seconds(1)).by(alice, opens(5)).by(n1, opened(5, alice));
    story.by(alice, SessionTold{SessionId(5), Nonce(1005), LocalTime{}});
    story.at(seconds(2)).by(alice, acquires(5, 1, Duration::max()));
    return story.by(alice, told(5, 1, 7)).by(alice, returns(5, 1, AcquireOutcome::Granted));
}
Story& bob_is_granted(Story& story, Duration when, std::uint64_t token = 8) {
    story.at(when - seconds(1)).by(bob, acquires(6, 1, Duration::max()));
    return story.at(when)
        .by(bob, told(6, 1, token))
        .by(bob, returns(6, 1, AcquireOutcome::Granted));
}
Verdict lin1(Story& story) {
    return story.at(seconds(90)).end(Lin1).verdict;
}

TEST_CASE("properties: LIN-1 lets a session end no sooner than its lease promised") {
    Story early;
    bob_is_granted(alice_holds(early), seconds(10));
    const Report report = early.at(seconds(90)).end(Lin1);
    CHECK(report.verdict == Verdict::Violated);
    INFO(report.first->evidence);
    CHECK(report.first->evidence.find("token 8") != std::string::npos);
    CHECK(report.first->evidence.find("cannot have ended before 10.900000 s") != std::string::npos);

    Story late;
    bob_is_granted(alice_holds(late), seconds(11));
    CHECK(lin1(late) == Verdict::Held);

    Story closed;
    alice_holds(closed).at(seconds(4)).by(alice, CloseCalled{SessionId(5)});
    bob_is_granted(closed, seconds(5));
    CHECK(lin1(closed) == Verdict::Held);

    Story clock_wrong;
    clock_wrong.breaks(Assumption::ClockRate, sim::ProcessKind::Server);
    bob_is_granted(alice_holds(clock_wrong), seconds(10));
    CHECK(lin1(clock_wrong) == Verdict::Held);
}

TEST_CASE("properties: LIN-1 counts an answered renewal, and no other") {
    for (const bool answered : {true, false}) {
        Story story;
        alice_holds(story).at(seconds(6)).by(alice, RenewalSent{SessionId(5), SendingNo(9)});
        if (answered) story.by(n1, RenewalAnswered{SessionId(5), SendingNo(9), alice, Term(1)});
        bob_is_granted(story, seconds(12));
        CHECK(lin1(story) == (answered ? Verdict::Violated : Verdict::Held));
    }
}

TEST_CASE("properties: LIN-1 orders grants by releases and tokens") {
    for (const std::uint64_t token : {8, 7, 6}) {
        Story story;
        alice_holds(story).at(seconds(3)).by(alice, calls_release(5, 7));
        story.at(seconds(4)).by(alice, answers_release(5, 7, AnswerStatus::Ok));
        bob_is_granted(story, seconds(6), token);
        CHECK(lin1(story) == (token == 8 ? Verdict::Held : Verdict::Violated));
    }
    Story unknown;  // the answer was lost with the client, the release was done
    alice_holds(unknown).at(seconds(3)).by(alice, calls_release(5, 7));
    unknown.at(seconds(4)).by(alice, sim::ProcessStopped{sim::CrashKind::Kill});
    bob_is_granted(unknown, seconds(5));
    CHECK(lin1(unknown) == Verdict::Held);

    Story not_held;
    alice_holds(not_held).at(seconds(3)).by(alice, calls_release(5, 7));
    not_held.at(seconds(4)).by(alice, answers_release(5, 7, AnswerStatus::NotHeld));
    CHECK(lin1(not_held) == Verdict::Violated);
}

TEST_CASE("properties: LIN-1 needs a holder for a refusal") {
    const auto refused = [](Story& story) {
        story.at(seconds(20)).by(bob, acquires(6, 2, Duration()));
        story.at(seconds(21)).by(bob, returns(6, 2, AcquireOutcome::Held));
    };
    Story nobody;
    refused(nobody);
    CHECK(lin1(nobody) == Verdict::Violated);

    Story held;
    alice_holds(held);
    refused(held);
    CHECK(lin1(held) == Verdict::Held);

    Story crashed;  // an acquire of unknown outcome may have been granted
    crashed.at(seconds(2)).by(alice, acquires(5, 1, Duration::max()));
    crashed.by(alice, sim::ProcessStopped{sim::CrashKind::Kill});
    refused(crashed);
    CHECK(lin1(crashed) == Verdict::Held);

    Setup delayed = cast();
    delayed.lock_delay = seconds(5);
    for (const bool delay : {true, false}) {
        Story over{delay ? delayed : cast()};
        alice_holds(over).at(seconds(12)).by(alice, SessionOverTold{SessionId(5)});
        refused(over);
        CHECK(lin1(over) == (delay ? Verdict::Held : Verdict::Violated));
    }
}

TEST_CASE("properties: LIN-1 knows that a hold ends by itself, and when at the earliest") {
    Setup bounded = cast();
    bounded.hold_max = seconds(4);
    for (const bool clock_wrong : {false, true})
        for (const std::int64_t granted_at : {5, 7}) {
            Story story{bounded};
            alice_holds(story);
            if (clock_wrong) story.breaks(Assumption::ClockRate, sim::ProcessKind::Server);
            bob_is_granted(story, seconds(granted_at));
            const bool fits = clock_wrong || granted_at == 7;
            CHECK(lin1(story) == (fits ? Verdict::Held : Verdict::Violated));
        }
}

TEST_CASE("properties: LIN-1 ends a session on all its locks at once") {
    for (const std::int64_t released : {9, 3}) {
        lin::History history({});
        const auto at = [](std::int64_t t) { return sim::SimTime{t}; };
        const auto grant = [&](std::uint32_t l, std::uint64_t s, std::uint64_t token,
                               std::int64_t t) {
            history.granted(history.acquire(LockId(l), SessionId(s), at(t)), FencingToken(token),
                            at(t));
        };
        grant(1, 5, 1, 1);
        grant(2, 5, 2, 2);
        // Lock 2 goes to another: the session has ended. It releases lock 1 before, or after that.
        if (released < 6) {
            history.released(
                history.release(LockId(1), SessionId(5), FencingToken(1), at(released)),
                at(released));
        }
        grant(2, 6, 3, 6);
        if (released > 6) {
            history.released(
                history.release(LockId(1), SessionId(5), FencingToken(1), at(released)),
                at(released));
        }
        history.finish(at(20));
        CHECK(history.objection().has_value() == (released > 6));
    }
}

TEST_CASE("properties: LIN-1 keeps only what is open") {
    lin::History history({});
    std::int64_t now = 0;
    std::size_t most = 0;
    for (std::uint64_t i = 1; i <= 5000; ++i) {
        const SessionId session(i / 10 + 1);
        const SessionId other(i / 10 + 10'000);
        const auto tick = [&now] { return sim::SimTime{++now}; };
        const lin::CallId acquire = history.acquire(LockId(1), session, tick());
        history.granted(acquire, FencingToken(i), tick());
        const lin::CallId attempt = history.acquire(LockId(1), other, tick());
        history.refused(attempt, tick());
        const lin::CallId release = history.release(LockId(1), session, FencingToken(i), tick());
        history.released(release, tick());
        if (i % 10 == 9) {
            history.may_end(session, tick());
            history.over(session, tick());
            history.gone(other, tick());
        }
        most = std::max(most, history.kept());
    }
    history.finish(sim::SimTime{++now});
    CHECK(!history.objection());
    CHECK(history.explained() == 15'000);
    CHECK(most < 24);
}

TEST_CASE(
    "properties: LIN-1 is excused by a dishonest disk of a server, and idle without answers") {
    Story excused;
    excused.breaks(Assumption::DiskHonest, sim::ProcessKind::Server);
    bob_is_granted(alice_holds(excused), seconds(10));
    CHECK(lin1(excused) == Verdict::Excused);

    Story idle;
    idle.at(seconds(2)).by(alice, acquires(5, 1, Duration::max()));
    CHECK(lin1(idle) == Verdict::Idle);
}

}  // namespace
}  // namespace lockstep::properties::test
