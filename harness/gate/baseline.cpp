#include "harness/gate/baseline.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace lockstep::harness {
namespace {

using Clock = std::chrono::steady_clock;
using Verdict = BaselineAnswer::Verdict;

/// More than this no run says of itself.
constexpr std::size_t longest_answer = std::size_t{16} << 20;

struct Answer {
    std::string out;
    int exit_code = -1;
    int signal = 0;
    std::string trouble;  ///< it could not be run, or not to its end
};

[[noreturn]] void become(const std::vector<std::string>& words, int out) {
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
}

Answer said_by(const std::vector<std::string>& words, std::chrono::milliseconds patience) {
    Answer answer;
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        answer.trouble = std::strerror(errno);
        return answer;
    }
    const pid_t pid = ::fork();
    if (pid == 0) become(words, pipe[1]);
    ::close(pipe[1]);
    if (pid < 0) {
        answer.trouble = std::strerror(errno);
        ::close(pipe[0]);
        return answer;
    }
    const auto until = Clock::now() + patience;
    std::array<char, 65'536> block{};
    while (answer.trouble.empty()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd readable{pipe[0], POLLIN, 0};
        const int ready = left <= 0 ? 0 : ::poll(&readable, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) answer.trouble = "it gave no answer in time";
        const ssize_t n = ready <= 0 ? 0 : ::read(pipe[0], block.data(), block.size());
        if (n <= 0) break;
        answer.out.append(block.data(), static_cast<std::size_t>(n));
        if (answer.out.size() > longest_answer) answer.trouble = "it said too much";
    }
    ::close(pipe[0]);
    if (!answer.trouble.empty()) ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) answer.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) answer.signal = WTERMSIG(status);
    if (answer.exit_code == 127) answer.trouble = "it cannot be run";
    return answer;
}

BaselineAnswer could_not(std::string why) {
    return {Verdict::CouldNotTell, std::move(why)};
}

}  // namespace

BaselineAnswer read_baseline(std::string_view text, const Fingerprint& why,
                             const std::vector<properties::PropertyId>& also) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("properties") || !json["properties"].is_array())
        return could_not("what it said of the run was not understood");
    const std::string end = json.value("end", "finished");
    if (end == "stuck" || end == "crashed") {
        const bool same = !why.property && why.kind.starts_with(end);
        return {same ? Verdict::FailsToo : Verdict::FailsOtherwise, end};
    }
    if (end != "finished") return could_not(fmt::format("its run was {}", end));
    std::string others;
    bool same = false;
    std::vector<std::string> violated;
    for (const auto& one : json["properties"]) {
        if (!one.is_object() || one.value("verdict", "") != "violated") continue;
        const std::string code = one.value("property", "");
        violated.push_back(code);
        if (why.property && code == properties::code_of(*why.property)) {
            same = true;
            continue;
        }
        if (!one.value("expected", false)) others += (others.empty() ? "" : ", ") + code;
    }
    if (same) {
        for (const auto id : also)
            if (const std::string code(properties::code_of(id));
                std::find(violated.begin(), violated.end(), code) == violated.end())
                return {Verdict::FailsOtherwise, fmt::format("it does not violate {}", code)};
        return {Verdict::FailsToo, std::string(properties::code_of(*why.property))};
    }
    if (!others.empty()) return {Verdict::FailsOtherwise, others};
    return {Verdict::Held, ""};
}

BaselineAnswer ask_baseline(const BaselineQuestion& question) {
    const std::string seed = std::to_string(question.seed);
    BaselineAnswer answer = could_not("it was not asked");
    for (const std::string& scenario : {question.file, question.name}) {
        if (scenario.empty()) continue;
        const Answer said = said_by(
            {question.program, "run", scenario, "--seed", seed, "--json", "-", "--no-config"},
            question.patience);
        if (!said.trouble.empty()) return could_not(said.trouble);
        if (said.signal != 0)
            return {question.why.property ? Verdict::FailsOtherwise : Verdict::FailsToo,
                    fmt::format("signal {}", said.signal)};
        if (said.exit_code != 2) return read_baseline(said.out, question.why, question.also);
        answer = could_not("it does not understand the scenario");
    }
    return answer;
}

}  // namespace lockstep::harness
