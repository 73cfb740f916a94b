#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "core/events/raft_events.hpp"
#include "properties/context.hpp"
#include "properties/majority.hpp"

#include <optional>
#include <vector>

namespace lockstep::properties {

/// AVAIL-1 MajorityServes: once a majority has been up, connected and steady for LIVE-1's bound,
/// the operations of its clients finish within slack.
///
/// Its clients are those that are fit and reach each of its members, and have done so for as long.
/// A client that has not been served since then may still have to find out who leads, and where
/// messages are lost by nature any of them may have to ask again: these get LIVE-1's bound once
/// more. Openings, renewals, releases, attempts and cancels are judged; other acquires wait for
/// holders. While a server outside of the majority is not cut off from it, that server may lead;
/// then a leader among the majority is demanded first.
class Availability {
public:
    explicit Availability(Context& context) : context_(context), majority_(context.setup) {}

    void on(const Stamp& stamp, const sim::ProcessStarted& e) { change(stamp, e); }
    void on(const Stamp&, const sim::ProcessStopped&);
    void on(const Stamp& stamp, const sim::Paused& e) { change(stamp, e); }
    void on(const Stamp& stamp, const sim::Resumed& e) { change(stamp, e); }
    void on(const Stamp& stamp, const sim::DiskTroubled& e) { change(stamp, e); }
    void on(const Stamp& stamp, const sim::FaultStarted& e) { change(stamp, e); }
    void on(const Stamp& stamp, const sim::FaultEnded& e) { change(stamp, e); }
    void on(const Stamp&, const sim::LinkTroubled&);
    void on(const Stamp&, const sim::DeadlinePassed&);

    void on(const Stamp&, const events::BecameLeader&);
    void on(const Stamp&, const events::SteppedDown&);
    void on(const Stamp&, const events::LimitMet&);

    void on(const Stamp&, const events::OpenSent&);
    void on(const Stamp&, const events::SessionTold&);
    void on(const Stamp&, const events::RenewalSent&);
    void on(const Stamp&, const events::DeadlineMoved&);
    void on(const Stamp&, const events::AcquireCalled&);
    void on(const Stamp&, const events::AcquireReturned&);
    void on(const Stamp&, const events::ReleaseCalled&);
    void on(const Stamp&, const events::ReleaseReturned&);
    void on(const Stamp&, const events::CancelSent&);
    void on(const Stamp&, const events::Cancelled&);
    void on(const Stamp&, const events::Answered&);
    void on(const Stamp&, const events::CloseCalled&);
    void on(const Stamp&, const events::SessionOverTold&);
    void on(const Stamp&, const events::LossTold&);
    void finish(const Stamp&);

private:
    enum class Kind : std::uint8_t { Open, Renewal, Release, Attempt, Cancel };
    struct Operation {
        Kind kind;
        SessionId session;
        std::uint64_t number = 0;  ///< nonce, seq or token
        LockId lock;
        sim::SimTime called;
        bool late = false;  ///< objected to
    };
    struct Client {
        std::vector<Operation> open;
        std::optional<sim::SimTime> served;  ///< when an operation finished last
    };

    template <class E>
    void change(const Stamp& stamp, const E& event) {
        before_change(stamp, stamp.process);
        majority_.on(stamp, event);
    }
    /// The state of a process or its links is about to change: what is overdue by then is late.
    void before_change(const Stamp&, sim::ProcessId changing);
    void begin(sim::ProcessId client, const Operation& operation);
    template <class Which>
    void finished(const Stamp&, sim::ProcessId client, Which&& which);
    /// The client asks no more; what is overdue by now is late.
    template <class Which>
    void dropped(const Stamp&, sim::ProcessId client, Which&& which);
    void session_lost(const Stamp&, SessionId session);
    /// From when on the client is owed answers; nothing if it is not.
    std::optional<sim::SimTime> owed_from(sim::ProcessId client);
    /// `done`: it is now; else it is still open, or asked for no more.
    void judge(const Stamp&, sim::ProcessId, Client&, Operation&, bool done);
    void late(const Stamp&, sim::ProcessId, const Operation&, sim::SimTime due);

    Context& context_;
    Majority majority_;
    NodeMap<sim::ProcessId, Client> clients_;
    Term term_;  ///< the highest that had a leader
    sim::ProcessId leader_;
    sim::SimTime leads_since_;
};

}  // namespace lockstep::properties
