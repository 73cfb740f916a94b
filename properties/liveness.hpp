#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "core/events/raft_events.hpp"
#include "properties/context.hpp"

#include <optional>
#include <utility>

namespace lockstep::properties {

/// LIVE-1 LeaderReturns: after healing, a leader within the bound: a new one, one that commits, or
/// the one that led at healing and goes on leading.
class LeaderReturns {
public:
    explicit LeaderReturns(Context& context) : context_(context) {}

    void on(const Stamp&, const events::BecameLeader&);
    void on(const Stamp&, const events::SteppedDown&);
    void on(const Stamp& stamp, const events::CommitAdvanced& e) {
        if (waiting_ && e.as_leader) [[unlikely]]
            commits(stamp);
    }
    /// A renewal is answered by a leader that a quorum has just confirmed.
    void on(const Stamp& stamp, const events::RenewalAnswered&) {
        if (waiting_) [[unlikely]]
            commits(stamp);
    }
    void on(const Stamp& stamp, const events::OpenSent&) { asks(stamp); }
    void on(const Stamp& stamp, const events::RenewalSent&) { asks(stamp); }
    void on(const Stamp&, const sim::ProcessStopped&);
    void on(const Stamp&, const sim::Healed&);
    void finish(const Stamp&);

private:
    void leads(const Stamp&);
    void commits(const Stamp&);
    void asks(const Stamp& stamp) {
        if (waiting_ && stamp.at < asked_) [[unlikely]]
            asked_ = stamp.at;
    }
    void gone(const Stamp&);

    Context& context_;
    Term term_;              ///< the highest that had a leader
    sim::ProcessId leader_;  ///< of that term; zero if it leads no more
    sim::SimTime due_;
    bool waiting_ = false;  ///< healed, and no leader seen since
    /// When, since healing, a client first asked for something that a leader would have answered.
    sim::SimTime asked_ = sim::SimTime::never();
};

/// LIVE-2 WaitersServed: after healing, a live waiter that was granted is told, and every wait with
/// a finite bound of its own ends.
class WaitersServed {
public:
    explicit WaitersServed(Context& context) : context_(context) {}

    void on(const Stamp&, const events::AcquireCalled&);
    void on(const Stamp&, const events::Granted&);
    void on(const Stamp&, const events::GrantTold&);
    void on(const Stamp&, const events::CancelSent&);
    void on(const Stamp&, const events::AcquireReturned&);
    void on(const Stamp&, const events::CloseCalled&);
    void on(const Stamp&, const events::SessionOverTold&);
    void on(const Stamp&, const events::SessionEnded&);
    void on(const Stamp&, const events::HoldEnded&);
    void on(const Stamp&, const sim::DeadlinePassed&);
    void on(const Stamp&, const sim::ProcessStopped&);
    void on(const Stamp& stamp, const sim::Healed&) { healed_ = stamp.at; }
    void finish(const Stamp&);

private:
    using Key = std::pair<SessionId, RequestSeq>;
    struct Wait {
        LockId lock;
        sim::ProcessId client;
        sim::SimTime called;
        Duration wait_max;
        std::optional<sim::SimTime> granted;  ///< and the client does not know it yet
        bool answered = false;                ///< told, or no longer interested
    };

    bool judged() const { return context_.setup.recoverable && healed_.has_value(); }
    /// The latest of a beginning, healing, and the client's last resumption.
    sim::SimTime from(const Wait&, sim::SimTime beginning);
    sim::SimTime telling_due(const Wait&);
    sim::SimTime return_due(const Wait&);
    void told(const Stamp&, Wait&);
    void returned(const Stamp&, Wait&);
    /// Whatever the wait is owed and has not got by now.
    void overdue(const Stamp&, Wait&);
    /// The waits of a session or client are over, for another reason than an answer.
    template <class Over>
    void drop(const Stamp&, Over&& over);

    Context& context_;
    FlatMap<Key, Wait> waits_;
    std::optional<sim::SimTime> healed_;
};

}  // namespace lockstep::properties
