#pragma once

#include "harness/timeline/model.hpp"

#include <map>
#include <utility>

namespace lockstep::harness::timeline {

/// Beliefs, grants, waits, what clients did and what resources said, in the order of the log.
class LeaseTracks {
public:
    LeaseTracks(Model& model, const Outcome& outcome);

    void on(SimTime, ProcessId, const events::GrantTold&);
    void on(SimTime, ProcessId, const events::LossTold&);
    void on(SimTime, ProcessId, const events::ReleaseCalled&);
    void on(SimTime, ProcessId, const events::CloseCalled&);
    void on(SimTime, ProcessId, const sim::ProcessStopped&);
    void on(SimTime, ProcessId, const sim::DeadlinePassed&);

    void on(SimTime, ProcessId, const events::SessionOpened&);
    void on(SimTime, ProcessId, const events::SessionTold&);
    void on(SimTime, ProcessId, const events::AcquireCalled&);
    void on(SimTime, ProcessId, const events::Granted&);
    void on(SimTime, ProcessId, const events::Queued&);
    void on(SimTime, ProcessId, const events::Released&);
    void on(SimTime, ProcessId, const events::Cancelled&);
    void on(SimTime, ProcessId, const events::HoldEnded&);
    void on(SimTime, ProcessId, const events::SessionEnded&);
    void on(SimTime, ProcessId, const events::DelayStarted&);
    void on(SimTime, ProcessId, const events::DelayEnded&);

    void on(SimTime, ProcessId, const events::RenewalSent&);
    void on(SimTime, ProcessId, const events::RenewalAnswered&);
    void on(SimTime, ProcessId, const events::DeadlineMoved&);
    void on(SimTime, ProcessId, const events::MayActAsked&);
    void on(SimTime, ProcessId, const events::WriteSent&);
    void on(SimTime, ProcessId, const events::CallSent&);
    void on(SimTime, ProcessId, const events::WriteAccepted&);
    void on(SimTime, ProcessId, const events::WriteRepeated&);
    void on(SimTime, ProcessId, const events::WriteRejected&);
    void on(SimTime, ProcessId, const events::ReadAccepted&);
    void on(SimTime, ProcessId, const events::ReadRejected&);
    void on(SimTime, ProcessId, const events::CallAccepted&);
    void on(SimTime, ProcessId, const auto&) {}

    /// The run is over: so is what was still open. Finds the dangers.
    void finish();

private:
    void note_owner(SessionId session, ProcessId client);
    ProcessId owner(SessionId session) const;
    template <class Which>
    void end_beliefs(SimTime, ProcessId, const char* why, Which&&);
    template <class Which>
    void end_grants(SimTime, Grant::End, Which&&);
    template <class Which>
    void end_waits(SimTime, Which&&);
    void wrote(SimTime, ProcessId resource, FencingToken, std::uint64_t n, std::uint64_t op,
               Write::Fate);
    void read_clock(SimTime, ProcessId, LocalTime now);
    void find_gaps();
    void find_overlaps();

    struct Pending {
        std::size_t place;
        SendingNo sending;
        bool answered = false;
    };

    Model& model_;
    std::map<ProcessId, LockId> guards_;  ///< of each resource
    std::map<SessionId, ProcessId> owners_;
    std::vector<std::size_t> believed_;  ///< places of those that nobody has ended yet
    std::vector<std::size_t> granted_;
    std::vector<std::size_t> waiting_;
    std::vector<std::size_t> delayed_;
    std::map<LockId, FencingToken> newest_;
    std::map<ProcessId, FencingToken> highest_;  ///< that a resource accepted
    std::map<std::pair<ProcessId, SessionId>, LocalTime> deadlines_;
    std::map<SessionId, std::vector<Pending>> pending_;  ///< renewals of which nothing came yet
    std::map<ProcessId, Duration> first_offsets_;        ///< in this life
    std::map<std::pair<ProcessId, std::uint64_t>, ProcessId> senders_;  ///< of (resource, op)
};

}  // namespace lockstep::harness::timeline
