#pragma once

#include "cli/status_line.hpp"
#include "harness/explore.hpp"

#include <cstdint>
#include <string>

namespace lockstep::cli {

/// Tells on standard error how far an exploration is: one line that renews itself on a terminal,
/// else a plain line every ten seconds.
class Progress {
public:
    /// `command` stands before plain lines.
    explicit Progress(std::string command = "explore");
    void show(const harness::ExploreProgress& progress);
    /// Takes the line away again.
    void finish() { line_.finish(); }
    void count_failure() { ++failures_; }

private:
    std::string command_;
    StatusLine line_;
    std::uint64_t failures_ = 0;
};

}  // namespace lockstep::cli
