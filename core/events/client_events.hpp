#pragma once

#include "core/base/strong.hpp"
#include "core/base/time.hpp"
#include "core/events/lock_events.hpp"

/// What clients report: what they asked, were told, believe and gave up.
namespace lockstep::events {

enum class AcquireOutcome : std::uint8_t {
    Granted,
    TimedOut,
    Held,
    AlreadyHeld,
    AlreadyWaiting,
    SessionOver,
    LimitReached
};
enum class LossReason : std::uint8_t { DeadlinePassed, SessionOver, HoldEnded };

/// One sending of an opening. `first` only for the first sending of this nonce.
struct OpenSent {
    static constexpr const char* name = "open-sent";
    Nonce nonce;
    SendingNo sending;
    bool first;
    void visit(auto&& f) const {
        f("nonce", nonce);
        f("sending", sending);
        f("first", first);
    }
};

struct RenewalSent {
    static constexpr const char* name = "renewal-sent";
    SessionId session;
    SendingNo sending;
    void visit(auto&& f) const {
        f("session", session);
        f("sending", sending);
    }
};

/// The client learned its session (from the answer to an opening).
struct SessionTold {
    static constexpr const char* name = "session-told";
    SessionId session;
    Nonce nonce;
    LocalTime deadline;
    void visit(auto&& f) const {
        f("session", session);
        f("nonce", nonce);
        f("deadline", deadline);
    }
};

/// An answered renewal moved the session's deadline, on the client's own clock.
struct DeadlineMoved {
    static constexpr const char* name = "deadline-moved";
    SessionId session;
    LocalTime deadline;
    void visit(auto&& f) const {
        f("session", session);
        f("deadline", deadline);
    }
};

struct AcquireCalled {
    static constexpr const char* name = "acquire-called";
    LockId lock;
    SessionId session;
    RequestSeq seq;
    Duration wait_max;  ///< Duration::max() means without end
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("wait_max", wait_max);
    }
};

/// The acquire is final for the application; for Granted, GrantTold came just before.
struct AcquireReturned {
    static constexpr const char* name = "acquire-returned";
    LockId lock;
    SessionId session;
    RequestSeq seq;
    AcquireOutcome outcome;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("outcome", outcome);
    }
};

/// The names of deadlines that the world watches (DeadlinePassed): a session's is its number, that
/// of one grant of a lock this. One entry may grant several locks, under equal tokens.
constexpr std::uint64_t grant_deadline_key(LockId lock, FencingToken token) {
    constexpr unsigned token_bits = 40;
    return std::uint64_t{1} << 63 | std::uint64_t{lock.value} << token_bits | token.value;
}
constexpr bool is_grant_deadline(std::uint64_t key) {
    return key >> 63 != 0;
}

/// The application was told that it holds the lock: its belief begins, and lasts until LossTold,
/// ReleaseCalled, CloseCalled, a crash, or the session's deadline.
struct GrantTold {
    static constexpr const char* name = "grant-told";
    LockId lock;
    SessionId session;
    RequestSeq seq;
    FencingToken token;
    LocalTime deadline;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("token", token);
        f("deadline", deadline);
    }
};

/// The application asked whether it may act; `now` and `deadline` are of the client's own clock.
struct MayActAsked {
    static constexpr const char* name = "may-act";
    LockId lock;
    SessionId session;
    FencingToken token;
    LocalTime now;
    LocalTime deadline;
    bool yes;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("token", token);
        f("now", now);
        f("deadline", deadline);
        f("yes", yes);
    }
};

/// The application was told that it no longer holds the lock.
struct LossTold {
    static constexpr const char* name = "loss-told";
    LockId lock;
    SessionId session;
    FencingToken token;
    LossReason reason;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("token", token);
        f("reason", reason);
    }
};

struct CancelSent {
    static constexpr const char* name = "cancel-sent";
    LockId lock;
    SessionId session;
    RequestSeq seq;  ///< the acquire's
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
    }
};

struct ReleaseCalled {
    static constexpr const char* name = "release-called";
    LockId lock;
    SessionId session;
    FencingToken token;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("token", token);
    }
};

struct ReleaseReturned {
    static constexpr const char* name = "release-returned";
    LockId lock;
    SessionId session;
    FencingToken token;
    AnswerStatus status;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("token", token);
        f("status", status);
    }
};

struct CloseCalled {
    static constexpr const char* name = "close-called";
    SessionId session;
    void visit(auto&& f) const { f("session", session); }
};

/// A server said that the session is over.
struct SessionOverTold {
    static constexpr const char* name = "session-over-told";
    SessionId session;
    void visit(auto&& f) const { f("session", session); }
};

/// The worker reached a named place of its program (`before-write`): faults can be aimed at it.
struct PointReached {
    static constexpr const char* name = "point";
    std::uint32_t point;  ///< an index into the workload's list of points
    void visit(auto&& f) const { f("point", point); }
};

}  // namespace lockstep::events
