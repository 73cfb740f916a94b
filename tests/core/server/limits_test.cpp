#include "core/server/server.hpp"
#include "tests/core/server/cluster.hpp"
#include "tests/support/catch.hpp"

namespace lockstep {
namespace {

using events::AnswerStatus;
using events::Limit;
using events::Operation;
using test::Cluster;

}  // namespace

TEST_CASE("server: a leader with too many open requests is busy, and logs nothing") {
    server::Config config;
    config.pending = 3;
    config.busy_for = milliseconds(70);
    Cluster c(3, config);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, seconds(10));
    c.run(milliseconds(100));
    c.cut(leader);
    c.replies.clear();
    c.acquire(leader, 9, a, 1);
    c.renew(leader, 9, a, 2);
    c.acquire(leader, 9, a, 2, 6);
    const LogIndex last = c.at(leader).replica().last_index();
    CHECK(c.replies.empty());
    const std::size_t received = c.reported<events::RenewalReceived>().size();

    c.acquire(leader, 9, a, 3, 7);
    const auto busy = c.last<wire::Busy>();
    CHECK(busy.operation == Operation::Acquire);
    CHECK(busy.session == a);
    CHECK(busy.seq == RequestSeq(3));
    CHECK_FALSE(busy.nonce);
    CHECK(busy.retry_after == milliseconds(70));
    c.ask(leader, 9, wire::Open{Nonce(77), SendingNo(9), seconds(10)});
    CHECK(c.last<wire::Busy>().operation == Operation::Open);
    CHECK(c.last<wire::Busy>().nonce == Nonce(77));
    c.renew(leader, 9, a, 3);
    CHECK(c.last<wire::Busy>().operation == Operation::KeepAlive);
    CHECK(c.at(leader).replica().last_index() == last);
    CHECK(c.reported<events::RenewalReceived>().size() == received);  // it will not be answered
    const auto met = c.reported<events::LimitMet>();
    REQUIRE(met.size() == 3);
    CHECK(met[0].second.limit == Limit::Pending);
    CHECK(met[0].second.operation == Operation::Acquire);
    CHECK(met[0].second.client == NodeId(9));

    // What was taken on is answered, and makes room.
    c.heal();
    c.run(milliseconds(700));
    REQUIRE(c.at(leader).serves());
    CHECK(c.replies.size() == 6);
    c.acquire(leader, 9, a, 3, 7);
    CHECK(c.last<wire::RequestReply>().status == AnswerStatus::Granted);
}

TEST_CASE("server: requests that wait for a leader to become ready are counted, and kept") {
    server::Config config;
    config.pending = 2;
    Cluster c(1, config);
    const NodeId self = c.elect();
    const SessionId a = c.open(self, 9, seconds(10));
    const Term before = c.at(self).replica().term();
    c.hold_disk(self);
    c.restart(self);
    while (c.at(self).replica().term() == before) c.run(milliseconds(10));
    while (!c.at(self).replica().leads()) c.sync_one(self);
    c.replies.clear();
    c.events.clear();
    c.renew(self, 9, a, 2);
    c.acquire(self, 9, a, 1);
    c.acquire(self, 9, a, 2, 6);
    CHECK(c.replies.size() == 1);
    CHECK(c.last<wire::Busy>().seq == RequestSeq(2));
    const auto received = c.reported<events::RenewalReceived>();
    REQUIRE(received.size() == 1);
    CHECK(received[0].second.sending == SendingNo(2));
    CHECK(received[0].second.term == c.at(self).replica().term());
    c.run(milliseconds(50));
    c.release_disk(self);
    CHECK(c.replies.size() == 3);
    CHECK(c.reported<events::RenewalReceived>().size() == 1);
}

TEST_CASE("server: the limits of the table are met by whoever answers") {
    server::Config config;
    config.limits.sessions = 2;
    config.limits.locks_per_session = 1;
    config.limits.requests_per_session = 2;
    Cluster c(3, config);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, seconds(100));
    c.open(leader, 10, seconds(100));
    c.ask(leader, 11, wire::Open{Nonce(4), SendingNo(8), seconds(100)});
    CHECK(c.last<wire::OpenReply>().status == AnswerStatus::LimitReached);
    CHECK(c.last<wire::OpenReply>().nonce == Nonce(4));
    c.acquire(leader, 9, a, 1);
    c.acquire(leader, 9, a, 2, 6);
    CHECK(c.last<wire::RequestReply>().status == AnswerStatus::LimitReached);
    const std::size_t answered = c.reported<events::Answered>().size();
    c.acquire(leader, 9, a, 3, 7);
    CHECK(c.last<wire::Busy>().seq == RequestSeq(3));  // no final answer: nothing is remembered
    CHECK(c.reported<events::Answered>().size() == answered);
    const auto met = c.reported<events::LimitMet>();
    REQUIRE(met.size() == 3);
    CHECK(met[0].second.limit == Limit::Sessions);
    CHECK(met[0].second.operation == Operation::Open);
    CHECK(met[0].second.client == NodeId(11));
    CHECK(met[1].second.limit == Limit::LocksPerSession);
    CHECK(met[2].second.limit == Limit::RequestsPerSession);
}

TEST_CASE("server: a renewal is reported when it comes, once") {
    Cluster c(3);
    const NodeId leader = c.elect();
    const SessionId a = c.open(leader, 9, seconds(10));
    c.cut(leader);
    c.renew(leader, 9, a, 7);
    const auto received = c.reported<events::RenewalReceived>();
    REQUIRE(received.size() == 1);
    CHECK(received[0].second.session == a);
    CHECK(received[0].second.client == NodeId(9));
    CHECK(received[0].second.sending == SendingNo(7));
    c.heal();
    c.run(milliseconds(300));
    CHECK(c.reported<events::RenewalReceived>().size() == 1);
    c.renew(c.other_than(leader), 9, a, 8);  // who does not lead will not answer
    CHECK(c.reported<events::RenewalReceived>().size() == 1);
}

}  // namespace lockstep
