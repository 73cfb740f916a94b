#include "sim/disk.hpp"
#include "sim/network.hpp"
#include "tests/sim/fault_world.hpp"
#include "tests/support/catch.hpp"

#include <set>
#include <string>
#include <utility>

/// What holds for every kind of fault: it ends, alone or among others of its kind.
namespace lockstep::sim::fault_nesting_tests {

/// One that fires in a world whose disks are synced each 100 ms, from the given time on.
Fault sample(FaultKind kind, Duration at, Duration lasts) {
    const FaultFields has = fields_of(kind);
    Fault fault;
    fault.kind = kind;
    fault.aim = has.group ? Aim{Aim::By::Group, kind == FaultKind::ZoneLoss ? "zone-1" : "servers"}
                          : Aim{Aim::By::Process, "n1"};
    fault.start = at;
    fault.duration = has.lasts ? lasts : Duration{};
    fault.ppm = has.ppm ? 5'000 : 0;
    fault.amount = has.amount ? milliseconds(70) : Duration{};
    fault.period = has.period ? milliseconds(250) : Duration{};
    fault.message = has.message ? "acquire" : "";
    return fault;
}

/// Writes and syncs all the time, on every disk that is up.
struct Busy : test::Rig {
    FaultInjector injector;
    explicit Busy(FaultPlan plan)
        : injector(world, std::move(plan), Ppm{10'000}, roles, &Rig::number,
                   {{"zone-1", {"n1", "n2"}}}) {
        injector.arm();
    }
    void go_to(Duration end) {
        while (world.now() < SimTime{} + end) {
            for (std::uint32_t p = 1; p <= 6; ++p) {
                if (!world.up(ProcessId(p))) continue;
                Disk& disk = world.process(ProcessId(p)).disk();
                disk.append("log", std::as_bytes(std::span("abc", 3)));
                disk.sync("log", [](bool) {});
            }
            world.run_until(world.now() + milliseconds(100));
        }
    }
    /// Empty if all is as it was.
    std::string ails() const {
        std::string text;
        for (std::uint32_t p = 1; p <= 6; ++p) {
            const ProcessId id(p);
            if (!world.up(id)) text += fmt::format("{} is down ", p);
            if (world.paused(id)) text += fmt::format("{} is paused ", p);
            for (std::uint32_t q = 1; q <= 6; ++q)
                if (world.network().health(id, ProcessId(q)) != Network::Health::Good)
                    text += fmt::format("{}>{} ", p, q);
        }
        return text;
    }
    /// Links and disks of which the last that was told is trouble.
    std::size_t troubles_told() const {
        std::set<std::pair<std::uint32_t, std::uint32_t>> links;
        std::set<std::uint32_t> disks;
        for (const auto& line : log.lines) {
            if (const auto* link = std::get_if<LinkTroubled>(&line.event)) {
                const std::pair place(line.process.value, link->peer.value);
                link->on ? void(links.insert(place)) : void(links.erase(place));
            }
            if (const auto* disk = std::get_if<DiskTroubled>(&line.event))
                disk->on ? void(disks.insert(line.process.value))
                         : void(disks.erase(line.process.value));
        }
        return links.size() + disks.size();
    }
};

void check_over(Busy& w, FaultKind kind, std::uint64_t planned) {
    CHECK(w.ails().empty());
    for (std::uint32_t p = 1; p <= 6; ++p) CHECK(!w.world.process(ProcessId(p)).disk().troubled());
    CHECK(w.troubles_told() == 0);
    CHECK(w.injector.quiet());
    const FaultTally& tally = w.injector.tally()[static_cast<std::size_t>(kind)];
    CHECK(tally.planned == planned);
    CHECK(tally.started == tally.ended);
    CHECK(tally.started + tally.missed == planned);
    CHECK(w.log.all<FaultStarted>().size() == tally.started);
    CHECK(w.log.all<FaultEnded>().size() == tally.ended);
    CHECK(w.log.all<FaultMissed>().size() == tally.missed);
}

TEST_CASE("fault: faults of every kind nest, and the last end is the end of them") {
    for (std::size_t i = 0; i < fault_kinds; ++i) {
        const auto kind = static_cast<FaultKind>(i);
        INFO(to_string(kind));
        Busy w({sample(kind, seconds(1), seconds(4)), sample(kind, seconds(2), seconds(1)),
                sample(kind, milliseconds(2'500), seconds(5))});
        w.go_to(seconds(20));
        w.injector.heal();
        check_over(w, kind, 3);
        const FaultTally& tally = w.injector.tally()[i];
        // No program here sends a message that could be dropped, and who is down syncs nothing.
        if (kind == FaultKind::CrashAtSync)
            CHECK(tally.started == 2);
        else if (kind != FaultKind::DropMessage)
            CHECK(tally.started == 3);
    }
}

TEST_CASE("fault: faults of every kind are undone by healing, wherever they are") {
    for (std::size_t i = 0; i < fault_kinds; ++i) {
        const auto kind = static_cast<FaultKind>(i);
        for (std::int64_t ms = 900; ms < 5'000; ms += 170) {
            INFO(to_string(kind) << " at " << ms);
            Busy w({sample(kind, seconds(1), seconds(4)), sample(kind, seconds(2), seconds(1)),
                    sample(kind, seconds(40), seconds(1))});
            w.go_to(milliseconds(ms));
            w.injector.heal();
            check_over(w, kind, 3);
            w.go_to(seconds(8));
            check_over(w, kind, 3);
        }
    }
}

TEST_CASE("fault: one of every kind at once, on one process, and all is well afterwards") {
    FaultPlan plan;
    for (std::size_t i = 0; i < fault_kinds; ++i)
        plan.push_back(sample(static_cast<FaultKind>(i), milliseconds(1'000 + 37 * i), seconds(3)));
    Busy w(plan);
    w.go_to(seconds(10));
    w.injector.heal();
    CHECK((w.ails().empty() && w.troubles_told() == 0 && w.injector.quiet()));
    for (const FaultTally& tally : w.injector.tally()) CHECK(tally.started == tally.ended);
}

}  // namespace lockstep::sim::fault_nesting_tests
