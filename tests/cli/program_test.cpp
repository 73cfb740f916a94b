#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::test {
namespace {

struct Answer {
    int code;
    std::string out;  ///< standard output and error together
};

/// Runs the program with the arguments as a shell would read them.
Answer lockstep_says(const std::string& arguments) {
    const std::string command = std::string(LOCKSTEP_PROGRAM) + " " + arguments + " 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    Answer answer{-1, ""};
    std::array<char, 4'096> block{};
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
        answer.out.append(block.data(), n);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
    return answer;
}

bool says(const Answer& answer, const std::string& text) {
    return answer.out.find(text) != std::string::npos;
}

std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A folder of its own, gone with the test.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("lockstep-test-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& name, const std::string& bytes) const {
        const auto path = path_ / name;
        std::ofstream(path, std::ios::binary) << bytes;
        return path.string();
    }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

/// Exit code 2 and one line that says what is wrong.
void refuses(const std::string& arguments, const std::string& because) {
    const Answer answer = lockstep_says(arguments);
    INFO("lockstep " << arguments << "\n" << answer.out);
    CHECK(answer.code == 2);
    CHECK(lines_in(answer.out) == 1);
    CHECK(says(answer, because));
}

}  // namespace

TEST_CASE("cli: bad flags are refused in one line") {
    refuses("frobnicate", "frobnicate");
    refuses("run", "scenario");
    refuses("run calm --seed x", "seed");
    refuses("run calm --seed -1", "seed");
    refuses("run calm --seed 010", "010");
    refuses("run calm --seed 18446744073709551616", "2^64");
    refuses("run calm --sede 1", "--sede");
    refuses("explore --seeds 0", "at least 1");
    refuses("explore --seeds 5000000000", "more than");
    refuses("explore --first-seed 18446744073709551615", "64 bits");
    refuses("explore --jobs 0", "jobs");
    refuses("explore --jobs 1000000", "jobs");
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
    refuses("run " + folder.write("ttl.toml", "[lease]\nttl = \"0s\"\n"), "ttl.toml:2");
}

TEST_CASE("cli: overrides that mean nothing are refused") {
    refuses("run calm --set resource.fencing", "resource.fencing");
    refuses("run calm --set resource.fencing=perhaps", "perhaps");
    refuses("run calm --set resource.fence=none", "resource.fence");
    refuses("run calm --set =none", "--set");
    refuses("run calm --set cluster.servers=0", "cluster.servers");
}

TEST_CASE("cli: help can be learnt from") {
    const Answer help = lockstep_says("--help");
    CHECK(help.code == 0);
    for (const char* word :
         {"list", "run", "explore", "digest", "version", "pause-past-lease", "Exit codes"})
        CHECK(says(help, word));
    const Answer run = lockstep_says("run --help");
    CHECK(run.code == 0);
    CHECK(says(run, "--set resource.fencing=none"));
    const Answer explore = lockstep_says("explore --help");
    CHECK(explore.code == 0);
    CHECK(says(explore, "--budget"));
    const Answer nothing = lockstep_says("");
    CHECK(nothing.code == 2);
    CHECK(says(nothing, "First steps"));
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
        Answer answer = lockstep_says("explore calm --seeds 6 --jobs " + jobs);
        INFO(answer.out);
        CHECK(answer.code == 0);
        // The last lines tell the speed.
        return answer.out.substr(0, answer.out.find(" runs: "));
    };
    const std::string one = table_of("1");
    CHECK(one.find("calm") != std::string::npos);
    CHECK(one == table_of("3"));
}

}  // namespace lockstep::test
