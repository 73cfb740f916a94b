#include "sim/fault.hpp"

#include "sim/disk.hpp"
#include "sim/network.hpp"
#include "sim/swarm.hpp"
#include "tests/sim/fault_world.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>

namespace {

using namespace lockstep;
using namespace lockstep::sim;
using lockstep::test::Rig;

constexpr ProcessId n1(1), n2(2), n3(3), a(4), b(5), store(6);

Fault make(FaultKind kind, Aim aim, Duration at, Duration lasts) {
    Fault fault;
    fault.kind = kind;
    fault.aim = std::move(aim);
    fault.start = at;
    fault.duration = lasts;
    return fault;
}
Aim process(const char* name) {
    return {Aim::By::Process, name};
}
Aim role(const char* name) {
    return {Aim::By::Role, name};
}

/// A rig whose plan is armed.
struct Broken : Rig {
    FaultInjector injector;
    explicit Broken(FaultPlan plan, Ppm bound = Ppm{10'000})
        : injector(world, std::move(plan), bound, roles, &Rig::number,
                   {{"zone-1", {"n1", "n3"}}, {"zone-2", {"n2"}}}) {
        injector.arm();
    }
    const FaultTally& tally(FaultKind kind) const {
        return injector.tally()[static_cast<std::size_t>(kind)];
    }
};

SwarmInput swarm_input(std::uint64_t seed) {
    SwarmInput input;
    input.seed = seed;
    input.servers = {"n1", "n2", "n3", "n4", "n5"};
    input.clients = {"a", "b", "c"};
    input.resources = {"store"};
    input.interesting = {seconds(2), milliseconds(700), milliseconds(500)};
    input.between_servers = {"append", "append-reply"};
    input.from_clients = {"acquire"};
    input.to_clients = {"acquire-reply"};
    input.roles = {"leader", "holder", "next-waiter"};
    input.from = seconds(1);
    input.to = seconds(30);
    input.break_clocks = true;
    input.break_disks = true;
    input.groups = {"zone-1", "zone-2"};
    return input;
}

}  // namespace

TEST_CASE("fault: kinds have names, and durations are printed exactly") {
    for (std::size_t i = 0; i < fault_kinds; ++i) {
        const auto kind = static_cast<FaultKind>(i);
        CHECK(fault_kind(to_string(kind)) == kind);
    }
    CHECK(!fault_kind("meteor"));
    CHECK(to_string(milliseconds(1'500)) == "1500ms");
    CHECK(to_string(nanoseconds(-7)) == "-7ns");
    CHECK(make(FaultKind::Pause, process("a"), {}, seconds(15)).label() == "pause of a for 15s");
}

TEST_CASE("fault: a pause starts and ends on time") {
    Broken w({make(FaultKind::Pause, process("a"), seconds(2), seconds(3))});
    w.run_to(milliseconds(1'999));
    CHECK(!w.world.paused(a));
    w.run_to(seconds(2));
    CHECK(w.world.paused(a));
    CHECK(!w.injector.quiet());
    w.run_to(seconds(6));
    CHECK(!w.world.paused(a));
    CHECK(w.injector.quiet());
    const auto started = w.log.all<FaultStarted>();
    const auto ended = w.log.all<FaultEnded>();
    REQUIRE((started.size() == 1 && ended.size() == 1));
    CHECK((started[0].at.ns == seconds(2).ns && started[0].process == a));
    CHECK(ended[0].at.ns == seconds(5).ns);
    CHECK(w.log.all<AssumptionBroken>().empty());
    CHECK((w.tally(FaultKind::Pause).planned == 1 && w.tally(FaultKind::Pause).ended == 1));
}

TEST_CASE("fault: overlapping pauses end with the last") {
    Broken w({make(FaultKind::Pause, process("a"), seconds(1), seconds(4)),
              make(FaultKind::Pause, process("a"), seconds(2), seconds(1))});
    w.run_to(seconds(4));
    CHECK(w.world.paused(a));
    w.run_to(seconds(6));
    CHECK(!w.world.paused(a));
}

TEST_CASE("fault: a process crashed twice restarts when the later crash ends") {
    Broken w({make(FaultKind::CrashKill, process("n1"), seconds(1), seconds(3)),
              make(FaultKind::CrashPower, process("n1"), seconds(2), seconds(5))});
    w.run_to(milliseconds(1'500));
    CHECK(!w.world.up(n1));
    w.run_to(seconds(5));
    CHECK(!w.world.up(n1));
    w.run_to(seconds(8));
    CHECK(w.world.up(n1));
    CHECK(w.log.all<ProcessStopped>().size() == 1);
}

TEST_CASE("fault: cuts nest, have a direction, and spare who is left out") {
    Fault out = make(FaultKind::Cut, process("n1"), seconds(1), seconds(4));
    out.peers = {"servers"};
    out.direction = Direction::Out;
    Fault both = make(FaultKind::Cut, process("n1"), seconds(2), seconds(1));
    both.peers = {"others", "!a", "!store"};
    Broken w({out, both});
    Network& net = w.world.network();
    w.run_to(milliseconds(1'500));
    CHECK((net.is_cut(n1, n2) && net.is_cut(n1, n3) && !net.is_cut(n2, n1) && !net.is_cut(n1, a)));
    w.run_to(milliseconds(2'500));
    CHECK((net.is_cut(n1, n2) && net.is_cut(n2, n1) && net.is_cut(n1, b) && net.is_cut(b, n1)));
    CHECK((!net.is_cut(n1, a) && !net.is_cut(n1, store) && !net.is_cut(n2, n3)));
    w.run_to(seconds(4));
    CHECK((net.is_cut(n1, n2) && !net.is_cut(n2, n1) && !net.is_cut(n1, b)));
    w.run_to(seconds(6));
    CHECK(!net.is_cut(n1, n2));
}

TEST_CASE("fault: a role is whoever has it when the fault starts") {
    Broken w({make(FaultKind::Pause, role("leader"), seconds(1), seconds(2))});
    w.roles.who["leader"] = n2;
    w.run_to(milliseconds(1'500));
    w.roles.who["leader"] = n3;
    w.injector.roles_changed();
    w.run_to(seconds(2));
    CHECK((w.world.paused(n2) && !w.world.paused(n3)));
    w.run_to(seconds(4));
    CHECK(!w.world.paused(n2));
    CHECK(w.injector.hits_by_role().at("leader") == 1);
    CHECK(w.injector.target(0) == n2);
}

TEST_CASE("fault: a fault waits for somebody to have the role, and ends on time all the same") {
    Broken w({make(FaultKind::Pause, role("holder"), seconds(1), seconds(4))});
    w.run_to(seconds(3));
    CHECK(w.log.all<FaultStarted>().empty());
    w.roles.who["holder"] = b;
    w.injector.roles_changed();
    w.run_to(milliseconds(3'500));
    CHECK(w.world.paused(b));
    w.run_to(seconds(5));
    CHECK(!w.world.paused(b));
    CHECK(w.log.all<FaultEnded>().at(0).at.ns == seconds(5).ns);
}

TEST_CASE("fault: a fault that waited in vain is missed") {
    Broken w({make(FaultKind::CrashKill, role("next-waiter"), seconds(1), seconds(4))});
    w.run_to(seconds(6));
    w.roles.who["next-waiter"] = b;
    w.injector.roles_changed();
    w.run_to(seconds(7));
    CHECK(w.world.up(b));
    CHECK(w.log.all<FaultMissed>().at(0).at.ns == seconds(5).ns);
    CHECK(
        (w.tally(FaultKind::CrashKill).missed == 1 && w.tally(FaultKind::CrashKill).started == 0));
}

TEST_CASE("fault: a trigger counts from its start on, at its place alone") {
    Fault fault = make(FaultKind::CrashKill, {Aim::By::Trigger, ""}, seconds(1), seconds(1));
    fault.trigger = Trigger{Trigger::On::Event, "seven", role("leader"), 2};
    Broken w({fault});
    w.roles.who["leader"] = n2;
    w.injector.on_event(n2, 7);  // too early
    w.run_to(seconds(2));
    w.injector.on_event(n1, 7);  // not the leader
    w.injector.on_event(n2, 3);  // another kind
    w.injector.on_event(n2, 7);
    w.run_to(seconds(3));
    CHECK(w.world.up(n2));
    w.injector.on_event(n2, 7);
    CHECK(w.world.up(n2));  // not inside the callback
    w.run_to(milliseconds(3'001));
    CHECK(!w.world.up(n2));
    w.injector.on_event(n2, 7);
    w.run_to(seconds(5));
    CHECK(w.world.up(n2));
    CHECK(w.tally(FaultKind::CrashKill).started == 1);
}

TEST_CASE("fault: a pause triggered by a point takes hold at the point") {
    Fault fault = make(FaultKind::Pause, process("a"), {}, seconds(15));
    fault.trigger = Trigger{Trigger::On::Point, "before-write", process("a"), 1};
    Broken w({fault});
    w.run_to(seconds(1));
    w.injector.on_point(b, 3);
    CHECK(!w.world.paused(a));
    w.injector.on_point(a, 3);
    CHECK(w.world.paused(a));
    w.run_to(seconds(17));
    CHECK(!w.world.paused(a));
    CHECK(w.log.all<FaultEnded>().at(0).at.ns == seconds(16).ns);
}

TEST_CASE("fault: healing ends what is on and misses what is to come") {
    Fault never = make(FaultKind::Pause, process("b"), {}, seconds(5));
    never.trigger = Trigger{Trigger::On::Event, "seven", {}, 1};
    Broken w({make(FaultKind::CrashKill, process("n1"), seconds(1), seconds(50)),
              make(FaultKind::CrashKill, process("n1"), seconds(2), seconds(60)),
              make(FaultKind::DiskStall, process("n2"), seconds(1), seconds(50)),
              make(FaultKind::Pause, role("holder"), seconds(1), seconds(50)), never,
              make(FaultKind::Pause, process("a"), seconds(30), seconds(5))});
    w.run_to(seconds(10));
    CHECK(w.world.process(n2).disk().stalled());
    w.injector.heal();
    CHECK(w.injector.quiet());
    CHECK(w.world.up(n1));
    CHECK(!w.world.process(n2).disk().stalled());
    w.injector.on_event(b, 7);
    w.roles.who["holder"] = a;
    w.injector.roles_changed();
    w.run_to(seconds(90));
    CHECK((w.world.up(n1) && !w.world.paused(a) && !w.world.paused(b)));
    CHECK(w.tally(FaultKind::Pause).missed == 3);
    CHECK(w.log.all<FaultEnded>().size() == 3);
}

TEST_CASE("fault: clock-rate breaks when two clocks drift apart beyond the bound, not before") {
    const auto broken_by = [](std::int64_t slow, std::int64_t fast) {
        Fault one = make(FaultKind::ClockDrift, process("n1"), seconds(1), seconds(5));
        one.ppm = -slow;
        Fault other = make(FaultKind::ClockDrift, process("a"), seconds(2), seconds(5));
        other.ppm = fast;
        Broken w({one, other});
        w.run_to(seconds(20));
        std::set<ProcessKind> kinds;
        for (const auto& line : w.log.all<AssumptionBroken>()) {
            const auto event = std::get<AssumptionBroken>(line.event);
            CHECK(event.assumption == Assumption::ClockRate);
            CHECK(line.at.ns == seconds(slow > 10'000 ? 1 : 2).ns);
            kinds.insert(event.kind);
        }
        return kinds;
    };
    using Kinds = std::set<ProcessKind>;
    CHECK(broken_by(10'000, 1) == Kinds{ProcessKind::Server, ProcessKind::Client});
    CHECK(broken_by(5'000, 5'025) == Kinds{});
    CHECK(broken_by(5'000, 5'051) == Kinds{ProcessKind::Server, ProcessKind::Client});
}

TEST_CASE("fault: freezing a clock breaks clock-rate, a frozen pause clock-runs, each said once") {
    Fault frozen = make(FaultKind::Pause, process("a"), seconds(3), seconds(1));
    frozen.clock = ClockMode::Frozen;
    Fault again = frozen;
    again.start = seconds(6);
    Broken w({make(FaultKind::ClockFreeze, process("n1"), seconds(1), seconds(1)), frozen, again});
    w.run_to(seconds(10));
    const auto lines = w.log.all<AssumptionBroken>();
    REQUIRE(lines.size() == 2);
    const auto rate = std::get<AssumptionBroken>(lines[0].event);
    const auto runs = std::get<AssumptionBroken>(lines[1].event);
    CHECK((rate.assumption == Assumption::ClockRate && rate.kind == ProcessKind::Server));
    CHECK((runs.assumption == Assumption::ClockRuns && runs.kind == ProcessKind::Client));
    CHECK(lines[1].at.ns == seconds(3).ns);
}

TEST_CASE("swarm: a kind more or less changes no other kind's draws") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const FaultPlan all = draw_swarm(swarm_input(seed)).faults;
        for (std::size_t off = 0; off < fault_kinds; ++off) {
            const auto without = static_cast<FaultKind>(off);
            SwarmInput input = swarm_input(seed);
            for (std::size_t i = 0; i < fault_kinds; ++i)
                if (i != off) input.kinds.push_back(static_cast<FaultKind>(i));
            FaultPlan expected = all;
            std::erase_if(expected, [&](const Fault& f) { return f.kind == without; });
            CHECK(draw_swarm(input).faults == expected);
        }
    }
}

TEST_CASE("swarm: over the seeds every kind, role and clock mode comes up, and none in all") {
    std::map<FaultKind, int> seeds_with;
    std::set<std::string> roles;
    int frozen = 0;
    constexpr int seeds = 400;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        std::set<FaultKind> kinds;
        bool freezes = false;
        for (const Fault& fault : draw_swarm(swarm_input(seed)).faults) {
            kinds.insert(fault.kind);
            if (fault.aim.by == Aim::By::Role) roles.insert(fault.aim.name);
            freezes = freezes || fault.clock == ClockMode::Frozen;
        }
        frozen += freezes ? 1 : 0;
        for (const FaultKind kind : kinds) ++seeds_with[kind];
    }
    CHECK(seeds_with.size() == fault_kinds);
    for (const auto& [kind, times] : seeds_with) {
        INFO(to_string(kind));
        const bool costly = kind == FaultKind::DiskRot || kind == FaultKind::DiskLies ||
                            kind == FaultKind::DiskError || kind == FaultKind::DiskFull ||
                            kind == FaultKind::Swizzle || kind == FaultKind::RestartAll;
        if (kind == FaultKind::ClockFreeze)
            CHECK((times > seeds / 20 && times < seeds / 4));
        else if (costly)
            CHECK((times > seeds / 8 && times < seeds * 3 / 8));
        else
            CHECK((times > seeds / 4 && times < seeds * 3 / 4));
    }
    CHECK(roles == std::set<std::string>{"leader", "holder", "next-waiter"});
    CHECK((frozen > 5 && frozen < seeds / 5));
}

TEST_CASE("swarm: plans fit their window and break no clock that they may not") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SwarmInput input = swarm_input(seed);
        input.break_clocks = false;
        input.break_disks = false;
        const FaultPlan plan = draw_swarm(input).faults;
        std::int64_t slowest = 0;
        std::int64_t fastest = 0;
        for (const Fault& fault : plan) {
            CHECK((fault.start >= input.from && fault.start + fault.duration <= input.to));
            CHECK((fault.duration > Duration{} || !fields_of(fault.kind).lasts));
            CHECK(fault.kind != FaultKind::ClockFreeze);
            CHECK((fault.kind != FaultKind::DiskRot && fault.kind != FaultKind::DiskLies));
            CHECK(fault.clock == ClockMode::Runs);
            if (fault.kind != FaultKind::ClockDrift) continue;
            slowest = std::min(slowest, fault.ppm);
            fastest = std::max(fastest, fault.ppm);
        }
        CHECK((1'000'000 + slowest) * 1'000'000 >= (1'000'000 + fastest) * 990'000);
    }
}

TEST_CASE("swarm: a whole plan runs, ends, and leaves nothing behind") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SwarmInput input = swarm_input(seed);
        input.servers = {"n1", "n2", "n3"};
        input.clients = {"a", "b"};
        Broken w(draw_swarm(input).faults);
        w.roles.who["leader"] = n1;
        w.roles.who["holder"] = a;
        w.run_to(input.to);
        w.injector.heal();
        w.run_to(input.to + seconds(10));
        for (std::uint32_t p = 1; p <= 6; ++p) {
            const ProcessId id(p);
            CHECK(
                (w.world.up(id) && !w.world.paused(id) && !w.world.process(id).disk().troubled()));
            for (std::uint32_t q = 1; q <= 6; ++q)
                CHECK(w.world.network().health(id, ProcessId(q)) == Network::Health::Good);
        }
        for (const FaultTally& tally : w.injector.tally()) {
            CHECK(tally.started + tally.missed == tally.planned);
            CHECK(tally.started == tally.ended);
        }
    }
}
