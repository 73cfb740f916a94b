#include "tests/cli/program.hpp"

#include "tests/support/catch.hpp"

#include <sstream>
#include <string>

namespace lockstep::test::program {

TEST_CASE("cli: bad flags are refused in one line") {
    refuses("frobnicate", "frobnicate");
    refuses("run", "scenario");
    refuses("run calm --seed x", "seed");
    refuses("run calm --seed -1", "seed");
    refuses("run calm --seed 010", "010");
    refuses("run calm --seed 18446744073709551616", "2^64");
    refuses("run calm --sede 1", "'--sede'; did you mean --seed? (lockstep run --help");
    refuses("--seed 1 run calm", "--seed comes behind the command: run --seed");
    refuses("run calm 3", "'3' was not expected");
    refuses("run calm --events x --history ./x", "--history: that file is --events");
    refuses("explore --seeds 0", "at least 1");
    refuses("explore --seeds 5000000000", "more than");
    refuses("explore --first-seed 18446744073709551615", "64 bits");
    refuses("explore --jobs 0", "jobs");
    refuses("explore --jobs 1000000", "jobs");
    refuses("explore --jobs -1", "-1");
    refuses("explore --jobs 010", "010");
    refuses("explore -j 0x2", "0x2");
    refuses("run calm --budget 5", "5m");
    refuses("explore --watchdog 0s", "--watchdog: '0s' is no span of wall time");
    refuses("explore --out ''", "--no-out");
    refuses("list persons", "persons");
    refuses("list --markdown", "properties");
    refuses("completion tcsh", "tcsh");
    refuses("run calm --events - --json -", "standard output");
    refuses("run calm --json /no/such/place", "/no/such/place");
    refuses("explore --budget 5", "5m");
    refuses("explore --budget 99999999999h", "720h");
    refuses("explore --budget -5m", "wall time");
    refuses("digest --wire-codec maybe", "on");
}

TEST_CASE("cli: scenarios that are not there, or not files, are refused") {
    const Folder folder;
    refuses("run no-such-scenario", "no-such-scenario");
    refuses("explore calm no-such-scenario", "no-such-scenario");
    refuses("digest no-such-scenario", "no-such-scenario");
    refuses("run " + folder.path() + "/none.toml", "none.toml");
    refuses("run " + folder.path() + "/", folder.path());
    refuses("run /dev/zero", "/dev/zero");
    refuses("run ''", "scenario");
}

TEST_CASE("cli: files that are no scenarios are refused with file and line") {
    const Folder folder;
    refuses("run " + folder.write("key.toml", "[cluster]\nserverz = 3\n"), "key.toml:2");
    refuses("run " + folder.write("type.toml", "[cluster]\n\nservers = \"three\"\n"),
            "type.toml:3");
    refuses("run " + folder.write("syntax.toml", "[cluster\n"), "syntax.toml:1");
    refuses("run " + folder.write("utf8.toml", "# \xff\xfe\n"), "utf8.toml:1");
    refuses("run " + folder.write("nul.toml", std::string("[\0]\n", 4)), "nul.toml:1");
    refuses("run " + folder.write("huge.toml", std::string(3'000'000, '#')), "huge.toml");
    refuses("run " + folder.write("id.toml", "[[expect]]\n\nviolated = \"LOCK-99\"\n"),
            "id.toml:3");
    refuses("run " + folder.write("share.toml", "[properties]\nLOCKS-1 = \"5%\"\n"),
            "share.toml:2");
    refuses("explore " + folder.write("mark.toml", "[marks]\nrequired = [\"log-trunkated\"]\n"),
            "mark.toml:2");
    refuses("run " + folder.path() + "/\"$(printf 'a\\033[31m\\nb')\".toml",
            "a\\x1b[31m\\x0ab.toml");
    refuses("run " + folder.write("ttl.toml", "[lease]\nttl = \"0s\"\n"), "ttl.toml:2");
}

TEST_CASE("cli: overrides that mean nothing are refused") {
    refuses("run calm --set resource.fencing", "resource.fencing");
    refuses("run calm --set resource.fencing=perhaps", "perhaps");
    refuses("run calm --set resource.fence=none", "resource.fence");
    refuses("run calm --set =none", "--set");
    refuses("run calm --set cluster.servers=0", "cluster.servers");
    refuses("run calm --set lease.ttl=0s", "lockstep: --set lease.ttl: found 0s");
    refuses("run calm --set lease.ttl=5s --set limits.pending=99999999999999999999",
            "--set limits.pending: found 99999999999999999999; allowed is 1 to 1000000");
}

TEST_CASE("cli: help can be learnt from") {
    const Answer help = lockstep_says("--help");
    CHECK(help.code == 0);
    for (const char* word : {"list", "run", "explore", "digest", "completion", "version",
                             "pause-past-lease", "Exit codes"})
        CHECK(says(help, word));
    const Answer run = lockstep_says("run --help");
    CHECK(run.code == 0);
    CHECK(says(run, "--set resource.fencing=none"));
    const Answer explore = lockstep_says("explore --help");
    CHECK(explore.code == 0);
    CHECK(says(explore, "--budget"));
    for (const std::string command :
         {"", "run ", "explore ", "digest ", "check ", "pinpoint ", "list ", "completion "}) {
        std::istringstream lines(lockstep_says(command + "--help").out);
        for (std::string line; std::getline(lines, line);)
            if (line.size() > 80) FAIL_CHECK("wider than a terminal: " << line);
    }
    const Answer nothing = lockstep_says("");
    CHECK(nothing.code == 2);
    CHECK(says(nothing, "First steps"));
}

TEST_CASE("cli: the help of a command is about that command") {
    for (const std::string command : {"list", "completion", "version", "check", "pinpoint"}) {
        INFO(command);
        CHECK_FALSE(says(lockstep_says(command + " --help"), "First steps"));
    }
    CHECK(says(lockstep_says("list --help"), "services, faults"));
}

TEST_CASE("cli: a signal ends a run and digests with a word, and exports tell what was") {
    const Folder folder;
    const std::string program = LOCKSTEP_PROGRAM;
    for (const std::string signal : {"INT", "TERM"}) {
        const Answer run =
            shell("cd " + folder.path() + " && timeout -s " + signal + " 1 " + program +
                  " run calm --set run.faults_for=160h --json j --history h | "
                  "tail -3; echo code ${PIPESTATUS[0]}");
        INFO(run.out);
        CHECK(says(run, "interrupted, without a verdict"));
        CHECK(folder.read("j").find("out-of-time") != std::string::npos);
        CHECK_FALSE(folder.read("h").empty());
    }
    for (const std::string twice : {"", " --twice"}) {
        const Answer digest =
            shell("{ timeout --preserve-status -s INT 1 " + program +
                  " digest calm --seeds 100000" + twice + "; echo code $?; } 2>&1 | tail -2");
        INFO(digest.out);
        CHECK(says(digest, "interrupted"));
        CHECK(says(digest, "code 3"));
    }
}

TEST_CASE("cli: what the machine has no room for is no mistake of the program") {
    const Answer files = shell("ulimit -n 10; " + std::string(LOCKSTEP_PROGRAM) +
                               " explore calm --seeds 40 --jobs 40 --no-out");
    CHECK(files.code == 3);
    CHECK(says(files, "too many open files"));
    CHECK(says(files, "fewer --jobs"));
    const Folder folder;
    const Answer size = shell("cd " + folder.path() + "; ulimit -f 8; " + LOCKSTEP_PROGRAM +
                              " explore calm --seeds 150 --jobs 1");
    INFO(size.out);
    CHECK(size.code == 0);
    CHECK(says(size, "goes on without keeping results"));
    const Answer closed = shell("cd " + folder.path() + "; " + LOCKSTEP_PROGRAM +
                                " explore calm --seeds 2 --no-out --json x <&- >&- 2>&-");
    CHECK(closed.code == 3);  // the table is nowhere
    CHECK(folder.read("x").ends_with("}\n"));
}

TEST_CASE("cli: a scenario that is named twice is explored once") {
    CHECK(lines_in(lockstep_says("digest calm calm --seeds 1").out) == 1);
    CHECK(says(lockstep_says("explore calm calm --seeds 2 --no-out --jobs 1"), "2 runs: "));
}

TEST_CASE("cli: no output is written over the scenario") {
    const Folder folder;
    folder.write("self.toml", "name = \"mine\"\n");
    for (const char* command :
         {"run self.toml --json ./self.toml", "explore self.toml --no-out --json ./self.toml"}) {
        const Answer answer = folder.lockstep_says(command);
        INFO(answer.out);
        CHECK(answer.code == 2);
        CHECK(says(answer, "would be written over"));
        CHECK(folder.read("self.toml") == "name = \"mine\"\n");
    }
    CHECK(folder.lockstep_says("run calm --json /dev/null --history /dev/null").code == 0);
}

TEST_CASE("cli: a file whose name is no name of a scenario says where the name comes from") {
    const Folder folder;
    refuses("run " + folder.write("My_Scenario.toml", ""), "it is the file's name");
}

TEST_CASE("cli: list names what there is") {
    const Answer list = lockstep_says("list");
    CHECK(list.code == 0);
    for (const char* word : {"pause-past-lease", "chaos", "calm", "raft", "crash-power", "FENCE-2",
                             "NoLostUpdate", "stale-write-refused"}) {
        INFO(word);
        CHECK(says(list, word));
    }
    CHECK(list.out.find('\x1b') == std::string::npos);  // no colour into a pipe
    const Answer version = lockstep_says("version");
    CHECK(version.code == 0);
    CHECK(says(version, "plan epoch"));
}

TEST_CASE("cli: a paused holder's late write is refused, and an update is lost without fencing") {
    const Answer fenced = lockstep_says("run pause-past-lease --seed 1");
    INFO(fenced.out);
    CHECK(fenced.code == 0);
    CHECK(says(fenced, "REFUSES"));
    CHECK(says(fenced, "as expected"));
    const Answer open = lockstep_says("run pause-past-lease --seed 1 --set resource.fencing=none");
    INFO(open.out);
    CHECK(open.code == 0);
    CHECK(says(open, "ACCEPTS"));
    CHECK(says(open, "FENCE-2 NoLostUpdate (expected here)"));
}

TEST_CASE("cli: digests are the same twice, with and without the wire codec, in any number") {
    const Answer plain = lockstep_says("digest calm torn-log --seeds 2");
    INFO(plain.out);
    CHECK(plain.code == 0);
    CHECK(lines_in(plain.out) == 4);
    CHECK(lockstep_says("digest calm torn-log --seeds 2 --twice").out == plain.out);
    CHECK(lockstep_says("digest calm torn-log --seeds 2 --wire-codec on").out == plain.out);
    CHECK(lockstep_says("digest calm torn-log --seeds 2 --wire-codec off").out == plain.out);
}

TEST_CASE("cli: explore says the same whatever the number of workers") {
    const auto table_of = [](const std::string& jobs) {
        Answer answer = lockstep_says("explore calm --no-out --seeds 6 --jobs " + jobs);
        INFO(answer.out);
        CHECK(answer.code == 0);
        // The last lines tell the speed.
        return answer.out.substr(0, answer.out.find(" runs: "));
    };
    const std::string one = table_of("1");
    CHECK(one.find("calm") != std::string::npos);
    CHECK(one == table_of("3"));
}

}  // namespace lockstep::test::program
