#include "tests/core/client/client_driver.hpp"
#include "tests/support/catch.hpp"

#include <utility>

/// How sessions begin and end.
namespace lockstep::test::clients {

TEST_CASE("client: an opening is repeated under its nonce, and counted from its first sending") {
    ClientDriver d;
    d.at(seconds(5));
    d.open();
    REQUIRE(d.sent<wire::Open>().size() == 1);
    const wire::Open first = d.sent<wire::Open>()[0];
    const NodeId asked = d.effects.send[0].to;
    CHECK(d.reported<events::OpenSent>().at(0).first);

    d.sleep();
    CHECK(d.now - LocalTime{} <= milliseconds(5'500));
    CHECK(d.now - LocalTime{} >= milliseconds(5'450));
    const wire::Open second = d.sent<wire::Open>().at(0);
    CHECK(second.nonce == first.nonce);
    CHECK(second.sending > first.sending);
    CHECK_FALSE(d.reported<events::OpenSent>().at(0).first);
    CHECK(d.effects.send[0].to != asked);  // who said nothing may be down

    d.opened(second);
    CHECK(d.story() == Story{"session-told"});
    CHECK(d.told<client::SessionReady>().at(0).session == SessionId(100));
    CHECK(d.client.deadline() == LocalTime{} + seconds(5) + lease);
    CHECK_FALSE(d.client.opening());
}

TEST_CASE("client: the answer to the first sending does as well as that to the last") {
    ClientDriver d;
    d.open();
    const wire::Open first = d.sent<wire::Open>().at(0);
    d.sleep();
    d.opened(first);
    CHECK(d.client.deadline() == LocalTime{} + lease);
    d.opened(first, SessionId(100));  // a copy of it
    CHECK(d.effects.notices.empty());
    CHECK(d.effects.events.empty());
}

TEST_CASE("client: the answer to another nonce is nothing") {
    ClientDriver d;
    d.open();
    wire::Open open = d.sent<wire::Open>().at(0);
    open.nonce = open.nonce.next();
    d.opened(open);
    CHECK(d.client.session() == SessionId());
    CHECK(d.client.opening());
}

TEST_CASE("client: an opening that would be over before it began starts anew, under a new nonce") {
    ClientDriver d;
    d.open();
    const wire::Open first = d.sent<wire::Open>().at(0);
    // Nothing was heard, nobody woke the client: a pause.
    d.at(lease);
    d.opened(first);
    CHECK(d.client.session() == SessionId());
    REQUIRE(d.sent<wire::Open>().size() == 1);
    CHECK(d.sent<wire::Open>()[0].nonce > first.nonce);
    CHECK(d.reported<events::OpenSent>().at(0).first);
    d.opened(d.sent<wire::Open>()[0], SessionId(101));
    CHECK(d.client.deadline() == LocalTime{} + lease + lease);
}

TEST_CASE(
    "client: a nonce that is answered session-over is spent, and the next one is in no haste") {
    ClientDriver d;
    d.open();
    const wire::Open first = d.sent<wire::Open>().at(0);
    const auto refuse = [&d](const wire::Open& open) {
        d.receive(d.target(), wire::OpenReply{open.nonce, open.sending, AnswerStatus::SessionOver,
                                              SessionId(), Duration()});
    };
    refuse(first);
    CHECK(d.sent<wire::Open>().empty());
    CHECK(d.client.opening());
    d.sleep();
    REQUIRE(d.sent<wire::Open>().size() == 1);
    CHECK(d.sent<wire::Open>()[0].nonce > first.nonce);
    CHECK(d.now > LocalTime{} + milliseconds(400));
}

TEST_CASE("client: nonces go up from the first one that was configured") {
    client::Config config = ClientDriver::config();
    config.first_nonce = (std::uint64_t{3} << 32) + 1;
    ClientDriver d(config);
    d.with_session();
    d.close();
    d.open();
    CHECK(d.sent<wire::Open>().at(0).nonce == Nonce((std::uint64_t{3} << 32) + 2));
}

TEST_CASE("client: a session whose TTL is shorter than the way to the client is closed at once") {
    ClientDriver d;
    d.open();
    const wire::Open open = d.sent<wire::Open>().at(0);
    d.at(milliseconds(100));
    d.receive(d.target(), wire::OpenReply{open.nonce, open.sending, AnswerStatus::Ok,
                                          SessionId(100), milliseconds(100)});
    CHECK(d.told<client::SessionReady>().empty());
    CHECK(d.reported<events::SessionTold>().empty());
    CHECK(d.sent<wire::Close>().at(0).session == SessionId(100));
    CHECK(d.client.opening());
}

TEST_CASE("client: a session given up is closed until answered, or a TTL long") {
    ClientDriver d;
    d.with_session();
    d.tick_at(lease);
    const RequestSeq seq = d.sent<wire::Close>().at(0).seq;

    SECTION("answered") {
        const auto status = GENERATE(AnswerStatus::Ok, AnswerStatus::SessionOver);
        d.receive(d.target(),
                  wire::RequestReply{Operation::Close, status, SessionId(100), seq, {}, {}, {}});
        CHECK(d.client.wake_at() == LocalTime::never());
    }
    SECTION("answered for another session, or another seq, or with what is no end") {
        d.receive(
            d.target(),
            wire::RequestReply{
                Operation::Close, AnswerStatus::LimitReached, SessionId(100), seq, {}, {}, {}});
        d.receive(
            d.target(),
            wire::RequestReply{Operation::Close, AnswerStatus::Ok, SessionId(99), seq, {}, {}, {}});
        d.receive(d.target(),
                  wire::RequestReply{
                      Operation::Close, AnswerStatus::Ok, SessionId(100), seq.next(), {}, {}, {}});
        CHECK(d.client.wake_at() < LocalTime::never());
    }
    SECTION("never answered") {
        std::vector<int> asked(4, 0);
        while (d.client.wake_at() < LocalTime::never()) {
            d.sleep();
            for (const auto& send : d.effects.send) ++asked[send.to.value];
        }
        CHECK(d.now == LocalTime{} + lease + seconds(10));
        for (std::size_t server = 1; server <= 3; ++server) CHECK(asked[server] >= 3);
    }
    SECTION("the next session opens meanwhile") {
        d.open();
        CHECK(d.sent<wire::Open>().size() == 1);
        d.opened(d.sent<wire::Open>().at(0), SessionId(200));
        CHECK(d.client.session() == SessionId(200));
        d.receive(
            d.target(),
            wire::RequestReply{
                Operation::Close, AnswerStatus::SessionOver, SessionId(100), seq, {}, {}, {}});
        CHECK(d.client.session() == SessionId(200));
    }
}

TEST_CASE("client: session-over, with whatever answer it comes, ends everything") {
    ClientDriver d;
    d.with_session();
    const FencingToken token(101);
    d.with_grant(lock_a, token);
    const RequestSeq waiting = d.acquire(lock_b, Duration::max());
    SECTION("an acquire's") {
        d.answer(Operation::Acquire, AnswerStatus::SessionOver, waiting);
    }
    SECTION("a renewal's") {
        d.sleep();
        while (d.sent<wire::KeepAlive>().empty()) d.sleep();
        const SendingNo sending = d.sent<wire::KeepAlive>().at(0).sending;
        d.receive(d.target(),
                  wire::KeepAliveReply{SessionId(100), sending, AnswerStatus::SessionOver, {}});
    }
    CHECK(d.story() == Story{"session-over-told", "loss-told", "acquire-returned"});
    CHECK(d.told<client::Lost>().at(0).reason == LossReason::SessionOver);
    CHECK(d.told<client::AcquireDone>().at(0).outcome == AcquireOutcome::SessionOver);
    CHECK(d.told<client::SessionLost>().at(0).reason == LossReason::SessionOver);
    CHECK(d.sent<wire::Close>().empty());
    CHECK(d.client.wake_at() == LocalTime::never());
    CHECK_FALSE(d.may_act(lock_a, token));
}

TEST_CASE("client: session-over of another session is nothing to this one") {
    ClientDriver d;
    d.with_session();
    d.receive(d.target(), wire::RequestReply{Operation::Acquire,
                                             AnswerStatus::SessionOver,
                                             SessionId(99),
                                             RequestSeq(1),
                                             lock_a,
                                             {},
                                             {}});
    CHECK(d.client.session() == SessionId(100));
}

TEST_CASE("client: close ends all beliefs with the call, and what is in flight") {
    ClientDriver d;
    d.with_session();
    const FencingToken token_a(101), token_b(102);
    d.with_grant(lock_a, token_a);
    d.with_grant(lock_b, token_b);
    const RequestSeq released = d.release(lock_b, token_b);
    const RequestSeq waiting = d.acquire(LockId(3), seconds(5));
    d.close();
    CHECK(d.story() == Story{"close-called", "acquire-returned"});
    CHECK(d.told<client::AcquireDone>().at(0).seq == waiting);
    CHECK(d.told<client::AcquireDone>().at(0).outcome == AcquireOutcome::SessionOver);
    CHECK(d.told<client::ReleaseDone>().at(0).seq == released);
    CHECK(d.told<client::Lost>().empty());
    CHECK(d.sent<wire::Close>().at(0).seq > waiting);
    CHECK_FALSE(d.may_act(lock_a, token_a));
    CHECK(d.reported<events::MayActAsked>().at(0).session == SessionId());
}

TEST_CASE("client: what it may not be asked is its caller's mistake") {
    ClientDriver d;
    CHECK_THROWS_AS(d.acquire(lock_a, seconds(1)), AssertionFailed);
    CHECK_THROWS_AS(d.close(), AssertionFailed);
    CHECK_THROWS_AS(d.release(lock_a, FencingToken(1)), AssertionFailed);
    d.with_session();
    CHECK_THROWS_AS(d.open(), AssertionFailed);
    CHECK_THROWS_AS(d.acquire(lock_a, Duration{-1}), AssertionFailed);
    CHECK_THROWS_AS(d.release(lock_a, FencingToken(1)), AssertionFailed);
    client::Config none = ClientDriver::config();
    none.servers.clear();
    CHECK_THROWS_AS(ClientDriver(none), AssertionFailed);
    client::Config margin = ClientDriver::config();
    margin.margin = margin.ttl;
    CHECK_THROWS_AS(ClientDriver(margin), AssertionFailed);
}

}  // namespace lockstep::test::clients
