#include "properties/linearizable_timeline.hpp"

#include <algorithm>

namespace lockstep::properties::lin {
namespace {

constexpr std::size_t maybes_kept = 8;

}  // namespace

void Timeline::add_session(std::uint32_t slot) {
    if (slot == sessions_.size())
        sessions_.emplace_back();
    else
        sessions_[slot] = Session();
}

bool Timeline::fail(Misfit misfit) {
    if (misfit_.kind == Misfit::Kind::None) misfit_ = misfit;
    return false;
}

void Timeline::touch(HoldId id) {
    if (id == none || holds_[id].dirty) return;
    holds_[id].dirty = true;
    dirty_.push_back(id);
}

void Timeline::touch_session(std::uint32_t slot) {
    if (sessions_[slot].due) return;
    sessions_[slot].due = true;
    due_.push_back(slot);
}

// --- the list of a lock ------------------------------------------------------------------------

Timeline::HoldId Timeline::make_hold() {
    if (spare_.empty()) {
        holds_.emplace_back();
        return static_cast<HoldId>(holds_.size() - 1);
    }
    const HoldId id = spare_.back();
    spare_.pop_back();
    holds_[id] = Hold();
    return id;
}

void Timeline::link(Lock& lock, HoldId id, HoldId before) {
    const HoldId after = before == none ? lock.first : holds_[before].after;
    holds_[id].before = before;
    holds_[id].after = after;
    (before == none ? lock.first : holds_[before].after) = id;
    (after == none ? lock.last : holds_[after].before) = id;
    Session& session = sessions_[holds_[id].session];
    session.holds.push_back(id);
    ++session.kept;
    // With a successor, a session's end has a bound above it: its promise may not fit.
    if (before != none) touch_session(holds_[before].session);
    if (after != none) touch_session(holds_[id].session);
    touch(id);
    touch(after);
}

void Timeline::unlink(Lock& lock, HoldId id) {
    const Hold& hold = holds_[id];
    (hold.before == none ? lock.first : holds_[hold.before].after) = hold.after;
    (hold.after == none ? lock.last : holds_[hold.after].before) = hold.before;
    Session& session = sessions_[hold.session];
    if (!hold.released) std::erase(session.holds, id);
    --session.kept;
    if (hold.dirty) std::erase(dirty_, id);
    spare_.push_back(id);
}

/// Tokens are whole numbers: so many unknown grants fit between two that are known.
bool Timeline::room(const Lock& lock, HoldId id) const {
    std::uint64_t unknown = 0;
    std::uint64_t low = lock.forgotten.value;
    HoldId at = id;
    for (; at != none && (at == id || !holds_[at].known); at = holds_[at].before)
        if (!holds_[at].known) ++unknown;
    if (at != none)
        low = holds_[at].token.value;
    else
        unknown += lock.unknown_since;
    const auto fits = [&](std::uint64_t high) { return high > low && high - low - 1 >= unknown; };
    if (holds_[id].known) {
        if (unknown > 0 && !fits(holds_[id].token.value)) return false;
        low = holds_[id].token.value;
        unknown = 0;
    }
    for (at = holds_[id].after; at != none && !holds_[at].known; at = holds_[at].after) ++unknown;
    return at == none || unknown == 0 || fits(holds_[at].token.value);
}

bool Timeline::grant(std::uint32_t index, std::uint32_t session, FencingToken token,
                     const Interval& in) {
    Lock& lock = locks_[index];
    Misfit misfit{Misfit::Kind::SameToken, none, session, index, token, token, in, {}};
    HoldId before = lock.last;
    while (before != none && !(holds_[before].known && holds_[before].token < token)) {
        if (holds_[before].known && holds_[before].token == token) {
            misfit.hold = before;
            return fail(misfit);
        }
        before = holds_[before].before;
    }
    if (before == none && lock.forgotten && lock.forgotten >= token) {
        misfit.kind = Misfit::Kind::LowToken;
        misfit.other = lock.forgotten;
        return fail(misfit);
    }
    // What is placed there explains a refusal that was answered before this acquire was called.
    HoldId after = before == none ? lock.first : holds_[before].after;
    for (; after != none && !holds_[after].known; after = holds_[after].after) before = after;

    const HoldId id = make_hold();
    Hold& hold = holds_[id];
    hold.token = token;
    hold.known = true;
    hold.lock = index;
    hold.session = session;
    hold.called = in.called;
    hold.called_in = in.called_in;
    hold.told_in = in.answered_in;
    hold.start_latest = in.answered;
    hold.start_told = in.answered;
    link(lock, id, before);
    if (room(lock, id)) return true;
    misfit.kind = Misfit::Kind::NoRoom;
    misfit.hold = id;
    return fail(misfit);
}

Timeline::HoldId Timeline::find(std::uint32_t lock, std::uint32_t session,
                                FencingToken token) const {
    for (HoldId at = locks_[lock].last; at != none; at = holds_[at].before) {
        const Hold& hold = holds_[at];
        if (hold.known && hold.token == token) return hold.session == session ? at : none;
        if (hold.known && hold.token < token) return none;
    }
    return none;
}

// --- what was told -----------------------------------------------------------------------------

bool Timeline::released(std::uint32_t lock, std::uint32_t session, FencingToken token,
                        const Interval& in) {
    const HoldId id = find(lock, session, token);
    Misfit misfit{Misfit::Kind::NeverGranted, id, session, lock, token, {}, in, {}};
    if (id == none) {
        if (token <= locks_[lock].forgotten) misfit.kind = Misfit::Kind::GoneSince;
        return fail(misfit);
    }
    Hold& hold = holds_[id];
    if (hold.released) {
        misfit.kind = Misfit::Kind::ReleasedTwice;
        return fail(misfit);
    }
    hold.released = true;
    hold.release = in.called;
    hold.release_in = in.called_in;
    hold.end_latest = std::min(hold.end_latest, in.answered);
    std::erase(sessions_[session].holds, id);
    touch(id);
    return true;
}

void Timeline::not_held(HoldId id, std::int64_t answered) {
    Hold& hold = holds_[id];
    hold.end_latest = std::min(hold.end_latest, answered);
    touch_session(hold.session);
    touch(id);
}

void Timeline::over(std::uint32_t slot, std::int64_t by) {
    Session& session = sessions_[slot];
    session.told_over = true;
    session.latest = std::min(session.latest, by);
    touch_session(slot);
}

void Timeline::add_maybe(std::uint32_t index, const Maybe& maybe) {
    std::vector<Maybe>& maybes = locks_[index].maybes;
    // A client that gives up often is not to fill the memory: beyond a few, those that are alike
    // are taken for as old as the oldest of them, which explains more, and never less.
    if (maybe.given_back && maybe.latest == never) {
        std::size_t alike = 0;
        for (Maybe& other : maybes)
            if (other.session == maybe.session && other.given_back && other.latest == never &&
                ++alike == maybes_kept) {
                ++other.times;
                return;
            }
    }
    maybes.push_back(maybe);
    Session& session = sessions_[maybe.session];
    ++session.maybes;
    if (!maybe.given_back) ++session.lasting;
}

void Timeline::uncount(const Maybe& maybe) {
    Session& session = sessions_[maybe.session];
    --session.maybes;
    if (!maybe.given_back) --session.lasting;
}

// --- the least solution ------------------------------------------------------------------------

void Timeline::raise_session(std::uint32_t slot, When end, Cause cause, HoldId because) {
    Session& session = sessions_[slot];
    if (end > session.end) {
        session.end = end;
        session.end_by = cause;
        session.because = because;
        if (session.lasting > 0) raised_lasting_ = true;
        for (const HoldId id : session.holds) touch(id);
    }
    if (session.end.at > session.latest) [[unlikely]]
        fail({Misfit::Kind::Session, none, slot, 0, {}, {}, {}, {}});
}

bool Timeline::update_end(HoldId id, Hold& hold) {
    When least = hold.start.next();
    Cause by = Cause::Start;
    if (hold.released) {
        if (const When release{hold.release, 0}; release > least) {
            least = release;
            by = Cause::ReleaseCall;
        }
    } else if (!hold.given_back) {
        When until = sessions_[hold.session].end;
        Cause cause = Cause::SessionEnd;
        if (const When lapse{std::min(hold.asked, hold.lapse), 0}; lapse < until) {
            until = lapse;
            cause = Cause::Lapse;
        }
        if (rules_.hold_least.ns > 0) {
            const When held{plus(hold.start.at, rules_.hold_least), 0};
            if (held < until) {
                until = held;
                cause = Cause::HoldEnd;
            }
        }
        if (until > least) {
            least = until;
            by = cause;
        }
    }
    if (least > hold.end) {
        hold.end = least;
        hold.end_by = by;
    }
    if (hold.end.at > hold.end_latest) [[unlikely]]
        return fail({Misfit::Kind::End, id, hold.session, hold.lock, hold.token, {}, {}, {}});
    return true;
}

/// Whether the start of the hold was raised by itself: the reasons lead back to it.
bool Timeline::in_circle(HoldId id) const {
    HoldId at = id;
    for (std::size_t links = 0; links < 2 * holds() + 2; ++links) {
        if (holds_[at].start_by != Cause::Before || holds_[at].before == none) return false;
        at = holds_[at].before;
        while (holds_[at].end_by == Cause::SessionEnd && links < 2 * holds() + 2) {
            const Session& session = sessions_[holds_[at].session];
            if (session.end_by == Cause::Promise || session.because == at) return false;
            at = session.because;
            ++links;
        }
        if (holds_[at].end_by != Cause::Start) return false;
        if (at == id) return true;
    }
    return false;
}

/// The next instant at which a hold may end by a release of unknown outcome, or by itself.
std::int64_t Timeline::next_lapse(std::int64_t after) const {
    std::int64_t next = never;
    const auto consider = [&](std::int64_t at) {
        if (at > after) next = std::min(next, at);
    };
    for (const Lock& lock : locks_)
        for (HoldId id = lock.first; id != none; id = holds_[id].after) {
            const Hold& hold = holds_[id];
            if (hold.released || hold.given_back) continue;
            consider(std::min(hold.asked, hold.lapse));
            if (rules_.hold_least.ns > 0) consider(plus(hold.start.at, rules_.hold_least));
        }
    return next;
}

bool Timeline::update(HoldId id) {
    Hold& hold = holds_[id];
    hold.dirty = false;
    const When free = hold.free;
    if (const When called{hold.called, 0}; called > hold.start) {
        hold.start = called;
        hold.start_by = Cause::Call;
    }
    if (hold.before != none)
        if (const When after = holds_[hold.before].free.next(); after > hold.start) {
            hold.start = after;
            hold.start_by = Cause::Before;
        }
    if (hold.start.at > hold.start_latest) [[unlikely]]
        return fail({Misfit::Kind::Start, id, hold.session, hold.lock, hold.token, {}, {}, {}});
    if (hold.start.step > 8 && in_circle(id)) [[unlikely]] {
        // Nothing at this instant will do, nor at any before a hold may end without its session.
        const std::int64_t next = next_lapse(hold.start.at);
        if (next > hold.start_latest)
            return fail(
                {Misfit::Kind::Circle, id, hold.session, hold.lock, hold.token, {}, {}, {}});
        hold.start = {next, 0};
    }
    if (!update_end(id, hold)) return false;
    hold.free = std::max(hold.free, hold.end);
    raise_session(hold.session, hold.end, Cause::Before, id);
    if (hold.free > free) touch(hold.after);
    return misfit_.kind == Misfit::Kind::None;
}

bool Timeline::settle() {
    while (!dirty_.empty() && misfit_.kind == Misfit::Kind::None) {
        const HoldId id = dirty_.back();
        dirty_.pop_back();
        update(id);
    }
    return misfit_.kind == Misfit::Kind::None;
}

std::size_t Timeline::kept() const {
    std::size_t kept = holds();
    for (const Lock& lock : locks_) kept += lock.maybes.size() + lock.refusals.size();
    return kept;
}

}  // namespace lockstep::properties::lin
