#include "sim/disk.hpp"
#include "sim/network.hpp"
#include "tests/sim/fault_world.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <set>
#include <string>

namespace lockstep::sim::fault_kind_tests {

constexpr ProcessId n1(1), n2(2), n3(3), a(4), b(5), store(6);

Fault make(FaultKind kind, const char* name, Duration at, Duration lasts) {
    Fault fault;
    fault.kind = kind;
    fault.aim = {fields_of(kind).group ? Aim::By::Group : Aim::By::Process, name};
    fault.start = at;
    fault.duration = lasts;
    return fault;
}

/// A rig whose plan is armed, with two zones.
struct Armed : test::Rig {
    FaultInjector injector;
    explicit Armed(FaultPlan plan, std::uint64_t seed = 1)
        : Rig(seed),
          injector(world, std::move(plan), Ppm{10'000}, roles, &Rig::number,
                   {{"zone-1", {"n1", "n3"}}, {"zone-2", {"n2"}}}) {
        injector.arm();
    }
    const FaultTally& tally(FaultKind kind) const {
        return injector.tally()[static_cast<std::size_t>(kind)];
    }
    /// Planned, started, ended, missed.
    std::string count(FaultKind kind) const {
        const FaultTally& t = tally(kind);
        return fmt::format("{} {} {} {}", t.planned, t.started, t.ended, t.missed);
    }
    std::string up() const {
        std::string all;
        for (std::uint32_t p = 1; p <= 6; ++p) all += world.up(ProcessId(p)) ? '+' : '.';
        return all;
    }
    void write(ProcessId p, std::string_view text) {
        Disk& disk = world.process(p).disk();
        REQUIRE(disk.append("log", std::as_bytes(std::span(text))));
        disk.sync("log", [this](bool ok) { told += ok ? '+' : '-'; });
    }
    std::int64_t wall_error(ProcessId p) {
        return world.process(p).wall().ns - world.now().ns - first_wall.at(p.value);
    }
    std::string told;
    std::map<std::uint32_t, std::int64_t> first_wall = [this] {
        std::map<std::uint32_t, std::int64_t> walls;
        for (std::uint32_t p = 1; p <= 6; ++p)
            walls[p] = world.process(ProcessId(p)).wall().ns - world.now().ns;
        return walls;
    }();
};

TEST_CASE("fault: every kind says in a line what it is, and of which message if of one alone") {
    std::set<std::string> labels;
    for (std::size_t i = 0; i < fault_kinds; ++i) {
        Fault fault = make(static_cast<FaultKind>(i), "x", {}, seconds(1));
        const std::string label = fault.label();
        CHECK(label.size() > std::string(" for 1s").size() + 3);
        CHECK(label.find('x') != std::string::npos);
        labels.insert(label);
        if (!fields_of(fault.kind).message_optional) continue;
        fault.message = "acquire";
        CHECK(fault.label().find("of acquire") != std::string::npos);
    }
    CHECK(labels.size() == fault_kinds);
}

// Lives.

TEST_CASE("fault: restart-all takes the power from a group at once, and gives it back at the end") {
    Armed w({make(FaultKind::RestartAll, "servers", seconds(1), seconds(2)),
             make(FaultKind::RestartAll, "resources", seconds(5), seconds(1))});
    w.run_to(milliseconds(1'500));
    CHECK(w.up() == "...+++");
    for (const auto& line : w.log.all<ProcessStopped>())
        CHECK((line.at.ns == seconds(1).ns &&
               std::get<ProcessStopped>(line.event).how == CrashKind::Power));
    w.run_to(seconds(4));
    CHECK(w.up() == "++++++");
    w.run_to(milliseconds(5'500));
    CHECK(w.up() == "+++++.");
    w.run_to(seconds(7));
    CHECK(w.up() == "++++++");
    const auto started = w.log.all<FaultStarted>();
    REQUIRE(started.size() == 2);
    CHECK(!started[0].process);
    CHECK(!w.injector.target(0));
    CHECK(w.count(FaultKind::RestartAll) == "2 2 2 0");
}

TEST_CASE("fault: zone-loss takes the zone alone, and crashes nest in it") {
    Armed w({make(FaultKind::ZoneLoss, "zone-1", seconds(1), seconds(3)),
             make(FaultKind::CrashKill, "n1", seconds(2), seconds(5)),
             make(FaultKind::RestartAll, "servers", seconds(3), seconds(2))});
    w.run_to(milliseconds(1'500));
    CHECK(w.up() == ".+.+++");
    w.run_to(milliseconds(3'500));
    CHECK(w.up() == "...+++");
    w.run_to(milliseconds(4'500));
    CHECK(w.up() == "...+++");
    w.run_to(milliseconds(5'500));
    CHECK(w.up() == ".+++++");
    w.run_to(milliseconds(7'500));
    CHECK(w.up() == "++++++");
}

TEST_CASE("fault: a crash-loop kills every period, and each time for as long as it says") {
    Fault loop = make(FaultKind::CrashLoop, "n1", seconds(1), milliseconds(2'500));
    loop.period = seconds(1);
    loop.amount = milliseconds(300);
    Armed w({loop});
    std::string states;
    for (std::int64_t ms = 950; ms < 5'000; ms += 100) {
        w.run_to(milliseconds(ms));
        states += w.world.up(n1) ? '+' : '.';
    }
    CHECK(states == "+...+++++++...+++++++...+++++++++++++++++");
    CHECK(w.log.all<ProcessStopped>().size() == 3);
    for (const auto& line : w.log.all<ProcessStopped>())
        CHECK(std::get<ProcessStopped>(line.event).how == CrashKind::Kill);
    CHECK(w.count(FaultKind::CrashLoop) == "1 1 1 0");
}

TEST_CASE("fault: a crash-loop that is healed while the process is down starts it, and is over") {
    Fault loop = make(FaultKind::CrashLoop, "n1", seconds(1), seconds(50));
    loop.period = seconds(1);
    loop.amount = milliseconds(900);
    Armed w({loop});
    w.run_to(milliseconds(2'500));
    CHECK(!w.world.up(n1));
    w.injector.heal();
    CHECK((w.world.up(n1) && w.injector.quiet()));
    w.run_to(seconds(10));
    CHECK((w.world.up(n1) && w.log.all<ProcessStopped>().size() == 2));
}

TEST_CASE("fault: power is lost at the nth sync from the start on, told when it is") {
    Fault crash = make(FaultKind::CrashAtSync, "n1", seconds(1), seconds(9));
    crash.count = 3;
    std::set<bool> kept;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Armed w({crash}, seed);
        w.write(n1, "a");  // before it
        w.run_to(milliseconds(1'500));
        w.write(n2, "b");  // by another
        w.write(n1, "b");
        w.run_to(milliseconds(2'000));
        w.write(n1, "c");
        w.run_to(milliseconds(2'500));
        CHECK((w.world.up(n1) && w.log.all<FaultStarted>().empty()));
        w.write(n1, "d");
        w.run_to(milliseconds(2'501));
        CHECK(!w.world.up(n1));
        CHECK(w.log.all<FaultStarted>().at(0).at.ns == milliseconds(2'500).ns);
        // The sync may have happened, but nobody heard of it.
        CHECK(w.told == "++++");
        kept.insert(w.world.process(n1).disk().size("log") == 4);
        w.run_to(milliseconds(9'999));
        CHECK(!w.world.up(n1));
        w.run_to(seconds(10));
        CHECK(w.world.up(n1));
        CHECK(w.count(FaultKind::CrashAtSync) == "1 1 1 0");
    }
    CHECK(kept == std::set<bool>{false, true});
}

TEST_CASE("fault: a crash at a sync that does not come is missed at its end, or at healing") {
    Armed w({make(FaultKind::CrashAtSync, "n1", seconds(1), seconds(2)),
             make(FaultKind::CrashAtSync, "n2", seconds(1), seconds(20))});
    w.run_to(seconds(4));
    CHECK(w.log.all<FaultMissed>().at(0).at.ns == seconds(3).ns);
    w.injector.heal();
    CHECK(w.count(FaultKind::CrashAtSync) == "2 0 0 2");
    w.write(n1, "a");
    w.write(n2, "a");
    w.run_to(seconds(5));
    CHECK((w.up() == "++++++" && w.told == "++"));
}

TEST_CASE("fault: a process that failed is started a second later, unless a fault holds it down") {
    Armed w({make(FaultKind::CrashKill, "n2", milliseconds(1'500), seconds(4))});
    w.run_to(seconds(1));
    for (const ProcessId p : {n1, n2}) w.world.process(p).fail();
    w.run_to(milliseconds(1'001));
    CHECK(w.up() == "..++++");
    CHECK(!w.injector.quiet());
    w.run_to(milliseconds(1'999));
    CHECK(w.up() == "..++++");
    w.run_to(seconds(2));
    CHECK(w.up() == "+.++++");
    w.run_to(seconds(5));
    CHECK(w.up() == "+.++++");
    w.run_to(milliseconds(5'500));
    CHECK((w.up() == "++++++" && w.injector.quiet()));
}

// Clocks.

TEST_CASE("fault: a strobe moves the wall clock forth and back, and leaves it where it was") {
    Fault strobe = make(FaultKind::ClockStrobe, "a", seconds(1), milliseconds(4'600));
    strobe.amount = seconds(-7);
    strobe.period = seconds(1);
    Armed w({strobe});
    std::string states;
    for (std::int64_t ms = 500; ms < 7'000; ms += 1'000) {
        w.run_to(milliseconds(ms));
        states += w.wall_error(a) == 0 ? '0' : w.wall_error(a) == seconds(-7).ns ? '7' : '?';
    }
    CHECK(states == "0707070");
    CHECK(w.wall_error(b) == 0);
    Armed healed({strobe});
    healed.run_to(milliseconds(1'500));
    healed.injector.heal();
    healed.run_to(milliseconds(2'500));
    CHECK(healed.wall_error(a) == 0);
}

// Disks.

TEST_CASE("fault: a disk is slow, fails, is full or lies while its fault lasts, and they nest") {
    Fault slow = make(FaultKind::DiskSlow, "n1", seconds(1), seconds(2));
    slow.amount = milliseconds(100);
    Armed w({slow, make(FaultKind::DiskError, "n1", seconds(4), seconds(2)),
             make(FaultKind::DiskError, "n1", seconds(5), seconds(2)),
             make(FaultKind::DiskFull, "n1", seconds(8), seconds(2))});
    Disk& disk = w.world.process(n1).disk();
    const auto told_by = [&w](std::int64_t ms) {
        w.run_to(milliseconds(ms));
        return std::exchange(w.told, {});
    };
    w.run_to(milliseconds(1'500));
    w.write(n1, "a");
    CHECK((told_by(1'599).empty() && told_by(1'610) == "+"));
    w.run_to(milliseconds(4'500));
    w.write(n1, "b");
    CHECK(told_by(4'600) == "-");
    w.run_to(milliseconds(6'500));
    w.write(n1, "c");
    CHECK(told_by(6'600) == "-");
    w.run_to(milliseconds(7'500));
    w.write(n1, "d");
    CHECK(told_by(7'600) == "+");
    w.run_to(milliseconds(8'500));
    CHECK(!disk.append("log", std::as_bytes(std::span("x", 1))));
    w.run_to(seconds(11));
    w.write(n1, "e");
    CHECK(told_by(11'010) == "+");
    std::string troubles;
    for (const auto& line : w.log.all<DiskTroubled>()) {
        CHECK(line.process == n1);
        troubles += fmt::format("{}{} ", std::get<DiskTroubled>(line.event).on ? '+' : '-',
                                line.at.ns / seconds(1).ns);
    }
    CHECK(troubles == "+1 -3 +4 -7 +8 -10 ");
}

TEST_CASE("fault: a lying disk breaks disk-honest only when power is lost, once told") {
    int broken = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Armed w({make(FaultKind::DiskLies, "store", seconds(1), seconds(5)),
                 make(FaultKind::CrashKill, "store", seconds(3), seconds(3)),
                 make(FaultKind::CrashPower, "store", seconds(4), seconds(1))},
                seed);
        w.run_to(seconds(2));
        w.write(store, "abc");
        w.run_to(milliseconds(3'500));
        CHECK((w.told == "+" && w.log.all<AssumptionBroken>().empty()));
        w.run_to(seconds(8));
        const auto lines = w.log.all<AssumptionBroken>();
        const auto left = w.world.process(store).disk().read("log");
        CHECK(lines.empty() ==
              (std::string(reinterpret_cast<const char*>(left.data()), left.size()) == "abc"));
        if (lines.empty()) continue;
        ++broken;
        const auto event = std::get<AssumptionBroken>(lines[0].event);
        CHECK((event.assumption == Assumption::DiskHonest && event.kind == ProcessKind::Resource));
        CHECK(lines[0].at.ns == seconds(4).ns);
    }
    CHECK(broken > 5);
}

TEST_CASE("fault: rot breaks disk-honest at once, and is missed where nothing is durable") {
    Armed w({make(FaultKind::DiskRot, "n1", seconds(1), {}),
             make(FaultKind::DiskRot, "n1", seconds(3), {})});
    w.run_to(seconds(2));
    CHECK((w.count(FaultKind::DiskRot) == "2 0 0 1" && w.log.all<AssumptionBroken>().empty()));
    w.write(n1, "abc");
    w.run_to(seconds(4));
    const auto bytes = w.world.process(n1).disk().read("log");
    const std::string now(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    CHECK((now.size() == 3 && now != "abc"));
    REQUIRE(w.log.all<AssumptionBroken>().size() == 1);
    CHECK(w.log.all<AssumptionBroken>()[0].process == n1);
    CHECK(w.count(FaultKind::DiskRot) == "2 1 1 1");
    CHECK(w.injector.quiet());
}

TEST_CASE("fault: healing makes every disk well, however many faults it had") {
    FaultPlan plan;
    for (const FaultKind kind : {FaultKind::DiskStall, FaultKind::DiskSlow, FaultKind::DiskError,
                                 FaultKind::DiskFull, FaultKind::DiskLies}) {
        Fault fault = make(kind, "n1", seconds(1), seconds(50));
        fault.amount = milliseconds(5);
        plan.insert(plan.end(), 2, fault);
    }
    Armed w(plan);
    w.run_to(seconds(2));
    CHECK(w.world.process(n1).disk().troubled());
    w.injector.heal();
    CHECK(!w.world.process(n1).disk().troubled());
    w.write(n1, "a");
    w.run_to(seconds(3));
    CHECK((w.told == "+" && w.world.process(n1).disk().durable_size("log") == 1));
    CHECK(w.log.all<DiskTroubled>().size() == 2);
}

// Triggers.

TEST_CASE("fault: a trigger waits for the nth operation of a disk") {
    Fault fault = make(FaultKind::CrashPower, "", seconds(1), seconds(1));
    fault.aim = {Aim::By::Trigger, ""};
    fault.trigger = Trigger{Trigger::On::Disk, "sync", {}, 2};
    Armed w({fault});
    CHECK((w.injector.wants_disks() && !w.injector.wants_messages()));
    w.world.trace_disks(true);
    w.log.at_disk = [&w](SimTime, ProcessId p, std::uint32_t what) {
        w.injector.on_disk(p, what == static_cast<std::uint32_t>(DiskOperation::Sync) ? 3 : 9);
    };
    w.write(n1, "a");
    w.run_to(milliseconds(1'500));
    w.write(n1, "b");
    w.run_to(seconds(2));
    CHECK((w.world.up(n1) && w.injector.triggers().met == 0));
    w.write(n2, "c");
    w.run_to(milliseconds(2'100));
    CHECK((!w.world.up(n2) && w.told == "+++"));
    CHECK((w.injector.triggers().waited == 1 && w.injector.triggers().met == 1));
}

TEST_CASE("fault: triggers that were never met are counted as such") {
    Fault fault = make(FaultKind::Pause, "a", seconds(1), seconds(1));
    fault.trigger = Trigger{Trigger::On::Event, "seven", {}, 1};
    Fault later = fault;
    later.start = seconds(20);
    Armed w({fault, later});
    w.run_to(seconds(10));
    w.injector.heal();
    CHECK((w.injector.triggers().waited == 1 && w.injector.triggers().met == 0));
    CHECK(!w.injector.wants_disks());
}

// Missed.

TEST_CASE("fault: a fault whose peers are nobody is missed, not started") {
    Fault cut = make(FaultKind::Cut, "n1", seconds(1), seconds(2));
    cut.peers = {"leader"};
    Fault itself = cut;
    itself.peers = {"n1"};
    Fault drop = make(FaultKind::DropMessage, "n1", seconds(1), {});
    drop.message = "acquire";
    drop.peers = {"leader"};
    Fault zone = cut;
    zone.peers = {"zone-2"};
    Armed w({cut, itself, drop, zone});
    w.run_to(seconds(2));
    CHECK(w.count(FaultKind::Cut) == "3 1 0 2");
    CHECK(w.count(FaultKind::DropMessage) == "1 0 0 1");
    CHECK((w.world.network().is_cut(n1, n2) && !w.world.network().is_cut(n1, n3)));
    for (const auto& line : w.log.all<FaultMissed>()) CHECK(line.at.ns == seconds(1).ns);
    w.run_to(seconds(4));
    CHECK(w.injector.quiet());
}

TEST_CASE("fault: what is over at once waits for somebody to have the role until healing") {
    Fault reset = make(FaultKind::Reset, "", seconds(1), {});
    reset.aim = {Aim::By::Role, "leader"};
    Fault other = reset;
    other.aim.name = "holder";
    Armed w({reset, other});
    w.run_to(seconds(2));
    w.roles.who["leader"] = n1;
    w.injector.roles_changed();
    w.run_to(seconds(3));
    CHECK(w.count(FaultKind::Reset) == "2 1 1 0");
    w.injector.heal();
    CHECK(w.count(FaultKind::Reset) == "2 1 1 1");
}

}  // namespace lockstep::sim::fault_kind_tests
