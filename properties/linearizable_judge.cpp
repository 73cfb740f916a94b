#include "properties/linearizable_judge.hpp"

#include "core/base/assert.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::properties::lin {
namespace {

constexpr std::size_t timelines_followed = 64;
constexpr std::uint32_t tries_for_one_refusal = 2048;

}  // namespace

// --- what is told ------------------------------------------------------------------------------

std::uint32_t History::Judge::lock_index(LockId lock) {
    if (const std::uint32_t* known = lock_of.find(lock)) return *known;
    const auto index = static_cast<std::uint32_t>(locks.size());
    lock_of[lock] = index;
    locks.push_back(lock);
    for (Timeline& timeline : timelines) timeline.add_lock();
    return index;
}

std::uint32_t History::Judge::slot_of(SessionId id) {
    if (const std::uint32_t* known = session_of.find(id)) return *known;
    auto slot = static_cast<std::uint32_t>(sessions.size());
    if (spare.empty()) {
        sessions.emplace_back();
    } else {
        slot = spare.back();
        spare.pop_back();
    }
    sessions[slot] = Session();
    sessions[slot].id = id;
    session_of[id] = slot;
    for (Timeline& timeline : timelines) timeline.add_session(slot);
    if (std::binary_search(ended.begin(), ended.end(), id)) {
        sessions[slot].closed = true;
        for (Timeline& timeline : timelines) timeline.over(slot, now - 1);
    }
    return slot;
}

CallId History::Judge::call(const Call& call) {
    if (done) return {};
    calls.push_back(call);
    ++sessions[slot_of(call.session)].open;
    return CallId(first_call + calls.size() - 1);
}

std::optional<History::Judge::Call> History::Judge::outcome(CallId id, Call::Kind kind) {
    if (done) return std::nullopt;
    LOCKSTEP_ASSERT(id.value >= first_call && id.value - first_call < calls.size(), "call {}",
                    id.value);
    Call& open = calls[static_cast<std::size_t>(id.value - first_call)];
    LOCKSTEP_ASSERT(open.kind == kind, "call {} has an outcome, or is of the other kind", id.value);
    const Call call = open;
    open.kind = Call::Kind::Done;
    for (; !calls.empty() && calls.front().kind == Call::Kind::Done; ++first_call)
        calls.pop_front();
    const std::uint32_t slot = slot_of(call.session);
    if (--sessions[slot].open == 0 && sessions[slot].closed) closed.push_back(slot);
    return call;
}

void History::Judge::refuse(const Refusal& refusal) {
    refusals.push_back(refusal);
    while (!lowest.empty() && lowest.back().first >= refusal.called) lowest.pop_back();
    lowest.push_back({refusal.called, refusals_told++});
}

void History::Judge::release_without_effect(const Call& call, bool unknown, std::int64_t answered) {
    const std::uint32_t lock = lock_index(call.lock);
    const std::uint32_t slot = slot_of(call.session);
    std::int64_t asked = never;
    if (!unknown)
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const Call& other = calls[i];
            if (other.kind == Call::Kind::Release && other.lock == call.lock &&
                other.session == call.session && other.token == call.token)
                asked = std::min(asked, other.called);
        }
    for (Timeline& timeline : timelines) {
        const auto id = timeline.find(lock, slot, call.token);
        if (id == Timeline::none) continue;  // it has ended long ago, or never began
        if (unknown) {
            timeline.hold(id).lapse = std::min(timeline.hold(id).lapse, call.called);
        } else {
            timeline.hold(id).asked = asked;
            timeline.not_held(id, answered);
        }
    }
}

// --- what is certain ---------------------------------------------------------------------------

void History::Judge::advance(std::int64_t to) {
    LOCKSTEP_ASSERT(to >= now, "told of {} ns after {} ns", to, now);
    if (to == now) return;
    if (!done && now != always) judge(calls.empty() ? to : std::min(to, calls.front().called));
    now = to;
}

/// Everything of the instant has been told, so that ties are all there. No open or later call was
/// called before the horizon.
void History::Judge::judge(std::int64_t horizon) {
    settle_all();
    while (!done && !refusals.empty() && refusals.front().answered < horizon) {
        const Refusal refusal = refusals.front();
        refusals.pop_front();
        if (!lowest.empty() && lowest.front().second == refusals_judged) lowest.pop_front();
        ++refusals_judged;
        judge_refusal(refusal);
        changed.push_back(refusal.lock);
    }
    if (done) return;
    if (timelines.size() > 1) thin_out();
    forget(lowest.empty() ? horizon : std::min(horizon, lowest.front().first));
}

void History::Judge::settle_all() {
    keep_if([&](Timeline& timeline) {
        timeline.keep_promises([&](std::uint32_t slot) {
            // It may be closed at the next instant, of which nothing is known yet.
            return std::min({sessions[slot].promised, sessions[slot].may_end, now + 1});
        });
        return timeline.settle();
    });
}

bool History::Judge::has_choice(const Timeline& timeline, const Refusal& refusal) const {
    const std::vector<Maybe>& maybes = timeline.lock(refusal.lock).maybes;
    return std::any_of(maybes.begin(), maybes.end(),
                       [&](const Maybe& maybe) { return timeline.may_explain(maybe, refusal); });
}

void History::Judge::judge_refusal(const Refusal& refusal) {
    if (timelines.size() == 1 && !has_choice(timelines.front(), refusal)) [[likely]] {
        Timeline& timeline = timelines.front();
        const auto last = timeline.started_by(refusal.lock, refusal.answered);
        if (last == Timeline::none) timeline.unexplained(refusal);
        if (last == Timeline::none ||
            (!timeline.explains(last, refusal) && !timeline.occupy(last, refusal))) {
            object(timeline);
            return;
        }
        timeline.refuse(refusal);
        return;
    }
    std::vector<Timeline> out;
    failed.reset();
    tries = 0;
    for (Timeline& timeline : timelines) explain(std::move(timeline), {refusal}, out);
    timelines = std::move(out);
    if (timelines.empty()) object(*failed);
    failed.reset();
}

void History::Judge::come_to_nothing(Timeline timeline) {
    if (!failed) failed = std::move(timeline);
}

/// Explains what is to be explained in every way that may matter, and adds what comes of it.
void History::Judge::explain(Timeline timeline, std::vector<Refusal> todo,
                             std::vector<Timeline>& out) {
    if (out.size() >= timelines_followed || ++tries > tries_for_one_refusal) {
        gave_up = true;
        come_to_nothing(std::move(timeline));
        return;
    }
    while (!todo.empty()) {
        const Refusal refusal = todo.back();
        todo.pop_back();
        const auto last = timeline.started_by(refusal.lock, refusal.answered);
        if (timeline.explains(last, refusal)) {
            timeline.refuse(refusal);
        } else if (has_choice(timeline, refusal)) {
            branch(timeline, refusal, std::move(todo), out);
            return;
        } else {
            if (last == Timeline::none) timeline.unexplained(refusal);
            if (last == Timeline::none || !timeline.occupy(last, refusal)) {
                come_to_nothing(std::move(timeline));
                return;
            }
            timeline.refuse(refusal);
        }
    }
    out.push_back(std::move(timeline));
}

/// Either the last hold that had started explains the refusal, or an acquire of unknown outcome. If
/// the former fits, and hinders no unknown acquire (by moving the end of its session, or because it
/// was over before), then nothing is gained by the latter: what it raises, it raises to an instant
/// before which nothing is called any more.
void History::Judge::branch(const Timeline& timeline, const Refusal& refusal,
                            std::vector<Refusal> todo, std::vector<Timeline>& out) {
    const auto last = timeline.started_by(refusal.lock, refusal.answered);
    if (last != Timeline::none) {
        Timeline held = timeline;
        held.raised_lasting();
        if (held.occupy(last, refusal)) {
            const bool harmless = !held.raised_lasting() && !held.hinders(refusal.called);
            held.refuse(refusal);
            explain(std::move(held), todo, out);
            if (harmless) return;
        } else {
            come_to_nothing(std::move(held));
        }
    }
    const std::size_t count = timeline.lock(refusal.lock).maybes.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (!timeline.may_explain(timeline.lock(refusal.lock).maybes[i], refusal)) continue;
        for (auto before = last;; before = timeline.hold(before).before) {
            Timeline placed = timeline;
            if (placed.place(refusal.lock, i, before, refusal)) {
                std::vector<Refusal> again = placed.take_refusals(refusal.lock);
                again.insert(again.end(), todo.begin(), todo.end());
                placed.refuse(refusal);
                explain(std::move(placed), std::move(again), out);
            } else {
                come_to_nothing(std::move(placed));
            }
            // Further to the front it would have to end before this one starts.
            if (before == Timeline::none || timeline.hold(before).start_latest < refusal.called)
                break;
        }
    }
}

/// Of two timelines that differ in what is forgotten by now, one is enough.
void History::Judge::thin_out() {
    std::vector<Timeline> kept;
    for (Timeline& timeline : timelines) {
        const auto covered = [&](const Timeline& other) { return other.covers(timeline); };
        if (std::any_of(kept.begin(), kept.end(), covered)) continue;
        std::erase_if(kept, [&](const Timeline& other) { return timeline.covers(other); });
        kept.push_back(std::move(timeline));
    }
    timelines = std::move(kept);
}

// --- forgetting --------------------------------------------------------------------------------

void History::Judge::forget(std::int64_t horizon) {
    for (const std::uint32_t lock : changed)
        for (Timeline& timeline : timelines)
            timeline.forget(lock, horizon, [&](std::uint32_t slot) {
                if (sessions[slot].closed) closed.push_back(slot);
            });
    changed.clear();
    if (closed.empty()) return;
    for (const std::uint32_t slot : closed) forget_session(slot);
    closed.clear();
}

void History::Judge::forget_session(std::uint32_t slot) {
    Session& session = sessions[slot];
    if (!session.closed || session.open > 0) return;
    for (const Timeline& timeline : timelines)
        if (timeline.session(slot).kept > 0 || timeline.session(slot).maybes > 0) return;
    if (timelines.front().session(slot).latest != never) {
        const auto at = std::lower_bound(ended.begin(), ended.end(), session.id);
        if (at == ended.end() || *at != session.id) ended.insert(at, session.id);
    }
    session_of.erase(session.id);
    session = Session();
    spare.push_back(slot);
}

}  // namespace lockstep::properties::lin
