#include "sim/disk.hpp"
#include "tests/sim/scripted.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::sim::fail_tests {

using test::Lines;
using test::Script;
using test::ScriptedWorld;

/// A process that fails at the first message that it gets, and says what it hears.
struct Failing : ScriptedWorld {
    ProcessId p;
    ProcessId peer;
    Failing() {
        Script script;
        script.start = [this](Process& process) {
            log(process, "starts");
            process.set_timer(0, process.now() + milliseconds(10));
        };
        script.on_timer = [this](Process& process, TimerId) { log(process, "timer"); };
        script.on_message = [this](Process& process, Envelope& m) {
            log(process, "got " + m.payload.print());
            if (m.payload.get<test::Number>().value != 1) return;
            process.fail();
            process.fail();
            log(process, "goes on");
            process.send(peer, Payload::make(test::Number{9}));
        };
        p = add("p", std::move(script));
        peer = add_logger("peer");
        LinkModel model;
        model.mode = LinkMode::Datagram;
        model.delay = {milliseconds(1), milliseconds(1)};
        world.network().set_default(model);
        world.start(p);
    }
};

TEST_CASE("sim: a process that fails ends its callback, does nothing more, and comes back") {
    Failing rig;
    rig.send(rig.peer, rig.p, 1);
    rig.send(rig.peer, rig.p, 2);  // arrives at the same instant, before or after
    rig.run_for(milliseconds(500));
    CHECK(!rig.world.up(rig.p));
    CHECK(rig.world.restarts_pending() == 1);
    Lines said = rig.said();
    CHECK(said.front() == "p starts");
    CHECK(std::count(said.begin(), said.end(), "p goes on") == 1);
    CHECK(said.back() == "peer got 9");
    CHECK(std::count(said.begin(), said.end(), "p timer") == 0);
    for (auto at = said.begin(); at != said.end(); ++at)
        if (*at == "p got 2") CHECK(*(at + 1) == "p got 1");  // never after it
    REQUIRE(rig.count<ProcessStopped>() == 1);
    rig.run_for(milliseconds(501));
    CHECK(rig.said() == Lines{"p starts"});
    CHECK(rig.world.process(rig.p).life() == 2);
    CHECK(rig.world.restarts_pending() == 0);
    // The next life is as good as any.
    rig.send(rig.peer, rig.p, 3);
    rig.run_for(seconds(1));
    CHECK(rig.said() == Lines{"p got 3", "p timer"});
}

TEST_CASE("sim: a process that fails is not started while held down, nor twice") {
    Failing rig;
    rig.send(rig.peer, rig.p, 1);
    rig.world.hold_down(rig.p);
    rig.world.hold_down(rig.p);
    rig.run_for(seconds(3));
    CHECK((!rig.world.up(rig.p) && rig.world.restarts_pending() == 0));
    rig.world.let_up(rig.p);
    CHECK(!rig.world.up(rig.p));
    rig.world.let_up(rig.p);
    CHECK(rig.world.up(rig.p));
    rig.send(rig.peer, rig.p, 1);
    rig.run_for(milliseconds(500));
    rig.world.start(rig.p);  // by somebody else
    rig.run_for(seconds(3));
    CHECK(rig.world.process(rig.p).life() == 3);
}

TEST_CASE("sim: a paused process that had failed comes back, and stays paused") {
    Failing rig;
    rig.world.at(SimTime{} + milliseconds(1), 1, [] {});
    rig.send(rig.peer, rig.p, 1);
    rig.run_for(milliseconds(100));
    rig.world.pause(rig.p, ClockMode::Runs);
    rig.said();
    rig.run_for(seconds(3));
    CHECK((rig.world.up(rig.p) && rig.said().empty()));
    rig.world.resume(rig.p);
    rig.run_for(seconds(1));
    CHECK(rig.said() == Lines{"p starts", "p timer"});
}

TEST_CASE("sim: a fiber may say that its process fails, too") {
    ScriptedWorld rig;
    Script script;
    script.start = [&rig](Process& process) {
        process.spawn("worker", [&rig, &process] {
            process.sleep(milliseconds(1));
            process.fail();
            rig.log(process, "still here");
            process.sleep(milliseconds(1));
            rig.log(process, "never");
        });
    };
    const ProcessId p = rig.add("p", std::move(script));
    rig.world.start(p);
    rig.run_for(milliseconds(900));
    CHECK(rig.said() == Lines{"p still here"});
    CHECK(!rig.world.up(p));
    rig.run_for(microseconds(101'500));  // before it fails again
    CHECK(rig.world.up(p));
}

}  // namespace lockstep::sim::fail_tests
