#pragma once

#include "harness/shrink/shrink.hpp"

#include <chrono>

namespace lockstep::cli {

/// Tells on standard error how far a shrinking is, as Progress does of an exploration.
class ShrinkProgress {
public:
    ShrinkProgress();
    ~ShrinkProgress() { finish(); }
    ShrinkProgress(const ShrinkProgress&) = delete;
    ShrinkProgress& operator=(const ShrinkProgress&) = delete;
    void show(const harness::ShrinkProgress& progress);
    /// Takes the line away again.
    void finish();

private:
    bool terminal_;
    bool visible_ = false;
    std::chrono::milliseconds last_{0};
};

}  // namespace lockstep::cli
