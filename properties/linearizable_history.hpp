#pragma once

#include "core/base/strong.hpp"
#include "core/base/time.hpp"
#include "sim/types.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Whether the calls and answers of locks have a sequential explanation. Knows nothing of events or
/// of files: whoever has a history tells it here, call by call.
namespace lockstep::properties::lin {

/// One call that was told, until its outcome is. Zero is none.
using CallId = Strong<struct LinCallTag, std::uint64_t>;

struct Rules {
    /// A lock whose holder's session ended may stay closed for a while: refusals go on, though
    /// nobody holds it.
    bool lock_delay = false;
    /// The service ends a grant by itself, never sooner than this after granting; zero: it does
    /// not.
    Duration hold_least;
};

/// How evidence names things; what is left out is named by its number.
struct Names {
    std::function<std::string(LockId)> lock;        ///< "lock job"
    std::function<std::string(SessionId)> session;  ///< "session 7", or whose it is
    /// Whether the tokens of the lock were told at all; else evidence leaves them out.
    std::function<bool(LockId)> has_tokens;
    std::function<std::string(sim::SimTime)> time;  ///< "1.250000 s"
};

/// Why there is no explanation.
struct Objection {
    sim::SimTime at;
    LockId lock;           ///< zero if it is about a session as a whole
    std::string evidence;  ///< a sentence for a person: what cannot be ordered, and why
    /// Where what the evidence speaks of was told (`History::place`), in its order.
    std::vector<std::uint64_t> places;
};

/// A history, told in the order of its (true) time; `now` never goes back. Things of one instant
/// overlap: whichever order explains them will do. Yet what follows from an answer (a release, from
/// the answer that gave its token) is told after it, at the same instant at the earliest.
///
///     History history({});
///     const CallId call = history.acquire(lock, session, at(1));
///     history.granted(call, FencingToken(7), at(2));
///     history.finish(at(9));
///     if (history.objection()) ...
///
/// The object that is explained, for each lock: free, or held by (session, token).
///   granted    it was free, and the token is higher than every one before
///   refused    somebody held it, or it was in its delay
///   released   the session held it with that token, and then did not
///   not_held   the session did not hold it with that token
///   end        one step of a session, common to all its locks: frees them. Nothing is granted to
///              it and nothing released by it afterwards
/// Each step lies between its call and its answer; a session's end lies at or after the bound of
/// its lease, or the instant from which it may end otherwise. An acquire whose outcome is unknown
/// may have been granted at any time after its call, or never; a release of unknown outcome may
/// have released or not.
///
/// The first objection is kept, and nothing is judged after it. It is made once it is certain
/// whatever is told later: for a grant at the next instant, for a refusal when every call that
/// began before its answer has its outcome. A call that stays open without end therefore keeps what
/// came after it; everything else is forgotten as soon as it can no longer matter.
class History {
public:
    explicit History(Rules rules, Names names = {});
    ~History();
    History(History&&) noexcept;
    History& operator=(History&&) noexcept;

    /// Where what is told from here on stands in the source (a line of a file, say), for evidence
    /// to refer to. Zero, which it is at first: nowhere.
    void place(std::uint64_t place);

    // Sessions. They exist from their first mention on.
    /// The service promised that the session does not expire before this instant.
    void promised(SessionId session, sim::SimTime not_before, sim::SimTime now);
    /// From now on the session may end at any time, whatever was promised: its client closes it, or
    /// has given it up.
    void may_end(SessionId session, sim::SimTime now);
    /// The session has ended by now: a server said so.
    void over(SessionId session, sim::SimTime now);
    /// Nothing more will be called in this session (its client is dead). It has not ended, and its
    /// open calls are still owed their outcomes.
    void gone(SessionId session, sim::SimTime now);
    /// Promises, of before and to come, are not to be relied upon from now on (a clock is wrong),
    /// nor is the least time of a hold.
    void promises_void(sim::SimTime now);

    // Acquires: a call, then one outcome.
    CallId acquire(LockId lock, SessionId session, sim::SimTime now);
    void granted(CallId call, FencingToken token, sim::SimTime now);
    /// Somebody held the lock.
    void refused(CallId call, sim::SimTime now);
    /// It holds nothing now; inside the call it may have held the lock, and given it back.
    void cancelled(CallId call, sim::SimTime now);
    /// It was turned away without a look at the lock.
    void turned_away(CallId call, sim::SimTime now);
    /// Nobody will ever know. `given_back`: if it was granted, then somebody (a cancel that is on
    /// its way) may have released it at any time after.
    void acquire_unknown(CallId call, bool given_back, sim::SimTime now);

    // Releases: a call, then one outcome.
    CallId release(LockId lock, SessionId session, FencingToken token, sim::SimTime now);
    void released(CallId call, sim::SimTime now);
    void not_held(CallId call, sim::SimTime now);
    void release_unknown(CallId call, sim::SimTime now);
    /// From now on this grant may end at any time, as by a release of unknown outcome.
    void hold_may_end(LockId lock, SessionId session, FencingToken token, sim::SimTime now);
    /// The same, but from an instant on that may be to come: the grant has a term of its own.
    void hold_ends_after(LockId lock, SessionId session, FencingToken token, sim::SimTime from,
                         sim::SimTime now);

    /// Time has passed: judges what is certain by now. Every other call does so, too.
    void advance(sim::SimTime now);
    /// The history ends here; calls without outcome stay unknown. Call once.
    void finish(sim::SimTime now);

    const std::optional<Objection>& objection() const;
    /// There were too many ways in which unknown outcomes may have happened: an explanation that
    /// was not followed may exist. If none of those that were is left, nothing is judged any more.
    bool gave_up() const;
    /// How many answers were explained so far.
    std::uint64_t explained() const;
    /// How many grants and calls are kept in memory.
    std::size_t kept() const;

private:
    struct Judge;
    std::unique_ptr<Judge> judge_;
};

}  // namespace lockstep::properties::lin
