#include "core/server/server.hpp"
#include "tests/core/server/cluster.hpp"
#include "tests/support/catch.hpp"

/// Checkpoints of leases: what a new leader starts from, and what it takes to outlive one.
namespace lockstep {
namespace {

using events::AnswerStatus;
using test::Cluster;

constexpr Duration lease = seconds(10);

server::Config with_checkpoints(Duration every) {
    server::Config config;
    config.checkpoint_every = every;
    return config;
}

/// The checkpoints in the server's log, oldest first.
std::vector<lock::Checkpoint> checkpoints(Cluster& c, NodeId server) {
    std::vector<lock::Checkpoint> found;
    for (const raft::Entry& entry : c.at(server).replica().stored().entries) {
        lock::Command command;
        if (entry.command.empty() || !lock::decode(entry.command.bytes(), command)) continue;
        if (auto* checkpoint = std::get_if<lock::Checkpoint>(&command))
            found.push_back(std::move(*checkpoint));
    }
    return found;
}

}  // namespace

TEST_CASE("server: a leader writes down what remains of each lease") {
    Cluster c(3, with_checkpoints(seconds(2)));
    const NodeId leader = c.elect();
    c.run(seconds(5));
    CHECK(c.reported<events::LeasesCheckpointed>().empty());  // of nothing
    const SessionId a = c.open(leader, 9, lease);
    const LocalTime opened = c.now;
    c.run(seconds(3));
    const auto written = c.reported<events::LeasesCheckpointed>();
    REQUIRE_FALSE(written.empty());
    CHECK(written[0].second.sessions == 1);
    CHECK(written[0].second.term == c.at(leader).replica().term());
    CHECK(written[0].first - opened <= seconds(2));
    const auto logged = checkpoints(c, leader);
    REQUIRE_FALSE(logged.empty());
    REQUIRE(logged[0].leases.size() == 1);
    CHECK(logged[0].leases[0].session == a);
    CHECK(logged[0].leases[0].left == opened + lease - written[0].first);
}

TEST_CASE("server: a new leader goes on from the checkpoint") {
    Cluster c(3, with_checkpoints(seconds(2)));
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, lease);
    const LocalTime opened = c.now;
    c.run(seconds(7));
    const Duration left = checkpoints(c, old).back().leases.at(0).left;
    CHECK(left <= seconds(5));
    const NodeId leader = c.depose(old);
    const LocalTime ready = c.ready_at(leader);
    const auto inherited = c.reported<events::LeaseInherited>();
    REQUIRE(inherited.size() == 1);
    CHECK(inherited[0].second.session == a);
    CHECK(inherited[0].second.term == c.at(leader).replica().term());
    // The checkpoints that were written while the new leader was elected reached nobody.
    CHECK(inherited[0].second.remaining == left);
    c.run(ready + left - c.now - nanoseconds(1));
    CHECK(c.reported<events::SessionEnded>().empty());
    c.run(nanoseconds(1));
    const auto expired = c.reported<events::ExpiryProposed>();
    REQUIRE(expired.size() == 1);
    CHECK(expired[0].first == ready + left);
    CHECK(expired[0].first - opened >= lease);
    CHECK_FALSE(c.at(leader).table().live(a));
}

TEST_CASE("server: elections that come more often than the TTL keep no dead session alive") {
    const bool on = GENERATE(false, true);
    Cluster c(3, on ? with_checkpoints(seconds(1)) : server::Config());
    NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, lease);
    for (int election = 0; election < 10; ++election) {
        leader = c.depose(leader);
        c.run(milliseconds(2'500));
    }
    leader = c.elect();
    CHECK(c.at(leader).table().live(a) == !on);
}

TEST_CASE("server: a renewal of a session in a checkpoint is answered when that was cleared") {
    Cluster c(3, with_checkpoints(seconds(4)));
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, lease);
    const SessionId b = c.open(old, 10, lease);
    c.run(seconds(5));
    REQUIRE_FALSE(checkpoints(c, old).empty());
    const LogIndex before = c.at(old).replica().last_index();
    c.replies.clear();
    const LocalTime received = c.now;
    c.renew(old, 9, a, 7);
    CHECK(c.at(old).replica().last_index() == before.next());
    REQUIRE(c.replies.size() == 1);
    CHECK(c.last<wire::KeepAliveReply>().status == AnswerStatus::Ok);
    CHECK(c.last<wire::KeepAliveReply>().sending == SendingNo(7));
    const auto cleared = c.reported<events::CheckpointCleared>();
    REQUIRE_FALSE(cleared.empty());
    CHECK(cleared[0].second.session == a);
    CHECK(cleared[0].second.index == before.next());
    // Once cleared, renewals need no entry any more.
    c.renew(old, 9, a, 8);
    CHECK(c.at(old).replica().last_index() == before.next());
    CHECK(c.last<wire::KeepAliveReply>().sending == SendingNo(8));

    // Whoever leads next gives the one its full TTL, and the other what was left of it.
    const NodeId leader = c.depose(old);
    const LocalTime ready = c.ready_at(leader);
    const auto inherited = c.reported<events::LeaseInherited>();
    REQUIRE(inherited.size() == 1);
    CHECK(inherited[0].second.session == b);
    c.run(ready + lease - c.now - nanoseconds(1));
    for (const auto& [at, expired] : c.reported<events::ExpiryProposed>())
        CHECK(expired.session == b);
    CHECK(c.at(leader).table().live(a));
    CHECK(ready + lease >= received + lease);
}

TEST_CASE("server: a leader that inherited a checkpoint answers no renewal before a clearing") {
    Cluster c(3, with_checkpoints(seconds(4)));
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, lease);
    c.run(seconds(5));
    const NodeId leader = c.depose(old);
    REQUIRE(c.reported<events::LeaseInherited>().size() == 1);
    const LogIndex before = c.at(leader).replica().last_index();
    c.replies.clear();
    c.renew(leader, 9, a, 7);
    REQUIRE(c.replies.size() == 1);
    CHECK(c.last<wire::KeepAliveReply>().status == AnswerStatus::Ok);
    CHECK(c.at(leader).replica().last_index() == before.next());
    REQUIRE_FALSE(c.reported<events::CheckpointCleared>().empty());
    // It timed what was inherited, and gives the full TTL from the receipt now.
    const LocalTime received = c.now;
    c.run(lease - nanoseconds(1));
    CHECK(c.at(leader).table().live(a));
    c.run(nanoseconds(1));
    CHECK(c.reported<events::ExpiryProposed>().back().first == received + lease);
}

TEST_CASE(
    "server: a renewal that came before the checkpoint and is confirmed after it waits, too") {
    Cluster c(3, with_checkpoints(seconds(4)));
    const NodeId leader = c.elect();
    const LocalTime ready = c.ready_at(leader);
    const SessionId a = c.open(leader, 9, lease);
    c.run(ready + seconds(4) - c.now - milliseconds(100));
    c.cut(leader);
    c.replies.clear();
    c.renew(leader, 9, a, 7);
    c.run(milliseconds(150));
    REQUIRE(checkpoints(c, leader).size() == 1);
    const LogIndex checkpoint = c.at(leader).replica().last_index();
    c.heal();
    c.run(milliseconds(700));
    REQUIRE(c.at(leader).serves());
    REQUIRE(c.replies.size() == 1);
    CHECK(c.last<wire::KeepAliveReply>().status == AnswerStatus::Ok);
    const auto cleared = c.reported<events::CheckpointCleared>();
    REQUIRE_FALSE(cleared.empty());
    CHECK(cleared[0].second.index > checkpoint);
}

TEST_CASE("server: no checkpoint covers a session that is being cleared") {
    Cluster c(3, with_checkpoints(milliseconds(500)));
    const NodeId old = c.elect();
    const SessionId a = c.open(old, 9, lease), b = c.open(old, 10, lease);
    c.run(milliseconds(600));
    REQUIRE_FALSE(checkpoints(c, old).empty());
    c.cut(old);
    c.replies.clear();
    c.renew(old, 9, a, 7);
    const std::size_t before = checkpoints(c, old).size();
    c.run(milliseconds(550));
    const auto logged = checkpoints(c, old);
    REQUIRE(logged.size() > before);
    CHECK(c.replies.empty());
    for (std::size_t i = before; i < logged.size(); ++i) {
        REQUIRE(logged[i].leases.size() == 1);
        CHECK(logged[i].leases[0].session == b);
    }
    c.heal();
    c.run(milliseconds(400));
    REQUIRE(c.at(old).serves());
    REQUIRE(c.replies.size() == 1);
    CHECK(c.last<wire::KeepAliveReply>().status == AnswerStatus::Ok);
}

TEST_CASE("server: a session that ends while it is being cleared is over for its renewal") {
    Cluster c(3, with_checkpoints(milliseconds(500)));
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, lease);
    c.run(milliseconds(600));
    c.cut(leader);
    c.replies.clear();
    c.ask(leader, 9, wire::Close{a, RequestSeq(1)});
    c.renew(leader, 9, a, 7);
    c.heal();
    c.run(milliseconds(700));
    REQUIRE(c.replies.size() == 2);
    CHECK(c.last<wire::KeepAliveReply>().status == AnswerStatus::SessionOver);
}

TEST_CASE("server: a checkpoint outlives a snapshot and a restart of everything") {
    server::Config config = with_checkpoints(seconds(2));
    config.snapshot_every = 1;
    Cluster c(1, config);
    const NodeId self = c.elect();
    const SessionId a = c.open(self, 9, lease);
    c.run(seconds(5));
    c.open(self, 10, seconds(60));  // an entry more, so that the checkpoint is in the snapshot
    c.restart(self);
    c.elect();
    const auto inherited = c.reported<events::LeaseInherited>();
    REQUIRE_FALSE(inherited.empty());
    CHECK(inherited[0].second.session == a);
    CHECK(inherited[0].second.remaining < seconds(8));
}

}  // namespace lockstep
