#include "harness/worker.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "core/base/assert.hpp"
#include "harness/summary.hpp"

namespace lockstep::harness {
namespace {

constexpr std::size_t command_size = 24;
constexpr std::size_t header_size = 4;

bool write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

bool read_all(int fd, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::read(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

Outcome run_guarded(const RunSeed& run_seed, std::size_t subject, std::uint64_t seed) {
    try {
        return run_seed(subject, seed);
    } catch (const std::exception& e) {
        Outcome crashed;
        crashed.seed = seed;
        crashed.end = End::Crashed;
        crashed.end_detail = e.what();
        return crashed;
    }
}

/// The life of a worker process. Ends when the command pipe is closed.
[[noreturn]] void serve(const RunSeed& run_seed, int commands, int results) {
    std::array<std::byte, command_size> command{};
    Writer body;
    Writer header;
    while (read_all(commands, command)) {
        Reader in(command);
        const auto subject = static_cast<std::size_t>(in.u64());
        const std::uint64_t first = in.u64();
        const std::uint64_t count = in.u64();
        for (std::uint64_t i = 0; i < count; ++i) {
            Outcome outcome = run_guarded(run_seed, subject, first + i);
            outcome.seed = first + i;
            body.clear();
            encode_summary(outcome, body);
            header.clear();
            header.u32(static_cast<std::uint32_t>(body.size()));
            if (!write_all(results, header.bytes()) || !write_all(results, body.bytes()))
                std::_Exit(1);
        }
    }
    // Without destructors and exit handlers: what the parent left in its buffers is the parent's.
    std::_Exit(0);
}

[[noreturn]] void refuse(int why) {
    throw NoWorker(
        fmt::format("no further worker process can be had: {}; give fewer --jobs",
                    why == EMFILE || why == ENFILE ? "too many open files" : std::strerror(why)));
}

void set_signals_of_worker() {
    // Ctrl-C and timeout(1) reach the whole group; the parent decides what becomes of the workers.
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGPIPE, SIG_DFL);
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

}  // namespace

Worker::Worker(const RunSeed& run_seed, const std::vector<int>& siblings) {
    std::array<int, 2> commands{};
    std::array<int, 2> results{};
    if (::pipe(commands.data()) != 0) refuse(errno);
    if (::pipe(results.data()) != 0) {
        const int why = errno;
        for (const int fd : commands) ::close(fd);
        refuse(why);
    }
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) {
        const int why = errno;
        for (const int fd : {commands[0], commands[1], results[0], results[1]}) ::close(fd);
        refuse(why);
    }
    if (pid_ == 0) {
        for (const int fd : siblings) ::close(fd);
        ::close(commands[1]);
        ::close(results[0]);
        set_signals_of_worker();
        serve(run_seed, commands[0], results[1]);
    }
    ::close(commands[0]);
    ::close(results[1]);
    commands_ = commands[1];
    results_ = results[0];
    ::fcntl(results_, F_SETFL, O_NONBLOCK);
}

Worker::~Worker() {
    end();
}

bool Worker::give(const Chunk& chunk) {
    LOCKSTEP_ASSERT(idle() && chunk.count > 0, "rest={} count={}", rest_.count, chunk.count);
    Writer command;
    command.u64(chunk.subject);
    command.u64(chunk.first);
    command.u64(chunk.count);
    rest_ = chunk;
    last_heard_ = Clock::now();
    return write_all(commands_, command.bytes());
}

bool Worker::receive(std::vector<Outcome>& outcomes) {
    std::array<std::byte, 65536> block{};
    while (true) {
        const ssize_t n = ::read(results_, block.data(), block.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n <= 0) {
            hung_up_ = true;
            break;
        }
        buffer_.insert(buffer_.end(), block.begin(), block.begin() + n);
    }
    std::size_t at = 0;
    while (buffer_.size() - at >= header_size) {
        const std::span<const std::byte> rest = std::span(buffer_).subspan(at);
        const std::size_t size = Reader(rest).u32();
        if (rest.size() - header_size < size) break;
        Outcome outcome;
        const bool decoded = decode_summary(rest.subspan(header_size, size), outcome);
        LOCKSTEP_ASSERT(decoded && rest_.count > 0 && outcome.seed == rest_.first,
                        "decoded={} seed={} expected={} left={}", decoded, outcome.seed,
                        rest_.first, rest_.count);
        outcomes.push_back(std::move(outcome));
        ++rest_.first;
        --rest_.count;
        last_heard_ = Clock::now();
        at += header_size + size;
    }
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at));
    return !hung_up_;
}

std::string Worker::end() {
    if (pid_ < 0) return "";
    ::close(commands_);
    ::close(results_);
    int status = 0;
    // An idle worker goes when its pipes are closed; one that hung up is on its way. Any other is
    // in the middle of a run.
    if (!idle() && !hung_up_) ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (WIFSIGNALED(status))
        return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return fmt::format("exit status {}", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

}  // namespace lockstep::harness
