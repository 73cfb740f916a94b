#pragma once

#include "properties/linearizable_history.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::properties::lin {

/// A place in a sequential order: an instant, and how many steps of the same instant come before.
struct When {
    std::int64_t at = INT64_MIN;
    std::uint32_t step = 0;
    constexpr auto operator<=>(const When&) const = default;
    constexpr When next() const { return {at, step + 1}; }
};
inline constexpr std::int64_t always = INT64_MIN;
inline constexpr std::int64_t never = INT64_MAX;

/// The sum, which stops at the end of time.
constexpr std::int64_t plus(std::int64_t at, Duration d) {
    return d.ns > never - std::max<std::int64_t>(at, 0) ? never : at + d.ns;
}

/// A refusal: at some instant of [called, answered] the lock was not free.
struct Refusal {
    std::uint32_t lock = 0;
    SessionId session;
    std::int64_t called = 0;
    std::int64_t answered = 0;
};

/// From a call to its answer, and where the two stand in the source.
struct Interval {
    std::int64_t called = always;
    std::int64_t answered = never;
    std::uint64_t called_in = 0;
    std::uint64_t answered_in = 0;
};

/// An acquire of unknown outcome.
struct Maybe {
    std::uint32_t session = 0;
    std::int64_t called = 0;
    std::int64_t latest = never;  ///< by when it was over, if it happened
    bool given_back = false;      ///< it may have ended at any time
    std::uint32_t times = 1;      ///< so many of them that are kept as one
};

/// One way in which the unknown outcomes may have happened, and the earliest instants that it
/// allows.
///
/// The grants of a lock are a list in the order of their tokens: each is a hold, from its start
/// (inside its acquire) to its end (inside its release, or with its session). What is asked of
/// these instants are lower bounds that grow with each other,
///
///     start >= call of the acquire            start > end of the hold before
///     end > start                             end >= call of the release that was answered
///     end >= the least of: its session's end, a release of unknown outcome, the end of hold
///     session's end >= its lease's bound      session's end >= each of its holds' ends
///
/// and upper bounds that are constants: the answers. Lower bounds of that kind have a least
/// solution, below every other, and `settle` computes it, by raising only what must be raised: the
/// history has an explanation just if the least solution is below all upper bounds. The one session
/// end common to all locks needs nothing special: it is one variable among others. An order that
/// bites its own tail would be raised without end: it is found by its reasons, which lead back to
/// itself.
///
/// A refusal needs a hold with start <= answer and end >= call. The holds are disjoint and in
/// order, so that in any solution the last hold that has started by the answer will do if one does.
/// Starts only grow: that hold is no later in the list than in the least solution, and if it is
/// earlier, the one of the least solution ends later still. Hence its end >= call holds in every
/// solution, and may be asked like the rest (`occupy`). Once explained, a refusal stays so, however
/// bounds are raised: a start is raised beyond it only by the end of the hold before, which then
/// explains it. Only a hold put between may undo that.
///
/// So only acquires of unknown outcome are a matter of choice, and only where a refusal needs one
/// (to have happened for no reason never helps). Each choice is a timeline of its own (`place`).
///
/// The form of the argument is that of systems of difference constraints (Bellman 1958; Cormen et
/// al., "Introduction to Algorithms", 24.4); what is checked is that of Herlihy and Wing,
/// "Linearizability" (TOPLAS 1990).
class Timeline {
public:
    using HoldId = std::uint32_t;
    static constexpr HoldId none = UINT32_MAX;

    /// Why a lower bound is what it is.
    enum class Cause : std::uint8_t {
        Call,
        Before,
        Start,
        ReleaseCall,
        SessionEnd,
        Lapse,
        Refused,
        Promise,
        HoldEnd
    };
    struct Hold {
        FencingToken token;
        bool known = false;  ///< else it is an acquire of unknown outcome, without a token
        std::uint32_t lock = 0;
        std::uint32_t session = 0;
        HoldId before = none;
        HoldId after = none;
        When start;
        When end;
        When free;  ///< when the lock is open again; after `end` only in a delay
        std::int64_t called = always;
        std::int64_t start_latest = never;
        std::int64_t end_latest = never;
        std::int64_t lapse = never;        ///< from then on it may have ended by itself
        std::int64_t asked = never;        ///< the earliest call of a release without outcome
        std::int64_t release = never;      ///< the call of the release that was done
        std::uint64_t called_in = 0;       ///< places: of its acquire's call,
        std::uint64_t told_in = 0;         ///< of the answer to that,
        std::uint64_t release_in = 0;      ///< of the call of the release that was done
        std::int64_t start_told = always;  ///< its answer
        Refusal refusal;                   ///< the last that asked for it
        bool given_back = false;           ///< it may have ended at any time
        bool released = false;
        bool dirty = false;
        Cause start_by = Cause::Call;
        Cause end_by = Cause::Start;
    };
    struct Session {
        When end;
        std::int64_t latest = never;
        std::vector<HoldId> holds;  ///< those that end with it
        std::uint32_t kept = 0;     ///< holds of any kind
        std::uint32_t maybes = 0;   ///< acquires of unknown outcome that are not placed
        std::uint32_t lasting = 0;  ///< those of them that only its end ends
        bool due = false;           ///< its promise is to be looked at
        Cause end_by = Cause::Promise;
        HoldId because = none;
        bool told_over = false;
        bool gone = false;  ///< nothing more is called in it
    };
    struct Lock {
        HoldId first = none;
        HoldId last = none;
        FencingToken forgotten;           ///< the last token that is not in the list any more
        std::uint64_t forgotten_in = 0;   ///< the place of its answer
        std::uint64_t unknown_since = 0;  ///< so many grants of unknown outcome came after it
        std::vector<Maybe> maybes;
        std::vector<Refusal> refusals;  ///< explained, but by a hold that another may move
    };
    /// What does not fit.
    struct Misfit {
        enum class Kind : std::uint8_t {
            None,
            Start,
            End,
            Session,
            Circle,
            Refusal,
            SameToken,
            LowToken,
            NoRoom,
            NeverGranted,
            GoneSince,
            ReleasedTwice
        } kind = Kind::None;
        HoldId hold = none;
        std::uint32_t session = 0;
        std::uint32_t lock = 0;
        FencingToken token;
        FencingToken other;
        Interval in;
        Refusal refusal;
    };

    explicit Timeline(Rules rules) : rules_(rules) {}

    Lock& lock(std::uint32_t index) { return locks_[index]; }
    const Lock& lock(std::uint32_t index) const { return locks_[index]; }
    Session& session(std::uint32_t slot) { return sessions_[slot]; }
    const Session& session(std::uint32_t slot) const { return sessions_[slot]; }
    Hold& hold(HoldId id) { return holds_[id]; }
    const Hold& hold(HoldId id) const { return holds_[id]; }
    const Misfit& misfit() const { return misfit_; }
    std::size_t holds() const { return holds_.size() - spare_.size(); }
    /// Everything that it remembers.
    std::size_t kept() const;

    void add_lock() { locks_.emplace_back(); }
    /// A fresh session in that slot.
    void add_session(std::uint32_t slot);

    // What was told. False: it does not fit, whatever the instants.
    bool grant(std::uint32_t lock, std::uint32_t session, FencingToken token, const Interval& in);
    /// The hold with that token, if it is still kept and the session's.
    HoldId find(std::uint32_t lock, std::uint32_t session, FencingToken token) const;
    bool released(std::uint32_t lock, std::uint32_t session, FencingToken token,
                  const Interval& in);
    void not_held(HoldId hold, std::int64_t answered);
    void over(std::uint32_t session, std::int64_t by);
    void add_maybe(std::uint32_t lock, const Maybe& maybe);
    /// The service may end a grant sooner than it should, by a clock that is wrong.
    void void_hold_least() {
        if (rules_.hold_least.ns > 0) rules_.hold_least = nanoseconds(1);
    }
    /// The bounds of the hold are to be looked at again.
    void touch(HoldId hold);
    /// The session's promise is to be looked at.
    void touch_session(std::uint32_t session);

    /// The sessions whose promises matter by now; `bound(slot)` is what they amount to.
    template <class Bound>
    void keep_promises(Bound&& bound) {
        for (const std::uint32_t slot : due_) {
            sessions_[slot].due = false;
            raise_session(slot, {bound(slot), 0}, Cause::Promise, none);
        }
        due_.clear();
    }
    /// Raises all that must be raised. False: there is no solution.
    bool settle();

    /// The last hold of the lock that can have started by then, or none.
    HoldId started_by(std::uint32_t lock, std::int64_t at) const;
    bool explains(HoldId hold, const Refusal& refusal) const {
        return hold != none && holds_[hold].free.at >= refusal.called;
    }
    /// Whether the unknown acquire may explain the refusal at all.
    bool may_explain(const Maybe& maybe, const Refusal& refusal) const;
    /// Whether some unknown acquire was over before that instant: holds that last until then may
    /// leave it no room.
    bool hinders(std::int64_t until) const;
    /// The refusal is explained by this hold.
    bool occupy(HoldId hold, const Refusal& refusal);
    /// The refusal is explained by the unknown acquire at that place of the lock's list, which
    /// happened right after the hold `before`.
    bool place(std::uint32_t lock, std::size_t maybe, HoldId before, const Refusal& refusal);
    void refuse(const Refusal& refusal);
    /// Nothing explains it.
    void unexplained(const Refusal& refusal);
    /// Those that are explained, but by a hold that another may move: they are to be explained
    /// anew.
    std::vector<Refusal> take_refusals(std::uint32_t lock) {
        return std::exchange(locks_[lock].refusals, {});
    }
    /// Whether an end was raised, since this was last asked, of a session that still has unknown
    /// acquires which end with it.
    bool raised_lasting() {
        const bool raised = raised_lasting_;
        raised_lasting_ = false;
        return raised;
    }

    /// Forgets what nothing can change that was called at `horizon` or later. Calls
    /// emptied(session) for each session of which something was forgotten.
    template <class Emptied>
    void forget(std::uint32_t index, std::int64_t horizon, Emptied&& emptied) {
        Lock& lock = locks_[index];
        while (lock.first != none && first_is_past(lock, horizon)) {
            const std::uint32_t session = holds_[lock.first].session;
            forget_first(lock);
            emptied(session);
        }
        forget_refusals(lock, horizon);
        if (lock.maybes.empty()) [[likely]]
            return;
        const std::int64_t before = over_by(lock, horizon);
        std::erase_if(lock.maybes, [&](const Maybe& maybe) {
            if (maybe.latest >= before && sessions_[maybe.session].latest >= before) return false;
            uncount(maybe);
            emptied(maybe.session);
            return true;
        });
    }
    /// Nothing that may come is explained by `other` and not by this one.
    bool covers(const Timeline& other) const;

private:
    bool fail(Misfit misfit);
    bool room(const Lock& lock, HoldId hold) const;
    void link(Lock& lock, HoldId hold, HoldId before);
    void unlink(Lock& lock, HoldId hold);
    HoldId make_hold();
    void raise_session(std::uint32_t session, When end, Cause cause, HoldId because);
    bool update(HoldId id);
    bool in_circle(HoldId id) const;
    std::int64_t next_lapse(std::int64_t after) const;
    bool update_end(HoldId id, Hold& hold);
    std::int64_t by_itself(const Hold& hold) const;
    bool first_is_past(const Lock& lock, std::int64_t horizon) const;
    void forget_first(Lock& lock);
    std::int64_t over_by(const Lock& lock, std::int64_t horizon) const;
    void forget_refusals(Lock& lock, std::int64_t horizon);
    void uncount(const Maybe& maybe);
    Rules rules_;
    std::vector<Hold> holds_;
    std::vector<HoldId> spare_;
    std::vector<Lock> locks_;
    std::vector<Session> sessions_;
    std::vector<HoldId> dirty_;
    std::vector<std::uint32_t> due_;
    Misfit misfit_;
    bool raised_lasting_ = false;
};

}  // namespace lockstep::properties::lin
