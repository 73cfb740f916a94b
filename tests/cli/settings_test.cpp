#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test::program {
namespace {

/// A bad lockstep.toml is refused in one line that begins with its place.
void refuses_settings(const std::string& text, const std::string& place,
                      const std::string& because) {
    const Folder folder;
    folder.write("lockstep.toml", text);
    const Answer answer = folder.lockstep_says("digest calm --seeds 1");
    INFO(text << answer.out);
    CHECK(answer.code == 2);
    CHECK(lines_in(answer.out) == 1);
    CHECK(says(answer, "lockstep.toml:" + place + ": "));
    CHECK(says(answer, because));
}

}  // namespace

TEST_CASE("settings: the folder of results for all commands is not the file of a probe") {
    const Folder folder;
    folder.write("lockstep.toml", "out = \"results\"\n");
    const Answer answer = folder.lockstep_says("probe --for 100ms");
    INFO(answer.out);
    CHECK(answer.code == 0);
    CHECK(folder.read("results").empty());
    CHECK(!folder.read("probe.txt").empty());
    // Nor is what was measured written over.
    const Answer again = folder.lockstep_says("probe --for 100ms");
    CHECK(again.code == 2);
    CHECK(says(again, "there is something in that file"));
    folder.write("lockstep.toml", "[probe]\nout = \"other.txt\"\n");
    CHECK(folder.lockstep_says("probe --for 100ms").code == 0);
    CHECK(!folder.read("other.txt").empty());
}

TEST_CASE("cli: lockstep.toml gives defaults, and the command line wins") {
    const Folder folder;
    folder.write("lockstep.toml",
                 "seeds = 3\njobs = 1\n[explore]\nno-out = true\n[digest]\nseeds = 2\nscenarios = "
                 "[\"calm\", \"torn-log\"]\n");
    CHECK(lines_in(folder.lockstep_says("digest").out) == 4);
    CHECK(lines_in(folder.lockstep_says("digest --seeds 1").out) == 2);
    CHECK(lines_in(folder.lockstep_says("digest calm").out) == 2);
    const Answer explored = folder.lockstep_says("explore calm");
    CHECK(says(explored, "3 runs: all as expected"));
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/.lockstep"));
    CHECK(lines_in(folder.lockstep_says("digest calm --no-config").out) == 20);
    folder.write("other.toml", "[digest]\nseeds = 5\n");
    CHECK(lines_in(folder.lockstep_says("digest calm --config other.toml").out) == 5);
    CHECK(lines_in(folder.lockstep_says("--config other.toml digest calm").out) == 5);
    folder.write("json.toml", "seeds = 1\njson = \"out.json\"\n");  // a flag of check
    CHECK(folder.lockstep_says("explore calm --no-out --config json.toml").code == 0);
    CHECK(folder.read("out.json").starts_with("{"));
    folder.write("set.toml", "[digest]\nseeds = 1\nset = [\"lease.ttl=5s\"]\n");
    CHECK(folder.lockstep_says("digest calm --config set.toml").out ==
          folder.lockstep_says("digest calm --no-config --seeds 1 --set lease.ttl=5s").out);
}

TEST_CASE("cli: settings that mean nothing are refused with file and line") {
    refuses_settings("jobs = 1\nsede = 3\n", "2", "sede");
    refuses_settings("[explore]\n\njob = 3\n", "3", "jobs");
    refuses_settings("[frobnicate]\nx = 1\n", "2", "no command");
    refuses_settings("jobs = 0\n", "1", "jobs");
    refuses_settings("\njobs = -1\n", "2", "-1");
    refuses_settings("budget = \"5\"\n", "1", "5m");
    refuses_settings("jobs = [\"1\", \"2\"]\n", "1", "list");
    refuses_settings("[explore]\nno-out = 1\n", "2", "true or false");
    refuses_settings("jobs = true\n", "1", "true");
    refuses_settings("config = \"x\"\n", "1", "config");
    refuses_settings("jobs =\n", "1", "TOML");
    refuses_settings("[run]\nscenario = \"calm\"\n", "2", "no such option");
    refuses_settings("[run]\n\nset = [\"lease.ttl=0s\"]\n[digest]\nset = [\"lease.tttl=5s\"]\n",
                     "5", "set: lease.tttl: found an unknown key");
    refuses_settings("set = [\"lease.ttl=0s\"]\n", "1", "set: lease.ttl: found 0s");
    refuses_settings("jobs = 1\nout = \"\"\n", "2", "out: found no directory");
    refuses_settings("seeds = 99999999999999999999\n", "1", "'99999999999999999999'");
    refuses_settings("jobs = 300\n", "1", "jobs: found 300; allowed are 1 to 256");
    refuses_settings("budget = \"0s\"\n", "1", "budget: '0s' is no span");
    refuses_settings("[completion]\nshell = \"bash\"\n", "2", "no command");
    refuses_settings("[check]\nhistory = \"x\"\n", "2", "no such option");
    refuses_settings("[list]\ngroup = \"marks\"\n", "2", "no command");
    const Folder folder;
    folder.write("lockstep.toml", "[digest]\nscenarios = [\"nope\"]\n");
    CHECK(says(folder.lockstep_says("digest"), "lockstep.toml:2: scenarios: no scenario"));
    CHECK(folder.lockstep_says("digest calm --seeds 1").code == 0);
    folder.write("lockstep.toml", "\n[run]\nscenario = \"calm\"\n");
    CHECK(says(folder.lockstep_says("run"), "lockstep.toml:3: run.scenario: "));
    folder.write("lockstep.toml", "nonsense");
    CHECK(folder.lockstep_says("completion bash").code == 0);
    refuses("digest --config /no/such.toml", "/no/such.toml");
}

TEST_CASE("cli: a link to a lockstep.toml that is not there is no file that is not there") {
    const Folder folder;
    std::filesystem::create_symlink("nowhere", folder.path() + "/lockstep.toml");
    const Answer answer = folder.lockstep_says("digest calm --seeds 1");
    CHECK(answer.code == 2);
    CHECK(says(answer, "lockstep.toml: no such file"));
}

TEST_CASE("cli: --out wins over a lockstep.toml that keeps no results") {
    const Folder folder;
    folder.write("lockstep.toml", "no-out = true\n");
    CHECK(folder.lockstep_says("explore calm --seeds 1 --jobs 1 --out kept").code == 0);
    CHECK(std::filesystem::exists(folder.path() + "/kept/results"));
    CHECK(folder.lockstep_says("explore calm --seeds 1 --jobs 1").code == 0);
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/.lockstep"));
}

TEST_CASE("cli: the command that repeats a run says what it needs of settings") {
    const Folder folder;
    folder.write("lockstep.toml", "[run]\nset = [\"lease.ttl=5s\"]\n");
    CHECK(says(folder.lockstep_says("run calm"),
               "again     lockstep run calm --seed 1 --set lease.ttl=5s\n"));
    CHECK(says(folder.lockstep_says("run calm --no-config"),
               "again     lockstep run calm --seed 1 --no-config\n"));
    const std::string crash = "LOCKSTEP_TEST_RUN='crash calm 1' ";
    const std::string explore = " explore calm --no-out --seeds 1 --jobs 1";
    CHECK(says(shell("cd " + folder.path() + " && " + crash + LOCKSTEP_PROGRAM + explore),
               "again: lockstep run calm --seed 1 --no-config\n"));
    folder.write("lockstep.toml", "jobs = 1\n");
    CHECK(says(folder.lockstep_says("run calm"), "again     lockstep run calm --seed 1\n"));
}

}  // namespace lockstep::test::program
