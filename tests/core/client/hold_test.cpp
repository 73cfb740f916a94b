#include "tests/core/client/client_driver.hpp"
#include "tests/support/catch.hpp"

/// Grants that end before their session does.
namespace lockstep::test::clients {
namespace {

/// What is left of 20 s and of 5 s, shrunk by 1%, less the margin of 50 ms.
constexpr Duration hold_of_20 = milliseconds(19'750);
constexpr Duration hold_of_5 = milliseconds(4'900);

client::Config holding(Duration hold_max) {
    client::Config config = ClientDriver::config();
    config.hold_max = hold_max;
    return config;
}

/// Renews on time, until just before `end`.
void renew_until(ClientDriver& d, LocalTime end) {
    while (d.client.wake_at() < end) {
        d.sleep();
        const auto sent = d.sent<wire::KeepAlive>();
        if (!sent.empty()) d.renewed(sent.back().sending);
    }
}

}  // namespace

TEST_CASE("client: a hold ends by hold_max from the first sending, the session lives on") {
    ClientDriver d(holding(seconds(20)));
    d.with_session();
    d.at(seconds(1));
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    d.sleep();  // it is sent again, which must not count
    REQUIRE(d.sent<wire::Acquire>().size() == 1);
    d.at(seconds(2));
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, FencingToken(7));
    const LocalTime end = LocalTime{} + seconds(1) + hold_of_20;
    REQUIRE(d.reported<events::GrantTold>().size() == 1);
    CHECK(d.reported<events::GrantTold>()[0].deadline == d.client.deadline());  // the earlier one
    CHECK(d.client.hold_deadline(lock_a, FencingToken(7)) == end);
    CHECK(d.client.hold_deadline(lock_a, FencingToken(8)) == LocalTime::never());

    renew_until(d, end);
    CHECK(d.client.wake_at() == end);
    d.now = end - nanoseconds(1);
    CHECK(d.may_act(lock_a, FencingToken(7)));
    CHECK(d.reported<events::MayActAsked>()[0].deadline == end);
    d.now = end;
    d.tick();
    CHECK(d.story() == Story{"loss-told"});
    REQUIRE(d.told<client::Lost>().size() == 1);
    CHECK(d.told<client::Lost>()[0].reason == LossReason::HoldEnded);
    CHECK(d.told<client::Lost>()[0].token == FencingToken(7));
    CHECK(d.effects.send.empty());  // the service ends the hold by itself
    CHECK(d.client.session() == SessionId(100));
    CHECK_FALSE(d.client.holds(lock_a, FencingToken(7)));
    CHECK_FALSE(d.may_act(lock_a, FencingToken(7)));
}

TEST_CASE("client: the question itself finds that the hold has ended") {
    ClientDriver d(holding(seconds(5)));
    d.with_session();
    d.with_grant(lock_a, FencingToken(7));
    CHECK(d.reported<events::GrantTold>()[0].deadline == LocalTime{} + hold_of_5);
    d.at(hold_of_5);
    CHECK_FALSE(d.may_act(lock_a, FencingToken(7)));
    CHECK(d.story() == Story{"loss-told", "may-act"});
    CHECK(d.reported<events::MayActAsked>()[0].deadline == LocalTime{} + hold_of_5);
}

TEST_CASE("client: who wakes late is told of each loss for its own reason") {
    ClientDriver d(holding(seconds(5)));
    d.with_session();
    d.with_grant(lock_a, FencingToken(7));
    d.at(seconds(6));
    const RequestSeq seq = d.acquire(lock_b, Duration::max());
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_b, FencingToken(8));
    REQUIRE(d.client.holds(lock_b, FencingToken(8)));
    d.tick_at(seconds(60));
    // The first ended while the client had been told of it; the second would have outlived the
    // session.
    const auto lost = d.told<client::Lost>();
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].reason == LossReason::DeadlinePassed);

    ClientDriver e(holding(seconds(5)));
    e.with_session();
    e.with_grant(lock_a, FencingToken(7));
    e.tick_at(seconds(60));
    REQUIRE(e.told<client::Lost>().size() == 1);
    CHECK(e.told<client::Lost>()[0].reason == LossReason::HoldEnded);
    CHECK(e.told<client::SessionLost>().size() == 1);
}

TEST_CASE("client: a grant that comes too late to be believed is given back") {
    ClientDriver d(holding(seconds(5)));
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    d.at(hold_of_5);
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, FencingToken(7));
    CHECK(d.reported<events::GrantTold>().empty());
    REQUIRE(d.told<client::AcquireDone>().size() == 1);
    CHECK(d.told<client::AcquireDone>()[0].outcome == AcquireOutcome::TimedOut);
    REQUIRE(d.sent<wire::Cancel>().size() == 1);
    CHECK(d.sent<wire::Cancel>()[0].seq == seq);
    CHECK_FALSE(d.client.holds(lock_a, FencingToken(7)));
}

TEST_CASE("client: a hold counts from the last renewal that found it waiting") {
    ClientDriver d(holding(seconds(5)));
    d.with_session();
    const RequestSeq seq = d.acquire(lock_a, Duration::max());
    d.answer(Operation::Acquire, AnswerStatus::Queued, seq, lock_a);
    d.sleep();
    const LocalTime first_at = d.now;
    const SendingNo first = d.sent<wire::KeepAlive>().at(0).sending;
    d.sleep();
    const SendingNo second = d.sent<wire::KeepAlive>().at(0).sending;
    const auto waiting = [&](SendingNo sending, std::vector<RequestSeq> waits) {
        d.receive(d.target(),
                  wire::KeepAliveReply{
                      d.client.session(), sending, AnswerStatus::Ok, {}, std::move(waits)});
    };
    waiting(first, {seq});
    waiting(second, {seq.next()});  // of another: says nothing
    d.at(seconds(6));
    d.answer(Operation::Acquire, AnswerStatus::Granted, seq, lock_a, FencingToken(7));
    REQUIRE(d.client.holds(lock_a, FencingToken(7)));
    CHECK(d.client.hold_deadline(lock_a, FencingToken(7)) == first_at + hold_of_5);
}

TEST_CASE("client: a lock that was released, or lost with its hold, may be asked for again") {
    ClientDriver d(holding(seconds(5)));
    d.with_session();
    d.with_grant(lock_a, FencingToken(7));
    d.release(lock_a, FencingToken(7));
    d.with_grant(lock_a, FencingToken(9));
    CHECK(d.client.hold_deadline(lock_a, FencingToken(9)) == LocalTime{} + hold_of_5);
    d.tick_at(hold_of_5);
    CHECK(d.told<client::Lost>().size() == 1);
    d.with_grant(lock_a, FencingToken(11));
    CHECK(d.client.hold_deadline(lock_a, FencingToken(11)) == LocalTime{} + hold_of_5 * 2);
}

}  // namespace lockstep::test::clients
