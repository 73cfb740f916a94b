#pragma once

#include "cli/status_line.hpp"
#include "harness/shrink/shrink.hpp"

namespace lockstep::cli {

/// Tells on standard error how far a shrinking is, as Progress does of an exploration.
class ShrinkProgress {
public:
    void show(const harness::ShrinkProgress& progress);
    /// Takes the line away again.
    void finish() { line_.finish(); }

private:
    StatusLine line_;
};

}  // namespace lockstep::cli
