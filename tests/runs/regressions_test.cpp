// Failures of earlier days: what was mended must hold, and what is there to be seen must be seen.
#include "harness/gate/failure_files.hpp"
#include "harness/repro/repro.hpp"
#include "harness/services.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <string>

namespace lockstep::test {

TEST_CASE(
    "regressions: each holds, or fails as it is expected to, and exercises what it is about") {
    const std::string folder = std::string(LOCKSTEP_SOURCE_DIR) + "/scenarios/regressions";
    const auto files = harness::load_regressions(folder);
    REQUIRE(files);
    REQUIRE(!files.value().empty());
    for (const auto& [path, repro] : files.value()) {
        INFO(path);
        CHECK(!repro.scenario.story.empty());
        const auto replayed = harness::replay(repro);
        const bool is_expected = harness::is_foretold(repro);
        CHECK(replayed.result ==
              (is_expected ? harness::Replay::Result::FailsAgain : harness::Replay::Result::Held));
        // Whoever built the program: a difference is one of behaviour, and is accepted anew.
        CHECK((replayed.edited || replayed.same_digest));
    }
}

}  // namespace lockstep::test
