#include "tests/sim/scripted.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

namespace lockstep::sim::connection_tests {

using test::Lines;
using test::Script;
using test::ScriptedWorld;

namespace {

/// Two processes that log what they get, with an ordered link each way.
struct Pair : ScriptedWorld {
    explicit Pair(std::uint64_t seed = 1)
        : ScriptedWorld(seed), a(add_logger("a")), b(add_logger("b")) {}
    Network& network() { return world.network(); }
    const ProcessId a;
    const ProcessId b;
};

Lines numbers(const char* who, std::uint64_t from, std::uint64_t to) {
    Lines lines;
    for (std::uint64_t i = from; i <= to; ++i) lines.push_back(fmt::format("{} got {}", who, i));
    return lines;
}

}  // namespace

TEST_CASE("sim: an ordered link delivers in the order of sending") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Pair rig(seed);
        for (std::uint64_t i = 1; i <= 30; ++i) {
            rig.send(rig.a, rig.b, i);
            if (i % 3 == 0) rig.run_for(microseconds(300));
        }
        rig.run_for(seconds(1));
        CHECK(rig.said() == numbers("b", 1, 30));
        CHECK(rig.network().in_flight() == 0);
    }
}

TEST_CASE("sim: losses on an ordered link delay, and reorder nothing") {
    Pair rig;
    rig.network().add_trouble(rig.a, rig.b, {300'000, 0, 0, {}}, 1);
    for (std::uint64_t i = 1; i <= 50; ++i) rig.send(rig.a, rig.b, i);
    rig.run_for(milliseconds(3));
    CHECK(rig.said().size() < 50);
    rig.network().add_trouble(rig.a, rig.b, {300'000, 0, 0, {}}, -1);
    rig.run_for(seconds(4));
    rig.send(rig.a, rig.b, 51);
    rig.run_for(seconds(1));
    CHECK(rig.world.network().in_flight() == 0);
    CHECK(rig.count<LinkWasReset>() == 0);
}

TEST_CASE("sim: an ordered link that loses everything ends its connection") {
    Pair rig;
    rig.network().add_trouble(rig.a, rig.b, {1'000'000, 0, 0, {}}, 1);
    rig.send(rig.a, rig.b, 1);
    CHECK_FALSE(rig.network().drained());
    rig.run_for(milliseconds(4'999));
    CHECK(rig.said().empty());
    rig.run_for(milliseconds(1));
    CHECK(rig.count<LinkWasReset>() == 2);
    CHECK(rig.network().drained());
}

TEST_CASE("sim: a cut holds what was sent before and during it, and heals into order") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Pair rig(seed);
        for (std::uint64_t i = 1; i <= 5; ++i) rig.send(rig.a, rig.b, i);
        rig.network().cut(rig.a, rig.b);
        for (std::uint64_t i = 6; i <= 10; ++i) rig.send(rig.a, rig.b, i);
        CHECK_FALSE(rig.network().drained());
        rig.run_for(seconds(2));
        CHECK(rig.said().empty());
        rig.network().heal(rig.a, rig.b);
        CHECK_FALSE(rig.network().drained());
        for (std::uint64_t i = 11; i <= 15; ++i) rig.send(rig.a, rig.b, i);
        rig.run_for(milliseconds(20));
        CHECK(rig.said() == numbers("b", 1, 15));
        CHECK(rig.network().drained());
        rig.run_for(seconds(20));
        CHECK(rig.count<LinkWasReset>() == 0);
    }
}

TEST_CASE("sim: a short cut delays only what would have arrived in it") {
    Pair rig;
    LinkModel slow;
    slow.delay = {milliseconds(10), milliseconds(10), 0, {}};
    rig.network().set_model(rig.a, rig.b, slow);
    rig.send(rig.a, rig.b, 1);
    rig.run_for(milliseconds(8));
    rig.send(rig.a, rig.b, 2);
    rig.network().cut(rig.a, rig.b);
    rig.run_for(milliseconds(4));
    rig.network().heal(rig.a, rig.b);
    rig.run_for(seconds(1));
    REQUIRE(rig.entries.size() == 2);
    // The first met the cut at 10 ms and went again at 12 ms; the second waits behind it.
    CHECK(rig.entries[0].at == SimTime{} + milliseconds(22));
    CHECK(rig.entries[1].at == SimTime{} + milliseconds(22));
    CHECK(rig.said() == numbers("b", 1, 2));
}

TEST_CASE("sim: cuts nest") {
    Pair rig;
    rig.network().cut(rig.a, rig.b);
    rig.network().cut(rig.a, rig.b);
    rig.send(rig.a, rig.b, 1);
    rig.network().heal(rig.a, rig.b);
    CHECK(rig.network().is_cut(rig.a, rig.b));
    rig.run_for(seconds(1));
    CHECK(rig.said().empty());
    rig.network().heal(rig.a, rig.b);
    rig.run_for(seconds(1));
    CHECK(rig.said() == numbers("b", 1, 1));
}

TEST_CASE(
    "sim: a cut that outlasts the timeout resets the connection, both ends hear, nothing comes "
    "late") {
    Pair rig;
    rig.network().cut(rig.a, rig.b);
    rig.run_for(seconds(3));
    rig.send(rig.a, rig.b, 1);
    rig.run_for(milliseconds(4'999));
    CHECK(rig.said().empty());
    rig.run_for(milliseconds(1));
    Lines lines = rig.said();
    std::sort(lines.begin(), lines.end());
    CHECK(lines == Lines{"a reset by 2", "b reset by 1"});
    CHECK(rig.count<LinkWasReset>() == 2);
    rig.network().heal(rig.a, rig.b);
    rig.send(rig.a, rig.b, 2);
    rig.run_for(seconds(30));
    CHECK(rig.said() == numbers("b", 2, 2));
}

TEST_CASE("sim: a cut over which nothing is said resets nothing") {
    Pair rig;
    rig.send(rig.a, rig.b, 1);
    rig.run_for(seconds(1));
    rig.network().cut(rig.a, rig.b);
    rig.network().cut(rig.b, rig.a);
    rig.run_for(seconds(60));
    CHECK(rig.count<LinkWasReset>() == 0);
}

TEST_CASE("sim: a one-way cut stops the acknowledgements of the other direction") {
    Pair rig;
    rig.network().cut(rig.b, rig.a);
    rig.send(rig.a, rig.b, 1);
    rig.run_for(milliseconds(10));
    CHECK(rig.said() == numbers("b", 1, 1));
    SECTION("until the connection times out") {
        rig.run_for(milliseconds(4'989));
        CHECK(rig.count<LinkWasReset>() == 0);
        rig.run_for(milliseconds(1));
        CHECK(rig.count<LinkWasReset>() == 2);
    }
    SECTION("unless it heals in time") {
        rig.run_for(seconds(4));
        rig.network().heal(rig.b, rig.a);
        rig.run_for(seconds(20));
        CHECK(rig.count<LinkWasReset>() == 0);
    }
}

TEST_CASE("sim: what was acknowledged late counts no more at the next cut") {
    Pair rig;
    rig.network().cut(rig.b, rig.a);
    rig.send(rig.a, rig.b, 1);
    rig.run_for(seconds(1));
    rig.network().cut(rig.a, rig.b);
    rig.network().heal(rig.b, rig.a);
    rig.network().heal(rig.a, rig.b);
    rig.run_for(seconds(100));
    rig.network().cut(rig.a, rig.b);
    rig.run_for(seconds(60));
    CHECK(rig.said() == numbers("b", 1, 1));
    CHECK(rig.count<LinkWasReset>() == 0);
}

TEST_CASE("sim: a crash loses what is in flight and tells the other end after a delay") {
    Pair rig;
    rig.send(rig.a, rig.b, 1);
    rig.run_for(milliseconds(5));
    CHECK(rig.said() == numbers("b", 1, 1));
    rig.send(rig.a, rig.b, 2);
    rig.send(rig.b, rig.a, 3);
    rig.world.crash(rig.b, CrashKind::Kill);
    rig.world.start(rig.b);
    rig.send(rig.a, rig.b, 4);
    rig.run_for(microseconds(199));
    CHECK(rig.said().empty());
    rig.run_for(milliseconds(5));
    CHECK(rig.said() == Lines{"a reset by 2"});
    REQUIRE(rig.count<LinkWasReset>() == 1);
    rig.send(rig.a, rig.b, 5);
    rig.run_for(seconds(20));
    CHECK(rig.said() == numbers("b", 5, 5));
    CHECK(rig.network().in_flight() == 0);
}

TEST_CASE(
    "sim: the first message over a new connection comes after the news that the old one is gone") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Pair rig(seed);
        rig.send(rig.a, rig.b, 1);
        rig.run_for(milliseconds(5));
        rig.said();
        rig.world.crash(rig.b, CrashKind::Kill);
        rig.world.start(rig.b);
        rig.send(rig.b, rig.a, 2);
        rig.run_for(milliseconds(5));
        CHECK(rig.said() == Lines{"a reset by 2", "a got 2"});
    }
}

TEST_CASE("sim: the news of a crash waits for a cut to heal, or for the timeout") {
    Pair rig;
    rig.send(rig.a, rig.b, 1);
    rig.run_for(milliseconds(5));
    rig.said();
    rig.network().cut(rig.b, rig.a);
    rig.world.crash(rig.b, CrashKind::Kill);
    rig.run_for(seconds(1));
    CHECK(rig.said().empty());
    SECTION("heals") {
        rig.network().heal(rig.b, rig.a);
        rig.run_for(milliseconds(5));
        CHECK(rig.said() == Lines{"a reset by 2"});
    }
    SECTION("times out") {
        rig.run_for(milliseconds(3'999));
        CHECK(rig.said().empty());
        rig.run_for(milliseconds(1));
        CHECK(rig.said() == Lines{"a reset by 2"});
    }
    rig.run_for(seconds(30));
    CHECK(rig.count<LinkWasReset>() == 1);
}

TEST_CASE("sim: a message to a process that is down is refused") {
    Pair rig;
    rig.world.crash(rig.b, CrashKind::Kill);
    rig.send(rig.a, rig.b, 1);
    rig.run_for(milliseconds(10));
    CHECK(rig.said() == Lines{"a reset by 2"});
    rig.world.start(rig.b);
    rig.run_for(seconds(10));
    CHECK(rig.said().empty());
}

TEST_CASE("sim: a middlebox resets a connection that is open, for both ends at once") {
    Pair rig;
    rig.network().reset_connection(rig.a, rig.b);
    rig.run_for(Duration{});
    CHECK(rig.count<LinkWasReset>() == 0);
    rig.send(rig.a, rig.b, 1);
    rig.network().reset_connection(rig.b, rig.a);
    rig.run_for(Duration{});
    CHECK(rig.count<LinkWasReset>() == 2);
    rig.run_for(seconds(1));
    CHECK(rig.said().size() == 2);
    CHECK(rig.network().in_flight() == 0);
}

TEST_CASE("sim: a kernel that stands still acknowledges nothing; one whose process hangs does") {
    Pair rig;
    const bool frozen = GENERATE(false, true);
    rig.world.pause(rig.b, frozen ? ClockMode::Frozen : ClockMode::Runs);
    rig.send(rig.a, rig.b, 1);
    rig.run_for(seconds(10));
    CHECK(rig.count<LinkWasReset>() == (frozen ? 2 : 0));
    rig.said();
    rig.world.resume(rig.b);
    rig.run_for(seconds(1));
    CHECK(rig.said() == (frozen ? Lines{"b reset by 1"} : Lines{"b got 1"}));
}

TEST_CASE("sim: a frozen pause shorter than the timeout loses nothing") {
    Pair rig;
    rig.world.pause(rig.b, ClockMode::Frozen);
    rig.send(rig.a, rig.b, 1);
    rig.run_for(seconds(4));
    rig.world.resume(rig.b);
    rig.run_for(seconds(20));
    CHECK(rig.said() == Lines{"b got 1"});
    CHECK(rig.count<LinkWasReset>() == 0);
}

TEST_CASE("sim: on a link that loses everything, what a healed cut held keeps back what follows") {
    Pair rig;
    LinkModel model;
    model.delay = {milliseconds(10), milliseconds(10)};
    rig.network().set_default(model);
    rig.send(rig.a, rig.b, 1);  // will meet the cut
    rig.network().add_trouble(rig.a, rig.b, {0, 0, 0, milliseconds(20)}, 1);
    rig.send(rig.a, rig.b, 2);  // will arrive after it
    rig.network().add_trouble(rig.a, rig.b, {1'000'000, 0, 0, {}}, 1);
    rig.send(rig.a, rig.b, 3);  // is lost again and again
    rig.network().cut(rig.a, rig.b);
    rig.run_for(milliseconds(15));
    rig.network().heal(rig.a, rig.b);
    rig.run_for(milliseconds(500));
    CHECK(rig.said().empty());
    CHECK(!rig.network().drained());
    rig.network().add_trouble(rig.a, rig.b, {1'000'000, 0, 0, {}}, -1);
    rig.run_for(milliseconds(500));
    CHECK(rig.said() == Lines{"b got 1", "b got 2", "b got 3"});
    CHECK(rig.network().drained());
}

TEST_CASE("sim: the next message of a kind is dropped, and only that") {
    Pair rig;
    rig.world.trace_messages(true);
    int dropped = 0;
    rig.network().drop_next(8, ProcessId(), rig.b, 1,
                            [&dropped](ProcessId, ProcessId) { ++dropped; });
    rig.send(rig.a, rig.b, 1);
    rig.send(rig.b, rig.a, 1'001);
    rig.send(rig.a, rig.b, 1'002);
    rig.send(rig.a, rig.b, 1'003);
    rig.run_for(seconds(1));
    Lines lines = rig.said();
    std::sort(lines.begin(), lines.end());
    CHECK(lines == Lines{"a got 1001", "b got 1", "b got 1003"});
    CHECK(dropped == 1);
    REQUIRE(rig.traced.size() == 4);
    CHECK(rig.traced[2].dropped == "lost by a fault");
    CHECK(rig.traced[2].arrives == SimTime::never());
    CHECK(rig.traced[3].dropped.empty());
    CHECK(rig.traced[3].arrives > SimTime{});
}

TEST_CASE("sim: a process can send to itself, over a link that can be cut") {
    Pair rig;
    rig.send(rig.a, rig.a, 1);
    rig.network().cut(rig.a, rig.a);
    rig.run_for(seconds(1));
    CHECK(rig.said().empty());
    rig.network().heal(rig.a, rig.a);
    rig.run_for(seconds(1));
    CHECK(rig.said() == Lines{"a got 1"});
    rig.send(rig.a, rig.a, 2);
    rig.world.crash(rig.a, CrashKind::Kill);
    rig.world.start(rig.a);
    rig.run_for(seconds(10));
    CHECK(rig.said().empty());
}

}  // namespace lockstep::sim::connection_tests
