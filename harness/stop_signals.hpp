#pragma once

#include <csignal>

namespace lockstep::harness {

/// Catches SIGINT and SIGTERM for as long as it lives, and remembers that one came. One that is
/// made while another lives sees what that one has caught.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// Whether one came while the outermost that lives was there; false when none lives.
    static bool caught();

private:
    struct sigaction old_int_{};
    struct sigaction old_term_{};
};

}  // namespace lockstep::harness
