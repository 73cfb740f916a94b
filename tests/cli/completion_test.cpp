#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"

#include <set>
#include <sstream>

namespace lockstep::test::program {
namespace {

/// What bash offers when the last of these words is being typed.
std::set<std::string> offered(const std::string& words) {
    const Folder folder;
    folder.write("mine.toml", "");
    folder.write("notes.txt", "");
    std::string script = "eval \"$(" + std::string(LOCKSTEP_PROGRAM) +
                         " completion bash)\"\nCOMP_WORDS=(" + words +
                         ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_lockstep\n"
                         "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const std::string path = folder.write("script", script);
    const Answer answer = shell("cd " + folder.path() + " && bash --norc " + path);
    INFO(answer.out);
    CHECK(answer.code == 0);
    std::istringstream lines(answer.out);
    std::set<std::string> all;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) all.insert(line);
    return all;
}

bool offers(const std::string& words, const std::string& word) {
    return offered(words).contains(word);
}

}  // namespace

TEST_CASE("cli: bash completes commands, options, scenarios, keys and groups") {
    CHECK(offered("lockstep expl") == std::set<std::string>{"explore"});
    CHECK(offers("lockstep ''", "completion"));
    CHECK(offered("lockstep explore --watch") == std::set<std::string>{"--watchdog"});
    CHECK(offers("lockstep --config x run --se", "--seed"));
    CHECK_FALSE(offers("lockstep run --", "--jobs"));
    CHECK(offered("lockstep run pause-past") == std::set<std::string>{"pause-past-lease"});
    CHECK(offered("lockstep run ./mi") == std::set<std::string>{"./mine.toml"});
    CHECK_FALSE(offers("lockstep run ''", "notes.txt"));
    CHECK(offered("lockstep explore calm --set lease.tt") == std::set<std::string>{"lease.ttl="});
    CHECK(offered("lockstep explore --set properties.FENCE") ==
          std::set<std::string>{"properties.FENCE-1=", "properties.FENCE-2="});
    CHECK(offered("lockstep list prop") == std::set<std::string>{"properties"});
    CHECK(offered("lockstep digest --wire-codec o") == std::set<std::string>{"off", "on"});
    CHECK(offered("lockstep explore --json no") == std::set<std::string>{"notes.txt"});
    CHECK(offered("lockstep check no") == std::set<std::string>{"notes.txt"});
    CHECK(offered("lockstep explore --seeds ''").empty());
    CHECK(offered("lockstep completion ''") == std::set<std::string>{"bash"});
}

TEST_CASE("cli: the installed completion loads what the installed program says") {
    const Folder folder;
    const Answer installed = shell(std::string(LOCKSTEP_CMAKE) + " --install " +
                                   LOCKSTEP_BUILD_DIR + " --prefix " + folder.path());
    INFO(installed.out);
    REQUIRE(installed.code == 0);
    const Answer answer =
        shell("PATH=" + folder.path() + "/bin:$PATH bash --norc -c '. " + folder.path() +
              "/share/bash-completion/completions/lockstep; complete -p lockstep; "
              "COMP_WORDS=(lockstep dig); COMP_CWORD=1; _lockstep; echo offers $COMPREPLY'");
    INFO(answer.out);
    CHECK(says(answer, "complete -F _lockstep lockstep"));
    CHECK(says(answer, "offers digest"));
}

}  // namespace lockstep::test::program
