#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test::program {
namespace {

TEST_CASE("explain: a violated run says why, one that held says nothing") {
    const Answer broken = lockstep_says("run fencing-none --no-config");
    CHECK(broken.code == 0);
    CHECK(says(broken, "why FENCE-2\n"));
    CHECK(says(broken, "  <- decisive\n"));
    CHECK(says(broken, "cause    FENCE-2 NoLostUpdate did not hold"));
    CHECK(says(broken, "fencing  did not help"));
    CHECK(broken.out.find("why FENCE-2") < broken.out.find("again     lockstep run"));
    const Answer held = lockstep_says("run calm --no-config");
    CHECK_FALSE(says(held, "why "));
    CHECK_FALSE(says(held, "decisive"));
}

TEST_CASE("explain: a run that is cut short has no verdict, unless a promise was broken by then") {
    const Answer cut = lockstep_says("run calm --until 3.5s --no-config");
    CHECK(cut.code == 3);
    CHECK(says(cut, "cut short, without a verdict"));
    CHECK_FALSE(says(cut, "NOT DETERMINISTIC"));
    CHECK(lockstep_says("run fencing-none --until 5s --no-config").code == 3);
    CHECK(lockstep_says("run fencing-none --until 12s --no-config").code == 0);
    // Of the printed times the unit may be left out.
    CHECK(lockstep_says("run calm --until 3.5 --no-config").out == cut.out);
    for (const char* bad : {"soon", "-1s", "5x", "1.2.3s"}) {
        const Answer refused = lockstep_says(std::string("run calm --until=") + bad);
        INFO(bad << ": " << refused.out);
        CHECK(refused.code == 2);
        CHECK(says(refused, "--until"));
    }
}

TEST_CASE("pinpoint: the program finds the pause, with any number of workers") {
    const std::string command = "pinpoint fencing-none --points 6 --runs 10 --no-config --jobs ";
    const Answer one = lockstep_says(command + "1");
    INFO(one.out);
    CHECK(one.code == 0);
    CHECK(says(one, "FENCE-2 NoLostUpdate violated at"));
    CHECK(says(one, "<- here"));
    CHECK(says(one, "worker-a is paused for 8.000 s"));
    CHECK(lockstep_says(command + "3").out == one.out);
}

TEST_CASE("pinpoint: what does not fail, or is no number of points, is refused") {
    const auto refuses = [](const std::string& arguments, const std::string& why) {
        const Answer answer = lockstep_says("pinpoint " + arguments + " --no-config");
        INFO(arguments << ": " << answer.out);
        CHECK(answer.code == 2);
        CHECK(says(answer, why));
    };
    refuses("calm", "calm with seed 1 violates nothing: there is nothing to pinpoint");
    refuses("fencing-none --property LOCK-1", "violates LOCK-1");
    refuses("fencing-none --property LOCK-99", "no property is called 'LOCK-99'");
    refuses("fencing-none --points 1", "--points: found 1");
    refuses("fencing-none --runs 0", "--runs: found 0");
    refuses("no-such-scenario", "no-such-scenario");
}

}  // namespace
}  // namespace lockstep::test::program
