#include "core/lock/table.hpp"

#include "tests/core/lock/table_driver.hpp"
#include "tests/support/catch.hpp"

namespace lockstep {
namespace {

using events::CancelEffect;
using events::EndReason;
using events::RefusalReason;
using test::all;
using test::AnswerStatus;
using test::TableDriver;

}  // namespace

TEST_CASE("lock: a session is known by the index that opened it") {
    TableDriver d;
    d.table.skip(LogIndex(1));
    const lock::Outcome& out = d.open(7, 41, seconds(5));
    CHECK(out.answer.status == AnswerStatus::Ok);
    CHECK(out.answer.session == SessionId(2));
    CHECK(out.opened == SessionId(2));
    CHECK(out.ttl == seconds(5));
    const auto opened = all<events::SessionOpened>(out.events);
    REQUIRE(opened.size() == 1);
    CHECK(opened[0].client == NodeId(7));
    CHECK(opened[0].nonce == Nonce(41));
}

TEST_CASE("lock: opening is idempotent by the client's nonce") {
    TableDriver d;
    const SessionId first = d.open(7, 41, seconds(5)).answer.session;
    const lock::Outcome& again = d.open(7, 41, seconds(9));
    CHECK(again.answer.session == first);
    CHECK(again.ttl == seconds(5));
    CHECK(again.events.empty());
    CHECK_FALSE(again.opened);
    CHECK(d.open(8, 41).answer.session != first);
    CHECK(d.open(7, 42).answer.session != first);
}

TEST_CASE("lock: a repeated opening of a session that ended is answered session_over") {
    TableDriver d;
    const bool expires = GENERATE(false, true);
    const SessionId s = d.session(7);
    if (expires)
        d.expire(s);
    else
        d.close(s, 1);
    const lock::Outcome& again = d.open(7, 7);
    CHECK(again.answer.status == AnswerStatus::SessionOver);
    CHECK_FALSE(again.answer.session);
    CHECK(again.events.empty());
    CHECK(d.table.session_count() == 0);
}

TEST_CASE("lock: the nonces of ended sessions are remembered up to a bound") {
    TableDriver d;
    const auto kept = lock::Table::ended_nonces_kept;
    for (std::uint64_t nonce = 1; nonce <= kept; ++nonce)
        d.close(d.open(7, nonce).answer.session, 1);
    CHECK(d.open(7, 1).answer.status == AnswerStatus::SessionOver);
    d.close(d.open(7, kept + 1).answer.session, 1);
    CHECK(d.open(7, 2).answer.status == AnswerStatus::SessionOver);
    CHECK(d.open(7, 1).answer.status == AnswerStatus::Ok);
}

TEST_CASE("lock: a free lock is granted, with the entry's index as token") {
    TableDriver d;
    const SessionId s = d.session(1);
    const lock::Outcome& out = d.acquire(s, 1, 5);
    CHECK(out.answer.status == AnswerStatus::Granted);
    CHECK(out.answer.token == d.here());
    CHECK(out.answer.lock == LockId(5));
    CHECK(out.notices.empty());
    REQUIRE(all<events::Granted>(out.events).size() == 1);
    CHECK(d.table.holder(LockId(5)) == s);
}

TEST_CASE("lock: a held lock queues, in the order of the log") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2), c = d.session(3);
    d.acquire(a, 1, 5);
    CHECK(d.acquire(c, 1, 5).answer.status == AnswerStatus::Queued);
    const lock::Outcome& queued = d.acquire(b, 1, 5);
    const auto events = all<events::Queued>(queued.events);
    REQUIRE(events.size() == 1);
    CHECK(events[0].position == 1);

    const FencingToken token = d.grants(a)[0].token;
    const lock::Outcome& out = d.release(a, 2, 5, token);
    CHECK(out.answer.status == AnswerStatus::Ok);
    REQUIRE(out.notices.size() == 1);
    CHECK(out.notices[0].session == c);
    CHECK(out.notices[0].grant == wire::HeldGrant{LockId(5), RequestSeq(1), d.here()});
    CHECK(d.table.holder(LockId(5)) == c);
    // The end of one grant is reported before the next.
    REQUIRE(out.events.size() == 2);
    CHECK(std::holds_alternative<events::Released>(out.events[0]));
    CHECK(std::holds_alternative<events::Granted>(out.events[1]));

    d.close(c, 9);
    CHECK(d.table.holder(LockId(5)) == b);
    CHECK(d.grants(b)[0].token == d.here());
}

TEST_CASE("lock: an acquire that only tries is refused instead of queued") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    const lock::Outcome& out = d.acquire(b, 1, 5, true);
    CHECK(out.answer.status == AnswerStatus::Held);
    CHECK_FALSE(out.answer.token);
    REQUIRE(all<events::Refused>(out.events).size() == 1);
    CHECK(all<events::Refused>(out.events)[0].reason == RefusalReason::Held);
    CHECK(d.table.waiters(LockId(5)) == 0);
    CHECK(d.acquire(b, 2, 6, true).answer.status == AnswerStatus::Granted);
}

TEST_CASE("lock: a holder that asks again under a new seq is told what it holds") {
    TableDriver d;
    const SessionId a = d.session(1);
    d.acquire(a, 1, 5);
    const FencingToken token = d.here();
    const lock::Outcome& out = d.acquire(a, 2, 5);
    CHECK(out.answer.status == AnswerStatus::AlreadyHeld);
    CHECK(out.answer.token == token);
    CHECK(out.answer.other_seq == RequestSeq(1));
    CHECK(all<events::Refused>(out.events)[0].reason == RefusalReason::AlreadyHeld);
}

TEST_CASE("lock: a waiter that asks again under a new seq is told under which it waits") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5);
    const bool try_only = GENERATE(false, true);
    const lock::Outcome& out = d.acquire(b, 2, 5, try_only);
    CHECK(out.answer.status == AnswerStatus::AlreadyWaiting);
    CHECK(out.answer.other_seq == RequestSeq(1));
    CHECK_FALSE(out.answer.token);
    CHECK(d.table.waiters(LockId(5)) == 1);
}

TEST_CASE("lock: a repeated request changes nothing, reports nothing, and gets the same answer") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    const FencingToken token = d.here();
    CHECK(d.acquire(a, 1, 5).answer.token == token);
    CHECK(d.out.events.empty());
    CHECK(d.out.answer.status == AnswerStatus::Granted);

    // That of a wait is the answer as it is by then.
    d.acquire(b, 1, 5);
    CHECK(d.acquire(b, 1, 5).answer.status == AnswerStatus::Queued);
    CHECK(d.table.waiters(LockId(5)) == 1);
    d.release(a, 2, 5, token);
    const FencingToken next = d.here();
    CHECK(d.acquire(b, 1, 5).answer.status == AnswerStatus::Granted);
    CHECK(d.out.answer.token == next);

    // A release too, even after the lock has gone on, and an acquire even after its release.
    CHECK(d.release(a, 2, 5, token).answer.status == AnswerStatus::Ok);
    CHECK(d.acquire(a, 1, 5).answer.status == AnswerStatus::Granted);
    CHECK(d.out.answer.token == token);
    CHECK(d.out.events.empty());
    CHECK(d.table.holder(LockId(5)) == b);
}

TEST_CASE("lock: a refusal is kept, whatever became of the lock") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5, true);
    d.release(a, 2, 5, d.grants(a)[0].token);
    CHECK(d.acquire(b, 1, 5, true).answer.status == AnswerStatus::Held);
    CHECK_FALSE(d.table.holder(LockId(5)));
}

TEST_CASE("lock: below the mark a request is stale") {
    TableDriver d;
    const SessionId a = d.session(1);
    d.acquire(a, 1, 5);
    d.release(a, 2, 5, d.grants(a)[0].token);
    d.acquire(a, 3, 6, false, 3);
    const std::uint64_t before = d.table.session_count();
    CHECK(d.acquire(a, 1, 5).answer.status == AnswerStatus::Stale);
    CHECK(d.cancel(a, 2, 5).answer.status == AnswerStatus::Stale);
    CHECK(d.release(a, 2, 6, d.grants(a)[0].token).answer.status == AnswerStatus::Stale);
    CHECK(d.out.events.empty());
    CHECK(d.table.session_count() == before);
    CHECK(d.table.holder(LockId(6)) == a);
    // The highest mark counts: a delayed request does not lower it.
    CHECK(d.acquire(a, 3, 6, false, 1).answer.status == AnswerStatus::Granted);
    CHECK(d.acquire(a, 1, 5).answer.status == AnswerStatus::Stale);
}

TEST_CASE("lock: a cancel takes a waiter out of the queue") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5);
    const lock::Outcome& out = d.cancel(b, 1, 5);
    CHECK(out.answer.status == AnswerStatus::Cancelled);
    CHECK(all<events::Cancelled>(out.events)[0].effect == CancelEffect::LeftQueue);
    CHECK(d.table.waiters(LockId(5)) == 0);
    CHECK(d.acquire(b, 1, 5).answer.status == AnswerStatus::Cancelled);
    CHECK(d.table.waiters(LockId(5)) == 0);
    CHECK(d.cancel(b, 1, 5).answer.status == AnswerStatus::Cancelled);
    CHECK(d.out.events.empty());
}

TEST_CASE("lock: a cancel releases the grant that crossed it") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5);
    const lock::Outcome& out = d.cancel(a, 1, 5);
    CHECK(out.answer.status == AnswerStatus::Cancelled);
    CHECK_FALSE(out.answer.token);
    CHECK(all<events::Cancelled>(out.events)[0].effect == CancelEffect::ReleasedGrant);
    REQUIRE(out.notices.size() == 1);
    CHECK(out.notices[0].session == b);
    CHECK(d.acquire(a, 1, 5).answer.status == AnswerStatus::Cancelled);
}

TEST_CASE("lock: a cancel that overtook its acquire leaves a tombstone") {
    TableDriver d;
    const SessionId a = d.session(1);
    const lock::Outcome& out = d.cancel(a, 1, 5);
    CHECK(out.answer.status == AnswerStatus::Cancelled);
    CHECK(all<events::Cancelled>(out.events)[0].effect == CancelEffect::Tombstone);
    CHECK(d.acquire(a, 1, 5).answer.status == AnswerStatus::Cancelled);
    CHECK(d.out.events.empty());
    CHECK_FALSE(d.table.holder(LockId(5)));
    CHECK(d.acquire(a, 2, 5).answer.status == AnswerStatus::Granted);
}

TEST_CASE("lock: an acquire that was refused keeps its answer through a cancel") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5, true);
    const lock::Outcome& out = d.cancel(b, 1, 5);
    CHECK(out.answer.status == AnswerStatus::Held);
    CHECK(all<events::Cancelled>(out.events)[0].effect == CancelEffect::HadFinalAnswer);
    CHECK(d.acquire(b, 1, 5, true).answer.status == AnswerStatus::Held);
    CHECK(d.cancel(b, 1, 5).events.empty());
}

TEST_CASE("lock: a cancel of a grant that was released frees no later grant") {
    TableDriver d;
    const SessionId a = d.session(1);
    d.acquire(a, 1, 5);
    d.release(a, 2, 5, d.grants(a)[0].token);
    d.acquire(a, 3, 5);
    CHECK(d.cancel(a, 1, 5).answer.status == AnswerStatus::Cancelled);
    CHECK(d.table.holder(LockId(5)) == a);
    CHECK(d.acquire(a, 1, 5).answer.status == AnswerStatus::Cancelled);
}

TEST_CASE("lock: a cancel under the seq of a release touches nothing") {
    TableDriver d;
    const SessionId a = d.session(1);
    d.acquire(a, 1, 5);
    d.release(a, 2, 5, FencingToken(99));
    CHECK(d.cancel(a, 2, 5).answer.status == AnswerStatus::NotHeld);
    CHECK(d.out.events.empty());
    CHECK(d.table.holder(LockId(5)) == a);
}

TEST_CASE("lock: a release touches only the grant that it names") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    const FencingToken first = d.here();
    CHECK(d.release(a, 2, 5, FencingToken(first.value + 1)).answer.status == AnswerStatus::NotHeld);
    CHECK(d.release(b, 1, 5, first).answer.status == AnswerStatus::NotHeld);
    CHECK(d.release(a, 3, 6, first).answer.status == AnswerStatus::NotHeld);
    CHECK(d.table.holder(LockId(5)) == a);
    d.release(a, 4, 5, first);
    d.acquire(a, 5, 5);
    // Under another seq, a late repeat meets the grant that came after.
    CHECK(d.release(a, 6, 5, first).answer.status == AnswerStatus::NotHeld);
    CHECK(d.out.events.empty());
    CHECK(d.table.holder(LockId(5)) == a);
}

TEST_CASE("lock: at a session's end its waits leave all queues, then its locks are freed") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2), c = d.session(3);
    d.acquire(a, 1, 5);
    d.acquire(a, 2, 6);
    d.acquire(b, 1, 7);
    d.acquire(a, 3, 7);
    d.acquire(c, 1, 7);
    d.acquire(b, 2, 5);
    d.acquire(c, 2, 6);
    d.acquire(c, 3, 5);
    const lock::Outcome& out = d.close(a, 4);
    CHECK(out.answer.status == AnswerStatus::Ok);
    CHECK(out.ended == a);
    REQUIRE(out.events.size() == 3);
    const auto* ended = std::get_if<events::SessionEnded>(&out.events[0]);
    REQUIRE(ended != nullptr);
    CHECK(ended->reason == EndReason::Closed);
    CHECK_FALSE(ended->term);
    // Several locks by one entry, each of them once.
    REQUIRE(out.notices.size() == 2);
    CHECK(out.notices[0].session == b);
    CHECK(out.notices[0].grant == wire::HeldGrant{LockId(5), RequestSeq(2), d.here()});
    CHECK(out.notices[1].session == c);
    CHECK(out.notices[1].grant == wire::HeldGrant{LockId(6), RequestSeq(2), d.here()});
    CHECK(d.table.waiters(LockId(7)) == 1);
    d.release(b, 3, 7, d.grants(b)[1].token);
    CHECK(d.table.holder(LockId(7)) == c);
}

TEST_CASE("lock: what is asked of a session that is over is answered session_over") {
    TableDriver d;
    const SessionId a = d.session(1);
    d.close(a, 1);
    for (const auto& out : {d.acquire(a, 2, 5), d.cancel(a, 2, 5),
                            d.release(a, 2, 5, FencingToken(1)), d.close(a, 1)}) {
        CHECK(out.answer.status == AnswerStatus::SessionOver);
        CHECK(out.answer.session == a);
        CHECK(out.events.empty());
    }
}

TEST_CASE("lock: an expiry is void unless it carries its entry's term") {
    TableDriver d;
    const SessionId a = d.session(1);
    d.acquire(a, 1, 5);
    CHECK(d.expire(a, d.term.prev()).events.empty());
    CHECK(d.expire(a, d.term.next()).events.empty());
    CHECK(d.table.holder(LockId(5)) == a);
    const lock::Outcome& out = d.expire(a, d.term);
    CHECK(out.ended == a);
    const auto ended = all<events::SessionEnded>(out.events);
    REQUIRE(ended.size() == 1);
    CHECK(ended[0].reason == EndReason::Expired);
    CHECK(ended[0].term == d.term);
    CHECK_FALSE(d.table.holder(LockId(5)));
    CHECK(d.expire(a, d.term).events.empty());
    CHECK_FALSE(d.out.ended);
}

TEST_CASE("lock: a session's grants are listed by lock") {
    TableDriver d;
    const SessionId a = d.session(1);
    d.acquire(a, 1, 9);
    const FencingToken nine = d.here();
    d.acquire(a, 2, 4);
    const FencingToken four = d.here();
    CHECK(d.grants(a) == std::vector<wire::HeldGrant>{{LockId(4), RequestSeq(2), four},
                                                      {LockId(9), RequestSeq(1), nine}});
    CHECK(d.grants(SessionId(999)).empty());
}

TEST_CASE("lock: a seq of zero is stale, as the mark starts at one") {
    TableDriver d;
    CHECK(d.acquire(d.session(1), 0, 5, false, 0).answer.status == AnswerStatus::Stale);
}

TEST_CASE("lock: entries are applied one after the other") {
    TableDriver d;
    lock::Outcome out;
    CHECK_THROWS(d.table.skip(LogIndex(2)));
    CHECK_THROWS(d.table.apply(lock::Close{}, LogIndex(0), Term(1), out));
    d.table.skip(LogIndex(1));
    CHECK(d.table.applied() == LogIndex(1));
}

}  // namespace lockstep
