#pragma once

#include "harness/explore.hpp"

#include <chrono>
#include <string>

namespace lockstep::cli {

/// Tells on standard error how far an exploration is: one line that renews itself on a terminal,
/// else a plain line every ten seconds.
class Progress {
public:
    /// `command` stands before plain lines.
    explicit Progress(std::string command = "explore");
    ~Progress() { finish(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void show(const harness::ExploreProgress& progress);
    /// Takes the line away again.
    void finish();
    void count_failure() { ++failures_; }

private:
    std::string command_;
    bool terminal_;
    bool visible_ = false;
    std::uint64_t failures_ = 0;
    std::chrono::milliseconds last_{0};
};

}  // namespace lockstep::cli
