#pragma once

#include "harness/describe.hpp"
#include "harness/run.hpp"
#include "harness/text.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::harness {

/// How much a line matters. Ordinary ones are shown near important ones and counted elsewhere.
enum class Weight : std::uint8_t { Raw, Ordinary, Important };

struct StoryLine {
    sim::SimTime at;
    std::string who;
    std::string text;
    Tone tone = Tone::Plain;
    Weight weight = Weight::Ordinary;
    const char* counted_as = "";  ///< "grants", when the line is left out
};

/// Turns events into lines. Remembers who holds what, so that a late write can be told from a
/// timely one.
class Storyteller {
public:
    Storyteller(const Outcome& outcome, const sim::FaultPlan& plan) : names_(outcome, plan) {}

    void hear(const LoggedEvent& logged, bool raw_too);
    /// A violation, told at its place among the events.
    void violation(const properties::Violation& violation);
    const std::vector<StoryLine>& lines() const { return lines_; }

private:
    struct Grant {
        sim::ProcessId client;
        LockId lock;
        sim::SimTime at;
        std::size_t line;   ///< of `lines_`
        bool told = false;  ///< known from the client alone: the servers report none
    };
    /// What a client was told that it holds, and under which session.
    struct Belief {
        LockId lock;
        SessionId session;
    };
    /// What a resource has let through so far.
    struct Store {
        FencingToken highest;
        FencingToken last_writer;
    };

    void tell(const events::BecameLeader& e);
    void tell(const events::SteppedDown& e);
    void tell(const events::Recovered& e);
    void tell(const events::StorageRefused& e);
    void tell(const events::Truncated& e);
    void tell(const events::SnapshotInstalled& e);
    void tell(const events::SessionOpened& e);
    void tell(const events::Granted& e);
    void tell(const events::Queued& e);
    void tell(const events::Refused& e);
    void tell(const events::Released& e);
    void tell(const events::Cancelled& e);
    void tell(const events::SessionEnded& e);
    void tell(const events::SessionTold& e);
    void tell(const events::GrantTold& e);
    void tell(const events::MayActAsked& e);
    void tell(const events::LossTold& e);
    void tell(const events::ReleaseCalled& e);
    void tell(const events::SessionOverTold& e);
    void tell(const events::WriteAccepted& e);
    void tell(const events::WriteRejected& e);
    void tell(const events::ReadAccepted& e);
    void tell(const events::ReadRejected& e);
    void tell(const events::WriteTold& e);
    void tell(const sim::ProcessStarted& e);
    void tell(const sim::ProcessStopped& e);
    void tell(const sim::Paused& e);
    void tell(const sim::Resumed& e);
    void tell(const sim::DeadlinePassed& e);
    void tell(const sim::FaultStarted& e);
    void tell(const sim::FaultEnded& e);
    void tell(const sim::FaultMissed& e);
    void tell(const sim::AssumptionBroken& e);
    void tell(const sim::Healed& e);
    void tell(const sim::Stopping& e);
    /// Everything else is routine: heartbeats, renewals, appends. Only seen raw.
    template <class E>
    void tell(const E&) {}

    void ordinary(const char* counted_as, std::string text, Tone tone = Tone::Plain);
    void important(std::string text, Tone tone = Tone::Plain);
    void say(std::string who, std::string text, Tone tone, Weight weight, const char* counted_as);
    /// The grant turned out to be part of what the story is about.
    void promote(FencingToken token);
    std::string client_of(SessionId session) const;
    std::string holder_of(FencingToken token) const;

    Names names_;
    std::vector<StoryLine> lines_;
    sim::SimTime at_{};
    sim::ProcessId process_;
    std::map<SessionId, sim::ProcessId> sessions_;
    std::map<FencingToken, Grant> grants_;
    std::map<std::pair<sim::ProcessId, FencingToken>, Belief> beliefs_;
    std::map<SessionId, std::map<LockId, FencingToken>> held_;  ///< as servers applied it
    std::map<sim::ProcessId, Store> stores_;
    std::set<sim::ProcessId> paused_;
    std::set<sim::ProcessId> stopped_;
};

}  // namespace lockstep::harness
