#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/status_line.hpp"
#include "harness/history/judge_file.hpp"
#include "harness/history/report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::cli {
namespace {

using harness::Tone;

Error error_of(std::string message) {
    Error error;
    error.message = std::move(message);
    return error;
}

/// A bound as "1%" or "200ppm".
Result<std::optional<std::int64_t>> parse_drift(const std::string& text) {
    if (text.empty()) return std::optional<std::int64_t>();
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data(), end, value);
    const std::string unit(rest, end);
    const std::int64_t scale = unit == "%" ? 10'000 : unit == "ppm" ? 1 : 0;
    if (failed != std::errc() || scale == 0 || value < 0 || value >= 1'000'000 / scale)
        return error_of(fmt::format(
            "--drift-bound: '{}' is no bound of clock rates; write 1% or 200ppm", text));
    return std::optional(value * scale);
}

/// The file, or standard input; closed in the end.
class Input {
public:
    explicit Input(const std::string& path) : standard_(path == "-") {
        fd_ = standard_ ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status{};
        if (fd_ >= 0 && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode))
            size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~Input() {
        if (fd_ >= 0 && !standard_) ::close(fd_);
    }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    int fd() const { return fd_; }
    std::uint64_t size() const { return size_; }  ///< zero: unknown

private:
    bool standard_;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

/// How far a file has been read, and how quickly.
class Meter {
public:
    explicit Meter(std::uint64_t size) : size_(size) {}
    void show(std::uint64_t bytes, std::uint64_t operations) {
        if (!line_.due()) return;
        const auto ms = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_).count());
        const std::string part =
            size_ == 0
                ? std::string()
                : fmt::format("{:3}%  ", std::min<std::uint64_t>(bytes, size_) * 100 / size_);
        line_.show(
            fmt::format("check: {}{} operations, {} a second", part, harness::grouped(operations),
                        harness::grouped(operations * 1'000 / std::max<std::uint64_t>(ms, 1))));
    }
    void finish() { line_.finish(); }

private:
    using Clock = StatusLine::Clock;
    std::uint64_t size_;
    StatusLine line_;
    Clock::time_point began_ = Clock::now();
};

}  // namespace

ExitCode check(const CheckArguments& arguments) {
    history::Given given;
    const auto error = parse_span("--clock-error", arguments.clock_error);
    if (!error) return bad_input(error.error());
    given.clock_error = error.value();
    const auto ttl = parse_span("--ttl", arguments.ttl);
    if (!ttl) return bad_input(ttl.error());
    given.ttl = ttl.value();
    const auto drift = parse_drift(arguments.drift_bound);
    if (!drift) return bad_input(drift.error());
    given.drift_ppm = drift.value();

    const Input input(arguments.file);
    if (input.fd() < 0) {
        Error missing = error_of(fmt::format("cannot be opened: {}", std::strerror(errno)));
        missing.file = arguments.file;
        return bad_input(missing);
    }
    Meter meter(input.size());
    const std::string name = arguments.file == "-" ? "stdin" : arguments.file;
    const auto judged = history::judge_file(
        input.fd(), name, given,
        [&](std::uint64_t bytes, std::uint64_t operations) { meter.show(bytes, operations); });
    meter.finish();
    if (!judged) return bad_input(judged.error());
    const history::Judgement& judgement = judged.value();
    const auto paint = harness::paint_for(STDOUT_FILENO);
    fmt::print("{}", arguments.json ? history::report_json(judgement)
                                    : history::report_text(judgement, paint));
    if (judgement.any(history::State::Violated)) return ExitCode::Violated;
    // What nothing could be said of must not pass for right.
    if (judgement.any(history::State::Undecidable) || !judgement.any(history::State::Held))
        return ExitCode::GaveUp;
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
