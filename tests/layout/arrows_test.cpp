#include "tests/layout/arrows.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace lockstep::test::layout {
namespace {

std::optional<std::string> quoted(std::string_view path, std::string name) {
    return objection(path, Include{std::move(name), true, 1});
}

std::optional<std::string> angled(std::string_view path, std::string name) {
    return objection(path, Include{std::move(name), false, 1});
}

}  // namespace

TEST_CASE("layout: every include line of the repository follows an arrow") {
    std::size_t seen = 0;
    for (const SourceFile& file : source_tree())
        for (const Include& include : includes_of(file.text)) {
            ++seen;
            if (const auto why = objection(file.path, include))
                FAIL_CHECK(file.path << ":" << include.line << ": includes " << include.name << ": "
                                     << *why);
        }
    CHECK(seen > 200);  // it did read something
}

TEST_CASE("layout: what is included in quotes is a file of the repository, by its path") {
    std::set<std::string> paths;
    for (const SourceFile& file : source_tree()) paths.insert(file.path);
    for (const SourceFile& file : source_tree())
        for (const Include& include : includes_of(file.text))
            if (include.quoted && !paths.contains(include.name))
                FAIL_CHECK(file.path << ":" << include.line << ": no such file: " << include.name);
}

TEST_CASE("layout: every source file of the core is in a room, and every header guarded") {
    for (const SourceFile& file : source_tree()) {
        if (room_of(file.path).empty()) FAIL_CHECK(file.path << ": in no room");
        if (file.path.ends_with(".hpp") && !file.text.starts_with("#pragma once"))
            FAIL_CHECK(file.path << ": does not start with #pragma once");
    }
}

TEST_CASE("layout: rooms are found by their folders") {
    CHECK(room_of("core/raft/log.hpp") == "core/raft");
    CHECK(room_of("sim/fiber.cpp") == "sim");
    CHECK(room_of("properties/rapid/clusters.hpp") == "properties/rapid");
    CHECK(room_of("scenarios/scenario.hpp") == "scenarios");
    CHECK(room_of("scenarios/services/raft/raft_server.hpp") == "scenarios/services/raft");
    CHECK(room_of("scenarios/services/redis/deep/client.hpp") == "scenarios/services/redis");
    CHECK(room_of("tests/core/raft/wal_test.cpp") == "tests");
    CHECK(room_of("core/stray.hpp").empty());
    CHECK(room_of("core/unheard/of.hpp").empty());
    CHECK(room_of("scenarios/services/stray.hpp").empty());
    CHECK(room_of("log.hpp").empty());
}

TEST_CASE("layout: arrows go down, all the way, and nowhere else") {
    CHECK(arrow_allowed("core/server", "core/raft"));
    CHECK(arrow_allowed("core/server", "core/wire"));  // by way of the lock table
    CHECK(arrow_allowed("core/server", "core/base"));
    CHECK(arrow_allowed("cli", "core/base"));
    CHECK(arrow_allowed("harness", "scenarios/services/raft"));
    CHECK(arrow_allowed("tests", "properties/rapid"));
    CHECK(arrow_allowed("bench", "sim"));
    CHECK(arrow_allowed("scenarios/workloads", "scenarios/workloads"));

    CHECK_FALSE(arrow_allowed("core/raft", "core/wire"));
    CHECK_FALSE(arrow_allowed("core/raft", "core/lock"));
    CHECK_FALSE(arrow_allowed("core/lock", "core/raft"));
    CHECK_FALSE(arrow_allowed("core/client", "core/server"));
    CHECK_FALSE(arrow_allowed("core/base", "core/events"));
    CHECK_FALSE(arrow_allowed("sim", "core/events"));
    CHECK_FALSE(arrow_allowed("properties", "core/raft"));
    CHECK_FALSE(arrow_allowed("properties", "scenarios"));
    CHECK_FALSE(arrow_allowed("scenarios", "properties"));
    CHECK_FALSE(arrow_allowed("scenarios", "scenarios/world"));
    CHECK_FALSE(arrow_allowed("scenarios/workloads", "scenarios/services/raft"));
    CHECK_FALSE(arrow_allowed("scenarios/services/raft", "scenarios/workloads"));
    CHECK_FALSE(arrow_allowed("scenarios/services/redis", "scenarios/services/raft"));
    CHECK_FALSE(arrow_allowed("harness", "cli"));
    CHECK_FALSE(arrow_allowed("harness", "properties/rapid"));
    CHECK_FALSE(arrow_allowed("bench", "tests"));
    CHECK_FALSE(arrow_allowed("harness", "tests"));
    CHECK_FALSE(arrow_allowed("core/unheard", "core/base"));
    CHECK_FALSE(arrow_allowed("core/server", "core/unheard"));
}

TEST_CASE("layout: a forbidden include is seen, a permitted one is not") {
    CHECK(quoted("core/raft/log.cpp", "core/wire/messages.hpp"));
    CHECK_FALSE(quoted("core/raft/log.cpp", "core/events/event.hpp"));
    CHECK(quoted("properties/lock.cpp", "sim/world.hpp"));
    CHECK_FALSE(quoted("properties/lock.cpp", "sim/world_events.hpp"));
    CHECK_FALSE(quoted("scenarios/resolve.cpp", "sim/world.hpp"));
    CHECK(quoted("sim/world.cpp", "scenarios/world/recorder.hpp"));
    CHECK(quoted("core/raft/log.cpp", "log.hpp"));
    CHECK(quoted("core/raft/log.cpp", "../base/time.hpp"));
    CHECK(quoted("core/raft/log.cpp", "toml.hpp"));
    CHECK(quoted("core/stray.cpp", "core/base/time.hpp"));
}

TEST_CASE("layout: a library stays in its room") {
    CHECK_FALSE(angled("core/raft/log.cpp", "vector"));
    CHECK_FALSE(angled("core/raft/log.cpp", "fmt/format.h"));
    CHECK_FALSE(angled("sim/fiber.cpp", "boost/context/fiber.hpp"));
    CHECK(angled("sim/world.cpp", "boost/context/fiber.hpp"));
    CHECK(angled("tests/sim/fiber_test.cpp", "boost/context/fiber.hpp"));
    CHECK_FALSE(angled("scenarios/scenario_toml.cpp", "toml.hpp"));
    CHECK(angled("scenarios/scenario.cpp", "toml.hpp"));
    CHECK_FALSE(angled("cli/main.cpp", "CLI/CLI.hpp"));
    CHECK(angled("harness/run.cpp", "CLI/CLI.hpp"));
    CHECK_FALSE(angled("tests/rapid/wal_rapid.cpp", "rapidcheck.h"));
    CHECK(angled("tests/core/raft/wal_test.cpp", "rapidcheck.h"));
    CHECK(angled("properties/lock.cpp", "rapidcheck.h"));
    CHECK_FALSE(angled("tests/support/catch.hpp", "catch2/catch.hpp"));
    CHECK(angled("properties/rapid/clusters.hpp", "catch2/catch.hpp"));
    CHECK(angled("core/lock/table.cpp", "xxhash.h"));
    CHECK(angled("core/lock/table.cpp", "unistd.h"));
    CHECK(angled("sim/disk.cpp", "sys/stat.h"));
    CHECK(angled("harness/run.cpp", "nobody/knows.hpp"));
    CHECK(angled("core/lock/table.cpp", "core/base/time.hpp"));
}

TEST_CASE("layout: include lines are read as the compiler reads them") {
    const auto found = includes_of(
        "#pragma once\n"
        "  #  include <vector>  // why\n"
        "// #include \"sim/world.hpp\"\n"
        "/* #include \"sim/disk.hpp\"\n"
        "#include \"sim/clock.hpp\" */\n"
        "const char* text = R\"(\n"
        "#include \"sim/strand.hpp\"\n"
        ")\";\n"
        "#if 0\n"
        "#include \"core/base/time.hpp\"\n"
        "#endif\n"
        "#if __has_include(<catch2/catch.hpp>)\n"
        "/* here */ #include <map>\n");
    CHECK(found == std::vector<Include>{
                       {"vector", false, 2}, {"core/base/time.hpp", true, 10}, {"map", false, 13}});
}

}  // namespace lockstep::test::layout
