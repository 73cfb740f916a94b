#include "harness/timeline/process_tracks.hpp"

#include <algorithm>

namespace lockstep::harness::timeline {
namespace {

constexpr auto open_end = SimTime::never();

/// Names of what can be wrong with one process at a time: bands are found again by them.
enum BandKey : std::uint64_t { DownKey, DiskKey, StrandKey, LinkKey = std::uint64_t{1} << 40 };

}  // namespace

ProcessTracks::ProcessTracks(Model& model, const scenario::Resolved& settings)
    : model_(model), settings_(settings) {}

// Roles.

void ProcessTracks::end_role(SimTime at, ProcessId server) {
    const auto now = roles_.find(server);
    if (now == roles_.end()) return;
    model_.roles[now->second].to = at;
    roles_.erase(now);
}

void ProcessTracks::set_role(SimTime at, ProcessId server, Role::Kind kind, Term term) {
    const auto now = roles_.find(server);
    if (now != roles_.end()) {
        const Role& role = model_.roles[now->second];
        if (role.kind == kind && role.term == term) return;
        end_role(at, server);
    }
    roles_[server] = model_.roles.size();
    model_.roles.push_back({server, kind, term, at, open_end});
}

void ProcessTracks::on(SimTime at, ProcessId p, const events::BecameLeader& e) {
    set_role(at, p, Role::Kind::Leader, e.term);
}

void ProcessTracks::on(SimTime at, ProcessId p, const events::SteppedDown& e) {
    set_role(at, p, Role::Kind::Follower, e.term);
}

void ProcessTracks::on(SimTime at, ProcessId p, const events::VoteCast& e) {
    set_role(at, p, e.candidate == p ? Role::Kind::Candidate : Role::Kind::Follower, e.term);
}

void ProcessTracks::on(SimTime at, ProcessId p, const events::Recovered& e) {
    set_role(at, p, Role::Kind::Follower, e.term);
}

/// A candidate that takes entries, or learns of a commit, follows somebody. A leader's own do not
/// tell anything new.
void ProcessTracks::seen_following(SimTime at, ProcessId p, Term term) {
    const auto now = roles_.find(p);
    if (now == roles_.end()) return;
    const Role& role = model_.roles[now->second];
    if (role.kind == Role::Kind::Leader) return;
    if (role.kind == Role::Kind::Candidate ? term >= role.term : term > role.term)
        set_role(at, p, Role::Kind::Follower, term);
}

void ProcessTracks::on(SimTime at, ProcessId p, const events::Appended& e) {
    seen_following(at, p, e.term);
}

void ProcessTracks::on(SimTime at, ProcessId p, const events::CommitAdvanced& e) {
    if (!e.as_leader) seen_following(at, p, e.term);
    model_.commits.push_back({p, at, e.index});
}

// What the world does.

void ProcessTracks::begin_band(SimTime at, ProcessId p, Band::Kind kind, std::uint64_t key) {
    const auto now = bands_.find({p, key});
    if (now != bands_.end()) {
        if (model_.bands[now->second].kind == kind) return;
        end_band(at, p, key);
    }
    bands_[{p, key}] = model_.bands.size();
    model_.bands.push_back({p, kind, at, open_end});
}

void ProcessTracks::end_band(SimTime at, ProcessId p, std::uint64_t key) {
    const auto now = bands_.find({p, key});
    if (now == bands_.end()) return;
    model_.bands[now->second].to = at;
    bands_.erase(now);
}

void ProcessTracks::on(SimTime at, ProcessId p, const sim::ProcessStarted&) {
    end_band(at, p, DownKey);
}

void ProcessTracks::on(SimTime at, ProcessId p, const sim::ProcessStopped& e) {
    hit(at, p);
    end_role(at, p);
    begin_band(at, p, e.how == sim::CrashKind::Kill ? Band::Kind::Down : Band::Kind::DownPower,
               DownKey);
}

void ProcessTracks::on(SimTime at, ProcessId p, const sim::Paused& e) {
    hit(at, p);
    const auto kind = e.strand == 1                       ? Band::Kind::CallbacksStalled
                      : e.strand != 0                     ? Band::Kind::StrandStalled
                      : e.clock == sim::ClockMode::Frozen ? Band::Kind::PausedClockToo
                                                          : Band::Kind::Paused;
    begin_band(at, p, kind, StrandKey + e.strand);
}

void ProcessTracks::on(SimTime at, ProcessId p, const sim::Resumed& e) {
    end_band(at, p, StrandKey + e.strand);
}

/// Told of each direction; drawn at its sender.
void ProcessTracks::on(SimTime at, ProcessId p, const sim::LinkTroubled& e) {
    const std::uint64_t key = LinkKey + e.peer.value;
    if (!e.on) return end_band(at, p, key);
    // Whom one is cut off from is worth telling only where the plan names them.
    const std::uint32_t fault = fresh_ ? model_.faults[*fresh_].fault : 0;
    const bool all_named = !fresh_ || fault >= settings_.plan.size() ||
                           !settings_.plan[fault].peers.empty() ||
                           model_.faults[*fresh_].hits.empty();
    if (all_named) {
        hit(at, p);
        hit(at, e.peer);
    }
    begin_band(at, p, e.cut ? Band::Kind::LinkCut : Band::Kind::LinkTrouble, key);
}

void ProcessTracks::on(SimTime at, ProcessId p, const sim::DiskTroubled& e) {
    if (!e.on) return end_band(at, p, DiskKey);
    hit(at, p);
    begin_band(at, p, Band::Kind::DiskTrouble, DiskKey);
}

/// What follows in the log at that very instant is what the fault does.
void ProcessTracks::on(SimTime at, ProcessId target, const sim::FaultStarted& e) {
    faults_[e.fault] = model_.faults.size();
    fresh_ = model_.faults.size();
    model_.faults.push_back({e.fault, false, at, open_end, {}});
    hit(at, target);
}

void ProcessTracks::on(SimTime at, ProcessId, const sim::FaultEnded& e) {
    fresh_.reset();
    const auto started = faults_.find(e.fault);
    if (started != faults_.end()) model_.faults[started->second].to = at;
}

void ProcessTracks::on(SimTime at, ProcessId, const sim::FaultMissed& e) {
    fresh_.reset();
    SimTime planned = at;
    if (e.fault < settings_.plan.size())
        planned = std::min(at, SimTime{} + settings_.plan[e.fault].start);
    model_.faults.push_back({e.fault, true, planned, at, {}});
}

void ProcessTracks::on(SimTime at, ProcessId, const sim::Healed&) {
    model_.healed = std::min(model_.healed, at);
}

void ProcessTracks::hit(SimTime at, ProcessId p) {
    if (!fresh_ || !p || model_.faults[*fresh_].from != at) return;
    std::vector<ProcessId>& hits = model_.faults[*fresh_].hits;
    const auto place = std::lower_bound(hits.begin(), hits.end(), p);
    if (place == hits.end() || *place != p) hits.insert(place, p);
}

void ProcessTracks::finish() {
    for (Role& role : model_.roles)
        if (role.to == open_end) role.to = model_.end;
    for (Band& band : model_.bands)
        if (band.to == open_end) band.to = model_.end;
    for (FaultSpan& fault : model_.faults)
        if (fault.to == open_end) fault.to = model_.end;
    std::stable_sort(model_.faults.begin(), model_.faults.end(),
                     [](const FaultSpan& a, const FaultSpan& b) { return a.from < b.from; });
}

}  // namespace lockstep::harness::timeline
