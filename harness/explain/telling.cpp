#include "harness/explain/telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::harness {
namespace {

/// Faults of which another event says the same, and better.
bool told_by_its_effect(sim::FaultKind kind) {
    switch (kind) {
        case sim::FaultKind::Pause:
        case sim::FaultKind::StallFiber:
        case sim::FaultKind::CrashKill:
        case sim::FaultKind::CrashPower:
        case sim::FaultKind::CrashAtSync:
        case sim::FaultKind::CrashLoop:
        case sim::FaultKind::RestartAll:
        case sim::FaultKind::ZoneLoss:
            return true;
        default:
            return false;
    }
}

/// Faults that make things slower or less likely, but impossible by themselves nothing.
bool hardly_decisive(sim::FaultKind kind) {
    switch (kind) {
        case sim::FaultKind::Loss:
        case sim::FaultKind::Delay:
        case sim::FaultKind::Duplicate:
        case sim::FaultKind::Reorder:
        case sim::FaultKind::ClockStep:
        case sim::FaultKind::ClockStrobe:
        case sim::FaultKind::Reset:
        case sim::FaultKind::DiskSlow:
            return true;
        default:
            return false;
    }
}

}  // namespace

Telling::Telling(const Chronicle& chronicle, const scenario::Resolved& resolved,
                 const Phrases& phrases, const properties::Violation& violated)
    : log(chronicle),
      settings(resolved),
      words(phrases),
      violation(violated),
      at(chronicle.of_ordinal(violated.ordinal)) {
    // Found at the end of the run, or of an instant: of no event's making.
    by_event = at != nowhere && log.time(at) == violated.at;
    if (!by_event) at = log.last_by(violated.at);
    if (at == nowhere && log.size() > 0) at = 0;
}

void Telling::step(Place place, Rank rank, std::string text) {
    if (place == nowhere || place > at) return;
    Step& step = steps[place];
    step.rank = std::max(step.rank, rank);
    if (step.text.empty()) step.text = std::move(text);
}

void Telling::decide(Place place, std::string text) {
    if (place == nowhere || place > at) return;
    decisive = place;
    step(place, Rank::Needed, std::move(text));
}

void Telling::about(sim::ProcessId process) {
    if (!process) return;
    auto& all = focus.processes;
    if (std::find(all.begin(), all.end(), process) == all.end()) all.push_back(process);
}

void Telling::about(const HoldTale& hold) {
    about(hold.client);
    focus.sessions.insert(hold.session);
    focus.locks.insert(hold.lock);
    focus.tokens.insert(hold.token);
}

void Telling::troubles(const std::vector<sim::ProcessId>& whom, Place from, Place to, Rank rank) {
    if (from == nowhere) return;
    const auto meant = [&](sim::ProcessId process) {
        return std::find(whom.begin(), whom.end(), process) != whom.end();
    };
    for (const PauseTale& pause : log.pauses())
        if (meant(pause.process) && pause.from <= to && from <= pause.to) {
            step(pause.from, rank);
            if (pause.to != nowhere && pause.to <= to) step(pause.to, Rank::Helpful);
        }
    for (const SpanTale& down : log.downs())
        if (meant(down.process) && down.from <= to && from <= down.to) step(down.from, rank);
    for (const SpanTale& fault : log.faults()) {
        if (fault.from > to || fault.to < from || !meant(fault.process)) continue;
        const bool known = fault.fault < settings.plan.size();
        if (known && told_by_its_effect(settings.plan[fault.fault].kind)) continue;
        std::string text = "FAULT: " + words.fault(fault.fault);
        if (fault.to == nowhere || fault.to > to) text += ", until " + words.when(fault.to);
        const bool mild = known && hardly_decisive(settings.plan[fault.fault].kind);
        step(fault.from, mild ? std::min(rank, Rank::Helpful) : rank, std::move(text));
    }
}

void Telling::elections(Place from, Place to, Rank rank) {
    for (const LeaderTale& leader : log.leaders())
        if (from <= leader.from && leader.from <= to) step(leader.from, rank);
}

}  // namespace lockstep::harness
