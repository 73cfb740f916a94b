#include "core/server/server.hpp"
#include "tests/core/server/cluster.hpp"
#include "tests/support/catch.hpp"

namespace lockstep {
namespace {

using events::AnswerStatus;
using test::Cluster;

constexpr Duration ttl = seconds(10);

}  // namespace

TEST_CASE("server: a session expires when its full TTL has run from the opening's application") {
    Cluster c(3);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, ttl);
    const LocalTime opened = c.now;
    const SessionId b = c.open(leader, 10, seconds(60));
    c.acquire(leader, 9, a, 1);
    c.acquire(leader, 10, b, 1);
    c.run(ttl - nanoseconds(1));
    CHECK(c.reported<events::ExpiryProposed>().empty());
    CHECK(c.at(leader).wake_at() <= opened + ttl);
    c.run(nanoseconds(1));
    const auto proposed = c.reported<events::ExpiryProposed>();
    REQUIRE(proposed.size() == 1);
    CHECK(proposed[0].first == opened + ttl);
    CHECK(proposed[0].second.session == a);
    CHECK(proposed[0].second.term == c.at(leader).replica().term());
    CHECK_FALSE(c.at(leader).table().live(a));
    // The next waiter is told.
    CHECK(c.last<wire::RequestReply>().session == b);
    CHECK(c.last<wire::RequestReply>().status == AnswerStatus::Granted);
    CHECK(c.last<wire::RequestReply>().token == FencingToken(proposed[0].second.index.value));
}

TEST_CASE("server: a renewal is answered only after a confirmation of leadership") {
    Cluster c(3);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, ttl);
    c.acquire(leader, 9, a, 1);
    const FencingToken token = c.last<wire::RequestReply>().token;
    c.run(seconds(4));
    c.cut(leader);
    c.replies.clear();
    const LocalTime received = c.now;
    c.renew(leader, 9, a, 7);
    c.run(milliseconds(300));
    CHECK(c.replies.empty());
    c.heal();
    c.run(milliseconds(300));
    REQUIRE(c.replies.size() == 1);
    const auto& told = c.last<wire::KeepAliveReply>();
    CHECK(told.status == AnswerStatus::Ok);
    CHECK(told.sending == SendingNo(7));
    CHECK(told.grants == std::vector<wire::HeldGrant>{{LockId(5), RequestSeq(1), token}});
    CHECK(c.replies[0].at > received);
    const auto answered = c.reported<events::RenewalAnswered>();
    CHECK(answered.back().second.sending == SendingNo(7));

    // The TTL runs from the receipt, not from the confirmation.
    c.run(received + ttl - c.now - nanoseconds(1));
    CHECK(c.reported<events::ExpiryProposed>().empty());
    c.run(nanoseconds(1));
    CHECK(c.reported<events::ExpiryProposed>().size() == 1);
}

TEST_CASE("server: renewals keep a session for as long as they come") {
    Cluster c(3);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, ttl);
    for (std::uint64_t sending = 2; sending < 20; ++sending) {
        c.run(ttl - milliseconds(1));
        c.renew(leader, 9, a, sending);
        CHECK(c.last<wire::KeepAliveReply>().status == AnswerStatus::Ok);
    }
    CHECK(c.reported<events::ExpiryProposed>().empty());
}

TEST_CASE("server: session_over needs the same confirmation, whatever was asked") {
    Cluster c(3);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, ttl);
    c.ask(leader, 9, wire::Close{a, RequestSeq(1)});
    c.run(milliseconds(100));
    c.cut(leader);
    c.replies.clear();
    const LogIndex last = c.at(leader).replica().last_index();
    c.renew(leader, 9, a, 7);
    c.acquire(leader, 9, a, 2);
    c.ask(leader, 9, wire::Cancel{a, RequestSeq(2), RequestSeq(1), LockId(5)});
    c.ask(leader, 9, wire::Release{a, RequestSeq(3), RequestSeq(1), LockId(5), FencingToken(1)});
    c.ask(leader, 9, wire::Close{a, RequestSeq(4)});
    CHECK(c.at(leader).replica().last_index() == last);
    c.run(milliseconds(200));
    CHECK(c.replies.empty());
    c.heal();
    c.run(milliseconds(300));
    REQUIRE(c.replies.size() == 5);
    CHECK(std::get<wire::KeepAliveReply>(c.replies[0].reply).status == AnswerStatus::SessionOver);
    for (std::size_t i = 1; i < 5; ++i) {
        const auto& told = std::get<wire::RequestReply>(c.replies[i].reply);
        CHECK(told.status == AnswerStatus::SessionOver);
        CHECK(told.session == a);
    }
    CHECK(c.reported<events::RenewalAnswered>().size() == 1);
}

TEST_CASE("server: once it has proposed an expiry, a leader answers no renewal of it") {
    Cluster c(3);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, ttl);
    c.run(ttl - milliseconds(200));
    c.cut(leader);
    c.replies.clear();
    c.renew(leader, 9, a, 2);  // came in time, is not confirmed in time
    c.run(milliseconds(250));
    REQUIRE(c.reported<events::ExpiryProposed>().size() == 1);
    c.renew(leader, 9, a, 3);
    c.heal();
    c.run(seconds(2));
    REQUIRE(c.at(leader).serves());
    REQUIRE_FALSE(c.at(leader).table().live(a));
    for (const auto& told : c.replies) {
        const auto* reply = std::get_if<wire::KeepAliveReply>(&told.reply);
        REQUIRE(reply != nullptr);
        CHECK(reply->status == AnswerStatus::SessionOver);
    }
    CHECK(c.reported<events::RenewalAnswered>().size() == 1);  // the opening's
    c.renew(leader, 9, a, 4);
    CHECK(c.last<wire::KeepAliveReply>().status == AnswerStatus::SessionOver);
}

TEST_CASE("server: a deposed leader can extend nothing") {
    Cluster c(3);
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, ttl);
    c.cut(old);
    c.replies.clear();
    for (std::uint64_t sending = 2; sending < 40; ++sending) {
        c.renew(old, 9, a, sending);
        c.run(milliseconds(100));
    }
    const NodeId leader = c.elect();
    CHECK(leader != old);
    for (const auto& told : c.replies) CHECK(std::holds_alternative<wire::NotLeader>(told.reply));
    CHECK(c.reported<events::RenewalAnswered>().size() == 1);
}

TEST_CASE("server: a new leader starts every session's full TTL anew") {
    Cluster c(3);
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, ttl);
    c.run(seconds(9));
    c.cut(old);
    // The moment at which it has applied an entry of its own term.
    NodeId leader;
    while (!leader) {
        c.run(milliseconds(1));
        for (std::uint32_t id = 1; id <= 3; ++id)
            if (NodeId(id) != old && c.at(NodeId(id)).serves()) leader = NodeId(id);
    }
    const Term term = c.at(leader).replica().term();
    LocalTime ready = LocalTime::never();
    for (const auto& r : c.events) {
        const auto* applied = std::get_if<events::Applied>(&r.event);
        if (r.by == leader && applied != nullptr && applied->term == term)
            ready = std::min(ready, r.at);
    }
    c.run(ready + ttl - c.now - nanoseconds(1));
    for (const auto& [at, proposed] : c.reported<events::ExpiryProposed>())
        CHECK(proposed.term != term);
    CHECK(c.at(leader).table().live(a));
    c.run(nanoseconds(1));
    const auto proposed = c.reported<events::ExpiryProposed>();
    REQUIRE_FALSE(proposed.empty());
    CHECK(proposed.back().second.term == term);
    CHECK(proposed.back().first == ready + ttl);
    CHECK_FALSE(c.at(leader).table().live(a));
}

TEST_CASE("server: an expiry that its leader could not commit has no effect under the next") {
    Cluster c(3);
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, ttl);
    c.run(ttl - milliseconds(100));
    c.cut(old);
    c.run(milliseconds(100));
    REQUIRE(c.reported<events::ExpiryProposed>().size() == 1);
    const NodeId leader = c.elect();
    REQUIRE(leader != old);
    c.heal();
    c.renew(leader, 9, a, 2);
    CHECK(c.last<wire::KeepAliveReply>().status == AnswerStatus::Ok);
    c.run(seconds(5));
    for (std::uint32_t id = 1; id <= 3; ++id) CHECK(c.at(NodeId(id)).table().live(a));
    CHECK(c.reported<events::SessionEnded>().empty());
}

TEST_CASE("server: timers of an earlier leadership do not outlive it") {
    Cluster c(1);
    const NodeId self = c.elect();
    const SessionId a = c.open(self, 9, ttl);
    c.run(seconds(9));
    c.restart(self);
    c.elect();
    const LocalTime ready = c.now;
    CHECK(c.at(self).table().live(a));
    c.run(seconds(9));
    CHECK(c.reported<events::ExpiryProposed>().empty());
    c.run(ready + ttl - c.now);
    CHECK(c.reported<events::ExpiryProposed>().size() == 1);
    CHECK_FALSE(c.at(self).table().live(a));
}

}  // namespace lockstep
