#include "core/server/server.hpp"
#include "tests/core/server/cluster.hpp"
#include "tests/support/catch.hpp"

/// Holds and delays, as their leader times them.
namespace lockstep {
namespace {

using events::AnswerStatus;
using test::Cluster;

server::Config with_hold_max(Duration hold_max) {
    server::Config config;
    config.hold_max = hold_max;
    return config;
}

server::Config with_lock_delay(Duration delay) {
    server::Config config;
    config.lock_delay = delay;
    return config;
}

constexpr Duration never_over = seconds(600);

}  // namespace

TEST_CASE("server: a hold ends when it has lasted for hold_max, however well it is renewed") {
    Cluster c(3, with_hold_max(seconds(10)));
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, never_over), b = c.open(leader, 10, never_over);
    c.acquire(leader, 9, a, 1);
    const FencingToken token = c.last<wire::RequestReply>().token;
    const LocalTime granted = c.now;
    c.run(seconds(4));
    c.acquire(leader, 10, b, 1);
    c.renew(leader, 9, a, 2);
    CHECK(c.last<wire::KeepAliveReply>().waits.empty());
    c.renew(leader, 10, b, 2);
    CHECK(c.last<wire::KeepAliveReply>().waits == std::vector<RequestSeq>{RequestSeq(1)});
    c.run(granted + seconds(10) - c.now - nanoseconds(1));
    CHECK(c.reported<events::HoldEnded>().empty());
    CHECK(c.at(leader).wake_at() <= granted + seconds(10));
    c.run(nanoseconds(1));
    // Every replica applies it; this one is the first.
    const auto over = c.reported<events::HoldEnded>();
    REQUIRE_FALSE(over.empty());
    CHECK(over[0].first == granted + seconds(10));
    CHECK(over[0].second.session == a);
    CHECK(over[0].second.token == token);
    CHECK(over[0].second.term == c.at(leader).replica().term());
    const auto& told = c.last<wire::RequestReply>();
    CHECK(told.session == b);
    CHECK(told.status == AnswerStatus::Granted);
    CHECK(told.token == FencingToken(over[0].second.index.value));
    CHECK(c.at(leader).table().live(a));
    c.renew(leader, 9, a, 3);
    CHECK(c.last<wire::KeepAliveReply>().grants.empty());

    // The next grant is timed from its own application.
    c.run(seconds(10) - nanoseconds(1));
    CHECK(c.at(leader).table().holder(LockId(5)) == b);
    c.run(nanoseconds(1));
    CHECK_FALSE(c.at(leader).table().holder(LockId(5)));
}

TEST_CASE("server: the timer of a hold that was released ends no later one") {
    Cluster c(1, with_hold_max(seconds(10)));
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, never_over);
    c.acquire(leader, 9, a, 1);
    const FencingToken token = c.last<wire::RequestReply>().token;
    c.run(seconds(6));
    c.ask(leader, 9, wire::Release{a, RequestSeq(2), RequestSeq(1), LockId(5), token});
    c.acquire(leader, 9, a, 3);
    c.run(seconds(10) - nanoseconds(1));
    CHECK(c.reported<events::HoldEnded>().empty());
    c.run(nanoseconds(1));
    CHECK(c.reported<events::HoldEnded>().size() == 1);
}

TEST_CASE("server: without hold_max a hold has no end") {
    Cluster c(1);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, seconds(3'600));
    c.acquire(leader, 9, a, 1);
    c.run(seconds(3'000));
    CHECK(c.at(leader).table().holder(LockId(5)) == a);
}

TEST_CASE("server: a new leader times every hold anew, and an old one's end has no effect") {
    Cluster c(3, with_hold_max(seconds(10)));
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, never_over);
    c.acquire(old, 9, a, 1);
    c.run(seconds(10) - milliseconds(100));
    c.cut(old);
    c.run(milliseconds(100));  // the old leader's proposal reaches nobody
    const NodeId leader = c.elect();
    c.heal();
    const LocalTime ready = c.ready_at(leader);
    c.run(ready + seconds(10) - c.now - nanoseconds(1));
    CHECK(c.reported<events::HoldEnded>().empty());
    CHECK(c.at(leader).table().holder(LockId(5)) == a);
    c.run(nanoseconds(1));
    const auto over = c.reported<events::HoldEnded>();
    REQUIRE_FALSE(over.empty());
    CHECK(over[0].second.term == c.at(leader).replica().term());
    CHECK_FALSE(c.at(leader).table().holder(LockId(5)));
}

TEST_CASE("server: after an expiry the next waiter is told when the delay has passed") {
    Cluster c(3, with_lock_delay(seconds(3)));
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, seconds(10)), b = c.open(leader, 10, never_over);
    c.acquire(leader, 9, a, 1);
    c.acquire(leader, 10, b, 1);
    const LocalTime opened = c.now;
    c.replies.clear();
    c.run(seconds(13) - nanoseconds(1));
    REQUIRE_FALSE(c.reported<events::DelayStarted>().empty());
    CHECK(c.reported<events::DelayStarted>()[0].first == opened + seconds(10));
    CHECK(c.replies.empty());
    CHECK(c.at(leader).wake_at() <= opened + seconds(13));
    c.run(nanoseconds(1));
    const auto ended = c.reported<events::DelayEnded>();
    REQUIRE_FALSE(ended.empty());
    CHECK(ended[0].second.lock == LockId(5));
    CHECK(ended[0].second.term == c.at(leader).replica().term());
    REQUIRE(c.replies.size() == 1);
    CHECK(c.last<wire::RequestReply>().session == b);
    CHECK(c.last<wire::RequestReply>().token == FencingToken(ended[0].second.index.value));
}

TEST_CASE("server: a new leader times every delay anew") {
    Cluster c(3, with_lock_delay(seconds(3)));
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, seconds(10));
    c.acquire(old, 9, a, 1);
    c.run(seconds(13) - milliseconds(100));
    REQUIRE(c.at(old).table().delayed(LockId(5)));
    const NodeId leader = c.depose(old);
    const LocalTime ready = c.ready_at(leader);
    c.run(ready + seconds(3) - c.now - nanoseconds(1));
    CHECK(c.at(leader).table().delayed(LockId(5)));
    c.run(nanoseconds(1));
    CHECK_FALSE(c.at(leader).table().delayed(LockId(5)));
    for (const auto& [at, ended] : c.reported<events::DelayEnded>())
        CHECK(ended.term == c.at(leader).replica().term());
}

TEST_CASE("server: a hand-over tells the next waiter, however many wait behind it") {
    Cluster c(3);
    const NodeId leader = c.elect();
    std::vector<SessionId> sessions;
    for (std::uint32_t client = 1; client <= 2'000; ++client) {
        sessions.push_back(c.open(leader, 100 + client, never_over));
        c.acquire(leader, 100 + client, sessions.back(), 1);
    }
    REQUIRE(c.at(leader).table().waiters(LockId(5)) == 1'999);
    for (std::uint32_t turn = 0; turn < 20; ++turn) {
        const std::uint32_t client = 101 + turn;
        std::vector<wire::HeldGrant> held;
        c.at(leader).table().grants(sessions[turn], held);
        REQUIRE(held.size() == 1);
        c.replies.clear();
        c.ask(
            leader, client,
            wire::Release{sessions[turn], RequestSeq(2), RequestSeq(1), LockId(5), held[0].token});
        REQUIRE(c.replies.size() == 2);
        CHECK(c.replies[0].to == NodeId(client));
        CHECK(c.replies[1].to == NodeId(client + 1));
    }
}

}  // namespace lockstep
