#include "core/base/assert.hpp"
#include "tests/sim/scripted.hpp"
#include "tests/support/catch.hpp"

#include <stdexcept>

namespace lockstep::sim::process_tests {

using test::Lines;
using test::Script;
using test::ScriptedWorld;

TEST_CASE("sim: a timer fires once, at its deadline on the process's own clock") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    const SimTime begin = rig.world.now();
    rig.world.set_drift(p, -500'000);
    process.set_timer(3, process.now() + milliseconds(10));
    rig.run_for(seconds(1));
    REQUIRE(rig.entries.size() == 1);
    CHECK(rig.entries[0].at == begin + milliseconds(20));
    CHECK(rig.said() == Lines{"p timer 3"});
}

TEST_CASE("sim: a timer that is moved later or cancelled takes no step at its old deadline") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    process.set_timer(0, process.now() + milliseconds(10));
    process.set_timer(1, process.now() + milliseconds(10));
    process.set_timer(0, process.now() + milliseconds(30));
    process.cancel_timer(1);
    rig.run_for(milliseconds(29));
    CHECK(rig.world.steps() == 0);
    rig.run_for(milliseconds(1));
    CHECK(rig.world.steps() == 1);
    CHECK(rig.said() == Lines{"p timer 0"});
}

TEST_CASE("sim: a timer that is moved earlier fires then, and not again") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    process.set_timer(0, process.now() + milliseconds(50));
    process.set_timer(0, process.now() + milliseconds(5));
    rig.run_for(milliseconds(5));
    CHECK(rig.said() == Lines{"p timer 0"});
    rig.run_for(seconds(1));
    CHECK(rig.said().empty());
    process.set_timer(0, process.now() - milliseconds(1));
    rig.run_for(Duration{});
    CHECK(rig.said() == Lines{"p timer 0"});
}

TEST_CASE("sim: a change of the clock's rate moves timers and watched deadlines") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    process.set_timer(0, process.now() + seconds(10));
    process.watch_deadline(77, process.now() + seconds(10));
    rig.run_for(seconds(5));
    rig.world.set_drift(p, 1'000'000);
    rig.run_for(milliseconds(2'499));
    CHECK(rig.said().empty());
    rig.run_for(milliseconds(1));
    CHECK(rig.said() == Lines{"p timer 0"});
    REQUIRE(rig.count<DeadlinePassed>() == 1);
    CHECK(rig.events.back().at == SimTime{} + milliseconds(7'500));
    CHECK(std::get<DeadlinePassed>(rig.events.back().event).key == 77);

    rig.world.set_drift(p, 0);
    process.set_timer(0, process.now() + seconds(1));
    rig.world.freeze_clock(p);
    rig.run_for(seconds(20));
    CHECK(rig.said().empty());
    rig.world.thaw_clock(p);
    rig.run_for(seconds(1));
    CHECK(rig.said() == Lines{"p timer 0"});
}

TEST_CASE("sim: re-arming after the clock was made faster is not late") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    process.set_timer(0, process.now() + seconds(10));
    process.cancel_timer(0);
    rig.world.set_drift(p, 1'000'000);
    process.set_timer(0, process.now() + seconds(11));
    rig.run_for(milliseconds(5'500));
    CHECK(rig.said() == Lines{"p timer 0"});
}

TEST_CASE("sim: a watched deadline can be moved and taken away, and ends with the life") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    process.watch_deadline(1, process.now() + seconds(1));
    process.watch_deadline(2, process.now() + seconds(2));
    process.watch_deadline(1, process.now() + seconds(3));
    process.watch_deadline(2, LocalTime::never());
    rig.run_for(milliseconds(2'999));
    CHECK(rig.count<DeadlinePassed>() == 0);
    rig.run_for(milliseconds(1));
    CHECK(rig.count<DeadlinePassed>() == 1);
    process.watch_deadline(3, process.now() + seconds(1));
    rig.world.crash(p, CrashKind::Kill);
    rig.world.start(p);
    rig.run_for(seconds(5));
    CHECK(rig.count<DeadlinePassed>() == 1);
}

TEST_CASE(
    "sim: a new life has a new clock, a new generator, and nothing of the old one's business") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    const ProcessId q = rig.add_logger("q");
    Process& process = rig.world.process(p);
    const LocalTime first_boot = process.now();
    const std::uint64_t first_draw = process.prng().next();
    process.set_timer(0, process.now() + seconds(1));
    rig.world.schedule_io(p, seconds(1), 1, [&] { rig.log(process, "io"); });
    rig.world.crash(p, CrashKind::Kill);
    CHECK_FALSE(rig.world.up(p));
    rig.world.start(p);
    CHECK(process.life() == 2);
    CHECK(process.now() != first_boot);
    CHECK(process.prng().next() != first_draw);
    rig.run_for(seconds(5));
    CHECK(rig.said().empty());
    CHECK(rig.count<ProcessStarted>() == 3);
    CHECK(rig.count<ProcessStopped>() == 1);
    CHECK(rig.world.process(q).life() == 1);
}

TEST_CASE("sim: an operation of a device ends as a callback after its time") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    Process& process = rig.world.process(p);
    rig.world.schedule_io(p, milliseconds(3), 1, [&] { rig.log(process, "io"); });
    rig.run_for(milliseconds(2));
    CHECK(rig.said().empty());
    rig.world.pause(p, ClockMode::Runs);
    rig.run_for(milliseconds(5));
    CHECK(rig.said().empty());
    rig.world.resume(p);
    rig.run_for(Duration{});
    CHECK(rig.said() == Lines{"p io"});
}

TEST_CASE("sim: fibers sleep on their own clock, wait and are woken in order") {
    ScriptedWorld rig;
    Condition condition;
    Script script;
    script.start = [&](Process& p) {
        for (const char* name : {"a", "b", "c"})
            p.spawn(name, [&rig, &p, &condition, name] {
                p.wait(condition);
                rig.log(p, name);
            });
        p.spawn("waker", [&p, &condition] {
            p.sleep(milliseconds(5));
            condition.notify_all();
        });
    };
    rig.world.start(rig.add("p", script));
    rig.run_for(milliseconds(4));
    CHECK(rig.said().empty());
    rig.run_for(milliseconds(1));
    CHECK(rig.said() == Lines{"p a", "p b", "p c"});
}

TEST_CASE("sim: wait_until says what came first") {
    ScriptedWorld rig;
    Condition condition;
    Script script;
    script.start = [&](Process& p) {
        p.spawn("fiber", [&] {
            const bool first = p.wait_until(condition, p.now() + milliseconds(2));
            rig.log(p, first ? "notified" : "timed out");
            const bool second = p.wait_until(condition, p.now() + seconds(1));
            rig.log(p, second ? "notified" : "timed out");
            p.sleep(milliseconds(10));
            rig.log(p, "slept");
        });
    };
    rig.world.start(rig.add("p", script));
    rig.run_for(milliseconds(3));
    CHECK(rig.said() == Lines{"p timed out"});
    condition.notify_all();
    rig.run_for(milliseconds(9));
    CHECK(rig.said() == Lines{"p notified"});
    rig.run_for(milliseconds(1));
    CHECK(rig.said() == Lines{"p slept"});
}

TEST_CASE("sim: a fiber that yields lets everything else of that instant go first") {
    ScriptedWorld rig;
    Script script;
    script.start = [&](Process& p) {
        p.spawn("yielding", [&] {
            rig.log(p, "before");
            p.yield();
            rig.log(p, "after");
        });
        for (int i = 0; i < 5; ++i) p.spawn("other", [&] { rig.log(p, "other"); });
        rig.world.at(rig.world.now(), 1, [&] { rig.log(p, "control"); });
    };
    rig.world.start(rig.add("p", script));
    rig.run_for(Duration{});
    const Lines lines = rig.said();
    REQUIRE(lines.size() == 8);
    CHECK(lines.back() == "p after");
}

TEST_CASE("sim: a crash unwinds fibers; a destructor that waits or sends there does no harm") {
    ScriptedWorld rig;
    const ProcessId peer = rig.add_logger("peer");
    Condition condition;
    struct Guard {
        ScriptedWorld& rig;
        Process& process;
        Condition& condition;
        ProcessId peer;
        ~Guard() {
            process.sleep(seconds(1));
            process.wait(condition);
            process.yield();
            process.point(4);
            process.send(peer, Payload::make(test::Number{1}));
            process.set_timer(0, process.now());
            rig.log(process, "unwound");
        }
    };
    Script script;
    script.start = [&](Process& p) {
        p.spawn("waits", [&] {
            const Guard guard{rig, p, condition, peer};
            p.wait(condition);
        });
        p.spawn("sleeps", [&] {
            const Guard guard{rig, p, condition, peer};
            p.sleep(seconds(100));
        });
        p.spawn("ended", [] {});
    };
    script.on_timer = [&](Process& p, TimerId) { rig.log(p, "timer"); };
    const ProcessId p = rig.add("p", script);
    rig.world.start(p);
    rig.run_for(milliseconds(1));
    rig.world.crash(p, CrashKind::Kill);
    CHECK(rig.said() == Lines{"p unwound", "p unwound"});
    condition.notify_all();
    rig.run_for(seconds(200));
    CHECK(rig.said().empty());
    rig.world.start(p);
    rig.run_for(seconds(1));
}

TEST_CASE("sim: what a program throws comes out of run_until, and the world can be left") {
    bool unwound = false;
    {
        ScriptedWorld rig;
        struct Guard {
            bool& flag;
            ~Guard() { flag = true; }
        };
        Script script;
        script.start = [&](Process& p) {
            p.spawn("innocent", [&] {
                const Guard guard{unwound};
                p.sleep(seconds(100));
            });
            p.spawn("guilty", [&] {
                p.sleep(milliseconds(1));
                LOCKSTEP_ASSERT(false, "value={}", 42);
            });
        };
        script.on_timer = [](Process&, TimerId) { throw std::runtime_error("callback"); };
        const ProcessId p = rig.add("p", script);
        rig.world.start(p);
        CHECK_THROWS_AS(rig.run_for(seconds(1)), AssertionFailed);
        CHECK(rig.world.now() == SimTime{} + milliseconds(1));
        rig.world.process(p).set_timer(0, rig.world.process(p).now());
        CHECK_THROWS_WITH(rig.run_for(seconds(1)), "callback");
        CHECK_FALSE(unwound);
    }
    CHECK(unwound);
}

TEST_CASE("sim: blocking outside of a fiber and driving the world from within one are refused") {
    ScriptedWorld rig;
    const ProcessId p = rig.add_logger("p");
    CHECK_THROWS_AS(rig.world.process(p).sleep(seconds(1)), AssertionFailed);
    Script script;
    script.start = [&](Process& q) {
        q.spawn("fiber", [&] { rig.world.crash(p, CrashKind::Kill); });
    };
    rig.world.start(rig.add("q", script));
    CHECK_THROWS_AS(rig.run_for(Duration{}), AssertionFailed);
    CHECK(rig.world.up(p));
}

}  // namespace lockstep::sim::process_tests
