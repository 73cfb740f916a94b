#include "properties/linearizable_history.hpp"

#include "core/base/assert.hpp"
#include "properties/linearizable_judge.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::properties::lin {

History::History(Rules rules, Names names)
    : judge_(std::make_unique<Judge>(rules, std::move(names))) {}
History::~History() = default;
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;

const std::optional<Objection>& History::objection() const {
    return judge_->objection;
}
bool History::gave_up() const {
    return judge_->gave_up;
}
std::uint64_t History::explained() const {
    return judge_->explained;
}
std::size_t History::kept() const {
    std::size_t kept = judge_->calls.size() + judge_->refusals.size() + judge_->session_of.size();
    for (const Timeline& timeline : judge_->timelines) kept += timeline.kept();
    return kept;
}
void History::advance(sim::SimTime now) {
    judge_->advance(now.ns);
}
void History::place(std::uint64_t place) {
    judge_->place = place;
}

// --- sessions ----------------------------------------------------------------------------------

void History::promised(SessionId id, sim::SimTime not_before, sim::SimTime now) {
    judge_->advance(now.ns);
    if (judge_->done || judge_->void_promises) return;
    const std::uint32_t slot = judge_->slot_of(id);
    Judge::Session& session = judge_->sessions[slot];
    if (not_before.ns <= session.promised) return;
    session.promised = not_before.ns;
    session.promised_in = judge_->place;
    for (Timeline& timeline : judge_->timelines)
        if (timeline.session(slot).kept > 0) timeline.touch_session(slot);
}

void History::may_end(SessionId id, sim::SimTime now) {
    judge_->advance(now.ns);
    if (judge_->done) return;
    Judge::Session& session = judge_->sessions[judge_->slot_of(id)];
    if (now.ns >= session.may_end) return;
    session.may_end = now.ns;
    session.may_end_in = judge_->place;
}

void History::over(SessionId id, sim::SimTime now) {
    judge_->advance(now.ns);
    if (judge_->done) return;
    const std::uint32_t slot = judge_->slot_of(id);
    for (Timeline& timeline : judge_->timelines) timeline.over(slot, now.ns);
    judge_->sessions[slot].closed = true;
    judge_->sessions[slot].over_in = judge_->place;
    judge_->closed.push_back(slot);
}

void History::gone(SessionId id, sim::SimTime now) {
    judge_->advance(now.ns);
    if (judge_->done) return;
    const std::uint32_t slot = judge_->slot_of(id);
    for (Timeline& timeline : judge_->timelines) timeline.session(slot).gone = true;
    judge_->sessions[slot].closed = true;
    judge_->closed.push_back(slot);
}

void History::promises_void(sim::SimTime now) {
    judge_->advance(now.ns);
    judge_->void_promises = true;
    for (Timeline& timeline : judge_->timelines) timeline.void_hold_least();
    for (Judge::Session& session : judge_->sessions) session.promised = always;
}

// --- acquires ----------------------------------------------------------------------------------

CallId History::acquire(LockId lock, SessionId session, sim::SimTime now) {
    judge_->advance(now.ns);
    return judge_->call({Judge::Call::Kind::Acquire, lock, session, {}, now.ns, judge_->place});
}

void History::granted(CallId id, FencingToken token, sim::SimTime now) {
    judge_->advance(now.ns);
    const auto call = judge_->outcome(id, Judge::Call::Kind::Acquire);
    if (!call) return;
    ++judge_->explained;
    const std::uint32_t lock = judge_->lock_index(call->lock);
    const std::uint32_t slot = judge_->slot_of(call->session);
    const Interval in{call->called, now.ns, call->place, judge_->place};
    judge_->keep_if([&](Timeline& t) { return t.grant(lock, slot, token, in); });
    judge_->changed.push_back(lock);
}

void History::refused(CallId id, sim::SimTime now) {
    judge_->advance(now.ns);
    const auto call = judge_->outcome(id, Judge::Call::Kind::Acquire);
    if (!call) return;
    ++judge_->explained;
    judge_->refuse({judge_->lock_index(call->lock), call->session, call->called, now.ns});
}

void History::cancelled(CallId id, sim::SimTime now) {
    judge_->advance(now.ns);
    const auto call = judge_->outcome(id, Judge::Call::Kind::Acquire);
    if (!call) return;
    const Maybe maybe{judge_->slot_of(call->session), call->called, now.ns, true, 1};
    const std::uint32_t lock = judge_->lock_index(call->lock);
    for (Timeline& timeline : judge_->timelines) timeline.add_maybe(lock, maybe);
    judge_->changed.push_back(lock);
}

void History::turned_away(CallId id, sim::SimTime now) {
    judge_->advance(now.ns);
    judge_->outcome(id, Judge::Call::Kind::Acquire);
}

void History::acquire_unknown(CallId id, bool given_back, sim::SimTime now) {
    judge_->advance(now.ns);
    const auto call = judge_->outcome(id, Judge::Call::Kind::Acquire);
    if (!call) return;
    const Maybe maybe{judge_->slot_of(call->session), call->called, never, given_back, 1};
    const std::uint32_t lock = judge_->lock_index(call->lock);
    for (Timeline& timeline : judge_->timelines) timeline.add_maybe(lock, maybe);
}

// --- releases ----------------------------------------------------------------------------------

CallId History::release(LockId lock, SessionId session, FencingToken token, sim::SimTime now) {
    judge_->advance(now.ns);
    const CallId id =
        judge_->call({Judge::Call::Kind::Release, lock, session, token, now.ns, judge_->place});
    if (judge_->done) return id;
    const std::uint32_t index = judge_->lock_index(lock);
    const std::uint32_t slot = judge_->slot_of(session);
    for (Timeline& timeline : judge_->timelines)
        if (const auto hold = timeline.find(index, slot, token); hold != Timeline::none)
            timeline.hold(hold).asked = std::min(timeline.hold(hold).asked, now.ns);
    return id;
}

void History::released(CallId id, sim::SimTime now) {
    judge_->advance(now.ns);
    const auto call = judge_->outcome(id, Judge::Call::Kind::Release);
    if (!call) return;
    ++judge_->explained;
    const std::uint32_t lock = judge_->lock_index(call->lock);
    const std::uint32_t slot = judge_->slot_of(call->session);
    const Interval in{call->called, now.ns, call->place, judge_->place};
    judge_->keep_if([&](Timeline& t) { return t.released(lock, slot, call->token, in); });
}

void History::not_held(CallId id, sim::SimTime now) {
    judge_->advance(now.ns);
    if (const auto call = judge_->outcome(id, Judge::Call::Kind::Release)) {
        ++judge_->explained;
        judge_->release_without_effect(*call, false, now.ns);
    }
}

void History::release_unknown(CallId id, sim::SimTime now) {
    judge_->advance(now.ns);
    if (const auto call = judge_->outcome(id, Judge::Call::Kind::Release))
        judge_->release_without_effect(*call, true, now.ns);
}

void History::hold_may_end(LockId lock, SessionId session, FencingToken token, sim::SimTime now) {
    hold_ends_after(lock, session, token, now, now);
}

void History::hold_ends_after(LockId lock, SessionId session, FencingToken token, sim::SimTime from,
                              sim::SimTime now) {
    judge_->advance(now.ns);
    if (judge_->done) return;
    const std::uint32_t index = judge_->lock_index(lock);
    const std::uint32_t slot = judge_->slot_of(session);
    for (Timeline& timeline : judge_->timelines)
        if (const auto hold = timeline.find(index, slot, token); hold != Timeline::none)
            timeline.hold(hold).lapse = std::min(timeline.hold(hold).lapse, from.ns);
}

void History::finish(sim::SimTime now) {
    LOCKSTEP_ASSERT(!judge_->finished, "finished twice, at {} ns", now.ns);
    judge_->advance(now.ns);
    while (!judge_->done && !judge_->calls.empty()) {
        const CallId oldest(judge_->first_call);
        if (judge_->calls.front().kind == Judge::Call::Kind::Acquire)
            acquire_unknown(oldest, false, now);
        else
            release_unknown(oldest, now);
    }
    judge_->advance(never);
    judge_->finished = true;
}

}  // namespace lockstep::properties::lin
