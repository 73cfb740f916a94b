#include "core/server/timers.hpp"

#include "tests/support/catch.hpp"

#include <utility>

namespace lockstep::server {
namespace {

LocalTime at(std::int64_t second) {
    return LocalTime{} + seconds(second);
}

}  // namespace

TEST_CASE("server: a lease is due when its TTL has run, and taken once") {
    LeaseTimers t;
    CHECK(t.next_due() == LocalTime::never());
    t.start(SessionId(1), seconds(10), at(100));
    CHECK(t.next_due() == at(110));
    CHECK_FALSE(t.take_due(at(110) - nanoseconds(1)));
    CHECK_FALSE(t.taken(SessionId(1)));
    CHECK(t.take_due(at(110)) == SessionId(1));
    CHECK(t.taken(SessionId(1)));
    CHECK_FALSE(t.take_due(at(200)));
    CHECK(t.next_due() == LocalTime::never());
}

TEST_CASE("server: a renewal runs the TTL from its receipt, and never backwards") {
    LeaseTimers t;
    t.start(SessionId(1), seconds(10), at(100));
    t.renew(SessionId(1), at(104));
    t.renew(SessionId(1), at(102));
    CHECK_FALSE(t.take_due(at(113)));
    CHECK(t.next_due() == at(114));
    CHECK(t.take_due(at(114)) == SessionId(1));
}

TEST_CASE("server: a lease may start with less than its TTL, and is renewed by all of it") {
    LeaseTimers t;
    t.start(SessionId(1), seconds(10), seconds(3), at(100));
    CHECK(t.next_due() == at(103));
    t.renew(SessionId(1), at(101));
    CHECK_FALSE(t.take_due(at(110)));
    CHECK(t.take_due(at(111)) == SessionId(1));
}

TEST_CASE("server: what is still timed can be looked through") {
    LeaseTimers t;
    t.start(SessionId(2), seconds(9), at(100));
    t.start(SessionId(1), seconds(5), at(100));
    t.start(SessionId(3), seconds(1), at(100));
    REQUIRE(t.take_due(at(101)) == SessionId(3));
    std::vector<std::pair<SessionId, LocalTime>> seen;
    t.for_each([&](SessionId id, LocalTime due) { seen.emplace_back(id, due); });
    CHECK(seen == decltype(seen){{SessionId(1), at(105)}, {SessionId(2), at(109)}});
}

TEST_CASE("server: leases come due in the order of time, then of sessions") {
    LeaseTimers t;
    t.start(SessionId(3), seconds(5), at(100));
    t.start(SessionId(2), seconds(5), at(100));
    t.start(SessionId(1), seconds(9), at(100));
    t.start(SessionId(4), seconds(1), at(100));
    t.end(SessionId(4));
    CHECK(t.take_due(at(120)) == SessionId(2));
    CHECK(t.take_due(at(120)) == SessionId(3));
    CHECK(t.take_due(at(120)) == SessionId(1));
    CHECK_FALSE(t.take_due(at(120)));
}

TEST_CASE("server: sessions that come and go do not lose those that stay") {
    LeaseTimers t;
    t.start(SessionId(1), seconds(1'000), at(0));
    for (std::uint64_t s = 2; s < 2'000; ++s) {
        t.start(SessionId(s), seconds(500), at(0));
        t.end(SessionId(s));
    }
    CHECK(t.size() == 1);
    CHECK_FALSE(t.take_due(at(999)));
    CHECK(t.take_due(at(1'000)) == SessionId(1));
}

TEST_CASE("server: a TTL beyond the end of time never runs out") {
    LeaseTimers t;
    t.start(SessionId(1), Duration::max(), at(100));
    CHECK(t.next_due() == LocalTime::never());
    CHECK_FALSE(t.take_due(at(1'000'000)));
}

}  // namespace lockstep::server
