#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace lockstep::test::program {
namespace {

std::string source(const std::string& path) {
    std::ifstream in(std::string(LOCKSTEP_SOURCE_DIR) + "/" + path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Between the two markers, if the file has them; else the whole file.
std::string table_of(const std::string& text) {
    const std::string begin = "<!-- lockstep list properties --markdown -->\n";
    const std::string end = "<!-- end -->\n";
    const auto from = text.find(begin);
    const auto to = text.find(end);
    if (from == std::string::npos || to == std::string::npos) return "";
    return text.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace

TEST_CASE("cli: list has a group for each thing, alone or all together") {
    const Answer all = lockstep_says("list");
    for (const std::string group : {"scenarios", "services", "faults", "properties", "marks"}) {
        INFO(group);
        CHECK(says(all, "\n" + group + "\n") == (group != "scenarios"));  // which is at the top
        const Answer one = lockstep_says("list " + group);
        CHECK(one.code == 0);
        CHECK(lines_in(one.out) > 0);
        CHECK(says(all, one.out));
    }
    CHECK(says(lockstep_says("list scenarios"), "pause-past-lease"));
    CHECK(says(lockstep_says("list services"), "raft"));
    CHECK(says(lockstep_says("list faults"), "  crash-power    power lost: "));
    CHECK(says(lockstep_says("list properties"), "needs clock-rate("));
    CHECK(says(lockstep_says("list marks"), "stale-write-refused"));
}

TEST_CASE("cli: the table of properties in the documentation is what the program prints") {
    const Answer table = lockstep_says("list properties --markdown");
    CHECK(table.code == 0);
    CHECK(table_of(source("docs/properties.md")) == table.out);
}

TEST_CASE("cli: each property in the table has the negative test that the table names") {
    std::string tests;
    for (const auto& file : std::filesystem::directory_iterator(std::string(LOCKSTEP_SOURCE_DIR) +
                                                                "/tests/properties"))
        tests += source("tests/properties/" + file.path().filename().string());
    std::istringstream lines(lockstep_says("list properties --markdown").out);
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto open = line.find("| `");
        const auto close = line.find("` |");
        if (line.starts_with("| property") || open == std::string::npos) continue;
        ++rows;
        const std::string name = line.substr(open + 3, close - open - 3);
        INFO(name);
        CHECK(tests.find("{" + name + ",") != std::string::npos);
    }
    CHECK(rows > 20);
}

}  // namespace lockstep::test::program
