#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <string>

namespace lockstep::test::program {
namespace {

/// The table, without what tells the speed.
std::string table_in(const std::string& text) {
    const auto begin = text.find("  scenario ");
    const auto end = text.find(" simulated in ");
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    return text.substr(begin, end - begin);
}

const std::string program_path = LOCKSTEP_PROGRAM;

}  // namespace

TEST_CASE("cli: an exploration that was killed goes on where it stopped") {
    const Folder folder;
    const std::string arguments = "explore calm torn-log --seeds 60 --jobs 1";
    const Answer undisturbed = folder.lockstep_says(arguments + " --no-out");
    INFO(undisturbed.out);
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/.lockstep"));
    // Killed when a few seeds are in the file, however fast this machine is.
    const Answer killed = shell("cd " + folder.path() + "; " + program_path + " " + arguments +
                                " >/dev/null 2>&1 & p=$!; for i in $(seq 3000); do "
                                "s=$(stat -c %s " +
                                folder.path() +
                                "/.lockstep/results 2>/dev/null || echo 0); "
                                "[ $s -gt 8000 ] && break; sleep 0.01; done; "
                                "kill -9 $p; wait $p; sleep 0.2");
    INFO(killed.out);
    const auto kept = folder.read(".lockstep/results").size();
    REQUIRE(kept > 8'000);
    const Answer resumed = folder.lockstep_says(arguments);
    INFO(resumed.out);
    CHECK(says(resumed, "goes on where it stopped"));
    CHECK(resumed.code == undisturbed.code);
    CHECK(table_in(resumed.out) == table_in(undisturbed.out));
    CHECK(folder.read(".lockstep/results").size() > kept);
    CHECK(folder.read(".lockstep/.gitignore") == "*\n");
}

TEST_CASE("cli: Ctrl-C keeps what has finished, in the table and on disk") {
    const Folder folder;
    const Answer stopped = shell("cd " + folder.path() + " && timeout -s INT 2 " + program_path +
                                 " explore calm --seeds 100000 --jobs 1 --out kept; echo code $?");
    INFO(stopped.out);
    CHECK(says(stopped, "interrupted: "));
    const Answer again = shell("cd " + folder.path() + " && timeout -s INT 1 " + program_path +
                               " explore calm --seeds 100000 --jobs 1 --out kept");
    CHECK(says(again, "goes on where it stopped"));
    const Answer other = folder.lockstep_says("explore calm --seeds 2 --jobs 1 --out kept");
    INFO(other.out);
    CHECK(says(other, "starts anew: the results there differ in the seeds"));
    CHECK(says(other, "2 runs"));
}

TEST_CASE("cli: a second exploration in one directory is refused") {
    const Folder folder;
    const Answer answer =
        shell("cd " + folder.path() + " && { timeout 10 " + program_path +
              " explore calm --seeds 100000 --jobs 1 >/dev/null 2>&1 & p=$!; for i in $(seq 500); "
              "do [ -s .lockstep/results ] && break; sleep 0.01; done; " +
              program_path + " explore calm --seeds 1; c=$?; kill -INT $p; wait $p; exit $c; }");
    INFO(answer.out);
    CHECK(answer.code == 2);
    CHECK(says(answer, "another exploration is at work"));
}

TEST_CASE("cli: a directory for results that cannot be made is refused at the start") {
    const Folder folder;
    folder.write("file", "x");
    const Answer answer = folder.lockstep_says("explore calm --seeds 1 --out file/below");
    INFO(answer.out);
    CHECK(answer.code == 2);
    CHECK(lines_in(answer.out) == 1);
    CHECK(says(answer, "file/below"));
    CHECK(says(answer, "--no-out"));
}

TEST_CASE("cli: a disk that is full loses nothing of the result") {
    const Folder folder;
    // A mount of its own needs privileges that a test may not have.
    const std::string mounted = "unshare -m sh -c 'mount -t tmpfs -o size=32k none " +
                                folder.path() + " && cd " + folder.path() + " && ";
    if (shell(mounted + "true'").code != 0) return;
    const Answer answer = shell(mounted + program_path +
                                " explore calm --seeds 150 --jobs 1; echo code $?; stat -c \"kept "
                                "%s\" .lockstep/results'");
    INFO(answer.out);
    CHECK(says(answer, "No space left on device"));
    CHECK(says(answer, "goes on without keeping results"));
    CHECK(says(answer, "150 runs: all as expected"));
    CHECK(says(answer, "code 0"));
    const Answer resumed =
        shell(mounted + program_path +
              " explore calm --seeds 150 --jobs 1 >/dev/null 2>&1; mount -o "
              "remount,size=1m none " +
              folder.path() + "; " + program_path + " explore calm --seeds 150 --jobs 1'");
    INFO(resumed.out);
    CHECK(says(resumed, "goes on where it stopped"));
    CHECK(says(resumed, "150 runs: all as expected"));
    const Answer from_the_start = shell(mounted + "{ head -c 100k /dev/zero >rest; " +
                                        program_path + " explore calm --seeds 1; } 2>&1'");
    INFO(from_the_start.out);
    CHECK(says(from_the_start, "--no-out"));
}

TEST_CASE("cli: a run that crashes is a failure, and the others go on") {
    const Folder folder;
    for (const std::string jobs : {"1", "3"}) {
        const Answer answer =
            shell("cd " + folder.path() + " && LOCKSTEP_TEST_RUN='crash calm 4' " + program_path +
                  " explore calm --no-out --seeds 9 --jobs " + jobs);
        INFO(answer.out);
        CHECK(answer.code == 1);
        CHECK(says(answer,
                   "FAIL  calm seed 4  crashed: the process that ran it ended with signal "
                   "11"));
        CHECK(says(answer, "9 runs: 1 of 9 NOT as expected"));
        CHECK(says(answer, "again: lockstep run calm --seed 4"));
    }
}

TEST_CASE("cli: a run that hangs is given up, not judged") {
    const Answer answer = shell("LOCKSTEP_TEST_RUN='hang calm 2' " + program_path +
                                " explore calm --no-out --seeds 4 --jobs 1 --watchdog 3s");
    INFO(answer.out);
    CHECK(answer.code == 3);
    CHECK(says(answer, "GAVE UP  calm seed 2"));
    CHECK(says(answer, "3 runs: unfinished"));
}

TEST_CASE("cli: a seed that was given up is tried again by the same command") {
    const Folder folder;
    const std::string arguments = " explore calm --seeds 4 --jobs 1 --watchdog 3s";
    CHECK(shell("cd " + folder.path() + " && LOCKSTEP_TEST_RUN='hang calm 2' " + program_path +
                arguments)
              .code == 3);
    const Answer again = folder.lockstep_says(arguments);
    INFO(again.out);
    CHECK(again.code == 0);
    CHECK(says(again, "goes on where it stopped, after 3 runs"));
    CHECK(says(again, "4 runs: all as expected"));
}

TEST_CASE("cli: a budget ends a single run, which says how far it came") {
    const Answer answer = lockstep_says("run calm --set run.faults_for=160h --budget 1s");
    INFO(answer.out.substr(answer.out.size() > 2'000 ? answer.out.size() - 2'000 : 0));
    CHECK(answer.code == 3);
    CHECK(says(answer, ", when the budget was used up"));
    CHECK(says(answer, "without a verdict"));
    // One that is never used up changes nothing.
    const Answer all = lockstep_says("run calm");
    CHECK(all.code == 0);
    CHECK(lockstep_says("run calm --budget 10m").out == all.out);
}

TEST_CASE("cli: exports are whole files, or the only thing on standard output") {
    const Folder folder;
    const Answer table = folder.lockstep_says("explore calm --no-out --seeds 2 --json out.json");
    CHECK(table.code == 0);
    CHECK(says(table, "2 runs: all as expected"));
    const std::string json = folder.read("out.json");
    CHECK(json.starts_with("{\n  \"lockstep\": {"));
    CHECK(json.ends_with("}\n"));
    const Answer alone =
        folder.lockstep_says("explore calm --no-out --seeds 2 --json - 2>/dev/null");
    CHECK(alone.out.starts_with("{\n  \"lockstep\": {"));
    CHECK(alone.out.find("as expected") == std::string::npos);
    const Answer run = folder.lockstep_says("run calm --events events.jsonl --json run.json");
    CHECK(run.code == 0);
    CHECK(says(run, "as expected"));
    CHECK(folder.read("events.jsonl").starts_with("{\"at_ns\":0,\"process\":\""));
    CHECK(folder.read("run.json").find("\"as_expected\": true") != std::string::npos);
    CHECK(folder.lockstep_says("run calm --events - 2>/dev/null").out ==
          folder.read("events.jsonl"));
    const Answer full = folder.lockstep_says("explore calm --no-out --seeds 2 --json /dev/full");
    INFO(full.out);
    CHECK(full.code == 3);
    CHECK(says(full, "/dev/full could not be written"));
}

}  // namespace lockstep::test::program
