#include "tests/sim/scripted.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>

namespace lockstep::sim::stall_tests {

using test::Lines;
using test::Script;
using test::ScriptedWorld;

namespace {

/// What a process that was paused does on resuming: two timers, three messages from each of two
/// peers.
Lines resumed_order(std::uint64_t seed) {
    ScriptedWorld rig(seed);
    const ProcessId p = rig.add_logger("p");
    const ProcessId a = rig.add_logger("a");
    const ProcessId b = rig.add_logger("b");
    Process& process = rig.world.process(p);
    process.set_timer(1, process.now() + milliseconds(20));
    process.set_timer(0, process.now() + milliseconds(30));
    rig.world.pause(p, ClockMode::Runs);
    for (std::uint64_t i = 1; i <= 3; ++i) {
        rig.send(a, p, i);
        rig.send(b, p, 10 + i);
    }
    rig.run_for(seconds(1));
    CHECK(rig.said().empty());
    rig.world.resume(p);
    rig.run_for(Duration{});
    return rig.said();
}

bool in_order(const Lines& lines, const Lines& expected) {
    auto at = lines.begin();
    for (const std::string& line : expected) {
        at = std::find(at, lines.end(), line);
        if (at == lines.end()) return false;
    }
    return true;
}

}  // namespace

TEST_CASE(
    "sim: what piled up in a pause runs on resume, interleaved by the seed, in order within each") {
    std::set<Lines> orders;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Lines lines = resumed_order(seed);
        REQUIRE(lines.size() == 8);
        CHECK(in_order(lines, {"p timer 1", "p timer 0"}));
        CHECK(in_order(lines, {"p got 1", "p got 2", "p got 3"}));
        CHECK(in_order(lines, {"p got 11", "p got 12", "p got 13"}));
        CHECK(lines == resumed_order(seed));
        orders.insert(lines);
    }
    CHECK(orders.size() > 10);
}

TEST_CASE("sim: a message that arrives while a backlog is worked off does not overtake it") {
    ScriptedWorld rig;
    Script script;
    script.on_message = [&](Process& p, Envelope& m) { rig.log(p, m.payload.print()); };
    const ProcessId p = rig.add("p", script);
    rig.world.start(p);
    const ProcessId a = rig.add_logger("a");
    LinkModel instant;
    instant.delay = {Duration{}, Duration{}, 0, {}};
    rig.world.network().set_model(a, p, instant);
    rig.world.pause(p, ClockMode::Runs);
    for (std::uint64_t i = 0; i < 5; ++i) rig.send(a, p, i);
    rig.run_for(milliseconds(1));
    rig.world.resume(p);
    for (std::uint64_t i = 5; i < 10; ++i) rig.send(a, p, i);
    rig.run_for(Duration{});
    Lines expected;
    for (int i = 0; i < 10; ++i) expected.push_back(fmt::format("p {}", i));
    CHECK(rig.said() == expected);
}

TEST_CASE("sim: a second pause in the middle of a backlog keeps the rest for later") {
    ScriptedWorld rig;
    Script script;
    script.on_message = [&](Process& p, Envelope& m) {
        rig.log(p, m.payload.print());
        if (m.payload.get<test::Number>().value == 2) rig.world.pause(p.id(), ClockMode::Runs);
    };
    const ProcessId p = rig.add("p", script);
    rig.world.start(p);
    const ProcessId a = rig.add_logger("a");
    rig.world.pause(p, ClockMode::Runs);
    for (std::uint64_t i = 1; i <= 4; ++i) rig.send(a, p, i);
    rig.run_for(milliseconds(50));
    rig.world.resume(p);
    rig.run_for(milliseconds(50));
    CHECK(rig.said() == Lines{"p 1", "p 2"});
    rig.world.resume(p);
    rig.run_for(milliseconds(50));
    CHECK(rig.said() == Lines{"p 3", "p 4"});
}

TEST_CASE(
    "sim: a timer that a callback of the backlog re-arms or cancels does not fire out of it") {
    ScriptedWorld rig;
    Script script;
    script.on_timer = [&](Process& p, TimerId t) {
        rig.log(p, fmt::format("timer {}", t));
        if (t != 0) return;
        p.cancel_timer(1);
        p.set_timer(2, p.now() + milliseconds(7));
    };
    const ProcessId p = rig.add("p", script);
    rig.world.start(p);
    Process& process = rig.world.process(p);
    for (TimerId t = 0; t < 3; ++t) process.set_timer(t, process.now() + milliseconds(1 + t));
    rig.world.pause(p, ClockMode::Runs);
    rig.run_for(milliseconds(100));
    rig.world.resume(p);
    rig.run_for(milliseconds(6));
    CHECK(rig.said() == Lines{"p timer 0"});
    rig.run_for(milliseconds(1));
    CHECK(rig.said() == Lines{"p timer 2"});
}

TEST_CASE("sim: pauses nest, and are reported when they take hold and when the last one ends") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    rig.world.pause(p, ClockMode::Runs);
    rig.world.pause(p, ClockMode::Runs);
    CHECK(rig.count<Paused>() == 1);
    rig.world.resume(p);
    CHECK(rig.world.paused(p));
    CHECK(rig.count<Resumed>() == 0);
    rig.world.resume(p);
    CHECK_FALSE(rig.world.paused(p));
    CHECK(rig.count<Resumed>() == 1);
}

TEST_CASE("sim: a frozen pause shifts timers, and the wall clock jumps") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    const LocalTime local = process.now();
    const WallTime wall = process.wall();
    process.set_timer(0, local + seconds(2));
    process.watch_deadline(5, local + seconds(2));
    rig.run_for(seconds(1));
    rig.world.pause(p, ClockMode::Frozen);
    rig.run_for(seconds(10));
    CHECK(rig.count<DeadlinePassed>() == 0);
    rig.world.resume(p);
    CHECK(process.now() == local + seconds(1));
    CHECK(process.wall() == wall + seconds(11));
    rig.run_for(milliseconds(999));
    CHECK(rig.said().empty());
    rig.run_for(milliseconds(1));
    CHECK(rig.said() == Lines{"p timer 0"});
    CHECK(rig.count<DeadlinePassed>() == 1);
}

TEST_CASE("sim: a deadline that a clock reaches in a pause is reported at that instant") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    process.watch_deadline(5, process.now() + seconds(2));
    rig.world.pause(p, ClockMode::Runs);
    rig.run_for(seconds(10));
    REQUIRE(rig.count<DeadlinePassed>() == 1);
    CHECK(rig.events.back().at == SimTime{} + seconds(2));
}

TEST_CASE("sim: a fiber can be stalled alone, and the callbacks alone") {
    ScriptedWorld rig;
    Script script;
    script.start = [&](Process& p) {
        for (const char* name : {"worker", "renewer"})
            p.spawn(name, [&rig, &p, name] {
                for (;;) {
                    p.sleep(seconds(1));
                    rig.log(p, name);
                }
            });
        p.set_timer(0, p.now() + milliseconds(1'500));
    };
    script.on_timer = [&](Process& p, TimerId) { rig.log(p, "timer"); };
    const ProcessId p = rig.add("p", script);
    rig.world.start(p);
    rig.run_for(Duration{});
    rig.world.pause_strand(p, 1);
    rig.world.pause_strand(p, 0);
    rig.run_for(milliseconds(2'500));
    CHECK(rig.said() == Lines{"p renewer", "p renewer"});
    rig.world.resume_strand(p, 0);
    rig.run_for(Duration{});
    CHECK(rig.said() == Lines{"p timer"});
    rig.world.resume_strand(p, 1);
    rig.run_for(Duration{});
    CHECK(rig.said() == Lines{"p worker"});
    REQUIRE(rig.count<Paused>() == 2);
    const auto paused = std::find_if(rig.events.begin(), rig.events.end(), [](const auto& e) {
        return std::holds_alternative<Paused>(e.event);
    });
    CHECK(std::get<Paused>(paused->event).strand == 2);
}

TEST_CASE("sim: a fiber that is paused at a point stops right there") {
    ScriptedWorld rig;
    Script script;
    script.start = [&](Process& p) {
        p.spawn("fiber", [&] {
            rig.log(p, "before");
            p.point(3);
            rig.log(p, "after");
        });
    };
    const ProcessId p = rig.add("p", script);
    bool whole = GENERATE(false, true);
    rig.at_point = [&](SimTime, ProcessId at, std::uint32_t point) {
        CHECK(point == 3);
        if (whole)
            rig.world.pause(at, ClockMode::Runs);
        else
            rig.world.pause_strand(at, 1);
    };
    rig.world.start(p);
    rig.run_for(seconds(1));
    CHECK(rig.said() == Lines{"p before"});
    if (whole)
        rig.world.resume(p);
    else
        rig.world.resume_strand(p, 1);
    rig.run_for(Duration{});
    CHECK(rig.said() == Lines{"p after"});
}

TEST_CASE("sim: a process that is paused at a point can be crashed there") {
    ScriptedWorld rig;
    Script script;
    script.start = [&](Process& p) {
        p.spawn("fiber", [&] {
            p.point(1);
            rig.log(p, "after");
        });
    };
    const ProcessId p = rig.add("p", script);
    rig.at_point = [&](SimTime, ProcessId at, std::uint32_t) {
        rig.world.pause(at, ClockMode::Runs);
    };
    rig.world.start(p);
    rig.run_for(seconds(1));
    rig.world.crash(p, CrashKind::Kill);
    rig.at_point = nullptr;
    rig.world.resume(p);
    rig.world.start(p);
    rig.run_for(seconds(1));
    CHECK(rig.said() == Lines{"p after"});
}

TEST_CASE("sim: a life that begins in a pause starts when that ends") {
    ScriptedWorld rig;
    Script script;
    script.start = [&](Process& p) {
        rig.log(p, "started");
        p.set_timer(0, p.now());
    };
    script.on_message = [&](Process& p, Envelope&) { rig.log(p, "message"); };
    const ProcessId p = rig.add("p", script);
    const ProcessId a = rig.add_logger("a");
    rig.world.pause(p, ClockMode::Frozen);
    rig.world.start(p);
    rig.send(a, p, 1);
    rig.run_for(seconds(1));
    CHECK(rig.said().empty());
    rig.world.resume(p);
    rig.run_for(seconds(1));
    CHECK(rig.said() == Lines{"p started", "p message"});
}

}  // namespace lockstep::sim::stall_tests
