#include "tests/core/client/client_driver.hpp"
#include "tests/support/catch.hpp"

#include <utility>

/// Acquires, cancels and releases: what is asked, how often, of whom, and what comes of the
/// answers.
namespace lockstep::test::clients {
namespace {

const FencingToken token(101);

wire::NotLeader not_leader(NodeId leader) {
    return {leader, Operation::Acquire, SessionId(100), RequestSeq(1)};
}

}  // namespace

TEST_CASE("client: an acquire is sent at once, and a grant told before the call returns") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, seconds(5));
    CHECK(d.story() == Story{"acquire-called"});
    const wire::Acquire sent = d.sent<wire::Acquire>().at(0);
    CHECK(sent.seq == seq);
    CHECK(sent.session == SessionId(100));
    CHECK(sent.lock == lock_a);
    CHECK_FALSE(sent.try_only);

    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, token);
    CHECK(d.story() == Story{"grant-told", "acquire-returned"});
    CHECK(d.reported<events::GrantTold>().at(0).deadline == d.client.deadline());
    CHECK(d.told<client::AcquireDone>().at(0).token == token);
    CHECK(d.client.holds(lock_a, token));
    CHECK(d.may_act(lock_a, token));

    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, token);  // a copy
    CHECK(d.effects.events.empty());
}

TEST_CASE("client: every refusal ends the acquire, once, without a grant") {
    const auto [status, outcome] =
        GENERATE(std::pair(AnswerStatus::Held, AcquireOutcome::Held),
                 std::pair(AnswerStatus::AlreadyHeld, AcquireOutcome::AlreadyHeld),
                 std::pair(AnswerStatus::AlreadyWaiting, AcquireOutcome::AlreadyWaiting),
                 std::pair(AnswerStatus::LimitReached, AcquireOutcome::LimitReached));
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, Duration{0});
    CHECK(d.sent<wire::Acquire>().at(0).try_only);
    d.answer(Operation::Acquire, status, seq, lock_a, token);
    CHECK(d.told<client::AcquireDone>().at(0).outcome == outcome);
    CHECK(d.told<client::AcquireDone>()[0].token == FencingToken());
    CHECK_FALSE(d.client.holds(lock_a, token));
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, token);
    CHECK(d.effects.notices.empty());
    CHECK_FALSE(d.client.holds(lock_a, token));
}

TEST_CASE("client: answers that match nothing open are nothing") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    SECTION("another seq") {
        d.answer(Operation::Acquire, AnswerStatus::Granted, seq.next(), lock_a, token);
    }
    SECTION("another lock") {
        d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_b, token);
    }
    SECTION("no token") {
        d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a);
    }
    SECTION("another operation") {
        d.answer(Operation::Release, AnswerStatus::Granted, seq, lock_a, token);
    }
    SECTION("another session") {
        d.receive(
            d.target(),
            wire::RequestReply{
                Operation::Acquire, AnswerStatus::Granted, SessionId(99), seq, lock_a, token, {}});
    }
    SECTION("stale") {
        d.answer(Operation::Acquire, AnswerStatus::Stale, seq, lock_a);
    }
    CHECK(d.effects.notices.empty());
    CHECK(d.effects.events.empty());
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, token);
    CHECK(d.told<client::AcquireDone>().size() == 1);
}

TEST_CASE("client: without an answer an acquire is sent again, under its seq, to another server") {
    ClientDriver d;
    d.with_session();
    d.at(seconds(1));
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    const NodeId asked = d.target();
    d.sleep();
    CHECK(d.now >= LocalTime{} + milliseconds(1'450));
    CHECK(d.now <= LocalTime{} + milliseconds(1'500));
    CHECK(d.sent<wire::Acquire>().at(0).seq == seq);
    CHECK(d.target() != asked);
}

TEST_CASE("client: one in line asks no more, until the leader changes or the connection is reset") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    const NodeId leader = d.target();
    d.answer(Operation::Acquire, AnswerStatus::Queued, seq, lock_a);
    CHECK(d.effects.notices.empty());
    CHECK(d.client.wake_at() >= LocalTime{} + milliseconds(2'700));  // for the renewal alone
    d.sleep();
    CHECK(d.sent<wire::Acquire>().empty());
    const SendingNo renewal = d.sent<wire::KeepAlive>().at(0).sending;

    SECTION("the leader changed") {
        const NodeId next(leader.value % 3 + 1);
        d.receive(leader, not_leader(next));
        CHECK(d.target() == next);
        CHECK(d.sent<wire::Acquire>().at(0).seq == seq);
        CHECK(d.sent<wire::KeepAlive>().size() == 1);
    }
    SECTION("reset") {
        d.renewed(renewal);
        d.reset(leader);
        CHECK(d.effects.send.empty());  // whoever is down resets whatever comes: not at once
        d.sleep();
        CHECK(d.target() != leader);
        CHECK(d.sent<wire::Acquire>().at(0).seq == seq);
    }
    SECTION("reset of another connection") {
        d.renewed(renewal);
        d.reset(NodeId(leader.value % 3 + 1));
        d.sleep();
        CHECK(d.sent<wire::Acquire>().empty());
    }
    // A re-ask may be lost like anything else, and is repeated until somebody says: in line.
    if (!d.sent<wire::Acquire>().empty()) {
        d.sleep();
        CHECK(d.sent<wire::Acquire>().size() == 1);
        d.answer(Operation::Acquire, AnswerStatus::Queued, seq, lock_a);
        d.sleep();
        CHECK(d.sent<wire::Acquire>().empty());
    }
}

TEST_CASE("client: a lost notice of a grant heals with the next renewal") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    d.answer(Operation::Acquire, AnswerStatus::Queued, seq, lock_a);
    d.sleep();
    const LocalTime sent = d.now;
    d.renewed(d.sent<wire::KeepAlive>().at(0).sending,
              {{lock_b, RequestSeq(77), FencingToken(90)}, {lock_a, seq, token}});
    CHECK(d.story() == Story{"deadline-moved", "grant-told", "acquire-returned"});
    CHECK(d.reported<events::GrantTold>().at(0).deadline == sent + milliseconds(9'850));
    CHECK(d.client.holds(lock_a, token));
    CHECK_FALSE(d.client.holds(lock_b, FencingToken(90)));  // never asked for, or long given back
}

TEST_CASE("client: a wait ends at wait_max, from the call, to the tick") {
    ClientDriver d;
    d.with_session();
    d.at(seconds(1));
    const RequestSeq seq = d.acquire(lock_a, milliseconds(1'500));
    d.answer(Operation::Acquire, AnswerStatus::Queued, seq, lock_a);
    CHECK(d.client.wake_at() == LocalTime{} + milliseconds(2'500));
    d.tick_at(milliseconds(2'500) - nanoseconds(1));
    CHECK(d.effects.notices.empty());
    d.tick_at(milliseconds(2'500));
    CHECK(d.story() == Story{"acquire-returned", "cancel-sent"});
    CHECK(d.told<client::AcquireDone>().at(0).outcome == AcquireOutcome::TimedOut);
    CHECK(d.sent<wire::Cancel>().at(0).seq == seq);
    CHECK(d.sent<wire::Cancel>()[0].lock == lock_a);
    CHECK(d.sent<wire::Acquire>().empty());
}

TEST_CASE("client: a cancelled acquire can be granted no more, and its cancel is repeated") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, seconds(1));
    d.tick_at(seconds(1));
    REQUIRE(d.sent<wire::Cancel>().size() == 1);

    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, token);  // it crossed
    CHECK(d.effects.notices.empty());
    CHECK(d.effects.events.empty());
    CHECK_FALSE(d.may_act(lock_a, token));
    d.sleep();
    CHECK(d.sent<wire::Cancel>().at(0).seq == seq);
    while (d.sent<wire::KeepAlive>().empty()) d.sleep();
    d.renewed(d.sent<wire::KeepAlive>().at(0).sending, {{lock_a, seq, token}});
    CHECK(d.told<client::AcquireDone>().empty());
    CHECK_FALSE(d.client.holds(lock_a, token));

    const auto status = GENERATE(AnswerStatus::Cancelled, AnswerStatus::Held, AnswerStatus::Ok);
    d.answer(Operation::Cancel, status, seq, lock_a);
    CHECK(d.effects.notices.empty());
    for (int i = 0; i < 3; ++i) {
        d.sleep();
        CHECK(d.sent<wire::Cancel>().empty());
        for (const auto& renewal : d.sent<wire::KeepAlive>()) d.renewed(renewal.sending);
    }
}

TEST_CASE(
    "client: a pause past wait_max sees the time-out before the grant that waited in its inbox") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, seconds(1));
    d.at(seconds(2));
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, token);
    CHECK(d.told<client::AcquireDone>().at(0).outcome == AcquireOutcome::TimedOut);
    CHECK(d.told<client::AcquireDone>().size() == 1);
    CHECK(d.reported<events::GrantTold>().empty());
    CHECK(d.sent<wire::Cancel>().size() == 1);
}

TEST_CASE("client: waits without end, and of spans that no clock can hold, do not end") {
    ClientDriver d;
    d.at(seconds(1));
    d.with_session();
    const Duration wait = GENERATE(Duration::max(), Duration{INT64_MAX - 1});
    const RequestSeq seq = d.acquire(lock_a, wait);
    d.answer(Operation::Acquire, AnswerStatus::Queued, seq, lock_a);
    for (int i = 0; i < 20; ++i) {
        d.sleep();
        for (const auto& renewal : d.sent<wire::KeepAlive>()) d.renewed(renewal.sending);
        CHECK(d.told<client::AcquireDone>().empty());
    }
}

TEST_CASE("client: an acquire after the deadline returns session-over, and asks nobody") {
    ClientDriver d;
    d.with_session();
    d.at(milliseconds(9'850));
    const RequestSeq seq = d.acquire(lock_a, seconds(1));
    CHECK(d.story() == Story{"acquire-called", "acquire-returned"});
    CHECK(d.told<client::AcquireDone>().at(0).seq == seq);
    CHECK(d.told<client::AcquireDone>()[0].outcome == AcquireOutcome::SessionOver);
    CHECK(d.sent<wire::Acquire>().empty());
}

TEST_CASE("client: a release ends the belief with the call, and is repeated until answered") {
    ClientDriver d;
    d.with_session();
    d.with_grant(lock_a, token);
    const RequestSeq seq = d.release(lock_a, token);
    CHECK(d.story() == Story{"release-called"});
    CHECK_FALSE(d.may_act(lock_a, token));
    d.sleep();
    const wire::Release sent = d.sent<wire::Release>().at(0);
    CHECK(sent.seq == seq);
    CHECK(sent.token == token);
    CHECK(sent.lock == lock_a);

    const auto status = GENERATE(AnswerStatus::Ok, AnswerStatus::NotHeld);
    d.answer(Operation::Release, status, seq, lock_a);
    CHECK(d.story() == Story{"release-returned"});
    CHECK(d.told<client::ReleaseDone>().at(0).status == status);
    CHECK(d.told<client::ReleaseDone>()[0].token == token);
    d.answer(Operation::Release, status, seq, lock_a);
    CHECK(d.effects.notices.empty());
    d.sleep();
    CHECK(d.sent<wire::Release>().empty());
}

TEST_CASE("client: a release without an answer returns when the session is given up") {
    ClientDriver d;
    d.with_session();
    d.with_grant(lock_a, token);
    d.release(lock_a, token);
    d.tick_at(milliseconds(9'850));
    CHECK(d.told<client::ReleaseDone>().at(0).status == AnswerStatus::SessionOver);
    CHECK(d.told<client::Lost>().empty());  // it was given up before
    CHECK(d.reported<events::ReleaseReturned>().empty());
}

TEST_CASE("client: the mark passes no request before its final answer") {
    ClientDriver d;
    d.with_session();
    const RequestSeq first = d.acquire(lock_a, seconds(2));
    CHECK(d.sent<wire::Acquire>().at(0).mark == first);
    const RequestSeq second = d.acquire(lock_b, Duration::max());
    CHECK(d.sent<wire::Acquire>().at(0).mark == first);

    d.answer(Operation::Acquire, AnswerStatus::Queued, first, lock_a);  // not final
    d.answer(Operation::Acquire, AnswerStatus::Granted, second, lock_b, token);
    const RequestSeq third = d.release(lock_b, token);
    CHECK(d.sent<wire::Release>().at(0).mark == first);
    d.answer(Operation::Release, AnswerStatus::Ok, third, lock_b);

    d.tick_at(seconds(2));
    CHECK(d.sent<wire::Cancel>().at(0).mark == first);
    const RequestSeq fourth = d.acquire(lock_b, Duration::max());
    CHECK(d.sent<wire::Acquire>().at(0).mark == first);  // the cancel is open
    d.answer(Operation::Cancel, AnswerStatus::Cancelled, first, lock_a);
    const RequestSeq fifth = d.acquire(lock_a, Duration::max());
    CHECK(d.sent<wire::Acquire>().at(0).mark == fourth);
    CHECK(fifth > fourth);
    CHECK(fourth > third);
    d.answer(Operation::Acquire, AnswerStatus::Held, fourth, lock_b);
    d.answer(Operation::Acquire, AnswerStatus::Held, fifth, lock_a);
    const RequestSeq sixth = d.acquire(lock_a, Duration::max());
    CHECK(d.sent<wire::Acquire>().at(0).mark == sixth);
}

TEST_CASE("client: seqs start anew with each session") {
    ClientDriver d;
    d.with_session();
    CHECK(d.acquire(lock_a, Duration::max()) == RequestSeq(1));
    CHECK(d.acquire(lock_b, Duration::max()) == RequestSeq(2));
    d.close();
    d.open();
    d.opened(d.sent<wire::Open>().at(0), SessionId(200));
    CHECK(d.acquire(lock_a, Duration::max()) == RequestSeq(1));
    CHECK(d.sent<wire::Acquire>().at(0).session == SessionId(200));
}

TEST_CASE("client: a hint is followed at once, and by all that is open") {
    ClientDriver d;
    d.with_session();
    const NodeId asked = d.target();
    const NodeId leader(asked.value % 3 + 1);
    const RequestSeq first = d.acquire(lock_a, Duration::max());
    const RequestSeq second = d.acquire(lock_b, Duration::max());
    d.receive(asked, not_leader(leader));
    REQUIRE(d.sent<wire::Acquire>().size() == 2);
    CHECK(d.sent<wire::Acquire>()[0].seq == first);
    CHECK(d.sent<wire::Acquire>()[1].seq == second);
    CHECK(d.target() == leader);
    d.receive(asked, not_leader(leader));  // the second request's answer
    CHECK(d.effects.send.empty());
}

TEST_CASE(
    "client: without a hint, or with one of no use, it turns to the next server after a while") {
    ClientDriver d;
    d.with_session();
    const NodeId asked = d.target();
    const NodeId hint = GENERATE_COPY(NodeId(), asked, NodeId(9));
    d.acquire(lock_a, Duration::max());
    d.receive(asked, not_leader(hint));
    CHECK(d.effects.send.empty());
    CHECK(d.client.wake_at() == LocalTime{} + milliseconds(100));
    d.sleep();
    CHECK(d.sent<wire::Acquire>().size() == 1);
    CHECK(d.target() != asked);
}

TEST_CASE(
    "client: two servers that each take the other for the leader do not keep it from the third") {
    ClientDriver d;
    d.with_session();
    const NodeId first = d.target();
    const NodeId second(first.value % 3 + 1), third(second.value % 3 + 1);
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    int asked = 0;
    for (; d.target() != third && asked < 100; ++asked) {
        const NodeId other = d.target() == first ? second : first;
        d.receive(d.target(), not_leader(other));
        if (d.effects.send.empty()) d.sleep();
    }
    CHECK(asked < 20);
    CHECK(d.now < LocalTime{} + seconds(2));
    // Hints count again later: it is not deaf from then on.
    d.receive(third, not_leader(first));
    CHECK(d.target() == first);
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, token);
    CHECK(d.client.holds(lock_a, token));
}

TEST_CASE("client: a server that answers one thing is not left for being slow with another") {
    ClientDriver d;
    d.with_session();
    const NodeId leader = d.target();
    const RequestSeq slow = d.acquire(lock_a, Duration::max());
    d.at(milliseconds(300));
    const RequestSeq quick = d.acquire(lock_b, Duration::max());
    d.answer(Operation::Acquire, AnswerStatus::Granted, quick, lock_b, token);
    d.sleep();
    CHECK(d.sent<wire::Acquire>().at(0).seq == slow);
    CHECK(d.target() == leader);
}

}  // namespace lockstep::test::clients
