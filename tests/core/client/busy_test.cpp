#include "tests/core/client/client_driver.hpp"
#include "tests/support/catch.hpp"

/// Back-pressure, limits of the client's own, and replies that are for somebody else.
namespace lockstep::test::clients {
namespace {

wire::Busy busy_for(Operation operation, RequestSeq seq, Duration retry_after) {
    return {operation, SessionId(100), seq, Nonce(), retry_after};
}

}  // namespace

TEST_CASE("client: a request that found the server busy is sent again when it said, to it") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    const NodeId asked = d.target();
    const Duration wait =
        GENERATE(milliseconds(100), seconds(2));  // shorter and longer than a retry
    d.receive(asked, busy_for(Operation::Acquire, seq, wait));
    CHECK(d.effects.send.empty());
    CHECK(d.client.wake_at() >= LocalTime{} + wait);
    CHECK(d.client.wake_at() <= LocalTime{} + wait * 5 / 4);
    d.sleep();
    REQUIRE(d.sent<wire::Acquire>().size() == 1);
    CHECK(d.sent<wire::Acquire>()[0].seq == seq);
    CHECK(d.target() == asked);
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, FencingToken(7));
    CHECK(d.client.holds(lock_a, FencingToken(7)));
}

TEST_CASE("client: waits and deadlines go on while the server is busy") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, seconds(1));
    d.receive(d.target(), busy_for(Operation::Acquire, seq, seconds(5)));
    d.sleep();
    CHECK(d.now == LocalTime{} + seconds(1));
    REQUIRE(d.told<client::AcquireDone>().size() == 1);
    CHECK(d.told<client::AcquireDone>()[0].outcome == AcquireOutcome::TimedOut);
    CHECK(d.sent<wire::Cancel>().size() == 1);
    // A Busy for the acquire does not hold up its cancel; one for the cancel does.
    d.receive(d.target(), busy_for(Operation::Acquire, seq, seconds(5)));
    CHECK(d.client.wake_at() <= d.now + milliseconds(500));
    d.receive(d.target(), busy_for(Operation::Cancel, seq, seconds(1)));
    CHECK(d.client.wake_at() >= d.now + seconds(1));

    while (d.client.session()) {
        d.sleep();
        for (const auto& renewal : d.sent<wire::KeepAlive>()) {
            CHECK(renewal.session == SessionId(100));
            d.receive(d.target(), busy_for(Operation::KeepAlive, {}, seconds(2)));
        }
    }
    CHECK(d.now == LocalTime{} + lease);
}

TEST_CASE("client: an opening, a renewal and a close obey, too") {
    ClientDriver d;
    d.open();
    const wire::Open open = d.sent<wire::Open>().at(0);
    const auto refuse = [&](Nonce nonce) {
        d.receive(d.target(), wire::Busy{Operation::Open, {}, {}, nonce, seconds(3)});
    };
    refuse(Nonce(open.nonce.value + 1));  // of another client
    CHECK(d.client.wake_at() <= LocalTime{} + milliseconds(500));
    refuse(open.nonce);
    CHECK(d.client.wake_at() >= LocalTime{} + seconds(3));
    d.sleep();
    CHECK(d.sent<wire::Open>().at(0).nonce == open.nonce);
    d.opened(d.sent<wire::Open>().at(0));

    d.sleep();
    REQUIRE(d.sent<wire::KeepAlive>().size() == 1);
    d.receive(d.target(), busy_for(Operation::KeepAlive, {}, seconds(1)));
    CHECK(d.client.wake_at() >= d.now + seconds(1));
    d.close();
    d.receive(d.target(), busy_for(Operation::Close, RequestSeq(1), seconds(2)));
    CHECK(d.client.wake_at() >= d.now + seconds(2));
    d.sleep();
    CHECK(d.sent<wire::Close>().size() == 1);
}

TEST_CASE("client: a server that is busy for no time at all is not asked without a pause") {
    ClientDriver d;
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    for (const Duration wait : {Duration{0}, seconds(-3)}) {
        d.receive(d.target(), busy_for(Operation::Acquire, seq, wait));
        CHECK(d.effects.send.empty());
        CHECK(d.client.wake_at() >= d.now + milliseconds(50));
    }
    d.receive(d.target(), busy_for(Operation::Acquire, seq, Duration::max()));
    CHECK(d.client.wake_at() <= d.now + seconds(3));  // for the renewal
    d.receive(NodeId(d.target().value % 3 + 1), busy_for(Operation::Acquire, seq, Duration{0}));
    CHECK(d.client.wake_at() > d.now + seconds(1));  // nobody asked that one
}

TEST_CASE("client: it opens no more requests than the service keeps answers for") {
    client::Config config = ClientDriver::config();
    config.requests_max = 3;
    ClientDriver d(config);
    d.with_session();
    const RequestSeq waits = d.acquire(lock_a, Duration::max());
    d.answer(Operation::Acquire, AnswerStatus::Queued, waits, lock_a);
    d.with_grant(lock_b, FencingToken(7));
    const RequestSeq release = d.release(lock_b, FencingToken(7));
    d.answer(Operation::Release, AnswerStatus::Ok, release, lock_b);
    // Three seqs since the one that still waits.
    const RequestSeq refused = d.acquire(lock_b, Duration::max());
    CHECK(d.sent<wire::Acquire>().empty());
    CHECK(d.story() == Story{"acquire-called", "acquire-returned"});
    REQUIRE(d.told<client::AcquireDone>().size() == 1);
    CHECK(d.told<client::AcquireDone>()[0].outcome == AcquireOutcome::LimitReached);
    CHECK(d.told<client::AcquireDone>()[0].seq == refused);

    d.answer(Operation::Acquire, AnswerStatus::Granted, waits, lock_a, FencingToken(9));
    d.acquire(lock_b, Duration::max());
    REQUIRE(d.sent<wire::Acquire>().size() == 1);
    CHECK(d.sent<wire::Acquire>()[0].mark == d.sent<wire::Acquire>()[0].seq);
}

TEST_CASE("client: it knows which replies are for it") {
    ClientDriver d;
    const auto mine = [&](NodeId from, auto reply) {
        return d.client.concerns(from, wire::Reply(reply));
    };
    const auto opened = [](Nonce nonce) {
        return wire::OpenReply{nonce, SendingNo(1), AnswerStatus::Ok, SessionId(100), seconds(10)};
    };
    d.open();
    const Nonce nonce = d.sent<wire::Open>().at(0).nonce;
    const NodeId other(d.target().value % 3 + 1);
    const wire::NotLeader no_open{NodeId(2), Operation::Open, {}, {}};
    CHECK(mine(d.target(), opened(nonce)));
    CHECK_FALSE(mine(d.target(), opened(nonce.next())));
    CHECK(mine(d.target(), wire::Busy{Operation::Open, {}, {}, nonce, seconds(1)}));
    CHECK_FALSE(mine(d.target(), wire::Busy{Operation::Open, {}, {}, nonce.next(), seconds(1)}));
    // Names nobody: it is for whoever is opening there.
    CHECK(mine(d.target(), no_open));
    CHECK_FALSE(mine(other, no_open));
    CHECK_FALSE(mine(d.target(), wire::KeepAliveReply{{}, SendingNo(1), AnswerStatus::Ok, {}}));

    d.opened(d.sent<wire::Open>().at(0));
    const auto of = [](SessionId session) {
        return wire::RequestReply{
            Operation::Acquire, AnswerStatus::Queued, session, {}, {}, {}, {}};
    };
    CHECK_FALSE(mine(d.target(), no_open));
    CHECK_FALSE(mine(d.target(), opened(nonce)));
    CHECK(mine(other, of(SessionId(100))));
    CHECK_FALSE(mine(other, of(SessionId(101))));
    CHECK(mine(other, wire::NotLeader{{}, Operation::Acquire, SessionId(100), RequestSeq(1)}));
    CHECK_FALSE(mine(other, wire::NotLeader{{}, Operation::Acquire, SessionId(1), RequestSeq(1)}));
    CHECK(mine(other, wire::Busy{Operation::KeepAlive, SessionId(100), {}, {}, seconds(1)}));
    CHECK_FALSE(mine(other, wire::Busy{Operation::KeepAlive, SessionId(9), {}, {}, seconds(1)}));
    d.close();  // until that is answered, the session is still its own
    CHECK(mine(other, of(SessionId(100))));
    d.receive(d.target(),
              wire::RequestReply{
                  Operation::Close, AnswerStatus::Ok, SessionId(100), RequestSeq(1), {}, {}, {}});
    CHECK_FALSE(mine(other, of(SessionId(100))));
}

}  // namespace lockstep::test::clients
