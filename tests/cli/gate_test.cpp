// gate and confirm, beyond what merge_test.cpp has of them.
#include "tests/cli/program.hpp"

#include <filesystem>
#include <string>

namespace lockstep::test::program {
namespace {

/// No operation is through within a millisecond, which AVAIL-1 takes amiss.
const std::string failing_gate =
    "gate calm --set run.slack=1ms --seeds 1 --corpus 1 --jobs 1 --no-shrink --twice 0 ";

std::string edited(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("gate: values that are set are those of its runs, and of the commands that repeat them") {
    const Folder folder;
    const Answer passes = folder.lockstep_says("gate calm --seeds 1 --corpus 1 --jobs 1");
    INFO(passes.out);
    CHECK(passes.code == 0);
    const Answer fails = folder.lockstep_says(failing_gate);
    INFO(fails.out);
    CHECK(fails.code == 1);
    const std::string again = "lockstep run calm --seed 1 --set run.slack=1ms";
    REQUIRE(says(fails, again));
    CHECK_FALSE(says(fails, "time ran out"));  // nothing was to be shrunk
    CHECK(folder.lockstep_says(again.substr(std::string("lockstep ").size())).code == 1);
    const Answer refused = folder.lockstep_says("gate calm --set run.slak=1ms");
    CHECK(refused.code == 2);
    CHECK(says(refused, "run.slak"));
    // What a file sets for runs alone is none of the gate's, and its command says so.
    folder.write("lockstep.toml",
                 "[run]\nset = \"run.slack=2ms\"\n[gate]\nset = \"run.slack=1ms\"\n");
    const Answer from_file =
        folder.lockstep_says("gate calm --seeds 1 --corpus 1 --jobs 1 --no-shrink");
    INFO(from_file.out);
    CHECK(from_file.code == 1);
    CHECK(says(from_file, again));
}

TEST_CASE("gate: rates of the catalogue are not asked of scenarios that were changed") {
    const Folder folder;
    const std::string few = "--seeds 15 --corpus 15 --jobs 1 --no-shrink ";
    CHECK(says(folder.lockstep_says("gate chaos " + few), "chaos fault"));
    CHECK_FALSE(says(folder.lockstep_says("gate chaos --set run.slack=2s " + few), "chaos fault"));
}

TEST_CASE("gate: GitHub Actions gets annotations, and a summary behind what is there") {
    const Folder folder;
    folder.write("steps.md", "before\n");
    const Answer fails =
        shell("cd " + folder.path() + " && GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=steps.md " +
              LOCKSTEP_PROGRAM + " " + failing_gate);
    INFO(fails.out);
    CHECK(fails.code == 1);
    CHECK(says(fails, "\n::error title=AVAIL-1/"));
    const std::string summary = folder.read("steps.md");
    CHECK(summary.starts_with("before\n## Lockstep gate: **failed**"));
    CHECK_FALSE(says(folder.lockstep_says(failing_gate), "::error"));
    // One that cannot be written is said, and changes nothing else.
    const Answer nowhere = shell("cd " + folder.path() + " && GITHUB_STEP_SUMMARY=no/where.md " +
                                 LOCKSTEP_PROGRAM + " " + failing_gate);
    CHECK(nowhere.code == 1);
    CHECK(says(nowhere, "could not be written to GITHUB_STEP_SUMMARY (no/where.md)"));
}

TEST_CASE("gate: no file that it reads is written over, and none is written twice") {
    const Folder folder;
    const std::string known =
        "[\"LOCK-1/client-and-client-hold-lock\"]\nlink = \"x\"\nowner = \"y\"\n"
        "expires = 2026-02-28\n";
    folder.write("k.toml", known);
    const auto refused = [&](const std::string& options, const std::string& because) {
        const Answer answer = folder.lockstep_says("gate calm --seeds 1 " + options);
        INFO(options << "\n" << answer.out);
        CHECK(answer.code == 2);
        CHECK(says(answer, because));
    };
    refused("--known k.toml --json ./k.toml", "--json: that file is read (--known)");
    refused("--json - --junit -", "--junit: that file is the one of --json");
    refused("--junit a --summary ./a", "--summary: that file is the one of --junit");
    CHECK(folder.read("k.toml") == known);
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/a"));
}

TEST_CASE(
    "confirm: the repro's own seed is told apart, and runs that miss their faults show nothing") {
    const Folder folder;
    REQUIRE(folder.lockstep_says("shrink fencing-none --out r.toml").code == 0);
    const std::string text = folder.read("r.toml");
    const Answer fails = folder.lockstep_says("confirm r.toml --seeds 20 --jobs 1");
    INFO(fails.out);
    CHECK(fails.code == 1);
    CHECK(says(fails, "fails for this reason\n"));
    CHECK(says(fails, "of 20 other seeds fail for this reason\n"));
    const std::string fixed = edited(edited(text, "fencing = \"none\"", "fencing = \"fenced\""),
                                     "[[expect]]\nviolated = \"FENCE-2\"\n", "");
    folder.write("fixed.toml", fixed);
    const Answer held = folder.lockstep_says("confirm fixed.toml --seeds 60 --jobs 1");
    INFO(held.out);
    CHECK(held.code == 0);
    CHECK(says(held, " holds\n"));
    CHECK(says(held, "0 of 60 other seeds fail for this reason\n"));
    // 1 - 0.05^(1/60)
    CHECK(says(held, "at most 4.87%, with 95% confidence"));
    folder.write("missed.toml", edited(fixed, "when.nth = 1", "when.nth = 99"));
    const Answer missed = folder.lockstep_says("confirm missed.toml --seeds 20 --jobs 1");
    INFO(missed.out);
    CHECK(missed.code == 3);
    CHECK(says(missed, "20 hold, but a fault met nobody: they count for nothing"));
    CHECK(says(missed, "nothing can be said of its chance"));
}

}  // namespace lockstep::test::program
