#pragma once

#include <chrono>
#include <string_view>

namespace lockstep::cli {

/// How far long work is, on standard error: one line that renews itself on a terminal that can
/// write over a line, a plain line now and then elsewhere.
class StatusLine {
public:
    using Clock = std::chrono::steady_clock;

    /// Whether `show` would print now: for lines that cost something to make.
    bool due() const;
    void show(std::string_view line);
    /// Takes the line away again. Called at the end, too.
    void finish();

    StatusLine();
    ~StatusLine() { finish(); }
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;

    bool on_terminal() const { return terminal_; }

private:
    bool terminal_;
    bool visible_ = false;
    Clock::time_point shown_;  ///< or, before the first time, when the work began
};

}  // namespace lockstep::cli
