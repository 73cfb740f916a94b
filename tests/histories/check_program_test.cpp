#include "tests/histories/histories.hpp"

#include <array>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::test::histories {
namespace {

struct Said {
    int code = -1;
    std::string out;  ///< standard output and error together
};

/// What a shell makes of it, with $LOCKSTEP for the program and $DATA for the histories here.
Said shell(const std::string& command) {
    const std::string all = "LOCKSTEP='" + std::string(LOCKSTEP_PROGRAM) + "'; DATA='" +
                            LOCKSTEP_TEST_DIR + "/histories/data'; cd /; { " + command + "; } 2>&1";
    std::FILE* pipe = ::popen(all.c_str(), "r");
    REQUIRE(pipe != nullptr);
    Said said;
    std::array<char, 4'096> block{};
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
        said.out.append(block.data(), n);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) said.code = WEXITSTATUS(status);
    return said;
}

void says(const std::string& command, int code, const std::string& words) {
    const Said said = shell(command);
    INFO(command << "\n" << said.out);
    CHECK(said.code == code);
    CHECK(said.out.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("histories: lockstep check answers with its exit code") {
    says("$LOCKSTEP check $DATA/handover.jsonl", 0, "held ");
    says("$LOCKSTEP check - < $DATA/handover.jsonl", 0, "stdin  11 operations");
    says("gzip < $DATA/handover.jsonl | $LOCKSTEP check -", 0, "stdin  11 operations");
    says("gzip < $DATA/handover.jsonl | head -c 100 | $LOCKSTEP check -", 2, "ends too early");
    says("$LOCKSTEP check $DATA/jepsen-mutex.edn", 0, "reading   LOCK-1");
    says("$LOCKSTEP check $DATA/jepsen-two-holders.edn", 1, "violated  BELIEF-1");
    says("cat $DATA/jepsen-two-holders.edn | $LOCKSTEP check - --json", 1,
         R"("id":"BELIEF-1","name":"TruthfulDeadline","verdict":"violated")");
    // From a release to the next grant it is 200 ms.
    says("$LOCKSTEP check $DATA/handover.jsonl --clock-error 50ms", 0, "clock error 50 ms");
    says("$LOCKSTEP check $DATA/handover.jsonl --clock-error 150ms", 3, "undecidable");
    says("echo '{\"time\":1,\"process\":\"a\",\"op\":\"lost\"}' | $LOCKSTEP check -", 2,
         "no operation in it");
    says(
        "echo '{\"time\":1,\"process\":\"a\",\"op\":\"acquire\",\"type\":\"call\"}' | $LOCKSTEP "
        "check -",
        3, "1 call without an end");
}

TEST_CASE("histories: lockstep check refuses bad input in one line") {
    says("$LOCKSTEP check /nowhere/h.jsonl", 2, "/nowhere/h.jsonl: cannot be opened: No such file");
    says("$LOCKSTEP check /tmp", 2, "cannot be read");
    says("echo oops | $LOCKSTEP check -", 2, "stdin:1: found 'oops'");
    for (const char* span : {"5", "ms", "5.ms", "1.2.3s", "5h", "-1s", "0.1ns", "99999999999999s"})
        says("$LOCKSTEP check $DATA/handover.jsonl --clock-error=" + std::string(span), 2,
             "is no span of time");
    says("$LOCKSTEP check $DATA/handover.jsonl --clock-error 61m", 2, "more than an hour");
    says("$LOCKSTEP check $DATA/handover.jsonl --drift-bound 100%", 2,
         "is no bound of clock rates");
    says("$LOCKSTEP check", 2, "history");
    says("$LOCKSTEP run calm --history /nowhere/h.jsonl", 2,
         "/nowhere/h.jsonl: --history: cannot be written");
}

TEST_CASE("histories: lockstep run writes what lockstep check reads") {
    const auto path = std::filesystem::temp_directory_path() /
                      ("lockstep-history-" + std::to_string(::getpid()) + ".jsonl");
    const std::string file = "'" + path.string() + "'";
    says("$LOCKSTEP run pause-past-lease --history " + file + " && $LOCKSTEP check " + file, 0,
         "held ");
    says("$LOCKSTEP run pause-past-lease --set resource.fencing=none --history " + file +
             " && $LOCKSTEP check " + file,
         1, "violated  FENCE-2");
    // From the release to the next grant it is a few milliseconds.
    says("$LOCKSTEP run calm --history " + file + " && $LOCKSTEP check " + file, 0, "held ");
    says("$LOCKSTEP check " + file + " --clock-error 5ms", 3, "undecidable  BELIEF-1");
    std::filesystem::remove(path);
}

/// As docs/history-format.md shows it.
TEST_CASE("histories: one thing changed in a right history is found") {
    const auto path = std::filesystem::temp_directory_path() /
                      ("lockstep-changed-" + std::to_string(::getpid()) + ".jsonl");
    const std::string file = "'" + path.string() + "'";
    const auto changed = [&](const std::string& edit, int code, const std::string& words) {
        says("sed '" + edit + "' " + file + " | $LOCKSTEP check -", code, words);
    };
    says("$LOCKSTEP run calm --seed 1 --history " + file + " && $LOCKSTEP check " + file, 0,
         "BELIEF-1, LIN-1");
    const std::string grant = R"(/"id":"acquire-4-19","op":"acquire","type":"ok"/)";
    changed(grant + R"(s/"token":[0-9]*/"token":4/)", 1, "violated  LOCK-2");
    changed(grant + "d", 1, "violated  GRANT-1");
    changed(R"(/"process":"worker-a","id":"renew-[0-9]*-[5-7]"/d)", 1, "violated  ACT-1");
    changed(R"(/"op":"release"/d)", 1, "violated  LIN-1");
    const std::string release = R"(/"id":"release-2-3","op":"release","type":"ok"/)";
    changed(release + R"(s/"ok"/"no"/)", 3, "undecidable  LIN-1");
    changed(release + R"(s/"ok"/"unknown"/)", 0, "reading   LOCK-1");
    std::filesystem::remove(path);
}

}  // namespace lockstep::test::histories
