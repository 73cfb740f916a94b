#include "core/server/server.hpp"

#include "tests/core/server/cluster.hpp"
#include "tests/support/catch.hpp"

namespace lockstep {
namespace {

using events::AnswerStatus;
using events::Operation;
using test::Cluster;

}  // namespace

TEST_CASE("server: one that does not lead says so, and whom it believes to lead") {
    Cluster c(3);
    const NodeId leader = c.elect();
    const NodeId follower = c.other_than(leader);
    c.run(milliseconds(200));
    c.ask(follower, 9, wire::Release{SessionId(4), RequestSeq(2), RequestSeq(1), LockId(1), {}});
    REQUIRE(c.replies.size() == 1);
    CHECK(c.replies[0].to == NodeId(9));
    const auto& told = c.last<wire::NotLeader>();
    CHECK(told.leader == leader);
    CHECK(told.operation == Operation::Release);
    CHECK(told.session == SessionId(4));
    CHECK(told.seq == RequestSeq(2));
}

TEST_CASE("server: before its election a server knows no leader") {
    Cluster c(3);
    c.ask(NodeId(1), 9, wire::Open{Nonce(1), SendingNo(1), seconds(10)});
    CHECK_FALSE(c.last<wire::NotLeader>().leader);
}

TEST_CASE("server: a leader answers nothing before it has applied an entry of its own term") {
    Cluster c(1);
    const NodeId self = c.elect();
    const SessionId a = c.open(self, 9, seconds(10));
    const Term before = c.at(self).replica().term();
    c.hold_disk(self);
    c.restart(self);
    while (c.at(self).replica().term() == before) c.run(milliseconds(10));
    // Its vote comes to be on the disk; the entry that opens its term does not.
    while (!c.at(self).replica().leads()) c.sync_one(self);
    REQUIRE_FALSE(c.at(self).serves());
    // The session is in the log, and not yet in the table.
    REQUIRE_FALSE(c.at(self).table().live(a));
    c.replies.clear();
    c.ask(self, 10, wire::Open{Nonce(1), SendingNo(1), seconds(10)});
    c.renew(self, 9, a, 1);
    c.acquire(self, 9, a, 1);
    c.renew(self, 11, SessionId(77), 1);
    c.run(milliseconds(100));
    CHECK(c.replies.empty());
    c.release_disk(self);
    // What came too early was kept, and is answered from what is committed.
    REQUIRE(c.replies.size() == 4);
    for (const auto& told : c.replies) {
        if (const auto* opened = std::get_if<wire::OpenReply>(&told.reply)) {
            CHECK(opened->status == AnswerStatus::Ok);
        } else if (const auto* asked = std::get_if<wire::RequestReply>(&told.reply)) {
            CHECK(asked->status == AnswerStatus::Granted);
        } else {
            CHECK(std::get<wire::KeepAliveReply>(told.reply).status ==
                  (told.to == NodeId(9) ? AnswerStatus::Ok : AnswerStatus::SessionOver));
        }
    }
}

TEST_CASE("server: an opening is answered when it is applied, a repeat with its own sending") {
    Cluster c(3);
    const NodeId leader = c.elect();
    c.ask(leader, 9, wire::Open{Nonce(4), SendingNo(1), seconds(10)});
    const auto first = c.last<wire::OpenReply>();
    CHECK(first.status == AnswerStatus::Ok);
    CHECK(first.ttl == seconds(10));
    c.ask(leader, 9, wire::Open{Nonce(4), SendingNo(2), seconds(10)});
    const auto again = c.last<wire::OpenReply>();
    CHECK(again.session == first.session);
    CHECK(again.sending == SendingNo(2));
    const auto answered = c.reported<events::RenewalAnswered>();
    REQUIRE(answered.size() == 2);
    CHECK(answered[0].second.sending == SendingNo(1));
    CHECK(answered[1].second.client == NodeId(9));
    CHECK(answered[1].second.term == c.at(leader).replica().term());

    c.ask(leader, 9, wire::Close{first.session, RequestSeq(1)});
    CHECK(c.last<wire::RequestReply>().status == AnswerStatus::Ok);
    c.ask(leader, 9, wire::Open{Nonce(4), SendingNo(3), seconds(10)});
    CHECK(c.last<wire::OpenReply>().status == AnswerStatus::SessionOver);
    CHECK(c.reported<events::RenewalAnswered>().size() == 2);
}

TEST_CASE("server: a TTL is kept inside the configured bounds") {
    Cluster c(1);
    const NodeId leader = c.elect();
    c.ask(leader, 9, wire::Open{Nonce(1), SendingNo(1), seconds(-5)});
    CHECK(c.last<wire::OpenReply>().ttl == milliseconds(100));
    c.ask(leader, 9, wire::Open{Nonce(2), SendingNo(2), Duration::max()});
    CHECK(c.last<wire::OpenReply>().ttl == seconds(3600));
}

TEST_CASE("server: an entry is reported as applied before what it did") {
    Cluster c(1);
    const NodeId leader = c.elect();
    const SessionId s = c.open(leader, 9, seconds(10));
    c.events.clear();
    c.acquire(leader, 9, s, 1);
    std::size_t applied = c.events.size(), granted = 0, answered = 0;
    for (std::size_t i = 0; i < c.events.size(); ++i) {
        if (std::holds_alternative<events::Applied>(c.events[i].event)) applied = i;
        if (std::holds_alternative<events::Granted>(c.events[i].event)) granted = i;
        if (std::holds_alternative<events::Answered>(c.events[i].event)) answered = i;
    }
    CHECK(applied < granted);
    CHECK(granted < answered);
    const auto& e = std::get<events::Applied>(c.events[applied].event);
    CHECK(e.state_hash == c.at(leader).table().state_hash());
    const auto& a = std::get<events::Answered>(c.events[answered].event);
    CHECK(a.applied == e.index);
    CHECK(a.status == AnswerStatus::Granted);
    CHECK(a.token == FencingToken(e.index.value));
}

TEST_CASE("server: what frees a lock tells its next waiter alone, where it asked last") {
    Cluster c(3);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, seconds(10)), b = c.open(leader, 10, seconds(10)),
                    d = c.open(leader, 11, seconds(10));
    c.acquire(leader, 9, a, 1);
    const FencingToken token = c.last<wire::RequestReply>().token;
    c.acquire(leader, 10, b, 1);
    CHECK(c.last<wire::RequestReply>().status == AnswerStatus::Queued);
    c.acquire(leader, 11, d, 1);
    c.acquire(leader, 12, b, 1);  // the second waiter's client, from another address
    c.replies.clear();
    c.ask(leader, 9, wire::Release{a, RequestSeq(2), RequestSeq(1), LockId(5), token});
    REQUIRE(c.replies.size() == 2);
    CHECK(c.replies[0].to == NodeId(9));
    CHECK(c.replies[1].to == NodeId(12));
    const auto& told = c.last<wire::RequestReply>();
    CHECK(told.operation == Operation::Acquire);
    CHECK(told.status == AnswerStatus::Granted);
    CHECK(told.session == b);
    CHECK(told.token > token);
    const auto answered = c.reported<events::Answered>();
    CHECK(answered.back().second.client == NodeId(12));
    CHECK(answered.back().second.token == told.token);
}

TEST_CASE("server: after a change of leader a waiter asks again and keeps its place") {
    Cluster c(3);
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, seconds(60)), b = c.open(old, 10, seconds(60)),
                    d = c.open(old, 11, seconds(60));
    c.acquire(old, 9, a, 1);
    const FencingToken token = c.last<wire::RequestReply>().token;
    c.acquire(old, 10, b, 1);
    c.acquire(old, 11, d, 1);
    c.cut(old);
    const NodeId leader = c.elect();
    REQUIRE(leader != old);
    c.acquire(leader, 11, d, 1);
    CHECK(c.last<wire::RequestReply>().status == AnswerStatus::Queued);
    c.replies.clear();
    // The first waiter has not asked this leader: nobody is told, and its renewal tells it.
    c.ask(leader, 9, wire::Release{a, RequestSeq(2), RequestSeq(1), LockId(5), token});
    CHECK(c.replies.size() == 1);
    CHECK(c.at(leader).table().holder(LockId(5)) == b);
    c.renew(leader, 10, b, 2);
    const auto& renewed = c.last<wire::KeepAliveReply>();
    REQUIRE(renewed.grants.size() == 1);
    CHECK(renewed.grants[0].seq == RequestSeq(1));
    c.acquire(leader, 10, b, 1);
    CHECK(c.last<wire::RequestReply>().token == renewed.grants[0].token);
}

TEST_CASE("server: who asked a leader that is deposed is told so") {
    Cluster c(3);
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, seconds(60));
    c.cut(old);
    c.replies.clear();
    c.acquire(old, 9, a, 1);
    c.renew(old, 9, a, 2);
    CHECK(c.replies.empty());
    const NodeId leader = c.elect();
    c.heal();
    c.run(seconds(1));
    REQUIRE(c.replies.size() == 2);
    for (const auto& told : c.replies) CHECK(std::holds_alternative<wire::NotLeader>(told.reply));
    // The request that was lost with it takes effect once, at the next leader.
    c.acquire(leader, 9, a, 1);
    CHECK(c.last<wire::RequestReply>().status == AnswerStatus::Granted);
}

TEST_CASE("server: snapshots bound the log, and a life starts from one") {
    Cluster c(3, 20);
    const NodeId leader = c.elect();
    const SessionId s = c.open(leader, 9, seconds(600));
    for (std::uint64_t seq = 1; seq < 100; ++seq) c.acquire(leader, 9, s, seq, 1 + seq % 7);
    c.run(milliseconds(300));
    CHECK(c.at(leader).table().applied() > LogIndex(100));
    for (std::uint32_t id = 1; id <= 3; ++id) {
        const server::Server& server = c.at(NodeId(id));
        CHECK(server.table().state_hash() == c.at(leader).table().state_hash());
        CHECK(server.table().applied().value - server.replica().first_index().value <= 21);
    }
    const NodeId follower = c.other_than(leader);
    c.restart(follower);
    CHECK(c.at(follower).table().applied().next() == c.at(follower).replica().first_index());
    c.run(milliseconds(300));
    CHECK(c.at(follower).table().state_hash() == c.at(leader).table().state_hash());
}

TEST_CASE("server: one that missed more than the log holds takes the leader's snapshot") {
    Cluster c(3, 20);
    const NodeId leader = c.elect();
    const SessionId s = c.open(leader, 9, seconds(600));
    const NodeId behind = c.other_than(leader);
    c.cut(behind);
    for (std::uint64_t seq = 1; seq < 100; ++seq) {
        c.acquire(leader, 9, s, seq, 1 + seq % 7);
        c.run(milliseconds(1));
    }
    c.heal();
    c.run(seconds(8));
    CHECK(c.reported<events::SnapshotInstalled>().size() >= 1);
    const NodeId now_leads = c.elect();
    CHECK(c.at(behind).table().live(s));
    CHECK(c.at(behind).table().state_hash() == c.at(now_leads).table().state_hash());
}

TEST_CASE("server: a reset of a client's connection is no matter of the replicas") {
    Cluster c(3);
    const NodeId leader = c.elect();
    c.step(leader, server::LinkReset{NodeId(9)});
    c.step(leader, server::LinkReset{c.other_than(leader)});
    CHECK(c.open(leader, 9, seconds(5)));
}

}  // namespace lockstep
