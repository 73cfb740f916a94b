#pragma once

#include "harness/timeline/model.hpp"

#include <map>
#include <optional>
#include <utility>

namespace lockstep::harness::timeline {

/// Roles and logs of servers, and what the world did to processes, in the order of the log.
class ProcessTracks {
public:
    ProcessTracks(Model& model, const scenario::Resolved& settings);

    void on(SimTime, ProcessId, const events::BecameLeader&);
    void on(SimTime, ProcessId, const events::SteppedDown&);
    void on(SimTime, ProcessId, const events::VoteCast&);
    void on(SimTime, ProcessId, const events::Recovered&);
    void on(SimTime, ProcessId, const events::Appended&);
    void on(SimTime, ProcessId, const events::CommitAdvanced&);

    void on(SimTime, ProcessId, const sim::ProcessStarted&);
    void on(SimTime, ProcessId, const sim::ProcessStopped&);
    void on(SimTime, ProcessId, const sim::Paused&);
    void on(SimTime, ProcessId, const sim::Resumed&);
    void on(SimTime, ProcessId, const sim::LinkTroubled&);
    void on(SimTime, ProcessId, const sim::DiskTroubled&);
    void on(SimTime, ProcessId, const sim::FaultStarted&);
    void on(SimTime, ProcessId, const sim::FaultEnded&);
    void on(SimTime, ProcessId, const sim::FaultMissed&);
    void on(SimTime, ProcessId, const sim::Healed&);
    void on(SimTime, ProcessId, const auto&) {}

    /// The run is over: so is what was still open.
    void finish();

private:
    void set_role(SimTime, ProcessId, Role::Kind, Term);
    void end_role(SimTime, ProcessId);
    void seen_following(SimTime, ProcessId, Term);
    void begin_band(SimTime, ProcessId, Band::Kind, std::uint64_t key);
    void end_band(SimTime, ProcessId, std::uint64_t key);
    void hit(SimTime, ProcessId);

    Model& model_;
    const scenario::Resolved& settings_;
    std::map<ProcessId, std::size_t> roles_;  ///< places of those that go on
    std::map<std::pair<ProcessId, std::uint64_t>, std::size_t> bands_;
    std::map<std::uint32_t, std::size_t> faults_;
    std::optional<std::size_t> fresh_;  ///< the fault whose effects are being told
};

}  // namespace lockstep::harness::timeline
