#include "tests/core/raft/conversation.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

std::vector<std::filesystem::path> conversations() {
    std::vector<std::filesystem::path> files;
    const auto folder = std::filesystem::path(LOCKSTEP_TEST_DIR) / "core/raft/conversations";
    for (const auto& file : std::filesystem::directory_iterator(folder))
        if (file.path().extension() == ".txt") files.push_back(file.path());
    std::ranges::sort(files);
    return files;
}

}  // namespace

// A conversation is a file of commands to a small cluster with what they caused beneath them. With
// LOCKSTEP_UPDATE_GOLDEN=1 the files are rewritten instead of compared.
TEST_CASE("raft: conversations") {
    const auto files = conversations();
    REQUIRE(files.size() >= 14);
    for (const auto& file : files) {
        DYNAMIC_SECTION(file.stem().string()) {
            std::stringstream expected;
            expected << std::ifstream(file).rdbuf();
            const std::string actual = lockstep::test::converse(expected.str());
            REQUIRE(actual.find("\nerror: ") == std::string::npos);
            if (std::getenv("LOCKSTEP_UPDATE_GOLDEN") != nullptr)
                std::ofstream(file) << actual;
            else
                CHECK(actual == expected.str());
        }
    }
}
