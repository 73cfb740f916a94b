#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"

#include <string>

namespace lockstep::test::program {
namespace {

const std::string merge_program = LOCKSTEP_PROGRAM;
const std::string merge_arguments = " explore calm torn-log --seeds 60 --jobs 1";

/// Without the lines that tell how fast it went.
std::string without_rates(const std::string& text) {
    std::string out;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        if (line.find("runs/s") == std::string::npos &&
            line.find("elapsed_ms") == std::string::npos)
            out += line + "\n";
        begin = end + 1;
    }
    return out;
}

}  // namespace

TEST_CASE("cli: four shards, one killed and run again, merge to what one process finds") {
    const Folder folder;
    const Answer one = folder.lockstep_says(merge_arguments.substr(1) +
                                            " --no-out --json one.json --junit one.xml");
    REQUIRE(one.code == 0);
    for (const std::string shard : {"1", "3", "4"})
        CHECK(folder.lockstep_says(merge_arguments.substr(1) + " --out r --shard " + shard + "/4")
                  .code == 0);
    const Answer missing = folder.lockstep_says("merge r");
    CHECK(missing.code == 2);
    CHECK(says(missing, "shard 2/4"));
    // Killed when it has kept something.
    shell("cd " + folder.path() + "; " + merge_program + merge_arguments +
          " --out r --shard 2/4 >/dev/null 2>&1 & p=$!; for i in $(seq 3000); do s=$(stat -c %s " +
          folder.path() +
          "/r/shard-2-of-4/results 2>/dev/null || echo 0); [ $s -gt 3000 ] && "
          "break; sleep 0.01; done; kill -9 $p; wait $p; sleep 0.2");
    const Answer half = folder.lockstep_says("merge r --json half.json");
    INFO(half.out);
    CHECK(half.code == 2);
    CHECK(says(half, "runs are missing"));
    CHECK(says(half, "lockstep explore calm torn-log --seeds 60 --shard 2/4 --out r"));
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/half.json"));
    CHECK(folder.lockstep_says("merge r --partial").code == 3);
    const Answer resumed = folder.lockstep_says(merge_arguments.substr(1) + " --out r --shard 2/4");
    CHECK(says(resumed, "goes on where it stopped"));
    const Answer merged = folder.lockstep_says("merge r --json all.json --junit all.xml --out all");
    INFO(merged.out);
    CHECK(merged.code == one.code);
    CHECK(without_rates(merged.out) == without_rates(one.out));
    CHECK(without_rates(folder.read("all.json")) == without_rates(folder.read("one.json")));
    CHECK(folder.read("all.xml") == folder.read("one.xml"));
    CHECK(without_rates(folder.lockstep_says("merge all").out) == without_rates(one.out));

    const Answer twice = folder.lockstep_says("merge r r/shard-3-of-4");
    CHECK(twice.code == 2);
    CHECK(says(twice, "shard 3/4 is in"));
    CHECK(folder.lockstep_says("merge r --out all").code == 2);
    CHECK(folder.lockstep_says("explore calm --seeds 60 --jobs 1 --out o --shard 1/2").code == 0);
    const Answer other = folder.lockstep_says("merge r o");
    CHECK(other.code == 2);
    CHECK(says(other, "only parts of one exploration"));
}

TEST_CASE("cli: GNU parallel runs the shards and merges them") {
    if (shell("command -v parallel").code != 0) return;
    const Folder folder;
    const Answer one = folder.lockstep_says("explore calm --seeds 20 --jobs 1 --no-out");
    const Answer all = shell("cd " + folder.path() + " && SEEDS=20 LOCKSTEP=" + merge_program +
                             " " + LOCKSTEP_SOURCE_DIR + "/deploy/parallel.sh calm 2>/dev/null");
    INFO(all.out);
    CHECK(all.code == one.code);
    CHECK(says(all, without_rates(one.out)));
}

TEST_CASE("cli: a gate passes, and one without faults is not to be trusted") {
    const Folder folder;
    folder.write("rates", "pause-past-lease fault pause 200 200\ncalm fault pause 200 200\n");
    const std::string gate = "gate --seeds 15 --corpus 15 --jobs 1 --base head ";
    const Answer good = folder.lockstep_says(gate +
                                             "pause-past-lease --junit g.xml --json g.json "
                                             "--summary g.md");
    INFO(good.out);
    CHECK(good.code == 0);
    CHECK(says(good, "gate: passed"));
    CHECK(folder.read("g.xml").find("failures=\"0\" errors=\"0\"") != std::string::npos);
    CHECK(folder.read("g.md").find("Lockstep gate: passed") != std::string::npos);
    CHECK(folder.read("g.json").find("\"different\": 0") != std::string::npos);
    const Answer bad = folder.lockstep_says(gate + "calm --rates rates");
    INFO(bad.out);
    CHECK(bad.code == 4);
    CHECK(says(bad, "fault pause fired in 0 of 30 runs"));
    const Answer late = folder.lockstep_says(gate + "calm --budget 1ms");
    CHECK(late.code == 3);
    folder.write("known.toml", "[\"NONE-1/a\"]\nlink = \"x\"\n");
    const Answer unknown = folder.lockstep_says(gate + "calm");
    INFO(unknown.out);
    CHECK(unknown.code == 2);
    CHECK(says(unknown, "known.toml:2: found \"NONE-1/a\""));
}

TEST_CASE("cli: a gate tells what fails, writes its repro, and lets pass what the baseline has") {
    const Folder folder;
    // No operation is through within a millisecond.
    std::string text =
        shell("cat " + std::string(LOCKSTEP_SOURCE_DIR) + "/scenarios/catalogue/calm.toml").out;
    const auto run = text.find("[run]\n");
    REQUIRE(run != std::string::npos);
    text.insert(run + 6, "slack = \"1ms\"\n");
    folder.write("bad.toml", text);
    const std::string gate = "gate ./bad.toml --seeds 2 --jobs 1 --base head ";
    const Answer fails = folder.lockstep_says(
        gate + "--corpus 2 --shrink-for 5s --junit g.xml --summary g.md --out found");
    INFO(fails.out);
    CHECK(fails.code == 1);
    CHECK(says(fails, "AVAIL-1/"));
    CHECK(says(fails, "gate: FAILED"));
    CHECK(folder.read("g.xml").find("<failure type=\"AVAIL-1/") != std::string::npos);
    CHECK(folder.read("g.md").find("AVAIL-1/") != std::string::npos);
    REQUIRE(std::filesystem::exists(folder.path() + "/found/bad-AVAIL-1-1.toml"));
    CHECK(folder.lockstep_says("replay found/bad-AVAIL-1-1.toml").code == 1);
    // The repro as a regression blocks; so does the corpus, whatever the baseline has.
    const Answer back =
        folder.lockstep_says("gate calm --corpus 1 --seeds 1 --jobs 1 --regressions found");
    INFO(back.out);
    CHECK(back.code == 1);
    CHECK(says(back, "fails again"));
    const std::string pr = "--pr --no-shrink --baseline " + merge_program;
    CHECK(folder.lockstep_says(gate + "--corpus 1 " + pr).code == 1);
    const Answer passes = folder.lockstep_says(gate + "--corpus 0 " + pr);
    INFO(passes.out);
    CHECK(passes.code == 0);
    CHECK(says(passes, "pre-existing: the baseline fails, too"));
    CHECK(folder.lockstep_says(gate + "--corpus 0 --pr --baseline /bin/false --no-shrink").code ==
          1);
    const Answer often =
        folder.lockstep_says("confirm found/bad-AVAIL-1-1.toml --seeds 20 --jobs 1");
    INFO(often.out);
    CHECK(often.code == 1);
    CHECK(says(often, "of 20 other seeds fail for this reason"));
}

}  // namespace lockstep::test::program
