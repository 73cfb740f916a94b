#include "tests/core/lock/table_driver.hpp"
#include "tests/support/catch.hpp"

/// What the leader's timers end: holds and delays. And what it writes of its timers.
namespace lockstep {
namespace {

using events::RefusalReason;
using test::all;
using test::AnswerStatus;
using test::TableDriver;

std::optional<Duration> checkpoint_of(const TableDriver& d, SessionId session) {
    std::optional<Duration> found;
    d.table.for_each_session([&](SessionId id, Duration, const auto& checkpoint) {
        if (id == session) found = checkpoint;
    });
    return found;
}

}  // namespace

TEST_CASE("lock: the end of a hold frees the lock for its next waiter, at that index") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    const FencingToken token = d.acquire(a, 1, 5).answer.token;
    d.acquire(b, 4, 5);
    const lock::Outcome& out = d.end_hold(5, token);
    const auto over = all<events::HoldEnded>(out.events);
    REQUIRE(over.size() == 1);
    CHECK(over[0].session == a);
    CHECK(over[0].seq == RequestSeq(1));
    CHECK(over[0].token == token);
    CHECK(over[0].index == d.table.applied());
    CHECK(over[0].term == d.term);
    CHECK(d.table.holder(LockId(5)) == b);
    REQUIRE(out.notices.size() == 1);
    CHECK(out.notices[0].session == b);
    CHECK(out.notices[0].grant.token == d.here());
    CHECK(out.ended_holds == std::vector<lock::Hold>{{LockId(5), token}});
    CHECK(out.granted == std::vector<lock::Hold>{{LockId(5), d.here()}});
    CHECK_FALSE(out.ended);
    // The session lives on, without the lock, and may ask anew.
    CHECK(d.table.live(a));
    CHECK(d.grants(a).empty());
    CHECK(d.release(a, 2, 5, token).answer.status == AnswerStatus::NotHeld);
    CHECK(d.acquire(a, 3, 5).answer.status == AnswerStatus::Queued);
}

TEST_CASE("lock: the end of a hold that nobody waits for leaves the lock free") {
    TableDriver d;
    const SessionId a = d.session(1);
    const FencingToken token = d.acquire(a, 1, 5).answer.token;
    d.end_hold(5, token);
    CHECK_FALSE(d.table.holder(LockId(5)));
    const lock::Outcome& again = d.acquire(a, 2, 5, true);
    CHECK(again.answer.status == AnswerStatus::Granted);
    CHECK(again.answer.token == d.here());
}

TEST_CASE("lock: the end of a hold is void for another grant and in another term") {
    TableDriver d;
    const SessionId a = d.session(1);
    const FencingToken first = d.acquire(a, 1, 5).answer.token;
    d.release(a, 2, 5, first);
    const FencingToken second = d.acquire(a, 3, 5).answer.token;
    CHECK(d.end_hold(5, first).events.empty());
    CHECK(d.apply(lock::EndHold{LockId(5), second, d.term.prev()}).events.empty());
    CHECK(d.end_hold(6, second).events.empty());
    CHECK(d.table.holder(LockId(5)) == a);
}

TEST_CASE("lock: after an expiry a delay keeps the lock from its next waiter") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2), c = d.session(3);
    const FencingToken token = d.acquire(a, 1, 5).answer.token;
    d.acquire(b, 1, 5);
    const lock::Outcome& expired = d.expire(a, seconds(2));
    const auto started = all<events::DelayStarted>(expired.events);
    REQUIRE(started.size() == 1);
    CHECK(started[0].session == a);
    CHECK(started[0].token == token);
    CHECK(started[0].index == d.table.applied());
    CHECK(expired.notices.empty());
    REQUIRE(expired.delayed.size() == 1);
    CHECK(expired.delayed[0].after == lock::Hold{LockId(5), token});
    CHECK(expired.delayed[0].span == seconds(2));
    CHECK(expired.ended_holds == std::vector<lock::Hold>{{LockId(5), token}});
    CHECK(d.table.delayed(LockId(5)));
    CHECK_FALSE(d.table.holder(LockId(5)));

    // Meanwhile acquires queue, or are refused if they only try; waits may end.
    const lock::Outcome& tried = d.acquire(c, 1, 5, true);
    CHECK(tried.answer.status == AnswerStatus::Held);
    CHECK(all<events::Refused>(tried.events)[0].reason == RefusalReason::Held);
    CHECK(d.acquire(c, 2, 5).answer.status == AnswerStatus::Queued);
    CHECK(d.cancel(b, 1, 5).answer.status == AnswerStatus::Cancelled);

    CHECK(d.end_delay(5, d.here()).events.empty());
    CHECK(d.apply(lock::EndDelay{LockId(5), token, d.term.next()}).events.empty());
    const lock::Outcome& out = d.end_delay(5, token);
    REQUIRE(out.events.size() == 2);
    CHECK(std::get<events::DelayEnded>(out.events[0]).lock == LockId(5));
    CHECK(std::get<events::DelayEnded>(out.events[0]).index == d.table.applied());
    CHECK(std::get<events::Granted>(out.events[1]).session == c);
    CHECK(std::get<events::Granted>(out.events[1]).token == d.here());
    CHECK(out.notices.size() == 1);
    CHECK(out.ended_delays == std::vector<lock::Hold>{{LockId(5), token}});
    CHECK_FALSE(d.table.delayed(LockId(5)));
    CHECK(d.end_delay(5, token).events.empty());
}

TEST_CASE("lock: a delay that nobody waits for leaves the lock free when it ends") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    const FencingToken token = d.acquire(a, 1, 5).answer.token;
    d.expire(a, seconds(2));
    CHECK(d.end_delay(5, token).events.size() == 1);
    CHECK(d.acquire(b, 1, 5, true).answer.status == AnswerStatus::Granted);
}

TEST_CASE("lock: only an expiry delays, and every lock that the session held") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    d.acquire(a, 2, 6);
    d.acquire(b, 1, 5);
    SECTION("a release") {
        d.release(a, 3, 5, d.grants(a)[0].token);
        CHECK(d.table.holder(LockId(5)) == b);
    }
    SECTION("a close") {
        CHECK(all<events::DelayStarted>(d.close(a, 3).events).empty());
        CHECK(d.table.holder(LockId(5)) == b);
    }
    SECTION("the end of a hold") {
        d.end_hold(5, d.grants(a)[0].token);
        CHECK(d.table.holder(LockId(5)) == b);
    }
    SECTION("an expiry") {
        CHECK(all<events::DelayStarted>(d.expire(a, seconds(1)).events).size() == 2);
        CHECK(d.table.delayed(LockId(5)));
        CHECK(d.table.delayed(LockId(6)));
    }
}

TEST_CASE("lock: a checkpoint says what remains, until it is replaced or cleared") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    const auto written =
        all<events::LeasesCheckpointed>(d.checkpoint({{a, seconds(3)}, {SessionId(9), {}}}).events);
    REQUIRE(written.size() == 1);
    CHECK(written[0].index == d.table.applied());
    CHECK(written[0].term == d.term);
    CHECK(written[0].sessions == 1);
    CHECK(checkpoint_of(d, a) == seconds(3));
    CHECK_FALSE(checkpoint_of(d, b).has_value());

    d.checkpoint({{b, seconds(7)}});  // says nothing of the other
    CHECK(checkpoint_of(d, a) == seconds(3));
    d.checkpoint({{a, Duration{0}}});
    CHECK(checkpoint_of(d, a) == Duration{0});

    const lock::Outcome& cleared = d.apply(lock::ClearCheckpoint{a});
    CHECK(cleared.cleared == a);
    REQUIRE(all<events::CheckpointCleared>(cleared.events).size() == 1);
    CHECK(all<events::CheckpointCleared>(cleared.events)[0].session == a);
    CHECK(all<events::CheckpointCleared>(cleared.events)[0].index == d.table.applied());
    CHECK_FALSE(checkpoint_of(d, a).has_value());
    CHECK(checkpoint_of(d, b) == seconds(7));
    // Again: it changes nothing, and still says that nothing covers the session.
    CHECK(d.apply(lock::ClearCheckpoint{a}).events.empty());
    CHECK(d.out.cleared == a);
    CHECK(d.apply(lock::Checkpoint{d.term.next(), {{a, seconds(1)}}}).events.empty());
    CHECK_FALSE(checkpoint_of(d, a).has_value());
    CHECK_FALSE(d.apply(lock::ClearCheckpoint{SessionId(9)}).cleared);
}

}  // namespace lockstep
