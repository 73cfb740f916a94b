#include "sim/disk.hpp"

#include "tests/sim/fault_world.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace {

using namespace lockstep;
using namespace lockstep::sim;
using lockstep::test::Rig;

constexpr ProcessId owner(1);

std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// The disk of process 1 of a world, with text for bytes.
struct Bench : Rig {
    Disk& disk;
    explicit Bench(std::uint64_t seed = 1) : Rig(seed), disk(world.process(owner).disk()) {
        disk.set_model({milliseconds(2), milliseconds(2)});
    }
    void append(std::string_view file, std::string_view text) { disk.append(file, bytes(text)); }
    std::string read(std::string_view file) const {
        const auto all = disk.read(file);
        return {reinterpret_cast<const char*>(all.data()), all.size()};
    }
    void sync(std::string_view file) {
        disk.sync(file, [this](bool ok) { synced += ok ? 1 : 0; });
    }
    void sync_dir() {
        disk.sync_dir([this](bool ok) { synced += ok ? 1 : 0; });
    }
    void wait(Duration d) { world.run_until(world.now() + d); }
    void lose_power() { world.crash(owner, CrashKind::Power); }
    /// Everything so far is on the disk.
    void settle(std::string_view file) {
        sync(file);
        sync_dir();
        wait(milliseconds(10));
    }
    int synced = 0;
};

/// What a power loss leaves of a file, over many seeds.
std::set<std::string> leftovers(const std::function<void(Bench&)>& before, std::string_view file,
                                std::uint64_t seeds = 200) {
    std::set<std::string> left;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Bench bench(seed);
        before(bench);
        bench.lose_power();
        left.insert(bench.disk.exists(file) ? bench.read(file) : "(no file)");
    }
    return left;
}

}  // namespace

TEST_CASE("disk: reads see the cache at once") {
    Bench b;
    CHECK(!b.disk.exists("log"));
    CHECK(b.read("log").empty());
    b.append("log", "abc");
    b.append("log", "def");
    CHECK(b.read("log") == "abcdef");
    b.disk.truncate("log", 4);
    CHECK(b.read("log") == "abcd");
    b.append("log", "X");
    CHECK(b.read("log") == "abcdX");
    CHECK(b.disk.durable_size("log") == 0);
    CHECK(b.disk.files() == std::vector<std::string>{"log"});
}

TEST_CASE("disk: a sync covers what was written before it, and says so when that is durable") {
    Bench b;
    b.append("log", "one");
    b.sync("log");
    b.append("log", "two");
    b.wait(milliseconds(1));
    CHECK(b.synced == 0);
    CHECK(b.disk.durable_size("log") == 0);
    b.wait(milliseconds(2));
    CHECK(b.synced == 1);
    CHECK(b.disk.durable_size("log") == 3);
}

TEST_CASE("disk: syncs asked for while one is under way share the next") {
    Bench b;
    b.append("log", "one");
    b.sync("log");
    b.append("log", "two");
    b.sync("log");
    b.append("log", "three");
    b.sync("log");
    b.wait(microseconds(2'500));
    CHECK(b.synced == 1);
    CHECK(b.disk.durable_size("log") == 3);
    b.wait(milliseconds(2));
    CHECK(b.synced == 3);
    CHECK(b.disk.durable_size("log") == 11);
}

TEST_CASE("disk: a kill keeps the cache, drops the callbacks, and makes nothing durable") {
    Bench b;
    b.append("log", "abc");
    b.sync("log");
    b.world.crash(owner, CrashKind::Kill);
    CHECK(b.read("log") == "abc");
    b.wait(milliseconds(10));
    CHECK(b.synced == 0);
    CHECK(b.disk.durable_size("log") == 0);
    b.world.start(owner);
    b.sync("log");
    b.wait(milliseconds(10));
    CHECK(b.synced == 1);
    CHECK(b.disk.durable_size("log") == 3);
}

TEST_CASE("disk: a power loss never takes what was synced") {
    const auto left = leftovers(
        [](Bench& b) {
            b.append("log", "safe");
            b.settle("log");
            b.append("log", "12");
            b.append("log", "34");
        },
        "log");
    for (const std::string& text : left) CHECK(text.starts_with("safe"));
    for (const char* whole : {"safe", "safe12", "safe1234"}) CHECK(left.contains(whole));
    CHECK(left.contains("safe1"));
    CHECK(left.contains("safe123"));
    CHECK(left.contains(std::string("safe\0\0", 6)));
    CHECK(left.contains(std::string("safe121\0", 8)) == false);
    CHECK(left.contains(std::string("safe123\0", 8)));
}

TEST_CASE("disk: of two lost writes only the first may leave a part") {
    const auto left = leftovers(
        [](Bench& b) {
            b.append("log", "");
            b.settle("log");
            b.append("log", "aaaa");
            b.append("log", "bbbb");
        },
        "log", 400);
    for (const std::string& text : left) {
        INFO(text);
        // A part of the second write only behind the whole of the first.
        if (text.size() > 4) CHECK(text.starts_with("aaaa"));
        CHECK(text.size() <= 8);
    }
}

TEST_CASE("disk: a sync in flight has happened or not") {
    const auto left = leftovers(
        [](Bench& b) {
            b.append("log", "x");
            b.sync("log");
            b.wait(milliseconds(1));
        },
        "log");
    CHECK(left.contains("x"));
    CHECK((left.contains("") || left.contains("(no file)")));
}

TEST_CASE("disk: a truncation that was not synced may be undone, and is never torn") {
    const auto left = leftovers(
        [](Bench& b) {
            b.append("log", "abcdef");
            b.settle("log");
            b.disk.truncate("log", 2);
            b.append("log", "Z");
        },
        "log");
    for (const std::string& text : left) {
        INFO(text);
        CHECK((text == "abcdef" || (text.starts_with("ab") && text.size() <= 3)));
    }
    CHECK(left.contains("abcdef"));
    CHECK(left.contains("ab"));
    CHECK(left.contains("abZ"));
    const auto synced = leftovers(
        [](Bench& b) {
            b.append("log", "abcdef");
            b.settle("log");
            b.disk.truncate("log", 2);
            b.settle("log");
        },
        "log", 20);
    CHECK(synced == std::set<std::string>{"ab"});
}

TEST_CASE("disk: a rename is visible at once and durable after the directory was synced") {
    const auto replace = [](Bench& b) {
        b.append("snap", "old");
        b.settle("snap");
        b.append("tmp", "new");
        b.sync("tmp");
        b.wait(milliseconds(10));
        b.disk.rename("tmp", "snap");
        CHECK(b.read("snap") == "new");
        CHECK(!b.disk.exists("tmp"));
    };
    CHECK(leftovers(replace, "snap") == std::set<std::string>{"old", "new"});
    CHECK(leftovers(replace, "tmp") == std::set<std::string>{"(no file)", "new"});
    CHECK(leftovers(
              [&](Bench& b) {
                  replace(b);
                  b.sync("snap");
                  b.wait(milliseconds(10));
              },
              "snap")
              .size() == 2);
    CHECK(leftovers(
              [&](Bench& b) {
                  replace(b);
                  b.sync_dir();
                  b.wait(milliseconds(10));
              },
              "snap", 50) == std::set<std::string>{"new"});
}

TEST_CASE("disk: a rename does not make the content durable") {
    const auto left = leftovers(
        [](Bench& b) {
            b.append("tmp", "n");
            b.disk.rename("tmp", "snap");
            b.sync_dir();
            b.wait(milliseconds(10));
        },
        "snap");
    CHECK(left.contains(""));
    CHECK(left.contains("n"));
}

TEST_CASE("disk: a removal is durable after the directory was synced") {
    const auto gone = [](Bench& b) {
        b.append("log", "abc");
        b.settle("log");
        b.disk.remove("log");
        CHECK(!b.disk.exists("log"));
    };
    CHECK(leftovers(gone, "log") == std::set<std::string>{"(no file)", "abc"});
    CHECK(leftovers(
              [&](Bench& b) {
                  gone(b);
                  b.sync_dir();
                  b.wait(milliseconds(10));
              },
              "log", 50) == std::set<std::string>{"(no file)"});
}

TEST_CASE("disk: files are lost independently") {
    std::set<std::string> both;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Bench b(seed);
        b.append("x", "");
        b.append("y", "");
        b.settle("x");
        b.append("x", "1");
        b.append("y", "1");
        b.lose_power();
        both.insert(b.read("x") + "," + b.read("y"));
    }
    for (const char* pair : {",", "1,", ",1", "1,1"}) CHECK(both.contains(pair));
}

TEST_CASE("disk: each number of surviving writes comes about as often") {
    std::map<std::size_t, int> kept;
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        Bench b(seed);
        b.append("log", "");
        b.settle("log");
        for (int i = 0; i < 4; ++i) b.append("log", "w");
        b.lose_power();
        const std::string left = b.read("log");
        ++kept[static_cast<std::size_t>(std::count(left.begin(), left.end(), 'w'))];
    }
    REQUIRE(kept.size() == 5);
    for (const auto& [writes, times] : kept) CHECK((times > 130 && times < 270));
}

TEST_CASE("disk: nothing completes during a stall, and stalls nest") {
    Bench b;
    b.append("log", "abc");
    b.sync("log");
    b.disk.stall();
    b.disk.stall();
    b.wait(seconds(1));
    CHECK(b.synced == 0);
    b.disk.unstall();
    b.wait(seconds(1));
    CHECK(b.synced == 0);
    CHECK(b.disk.durable_size("log") == 0);
    b.disk.unstall();
    b.wait(milliseconds(1));
    CHECK(b.synced == 1);
    CHECK(b.disk.durable_size("log") == 3);
    b.append("log", "d");
    b.sync("log");
    b.wait(milliseconds(3));
    CHECK(b.synced == 2);
}

TEST_CASE("disk: a stall outlives a crash of its process") {
    Bench b;
    b.disk.stall();
    b.append("log", "abc");
    b.sync("log");
    b.world.crash(owner, CrashKind::Kill);
    b.world.start(owner);
    b.sync("log");
    b.wait(seconds(1));
    CHECK(b.synced == 0);
    b.disk.unstall();
    b.wait(seconds(1));
    CHECK(b.synced == 1);
}

TEST_CASE("disk: power lost after a kill takes what the cache still had") {
    std::set<std::string> left;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Bench b(seed);
        b.append("log", "");
        b.settle("log");
        b.append("log", "x");
        b.world.crash(owner, CrashKind::Kill);
        b.disk.on_crash(CrashKind::Power);
        left.insert(b.read("log"));
    }
    CHECK(left.contains(""));
    CHECK(left.contains("x"));
}

// Every sequence of up to four of: append, truncate, sync to the end. Whatever a power loss leaves
// must be a state the file once had after its last completed sync, but for a torn last write.
TEST_CASE("disk: exhaustively, a power loss leaves a state that the file had") {
    for (int code = 0; code < 3 * 3 * 3 * 3; ++code) {
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            Bench b(seed * 1'000 + static_cast<std::uint64_t>(code));
            b.append("log", "S");
            b.settle("log");
            std::vector<std::string> states{"S"};
            std::vector<std::string> appended{""};
            int rest = code;
            for (int step = 0; step < 4; ++step, rest /= 3) {
                if (rest % 3 == 0) {
                    const std::string text(2, static_cast<char>('a' + step));
                    b.append("log", text);
                    appended.push_back(text);
                    states.push_back(b.read("log"));
                } else if (rest % 3 == 1) {
                    b.disk.truncate("log", b.disk.size("log") / 2);
                    appended.emplace_back();
                    states.push_back(b.read("log"));
                } else {
                    b.settle("log");
                    states = {b.read("log")};
                    appended = {""};
                }
            }
            b.lose_power();
            const std::string left = b.read("log");
            bool explained = false;
            for (std::size_t i = 0; i < states.size(); ++i) {
                explained = explained || left == states[i];
                const bool torn_next = i + 1 < states.size() && !appended[i + 1].empty();
                explained = explained || (torn_next && left.starts_with(states[i]) &&
                                          left.size() <= states[i].size() + appended[i + 1].size());
            }
            INFO("code " << code << " seed " << seed << " left " << left);
            CHECK(explained);
        }
    }
}
