#include "cli/status_line.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace lockstep::cli {
namespace {

constexpr std::chrono::milliseconds renewed_every{100};
constexpr std::chrono::seconds plain_every{10};

/// A terminal that cannot move its cursor gets lines, as a file does.
bool renews_lines() {
    const char* terminal = std::getenv("TERM");
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    return !dumb && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

StatusLine::StatusLine() : terminal_(renews_lines()), shown_(Clock::now()) {}

bool StatusLine::due() const {
    const auto since = Clock::now() - shown_;
    return terminal_ ? since >= renewed_every : since >= plain_every;
}

void StatusLine::show(std::string_view line) {
    if (!due()) return;
    shown_ = Clock::now();
    if (!terminal_) {
        fmt::print(stderr, "{}\n", line);
        return;
    }
    visible_ = true;
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
}

void StatusLine::finish() {
    if (!visible_) return;
    visible_ = false;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
}

}  // namespace lockstep::cli
