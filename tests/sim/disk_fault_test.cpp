#include "sim/disk.hpp"
#include "tests/sim/fault_world.hpp"
#include "tests/support/catch.hpp"

#include <set>
#include <string>

namespace lockstep::sim::disk_fault_tests {

constexpr ProcessId owner(1);

/// The disk of process 1 of a world; says of each sync whether it went well.
struct Sick : test::Rig {
    Disk& disk;
    std::string told;
    explicit Sick(std::uint64_t seed = 1) : Rig(seed), disk(world.process(owner).disk()) {
        disk.set_model({milliseconds(2), milliseconds(2)});
    }
    bool append(std::string_view file, std::string_view text) {
        return disk.append(file, std::as_bytes(std::span(text)));
    }
    std::string read(std::string_view file) const {
        const auto all = disk.read(file);
        return {reinterpret_cast<const char*>(all.data()), all.size()};
    }
    void sync(std::string_view file) {
        disk.sync(file, [this](bool ok) { told += ok ? '+' : '-'; });
    }
    void wait(Duration d) { world.run_until(world.now() + d); }
    /// The text is on the disk, name and all.
    void settle(std::string_view file, std::string_view text) {
        append(file, text);
        sync(file);
        wait(milliseconds(5));
        told.clear();
    }
    void next_life(CrashKind how) {
        world.crash(owner, how);
        world.start(owner);
    }
};

TEST_CASE("disk: each sync takes longer on a slow disk, and as long as before when that is over") {
    Sick b;
    b.append("log", "a");
    b.disk.slow(milliseconds(30));
    b.disk.slow(milliseconds(10));
    CHECK(b.disk.troubled());
    b.sync("log");
    b.wait(milliseconds(41));
    CHECK(b.told.empty());
    b.wait(milliseconds(1));
    CHECK(b.told == "+");
    b.disk.slow(milliseconds(-30));
    CHECK(b.disk.troubled());
    b.disk.slow(milliseconds(-10));
    CHECK(!b.disk.troubled());
    b.sync("log");
    b.wait(milliseconds(2));
    CHECK(b.told == "++");
}

TEST_CASE("disk: a full disk appends nothing, not even a name, and does everything else") {
    Sick b;
    b.settle("log", "abc");
    b.disk.fill(true);
    b.disk.fill(true);
    CHECK(!b.append("log", "d"));
    CHECK(!b.append("new", ""));
    CHECK((b.read("log") == "abc" && !b.disk.exists("new")));
    b.disk.truncate("log", 2);
    b.sync("log");
    b.wait(milliseconds(3));
    CHECK((b.told == "+" && b.read("log") == "ab"));
    b.disk.fill(false);
    CHECK(!b.append("log", "d"));
    b.disk.fill(false);
    CHECK((b.append("log", "d") && b.read("log") == "abd"));
}

TEST_CASE("disk: a sync fails if the disk fails at any time while it is under way") {
    const auto told = [](Duration from, Duration to) {
        Sick b;
        b.append("log", "a");
        b.world.at(SimTime{} + from, 1, [&b] { b.disk.fail(true); });
        b.world.at(SimTime{} + to, 2, [&b] { b.disk.fail(false); });
        b.world.at(SimTime{} + milliseconds(10), 3, [&b] { b.sync("log"); });
        b.wait(milliseconds(20));
        return b.told;
    };
    CHECK(told(milliseconds(1), milliseconds(9)) == "+");
    CHECK(told(milliseconds(9), milliseconds(11)) == "-");
    CHECK(told(milliseconds(11), microseconds(11'500)) == "-");
    CHECK(told(milliseconds(11), milliseconds(14)) == "-");
    CHECK(told(milliseconds(13), milliseconds(14)) == "+");
}

TEST_CASE("disk: a sync that had completed when the disk failed is told as such after a pause") {
    Sick b;
    b.append("log", "a");
    b.sync("log");
    b.world.pause(owner, ClockMode::Runs);
    b.wait(milliseconds(5));
    b.disk.fail(true);
    b.world.resume(owner);
    b.wait(milliseconds(1));
    CHECK(b.told == "+");
}

TEST_CASE("disk: a failed sync_dir makes no name durable, and is not forgotten by the next") {
    Sick b;
    b.settle("tmp", "x");
    b.disk.rename("tmp", "log");
    b.disk.fail(true);
    b.disk.sync_dir([&b](bool ok) { b.told += ok ? '+' : '-'; });
    b.wait(milliseconds(3));
    b.disk.fail(false);
    b.disk.sync_dir([&b](bool ok) { b.told += ok ? '+' : '-'; });
    b.wait(milliseconds(3));
    CHECK(b.told == "-+");
    b.next_life(CrashKind::Power);
    CHECK(b.read("log") == "x");
}

TEST_CASE("disk: after a failed sync unsynced data may be gone though a later sync succeeds") {
    for (const CrashKind how : {CrashKind::Kill, CrashKind::Power}) {
        std::set<std::string> left;
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            Sick b(seed);
            b.settle("log", "abc");
            b.append("log", "def");
            b.disk.fail(true);
            b.sync("log");
            b.wait(milliseconds(3));
            b.disk.fail(false);
            b.append("log", "ghi");
            b.sync("log");
            b.wait(milliseconds(3));
            CHECK(b.told == "-+");
            CHECK(b.read("log") == "abcdefghi");  // in this life
            b.next_life(how);
            left.insert(b.read("log"));
            CHECK(b.log.all<AssumptionBroken>().empty());
            // The next life's disk is well.
            b.append("log", "!");
            b.sync("log");
            b.wait(milliseconds(3));
            const std::string durable = b.read("log");
            b.next_life(CrashKind::Power);
            CHECK(b.read("log") == durable);
        }
        CHECK(left == std::set<std::string>{"abc", "abcdefghi"});
    }
}

TEST_CASE("disk: what a lying disk confirmed is lost with the power, and that is told first") {
    int lost = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Sick b(seed);
        b.settle("log", "abc");
        b.disk.lie(true);
        b.append("log", "def");
        b.sync("log");
        b.wait(milliseconds(3));
        CHECK(b.told == "+");
        b.disk.lie(false);
        b.next_life(CrashKind::Power);
        const auto broken = b.log.all<AssumptionBroken>();
        CHECK(broken.empty() == (b.read("log") == "abcdef"));
        if (broken.empty()) continue;
        ++lost;
        const auto event = std::get<AssumptionBroken>(broken[0].event);
        CHECK((event.assumption == Assumption::DiskHonest && event.kind == ProcessKind::Server));
        const std::size_t n = b.log.lines.size();
        CHECK(std::holds_alternative<AssumptionBroken>(b.log.lines.at(n - 3).event));
        CHECK(std::holds_alternative<ProcessStopped>(b.log.lines.at(n - 2).event));
    }
    CHECK((lost > 15 && lost < 60));
}

TEST_CASE("disk: a lie comes out after any number of kills, unless an honest sync came before") {
    const auto broken = [](bool honest_sync) {
        int times = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            Sick b(seed);
            b.disk.lie(true);
            b.append("log", "abc");
            b.sync("log");
            b.wait(milliseconds(3));
            b.disk.lie(false);
            b.next_life(CrashKind::Kill);
            b.next_life(CrashKind::Kill);
            CHECK(b.log.all<AssumptionBroken>().empty());
            if (honest_sync) b.sync("log");
            b.wait(milliseconds(3));
            b.world.crash(owner, CrashKind::Kill);
            b.world.lose_power(owner);
            times += static_cast<int>(b.log.all<AssumptionBroken>().size());
            if (honest_sync) CHECK(b.read("log") == "abc");
        }
        return times;
    };
    CHECK(broken(false) > 10);
    CHECK(broken(true) == 0);
}

TEST_CASE(
    "disk: what was written after a lie and not confirmed may go without breaking a promise") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Sick b(seed);
        b.settle("log", "abc");
        b.disk.lie(true);
        b.sync("log");  // of nothing new
        b.wait(milliseconds(3));
        b.append("log", "def");
        b.disk.lie(false);
        b.next_life(CrashKind::Power);
        CHECK(b.log.all<AssumptionBroken>().empty());
        // Numbers of lost writes are used again.
        b.append("log", "ghi");
        b.next_life(CrashKind::Power);
        CHECK(b.log.all<AssumptionBroken>().empty());
    }
}

TEST_CASE("disk: rot changes one byte of what is durable, in any file, and nothing else") {
    std::set<std::string> files;
    std::set<std::size_t> places;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Sick b;
        Prng luck(seed);
        CHECK(!b.disk.rot(luck));
        b.settle("one", "aaaa");
        b.settle("two", "aaaa");
        b.append("two", "bbbb");
        CHECK(b.disk.rot(luck));
        std::size_t changed = 0;
        for (const char* file : {"one", "two"}) {
            const std::string was = file == std::string("one") ? "aaaa" : "aaaabbbb";
            const std::string is = b.read(file);
            REQUIRE(is.size() == was.size());
            for (std::size_t i = 0; i < is.size(); ++i)
                if (is[i] != was[i]) {
                    ++changed;
                    files.insert(file);
                    places.insert(i);
                }
        }
        CHECK(changed == 1);
    }
    CHECK(files == std::set<std::string>{"one", "two"});
    CHECK(places == std::set<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("disk: the nth sync to reach the device is watched, once, and in any life") {
    Sick b;
    int met = 0;
    b.disk.watch_syncs(3, 7, [&met] { ++met; });
    b.disk.watch_syncs(2, 8, [&met] { met += 100; });
    b.disk.forget_watch(8);
    b.append("log", "a");
    b.sync("log");
    b.sync("log");  // waits for the device
    CHECK(met == 0);
    b.wait(milliseconds(3));  // the second is under way
    b.next_life(CrashKind::Kill);
    CHECK(met == 0);
    b.sync("log");
    CHECK(met == 1);
    b.sync("log");
    b.wait(milliseconds(10));
    CHECK(met == 1);
}

TEST_CASE("disk: operations are told when they are done, and only if that was asked for") {
    Sick b;
    const auto all = [&b] {
        b.append("tmp", "abc");
        b.disk.truncate("tmp", 2);
        b.sync("tmp");
        b.disk.rename("tmp", "log");
        b.disk.sync_dir([](bool) {});
        b.wait(milliseconds(10));
    };
    all();
    CHECK(b.log.disk_operations.empty());
    b.world.trace_disks(true);
    all();
    std::vector<std::uint32_t> told = b.log.disk_operations;
    REQUIRE(told.size() == 5);
    CHECK((told[0] == 0 && told[1] == 4 && told[2] == 2));
    CHECK(std::set<std::uint32_t>(told.begin() + 3, told.end()) == std::set<std::uint32_t>{1, 3});
    b.log.disk_operations.clear();
    b.disk.fail(true);
    b.sync("log");
    b.disk.fill(true);
    b.append("log", "x");
    b.wait(milliseconds(10));
    CHECK(b.log.disk_operations.empty());  // nothing was done
}

}  // namespace lockstep::sim::disk_fault_tests
