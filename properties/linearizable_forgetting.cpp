#include "properties/linearizable_timeline.hpp"

#include <algorithm>

/// What can no longer matter, and timelines that no longer differ.
namespace lockstep::properties::lin {

/// When the hold may have ended without its session, at the earliest.
std::int64_t Timeline::by_itself(const Hold& hold) const {
    if (hold.released || hold.given_back) return always;
    const std::int64_t held =
        rules_.hold_least.ns > 0 ? plus(hold.start.at, rules_.hold_least) : never;
    return std::min({hold.asked, hold.lapse, held});
}

/// Nothing that is still to come changes the start of the second, unless its room may have been
/// made by either the end of the first one's session or something else, later: while that session
/// goes on, its end may yet be raised beyond.
bool Timeline::first_is_past(const Lock& lock, std::int64_t horizon) const {
    const Hold& hold = holds_[lock.first];
    if (hold.after == none) return false;
    const Hold& next = holds_[hold.after];
    if (next.start_latest >= horizon) return false;
    const std::int64_t end = by_itself(hold);
    const Session& session = sessions_[hold.session];
    return end <= next.start.at || end > next.start_latest || session.told_over || session.gone ||
           session.end.at >= end;
}

/// What remains of the first is a bound on its session's end, if only that can have made room.
void Timeline::forget_first(Lock& lock) {
    const HoldId id = lock.first;
    const Hold& hold = holds_[id];
    const Hold& next = holds_[hold.after];
    if (by_itself(hold) > next.start_latest) {
        Session& session = sessions_[hold.session];
        session.latest = std::min({session.latest, next.start_latest, hold.end_latest});
    }
    if (hold.known) {
        lock.forgotten = hold.token;
        lock.forgotten_in = hold.told_in;
        lock.unknown_since = 0;
    } else {
        ++lock.unknown_since;
    }
    unlink(lock, id);
}

/// Only a hold that is put before the one that explains a refusal can undo it, and none is put
/// before the first of a list whose start is final.
void Timeline::forget_refusals(Lock& lock, std::int64_t horizon) {
    if (lock.refusals.empty() || lock.first == none) return;
    if (holds_[lock.first].start_latest >= horizon) return;
    const HoldId second = holds_[lock.first].after;
    if (second == none) {
        lock.refusals.clear();
        return;
    }
    const std::int64_t called = holds_[second].called;
    std::erase_if(lock.refusals, [&](const Refusal& r) { return r.answered < called; });
}

/// An acquire of unknown outcome that was over before this explains no refusal that is still to
/// come. After a delay of any length one might, until the lock is granted.
std::int64_t Timeline::over_by(const Lock& lock, std::int64_t horizon) const {
    if (!rules_.lock_delay) return horizon;
    if (lock.first == none || holds_[lock.first].start_latest >= horizon) return always;
    return holds_[lock.first].start.at;
}

bool Timeline::covers(const Timeline& other) const {
    if (holds() != other.holds() || locks_.size() != other.locks_.size()) return false;
    for (std::size_t i = 0; i < sessions_.size(); ++i)
        if (sessions_[i].end > other.sessions_[i].end ||
            sessions_[i].latest < other.sessions_[i].latest)
            return false;
    for (std::size_t i = 0; i < locks_.size(); ++i) {
        const Lock& mine = locks_[i];
        const Lock& its = other.locks_[i];
        if (mine.forgotten != its.forgotten || mine.unknown_since > its.unknown_since ||
            mine.refusals.size() != its.refusals.size())
            return false;
        HoldId a = mine.first;
        HoldId b = its.first;
        for (; a != none && b != none; a = holds_[a].after, b = other.holds_[b].after) {
            const Hold& x = holds_[a];
            const Hold& y = other.holds_[b];
            if (x.known != y.known || x.token != y.token || x.session != y.session ||
                x.released != y.released || x.given_back != y.given_back || x.start > y.start ||
                x.end > y.end || x.free > y.free || x.start_latest < y.start_latest ||
                x.end_latest < y.end_latest || x.called > y.called)
                return false;
        }
        if (a != none || b != none) return false;
        const auto same = [](const Maybe& x, const Maybe& y) {
            return x.session == y.session && x.called == y.called && x.latest == y.latest &&
                   x.given_back == y.given_back && x.times >= y.times;
        };
        auto at = mine.maybes.begin();
        for (const Maybe& maybe : its.maybes) {
            at =
                std::find_if(at, mine.maybes.end(), [&](const Maybe& m) { return same(m, maybe); });
            if (at == mine.maybes.end()) return false;
            ++at;
        }
    }
    return true;
}

}  // namespace lockstep::properties::lin
