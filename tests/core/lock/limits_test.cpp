#include "tests/core/lock/table_driver.hpp"
#include "tests/support/catch.hpp"

/// Reaching a limit is an answer, the same on every replica.
namespace lockstep {
namespace {

using events::Limit;
using events::RefusalReason;
using test::all;
using test::AnswerStatus;
using test::TableDriver;

lock::Limits small() {
    lock::Limits limits;
    limits.sessions = 3;
    limits.locks_per_session = 2;
    limits.requests_per_session = 3;
    limits.waiters = 1;
    return limits;
}

}  // namespace

TEST_CASE("lock: an opening beyond the limit is refused, and may be repeated") {
    TableDriver d(small());
    const SessionId a = d.session(1);
    d.session(2);
    d.session(3);
    const std::uint64_t sessions = d.table.session_count();
    const lock::Outcome& refused = d.open(4, 4);
    CHECK(refused.answer.status == AnswerStatus::LimitReached);
    CHECK(refused.limit == Limit::Sessions);
    CHECK_FALSE(refused.answer.session);
    CHECK(refused.events.empty());
    CHECK(d.table.session_count() == sessions);
    CHECK(d.open(1, 1).answer.session == a);  // a repeat of one that is open needs no room
    CHECK_FALSE(d.out.limit.has_value());
    d.close(a, 1);
    CHECK(d.open(4, 4).answer.status == AnswerStatus::Ok);
}

TEST_CASE("lock: what a session holds and waits for is limited") {
    TableDriver d(small());
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5);  // waits
    d.acquire(b, 2, 6);  // holds
    const lock::Outcome& refused = d.acquire(b, 3, 7);
    CHECK(refused.answer.status == AnswerStatus::LimitReached);
    CHECK(refused.limit == Limit::LocksPerSession);
    REQUIRE(all<events::Refused>(refused.events).size() == 1);
    CHECK(all<events::Refused>(refused.events)[0].reason == RefusalReason::LimitReached);
    // Refused for good, as one that was told that the lock is held.
    d.cancel(b, 1, 5);
    CHECK(d.acquire(b, 3, 7).answer.status == AnswerStatus::LimitReached);
    CHECK(d.out.events.empty());
    CHECK(d.acquire(b, 4, 7, false, 4).answer.status == AnswerStatus::Granted);
}

TEST_CASE("lock: the waiters of one lock are limited, its holders' doings are not") {
    TableDriver d(small());
    const SessionId a = d.session(1), b = d.session(2), c = d.session(3);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5);
    CHECK(d.acquire(c, 1, 5, true).answer.status == AnswerStatus::Held);
    const lock::Outcome& refused = d.acquire(c, 2, 5);
    CHECK(refused.answer.status == AnswerStatus::LimitReached);
    CHECK(refused.limit == Limit::Waiters);
    CHECK(d.table.waiters(LockId(5)) == 1);
    CHECK(d.acquire(b, 1, 5).answer.status == AnswerStatus::Queued);
    CHECK(d.release(a, 2, 5, d.grants(a)[0].token).answer.status == AnswerStatus::Ok);
    CHECK(d.acquire(c, 3, 5).answer.status == AnswerStatus::Queued);
}

TEST_CASE("lock: beyond the answers kept of a session a request is turned away untouched") {
    TableDriver d(small());
    const SessionId a = d.session(1);
    d.acquire(a, 1, 5);
    const FencingToken token = d.grants(a)[0].token;
    d.release(a, 2, 5, token);
    d.acquire(a, 3, 5);
    const auto turned_away = [&](const lock::Command& command) {
        lock::Table before = d.table;
        before.skip(before.applied().next());
        d.apply(command);
        return d.out.answer.status == AnswerStatus::LimitReached &&
               d.out.limit == Limit::RequestsPerSession && d.out.events.empty() &&
               d.table.state_hash() == before.state_hash();
    };
    const RequestSeq one(1), four(4);
    CHECK(turned_away(lock::Acquire{a, four, one, LockId(6), false}));
    CHECK(turned_away(lock::Cancel{a, four, one, LockId(6)}));
    CHECK(turned_away(lock::Release{a, four, one, LockId(5), d.grants(a)[0].token}));
    // What is kept is answered, and a mark makes room for the very same request.
    CHECK(d.acquire(a, 1, 5).answer.status == AnswerStatus::Granted);
    CHECK(d.cancel(a, 3, 5).answer.status == AnswerStatus::Cancelled);
    CHECK(d.acquire(a, 4, 6, false, 2).answer.status == AnswerStatus::Granted);
}

}  // namespace lockstep
