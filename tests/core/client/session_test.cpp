#include "tests/core/client/client_driver.hpp"
#include "tests/support/catch.hpp"

/// Openings, renewals, deadlines and ends of a session.
namespace lockstep::test {
namespace {

using Story = std::vector<std::string_view>;

const LockId lock_a(1);
const LockId lock_b(2);
/// 10 s, shrunk by 1%, less the margin of 50 ms.
constexpr Duration lease = milliseconds(9'850);

}  // namespace

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

TEST_CASE("client: a session that the service shortened is reckoned by the shorter TTL") {
    ClientDriver d;
    d.open();
    const wire::Open open = d.sent<wire::Open>().at(0);
    d.receive(d.target(), wire::OpenReply{open.nonce, open.sending, AnswerStatus::Ok,
                                          SessionId(100), seconds(2)});
    CHECK(d.client.deadline() == LocalTime{} + milliseconds(1'930));
    CHECK(d.client.wake_at() <= LocalTime{} + seconds(2) / 3);
    d.sleep();
    const LocalTime sent = d.now;
    d.renewed(d.sent<wire::KeepAlive>().at(0).sending);
    CHECK(d.client.deadline() == sent + milliseconds(1'930));
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

TEST_CASE(
    "client: a renewal is due after the interval, less up to a tenth, and extends from its "
    "sending") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ClientDriver d(ClientDriver::config(), seed);
        d.with_session();
        CHECK(d.client.wake_at() >= LocalTime{} + milliseconds(2'700));
        CHECK(d.client.wake_at() <= LocalTime{} + seconds(3));
        d.sleep();
        const wire::KeepAlive renewal = d.sent<wire::KeepAlive>().at(0);
        const LocalTime sent = d.now;
        CHECK(d.story() == Story{"renewal-sent"});
        CHECK(renewal.session == SessionId(100));

        d.now = sent + milliseconds(400);  // the way there and back must not count
        d.renewed(renewal.sending);
        CHECK(d.story() == Story{"deadline-moved"});
        CHECK(d.client.deadline() == sent + lease);
        CHECK(d.client.wake_at() >= sent + milliseconds(2'700));
        CHECK(d.client.wake_at() <= sent + seconds(3));
        d.renewed(renewal.sending);  // a copy
        CHECK(d.effects.events.empty());
    }
}

TEST_CASE("client: a deadline counts from the sending that was answered, and never goes back") {
    ClientDriver d;
    d.with_session();
    d.sleep();
    const LocalTime first_at = d.now;
    const SendingNo first = d.sent<wire::KeepAlive>().at(0).sending;
    d.sleep();
    const LocalTime second_at = d.now;
    const SendingNo second = d.sent<wire::KeepAlive>().at(0).sending;
    REQUIRE(second > first);

    SECTION("the first is answered first") {
        d.renewed(first);
        CHECK(d.client.deadline() == first_at + lease);
        d.renewed(second);
        CHECK(d.client.deadline() == second_at + lease);
    }
    SECTION("the second overtakes") {
        d.renewed(second);
        CHECK(d.client.deadline() == second_at + lease);
        d.renewed(first);
        CHECK(d.client.deadline() == second_at + lease);
        CHECK(d.effects.events.empty());
    }
    SECTION("nobody sent that") {
        d.renewed(second.next());
        CHECK(d.client.deadline() == LocalTime{} + lease);
    }
    SECTION("another session's answer") {
        d.receive(d.target(), wire::KeepAliveReply{SessionId(99), second, AnswerStatus::Ok, {}});
        CHECK(d.client.deadline() == LocalTime{} + lease);
    }
}

TEST_CASE(
    "client: an unanswered renewal is sent again and again, round all servers, to the deadline") {
    ClientDriver d;
    d.with_session();
    std::vector<int> asked(4, 0);
    int sendings = 0;
    for (int guard = 0; d.client.session() && guard < 100; ++guard) {
        d.sleep();
        for (const auto& send : d.effects.send)
            if (std::holds_alternative<wire::KeepAlive>(send.request)) {
                ++asked[send.to.value];
                ++sendings;
            }
    }
    CHECK(d.now == LocalTime{} + lease);
    CHECK(sendings >= 13);  // (9.85 - 3) / 0.5
    for (std::size_t server = 1; server <= 3; ++server) CHECK(asked[server] >= 3);
}

TEST_CASE(
    "client: at the deadline, to the tick, the application is told, and the session is closed") {
    ClientDriver d;
    d.with_session();
    const FencingToken token_a(101), token_b(102);
    d.with_grant(lock_a, token_a);
    d.with_grant(lock_b, token_b);
    const RequestSeq waiting = d.acquire(LockId(3), Duration::max());

    d.at(lease - nanoseconds(1));
    d.tick();
    CHECK(d.told<client::Lost>().empty());
    CHECK(d.may_act(lock_a, token_a));

    d.tick_at(lease);
    REQUIRE(d.told<client::Lost>().size() == 2);
    CHECK(d.told<client::Lost>()[0].token == token_a);
    CHECK(d.told<client::Lost>()[1].token == token_b);
    CHECK(d.told<client::Lost>()[0].reason == LossReason::DeadlinePassed);
    REQUIRE(d.told<client::AcquireDone>().size() == 1);
    CHECK(d.told<client::AcquireDone>()[0].seq == waiting);
    CHECK(d.told<client::AcquireDone>()[0].outcome == AcquireOutcome::SessionOver);
    CHECK(std::holds_alternative<client::SessionLost>(d.effects.notices.back()));
    CHECK(d.told<client::SessionLost>().at(0).reason == LossReason::DeadlinePassed);
    CHECK(d.story() == Story{"loss-told", "loss-told", "acquire-returned"});
    REQUIRE(d.sent<wire::Close>().size() == 1);
    CHECK(d.sent<wire::Close>()[0].session == SessionId(100));
    CHECK(d.sent<wire::Close>()[0].seq > waiting);
    CHECK(d.client.session() == SessionId());
}

TEST_CASE("client: may_act says no from the deadline on, even if nobody woke the client") {
    ClientDriver d;
    d.with_session();
    const FencingToken token(101);
    d.with_grant(lock_a, token);
    CHECK(d.may_act(lock_a, token));
    CHECK_FALSE(d.may_act(lock_a, token.next()));
    CHECK_FALSE(d.may_act(lock_b, token));

    d.at(lease);
    CHECK_FALSE(d.may_act(lock_a, token));
    CHECK(d.story() == Story{"loss-told", "may-act"});
    CHECK_FALSE(d.reported<events::MayActAsked>().at(0).yes);
    CHECK(d.reported<events::MayActAsked>()[0].deadline == LocalTime{} + lease);
    CHECK(d.reported<events::MayActAsked>()[0].session == SessionId(100));
    CHECK(d.told<client::SessionLost>().size() == 1);
    CHECK(d.client.wake_at() <= d.now);  // the close wants to be sent
    CHECK_FALSE(d.may_act(lock_a, token));
    CHECK(d.told<client::SessionLost>().empty());
}

TEST_CASE("client: an answer that comes with the deadline, or after it, revives nothing") {
    ClientDriver d;
    d.with_session();
    const FencingToken token(101);
    d.with_grant(lock_a, token);
    d.sleep();
    const SendingNo renewal = d.sent<wire::KeepAlive>().at(0).sending;
    const Duration late = GENERATE(Duration{0}, Duration{1}, seconds(60));

    d.at(lease +
         late);  // the renewal was sent in time; its answer sat in the inbox of a paused process
    d.receive(d.target(),
              wire::KeepAliveReply{
                  SessionId(100), renewal, AnswerStatus::Ok, {{lock_a, RequestSeq(1), token}}});
    CHECK(d.told<client::Lost>().size() == 1);
    CHECK(d.reported<events::DeadlineMoved>().empty());
    CHECK(d.client.session() == SessionId());
    CHECK_FALSE(d.may_act(lock_a, token));
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
    SECTION("answered for another session, or another seq") {
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

TEST_CASE("client: a quiet session sends its renewals and nothing else") {
    ClientDriver d;
    d.with_session();
    d.with_grant(lock_a, FencingToken(101));
    int sends = 0, steps = 0;
    for (; d.now < LocalTime{} + seconds(300); ++steps) {
        d.sleep();
        sends += static_cast<int>(d.effects.send.size());
        for (const auto& renewal : d.sent<wire::KeepAlive>()) {
            d.renewed(renewal.sending, {{lock_a, RequestSeq(1), FencingToken(101)}});
            CHECK(d.effects.send.empty());
        }
    }
    CHECK(sends == steps);
    CHECK(sends <= 112);
    CHECK(d.client.holds(lock_a, FencingToken(101)));
}

}  // namespace lockstep::test
