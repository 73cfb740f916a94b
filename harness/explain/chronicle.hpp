#pragma once

#include "harness/run.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::harness {

/// A place in Outcome::log.
using Place = std::size_t;
inline constexpr Place nowhere = SIZE_MAX;

/// One sending of a keep-alive (or of an opening), and what became of it.
struct RenewalTale {
    SendingNo sending;
    Place sent = nowhere;
    Place received = nowhere;  ///< by the server that answered, or else by the last that had it
    Place answered = nowhere;
    sim::ProcessId server;
    Term term;  ///< in which it was answered
};

/// A leader's proposal to end a session.
struct ProposalTale {
    Place at = nowhere;
    sim::ProcessId server;
    Term term;
    LogIndex index;
};

struct SessionTale {
    SessionId id;
    sim::ProcessId client;
    Duration ttl{};
    Place open_sent = nowhere;  ///< the first sending
    Place opened = nowhere;
    Place told = nowhere;
    std::vector<RenewalTale> renewals;
    std::vector<ProposalTale> proposals;
    Place ended = nowhere;
    events::EndReason reason = events::EndReason::Expired;
    Term end_term;
    LogIndex end_index;
    Place passed = nowhere;  ///< the client's own deadline, the last time
};

/// One grant of a lock, from the servers' side and from the client's.
struct HoldTale {
    LockId lock;
    SessionId session;
    FencingToken token;
    sim::ProcessId client;
    Place granted = nowhere;
    Place told = nowhere;
    Place freed = nowhere;       ///< released, cancelled, end of hold or of session: applied
    Place belief_end = nowhere;  ///< the client gave it up, was told, stopped, or its time was over
};

struct PauseTale {
    sim::ProcessId process;
    Place from = nowhere;
    Place to = nowhere;
    std::uint32_t strand = 0;
    sim::ClockMode clock = sim::ClockMode::Runs;
};

/// A process that is not there, a link that does not work, a fault that is on.
struct SpanTale {
    sim::ProcessId process;
    Place from = nowhere;
    Place to = nowhere;
    sim::ProcessId peer = {};
    std::uint32_t fault = 0;
};

struct LeaderTale {
    sim::ProcessId server;
    Term term;
    Place from = nowhere;
    Place to = nowhere;
};

/// What happened to whom, from one pass over a run's log. Services that report only a part of the
/// events leave the rest empty. Refers to the outcome, which must outlive it.
class Chronicle {
public:
    explicit Chronicle(const Outcome& outcome);

    const Outcome& outcome() const { return outcome_; }
    const LoggedEvent& at(Place place) const { return outcome_.log[place]; }
    std::size_t size() const { return outcome_.log.size(); }
    /// The instant; of nowhere, the end of the log.
    sim::SimTime time(Place place) const;
    sim::ProcessId process(Place place) const { return outcome_.log[place].process; }
    template <class E>
    const E* event(Place place) const {
        if (place >= size()) return nullptr;
        const auto* event = std::get_if<events::Event>(&at(place).what);
        return event != nullptr ? std::get_if<E>(event) : nullptr;
    }
    template <class E>
    const E* world_event(Place place) const {
        if (place >= size()) return nullptr;
        const auto* event = std::get_if<sim::WorldEvent>(&at(place).what);
        return event != nullptr ? std::get_if<E>(event) : nullptr;
    }
    /// Of an event by its ordinal; nowhere if there is none.
    Place of_ordinal(std::uint64_t ordinal) const;
    /// The last place whose time is no later.
    Place last_by(sim::SimTime time) const;

    const std::map<SessionId, SessionTale>& sessions() const { return sessions_; }
    const SessionTale* session(SessionId id) const;
    const std::vector<HoldTale>& holds() const { return holds_; }
    /// Of one session: places in `holds`.
    const std::vector<std::size_t>& holds_of(SessionId id) const;
    const std::vector<PauseTale>& pauses() const { return pauses_; }
    const std::vector<SpanTale>& downs() const { return downs_; }
    const std::vector<SpanTale>& troubles() const { return troubles_; }  ///< of links, both ends
    const std::vector<SpanTale>& faults() const { return faults_; }
    const std::vector<LeaderTale>& leaders() const { return leaders_; }
    const std::vector<Place>& broken() const { return broken_; }  ///< AssumptionBroken
    Place healed() const { return healed_; }
    /// Of a sent message with that number.
    Place sending_of(std::uint64_t message) const;

    /// The last grant with that token before the place (of any lock, or of that one).
    const HoldTale* hold(FencingToken token, Place before, LockId lock = {}) const;
    /// The client of a session; the process of none if nobody said.
    sim::ProcessId client_of(SessionId session) const;
    /// Who leads with the highest term at that place; null if nobody.
    const LeaderTale* leader_at(Place place) const;
    /// The process that is stopped or wholly paused at the place: since when; else nowhere.
    Place still_since(sim::ProcessId process, Place place) const;

private:
    void hear(Place place, const events::Event& event);
    void hear(Place place, const sim::WorldEvent& event);
    void end_beliefs(Place place, SessionId session);
    HoldTale& add_hold(LockId lock, SessionId session, FencingToken token);
    HoldTale* find_hold(LockId lock, SessionId session, FencingToken token);
    RenewalTale& renewal(SessionTale& session, SendingNo sending);

    void on(Place, const events::BecameLeader&);
    void on(Place, const events::SteppedDown&);
    void on(Place, const events::OpenSent&);
    void on(Place, const events::SessionOpened&);
    void on(Place, const events::SessionTold&);
    void on(Place, const events::RenewalSent&);
    void on(Place, const events::RenewalReceived&);
    void on(Place, const events::RenewalAnswered&);
    void on(Place, const events::ExpiryProposed&);
    void on(Place, const events::SessionEnded&);
    void on(Place, const events::Granted&);
    void on(Place, const events::GrantTold&);
    void on(Place, const events::Released&);
    void on(Place, const events::Cancelled&);
    void on(Place, const events::HoldEnded&);
    void on(Place, const events::LossTold&);
    void on(Place, const events::ReleaseCalled&);
    void on(Place, const events::CloseCalled&);
    void on(Place, const sim::Paused&);
    void on(Place, const sim::Resumed&);
    void on(Place, const sim::ProcessStarted&);
    void on(Place, const sim::ProcessStopped&);
    void on(Place, const sim::DeadlinePassed&);
    void on(Place, const sim::FaultStarted&);
    void on(Place, const sim::FaultEnded&);
    void on(Place, const sim::LinkTroubled&);
    void on(Place, const sim::AssumptionBroken&);
    void on(Place, const sim::Healed&);
    template <class E>
    void on(Place, const E&) {}

    const Outcome& outcome_;
    std::vector<Place> ordinals_;  ///< of event 1, 2, ...
    std::vector<std::pair<std::uint64_t, Place>> sendings_;
    std::map<SessionId, SessionTale> sessions_;
    std::map<std::pair<sim::ProcessId, Nonce>, Place> openings_;
    std::vector<HoldTale> holds_;
    std::map<SessionId, std::vector<std::size_t>> holds_of_;  ///< places in `holds_`
    std::vector<PauseTale> pauses_;
    std::vector<SpanTale> downs_;
    std::vector<SpanTale> troubles_;
    std::vector<SpanTale> faults_;
    std::vector<LeaderTale> leaders_;
    std::vector<Place> broken_;
    Place healed_ = nowhere;
};

}  // namespace lockstep::harness
