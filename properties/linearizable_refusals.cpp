#include "properties/linearizable_timeline.hpp"

#include <algorithm>

/// Refusals of a timeline: which hold explains one, or which acquire of unknown outcome might.
namespace lockstep::properties::lin {

Timeline::HoldId Timeline::started_by(std::uint32_t lock, std::int64_t at) const {
    HoldId id = locks_[lock].last;
    while (id != none && holds_[id].start.at > at) id = holds_[id].before;
    return id;
}

bool Timeline::may_explain(const Maybe& maybe, const Refusal& refusal) const {
    // A delay may go on after it, for however long.
    const std::int64_t until = rules_.lock_delay ? always : refusal.called;
    return maybe.called <= refusal.answered && maybe.latest >= until &&
           sessions_[maybe.session].latest >= std::max(maybe.called, until);
}

bool Timeline::hinders(std::int64_t until) const {
    for (const Lock& lock : locks_)
        for (const Maybe& maybe : lock.maybes)
            if (maybe.latest < until || sessions_[maybe.session].latest < until) return true;
    return false;
}

bool Timeline::occupy(HoldId id, const Refusal& refusal) {
    Hold& hold = holds_[id];
    hold.refusal = refusal;
    const When until{refusal.called, 0};
    if (rules_.lock_delay && !hold.released) {
        if (until > hold.free) {
            hold.free = until;
            touch(hold.after);
        }
    } else if (until > hold.end) {
        hold.end = until;
        hold.end_by = Cause::Refused;
        touch(id);
    }
    return settle();
}

bool Timeline::place(std::uint32_t index, std::size_t which, HoldId before,
                     const Refusal& refusal) {
    Lock& lock = locks_[index];
    Maybe& maybe = lock.maybes[which];
    const HoldId id = make_hold();
    Hold& hold = holds_[id];
    hold.lock = index;
    hold.session = maybe.session;
    hold.called = maybe.called;
    hold.start_latest = std::min(maybe.latest, refusal.answered);
    hold.end_latest = maybe.latest;
    hold.given_back = maybe.given_back;
    if (--maybe.times == 0) {
        uncount(maybe);
        lock.maybes.erase(lock.maybes.begin() + static_cast<std::ptrdiff_t>(which));
    }
    link(lock, id, before);
    if (!room(lock, id))
        return fail({Misfit::Kind::NoRoom, id, hold.session, index, {}, {}, {}, {}});
    return settle() && occupy(id, refusal);
}

void Timeline::refuse(const Refusal& refusal) {
    locks_[refusal.lock].refusals.push_back(refusal);
}

void Timeline::unexplained(const Refusal& refusal) {
    fail({Misfit::Kind::Refusal, none, 0, refusal.lock, {}, {}, {}, refusal});
}

}  // namespace lockstep::properties::lin
