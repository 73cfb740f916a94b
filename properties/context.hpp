#pragma once

#include "core/events/lock_events.hpp"
#include "properties/ledger.hpp"
#include "properties/node_map.hpp"
#include "properties/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lockstep::properties {

/// Which processes stand still, as a whole or in part. A process counts as stalled while any
/// strand of it is, since nobody outside knows which one owes the next step.
class Stalls {
public:
    void on(const Stamp& stamp, const sim::ProcessStarted&) { of_[stamp.process].resumed = {}; }
    /// Overlapping pauses are one: what counts is that a strand stands still, not how often it was
    /// told to. They are of the process, not of its life.
    void on(const Stamp& stamp, const sim::Paused& e) {
        of_[stamp.process].strands |= bit(e.strand);
    }
    void on(const Stamp& stamp, const sim::Resumed& e) {
        State& state = of_[stamp.process];
        state.strands &= ~bit(e.strand);
        state.resumed = stamp.at;
    }

    bool stalled(sim::ProcessId process) { return of_[process].strands != 0; }
    /// When a pause of the process last ended in this life of it; zero if none did.
    sim::SimTime resumed(sim::ProcessId process) { return of_[process].resumed; }

private:
    /// The strands from the 63rd on share the last bit.
    static std::uint64_t bit(std::uint32_t strand) {
        return std::uint64_t{1} << std::min<std::uint32_t>(strand, 63);
    }
    struct State {
        std::uint64_t strands = 0;  ///< a bit each, as Paused numbers them
        sim::SimTime resumed;
    };
    NodeMap<sim::ProcessId, State> of_;
};

/// The open sessions. A checker that looks while a session's end is being told still finds it.
class Sessions {
public:
    struct Session {
        NodeId client;
        Duration ttl;
    };
    void begin(const events::SessionOpened& e) {
        open_[e.session] = {e.client, e.ttl};
        latest_ = std::max(latest_, e.session);
    }
    void end(const events::SessionEnded& e) { open_.erase(e.session); }

    const Session* find(SessionId id) const { return open_.find(id); }
    bool open(SessionId id) const { return open_.contains(id); }
    /// One that was opened and is open no more, as far as numbers tell: they are the indices of the
    /// entries that opened them.
    bool over(SessionId id) const { return id && id <= latest_ && !open(id); }
    /// The highest that was ever opened; zero: no opening was reported.
    SessionId latest() const { return latest_; }
    /// Calls f(SessionId, const Session&) for each, oldest first.
    template <class F>
    void for_each(F&& f) const {
        for (const auto& [id, session] : open_) f(id, session);
    }

private:
    FlatMap<SessionId, Session> open_;
    SessionId latest_;
};

/// What all checkers share.
struct Context {
    explicit Context(const Setup& s) : setup(s), ledger(s) {}
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    std::string name(sim::ProcessId id) const { return setup.name_of(id); }
    std::string name(LockId lock) const { return setup.name_of(lock); }
    /// "alice (session 5)", or without the name for a session that is not open.
    std::string whose(SessionId session) const {
        const Sessions::Session* known = sessions.find(session);
        if (!known) return fmt::format("session {}", session.value);
        return fmt::format("{} (session {})", name(known->client), session.value);
    }

    const Setup setup;
    Ledger ledger;
    Stalls stalls;
    Sessions sessions;
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
