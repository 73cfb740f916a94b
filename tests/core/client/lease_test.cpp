#include "tests/core/client/client_driver.hpp"
#include "tests/support/catch.hpp"

#include <utility>

/// Renewals and deadlines: how long a client may believe, and what it does about it.
namespace lockstep::test::clients {

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
        const LocalTime next = d.client.wake_at();
        d.renewed(first);
        CHECK(d.client.deadline() == second_at + lease);
        CHECK(d.effects.events.empty());
        CHECK(d.client.wake_at() == next);
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

TEST_CASE("client: of unanswered renewals it keeps the last sixteen in mind") {
    client::Config config = ClientDriver::config();
    config.ttl = seconds(60);
    ClientDriver d(config);
    d.with_session();
    std::vector<std::pair<SendingNo, LocalTime>> sent;
    while (sent.size() < 17) {
        d.sleep();
        for (const auto& renewal : d.sent<wire::KeepAlive>())
            sent.emplace_back(renewal.sending, d.now);
    }
    d.renewed(sent[0].first);
    CHECK(d.effects.events.empty());
    d.renewed(sent[1].first);
    CHECK(d.client.deadline() == sent[1].second + milliseconds(59'350));
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

}  // namespace lockstep::test::clients
