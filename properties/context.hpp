#pragma once

#include "properties/ledger.hpp"
#include "properties/node_map.hpp"
#include "properties/setup.hpp"

#include <fmt/format.h>

#include <string>

namespace lockstep::properties {

/// Which processes stand still, as a whole or in part. A process counts as stalled while any
/// strand of it is, since nobody outside knows which one owes the next step.
class Stalls {
public:
    void on(const Stamp& stamp, const sim::ProcessStarted&) { of_[stamp.process] = {}; }
    void on(const Stamp& stamp, const sim::Paused&) { ++of_[stamp.process].depth; }
    void on(const Stamp& stamp, const sim::Resumed&) {
        State& state = of_[stamp.process];
        if (state.depth > 0) --state.depth;
        state.resumed = stamp.at;
    }

    bool stalled(sim::ProcessId process) { return of_[process].depth > 0; }
    /// When a pause of the process last ended in this life of it; zero if none did.
    sim::SimTime resumed(sim::ProcessId process) { return of_[process].resumed; }

private:
    struct State {
        std::uint32_t depth = 0;
        sim::SimTime resumed;
    };
    NodeMap<sim::ProcessId, State> of_;
};

/// What all checkers share.
struct Context {
    explicit Context(const Setup& s) : setup(s), ledger(s) {}
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    std::string name(sim::ProcessId id) const { return setup.name_of(id); }
    std::string name(LockId lock) const { return setup.name_of(lock); }

    const Setup setup;
    Ledger ledger;
    Stalls stalls;
    /// What no disk holds as log entries any more: every server's snapshot covers it. Kept by
    /// RaftLog.
    LogIndex log_floor;
};

/// A span of true time for evidence: "1.250 s".
inline std::string say(Duration d) {
    const std::int64_t us = d.ns / 1'000;
    const char* sign = us < 0 ? "-" : "";
    const std::int64_t size = us < 0 ? -us : us;
    return fmt::format("{}{}.{:06} s", sign, size / 1'000'000, size % 1'000'000);
}
inline std::string say(sim::SimTime t) {
    return say(Duration{t.ns});
}

/// Sums that stop at the end of time instead of passing it.
inline sim::SimTime later(sim::SimTime t, Duration d) {
    return d.ns > INT64_MAX - t.ns ? sim::SimTime::never() : t + d;
}

}  // namespace lockstep::properties
