#include "core/base/assert.hpp"
#include "sim/purpose.hpp"
#include "tests/sim/scripted.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>

namespace lockstep::sim::world_tests {

using test::Lines;
using test::Number;
using test::Script;
using test::ScriptedWorld;

namespace {

LinkModel datagrams() {
    LinkModel model;
    model.mode = LinkMode::Datagram;
    return model;
}

/// Four processes that gossip, sleep and draw; returns the digest and says who got what when.
struct Gossip : ScriptedWorld {
    explicit Gossip(std::uint64_t seed) : ScriptedWorld(seed) {
        Script script;
        script.start = [this](Process& p) {
            p.spawn("talker", [this, &p] {
                for (std::uint64_t n = 1;; ++n) {
                    p.sleep(microseconds(static_cast<std::int64_t>(500 + p.prng().below(5'000))));
                    const std::uint64_t skip = 1 + p.prng().below(3);
                    const auto to = static_cast<std::uint32_t>((p.id().value - 1 + skip) % 4 + 1);
                    if (n % 5 == 0) {
                        test::Large large;
                        large.values.assign(n % 40, n);
                        p.send(ProcessId(to), Payload::make(std::move(large)));
                    } else {
                        p.send(ProcessId(to), Payload::make(Number{n}));
                    }
                }
            });
        };
        script.on_message = [this](Process& p, Envelope& m) {
            log(p, fmt::format("got {} of {}", m.payload.print(), m.from.value));
            p.set_timer(0, p.now() + milliseconds(3));
        };
        script.on_timer = [this](Process& p, TimerId) { log(p, "quiet"); };
        for (const char* name : {"a", "b", "c", "d"}) add(name, script);
        for (std::uint32_t p = 1; p <= 4; ++p) world.start(ProcessId(p));
    }
};

std::uint64_t gossip_digest(std::uint64_t seed, bool codec = false) {
    Gossip rig(seed);
    rig.world.set_wire_codec(codec);
    rig.run_for(milliseconds(300));
    return rig.world.digest();
}

}  // namespace

TEST_CASE("sim: one seed gives one digest, whatever the heap looks like; another seed another") {
    const std::uint64_t digest = gossip_digest(5);
    std::vector<std::unique_ptr<std::array<std::byte, 4096>>> noise;
    for (int i = 0; i < 300; ++i) noise.push_back(std::make_unique<std::array<std::byte, 4096>>());
    for (std::size_t i = 0; i < noise.size(); i += 2) noise[i].reset();
    CHECK(gossip_digest(5) == digest);
    CHECK(gossip_digest(6) != digest);
}

TEST_CASE("sim: messages through the wire codec change no digest") {
    CHECK(gossip_digest(5, true) == gossip_digest(5, false));
}

TEST_CASE("sim: checkpoints of the digest find the first difference of two runs") {
    Gossip one(9);
    Gossip other(9);
    one.world.keep_checkpoints(true);
    other.world.keep_checkpoints(true);
    one.run_for(seconds(5));
    other.run_for(milliseconds(2'500));
    other.world.fold(1);
    other.run_for(milliseconds(2'500));
    REQUIRE(one.world.steps() == other.world.steps());
    REQUIRE(one.world.checkpoints().size() == one.world.steps() / World::checkpoint_every);
    REQUIRE(one.world.checkpoints().size() >= 2);
    REQUIRE(one.world.checkpoints().size() == other.world.checkpoints().size());
    CHECK(one.world.checkpoints().front() == other.world.checkpoints().front());
    CHECK(one.world.checkpoints().back() != other.world.checkpoints().back());
}

TEST_CASE("sim: a pause changes nothing of links that it does not touch") {
    const auto arrivals = [](bool pause) {
        ScriptedWorld rig(3);
        const ProcessId a = rig.add_logger("a");
        const ProcessId b = rig.add_logger("b");
        const ProcessId c = rig.add_logger("c");
        if (pause) rig.world.pause(c, ClockMode::Frozen);
        for (std::uint64_t i = 0; i < 50; ++i) {
            rig.send(a, b, i);
            rig.send(b, c, i);
            rig.run_for(milliseconds(1));
        }
        if (pause) rig.world.resume(c);
        rig.run_for(seconds(1));
        std::vector<std::pair<std::int64_t, std::string>> at_b;
        for (const auto& entry : rig.entries)
            if (entry.what.starts_with("b ")) at_b.emplace_back(entry.at.ns, entry.what);
        return at_b;
    };
    const auto calm = arrivals(false);
    CHECK(calm.size() == 50);
    CHECK(calm == arrivals(true));
}

TEST_CASE("sim: luck is drawn anew from an instant on, not before") {
    const auto arrivals = [](bool reseed) {
        ScriptedWorld rig(3);
        const ProcessId a = rig.add_logger("a");
        const ProcessId b = rig.add_logger("b");
        if (reseed) rig.world.reseed_from(SimTime{} + seconds(1), 42);
        std::vector<std::int64_t> times;
        for (std::uint64_t i = 0; i < 20; ++i) {
            rig.send(a, b, i);
            rig.run_for(milliseconds(100));
        }
        for (const auto& entry : rig.entries) times.push_back(entry.at.ns);
        return times;
    };
    const auto first = arrivals(false);
    const auto second = arrivals(true);
    REQUIRE(first.size() == 20);
    REQUIRE(second.size() == 20);
    CHECK(std::equal(first.begin(), first.begin() + 10, second.begin()));
    CHECK_FALSE(std::equal(first.begin() + 10, first.end(), second.begin() + 10));
}

TEST_CASE(
    "sim: simultaneous steps come in an order that depends on the seed, and may be told apart") {
    std::map<Lines, int> orders;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        ScriptedWorld rig(seed);
        Lines order;
        for (std::uint64_t i = 1; i <= 3; ++i)
            rig.world.at(SimTime{100}, i, [&order, i] { order.push_back(std::to_string(i)); });
        rig.run_for(seconds(1));
        ++orders[order];
    }
    CHECK(orders.size() == 6);
}

TEST_CASE("sim: datagrams are lost and doubled about as often as asked, and overtake") {
    ScriptedWorld rig;
    const ProcessId a = rig.add_logger("a");
    const ProcessId b = rig.add_logger("b");
    LinkModel model = datagrams();
    model.loss_ppm = 200'000;
    model.duplicate_ppm = 100'000;
    rig.world.network().set_model(a, b, model);
    constexpr std::uint64_t sent = 5'000;
    for (std::uint64_t i = 0; i < sent; ++i) {
        rig.send(a, b, i);
        rig.run_for(microseconds(100));
    }
    rig.run_for(seconds(1));
    std::map<std::string, int> copies;
    bool overtaken = false;
    std::uint64_t highest = 0;
    for (const auto& entry : rig.entries) {
        ++copies[entry.what];
        const std::uint64_t number = std::stoull(entry.what.substr(6));
        overtaken = overtaken || number < highest;
        highest = std::max(highest, number);
    }
    const auto twice =
        std::count_if(copies.begin(), copies.end(), [](const auto& c) { return c.second == 2; });
    CHECK(copies.size() > sent * 78 / 100);
    CHECK(copies.size() < sent * 82 / 100);
    CHECK(twice > 320);
    CHECK(twice < 480);
    CHECK(overtaken);
    CHECK(rig.world.network().in_flight() == 0);
}

TEST_CASE("sim: reordering delays some datagrams beyond the usual") {
    ScriptedWorld rig;
    const ProcessId a = rig.add_logger("a");
    const ProcessId b = rig.add_logger("b");
    rig.world.network().set_default(datagrams());
    rig.world.network().add_trouble(a, b, {0, 0, 500'000, {}}, 1);
    for (std::uint64_t i = 0; i < 100; ++i) rig.send(a, b, i);
    rig.run_for(milliseconds(2));
    const std::size_t usual = rig.said().size();
    CHECK(usual > 25);
    CHECK(usual < 75);
    rig.run_for(milliseconds(8));
    CHECK(rig.said().size() == 100 - usual);
}

TEST_CASE("sim: a cut loses datagrams, those under way included") {
    ScriptedWorld rig;
    const ProcessId a = rig.add_logger("a");
    const ProcessId b = rig.add_logger("b");
    rig.world.network().set_default(datagrams());
    rig.send(a, b, 1);
    rig.world.network().cut(a, b);
    rig.send(a, b, 2);
    rig.run_for(seconds(1));
    rig.world.network().heal(a, b);
    CHECK(rig.world.network().drained());
    rig.send(a, b, 3);
    rig.run_for(seconds(10));
    CHECK(rig.said() == Lines{"b got 3"});
    rig.world.crash(b, CrashKind::Kill);
    rig.send(a, b, 4);
    rig.run_for(seconds(1));
    CHECK(rig.said().empty());
    CHECK(rig.count<LinkWasReset>() == 0);
    CHECK(rig.world.network().in_flight() == 0);
}

TEST_CASE("sim: an exponential tail has the mean that was asked for") {
    ScriptedWorld rig;
    const ProcessId a = rig.add_logger("a");
    const ProcessId b = rig.add_logger("b");
    LinkModel model = datagrams();
    model.delay = {Duration{}, Duration{}, 1'000'000, milliseconds(10)};
    rig.world.network().set_model(a, b, model);
    for (std::uint64_t i = 0; i < 4'000; ++i) rig.send(a, b, i);
    rig.run_for(seconds(10));
    REQUIRE(rig.entries.size() == 4'000);
    std::int64_t sum = 0;
    std::size_t long_ones = 0;
    for (const auto& entry : rig.entries) {
        sum += entry.at.ns;
        long_ones += entry.at > SimTime{} + milliseconds(20) ? 1 : 0;
    }
    CHECK(sum / 4'000 > 9'500'000);
    CHECK(sum / 4'000 < 10'500'000);
    // e^-2 of them.
    CHECK(long_ones > 480);
    CHECK(long_ones < 600);
}

TEST_CASE("sim: a livelock in one instant ends the run as stuck, with its digest") {
    const auto run = [](std::uint64_t& digest) {
        ScriptedWorld rig(1, {1'000, 1'000'000});
        Script script;
        script.start = [](Process& p) {
            p.spawn("spinner", [&p] {
                for (;;) p.yield();
            });
        };
        rig.world.start(rig.add("p", script));
        const RunEnd end = rig.run_for(seconds(1));
        CHECK(rig.world.steps() == 1'001);
        CHECK(rig.world.now() == SimTime{});
        digest = rig.world.digest();
        return end;
    };
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    CHECK(run(first) == RunEnd::StuckInInstant);
    CHECK(run(second) == RunEnd::StuckInInstant);
    CHECK(first == second);
}

TEST_CASE("sim: a run that takes too many steps ends as stuck") {
    ScriptedWorld rig(1, {1'000, 500});
    Script script;
    script.start = [](Process& p) {
        p.spawn("busy", [&p] {
            for (;;) p.sleep(nanoseconds(1));
        });
    };
    rig.world.start(rig.add("p", script));
    CHECK(rig.run_for(seconds(1)) == RunEnd::StuckInRun);
    CHECK(rig.world.steps() == 501);
}

TEST_CASE("sim: a run ends at its time, or when it is stopped; idle time costs nothing") {
    ScriptedWorld rig;
    const SimTime far = SimTime{} + seconds(1'000'000);
    bool called = false;
    rig.world.at(far, 1, [&] {
        called = true;
        rig.world.stop();
    });
    rig.world.at(far + seconds(1), 1, [] {});
    CHECK(rig.world.run_until(far - seconds(1)) == RunEnd::ReachedEnd);
    CHECK_FALSE(called);
    CHECK(rig.world.run_until(far + seconds(2)) == RunEnd::Stopped);
    CHECK(called);
    CHECK(rig.world.now() == far);
    CHECK(rig.world.steps() == 1);
    CHECK(rig.world.run_until(far + seconds(2)) == RunEnd::ReachedEnd);
    CHECK(rig.world.steps() == 2);
    CHECK(rig.world.now() == far + seconds(2));
}

TEST_CASE("sim: payloads move, clone, and refuse to be taken for another type") {
    test::Large large;
    large.values = {1, 2, 3};
    Payload boxed = Payload::make(large);
    CHECK(boxed.kind() == 9);
    Payload moved = std::move(boxed);
    CHECK(boxed.empty());
    Payload copy = moved.clone();
    moved.get<test::Large>().values[0] = 7;
    CHECK(copy.get<test::Large>().values == std::vector<std::uint64_t>{1, 2, 3});
    CHECK_THROWS_AS(copy.get<Number>(), AssertionFailed);
    copy = Payload::make(Number{1'000});
    CHECK(copy.kind() == 8);
    CHECK(copy.holds<Number>());
    CHECK(copy.print() == "1000");
    Writer scratch;
    CHECK(moved.recode(scratch).get<test::Large>().values == std::vector<std::uint64_t>{7, 2, 3});
    copy = std::move(moved);
    CHECK(copy.get<test::Large>().values.size() == 3);
}

}  // namespace lockstep::sim::world_tests
