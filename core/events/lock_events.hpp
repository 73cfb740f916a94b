#pragma once

#include "core/base/strong.hpp"
#include "core/base/time.hpp"

/// What servers report of sessions and locks. The events down to SessionEnded are made by applying
/// an entry; they are the same on every replica and are passed on from its first applier.
namespace lockstep::events {

enum class EndReason : std::uint8_t { Expired, Closed };
enum class CancelEffect : std::uint8_t { LeftQueue, ReleasedGrant, Tombstone, HadFinalAnswer };
enum class RefusalReason : std::uint8_t {
    Held,
    AlreadyHeld,
    AlreadyWaiting,
    SessionOver,
    Stale,
    LimitReached
};
/// Which limit a request ran into.
enum class Limit : std::uint8_t { Sessions, LocksPerSession, RequestsPerSession, Waiters, Pending };
enum class Operation : std::uint8_t { Open, KeepAlive, Close, Acquire, Cancel, Release };
enum class AnswerStatus : std::uint8_t {
    Ok,
    Granted,
    Queued,
    Held,
    AlreadyHeld,
    AlreadyWaiting,
    Cancelled,
    NotHeld,
    Stale,
    SessionOver,
    LimitReached
};

struct SessionOpened {
    static constexpr const char* name = "session-opened";
    SessionId session;  ///< also the index of the entry
    Nonce nonce;
    Duration ttl;
    NodeId client;
    void visit(auto&& f) const {
        f("session", session);
        f("nonce", nonce);
        f("ttl", ttl);
        f("client", client);
    }
};

/// The token is the index of the entry that made the grant.
struct Granted {
    static constexpr const char* name = "granted";
    LockId lock;
    SessionId session;
    RequestSeq seq;
    FencingToken token;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("token", token);
    }
};

struct Queued {
    static constexpr const char* name = "queued";
    LockId lock;
    SessionId session;
    RequestSeq seq;
    LogIndex index;
    std::uint64_t position;  ///< how many wait before it
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("index", index);
        f("position", position);
    }
};

struct Refused {
    static constexpr const char* name = "refused";
    LockId lock;
    SessionId session;
    RequestSeq seq;
    LogIndex index;
    RefusalReason reason;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("index", index);
        f("reason", reason);
    }
};

/// A release by request took effect. `seq` is the grant's, not the release's.
struct Released {
    static constexpr const char* name = "released";
    LockId lock;
    SessionId session;
    RequestSeq seq;
    FencingToken token;
    LogIndex index;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("token", token);
        f("index", index);
    }
};

struct Cancelled {
    static constexpr const char* name = "cancelled";
    LockId lock;
    SessionId session;
    RequestSeq seq;  ///< the acquire's
    LogIndex index;
    CancelEffect effect;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("index", index);
        f("effect", effect);
    }
};

/// The session is over; its waits left all queues, then its locks were freed, at this very index.
/// For an expiry, `term` is that of the leader who proposed it; for a close it is zero.
struct SessionEnded {
    static constexpr const char* name = "session-ended";
    SessionId session;
    LogIndex index;
    Term term;
    EndReason reason;
    void visit(auto&& f) const {
        f("session", session);
        f("index", index);
        f("term", term);
        f("reason", reason);
    }
};

/// The leader of `term` found the session's TTL run out and appended its expiry.
struct ExpiryProposed {
    static constexpr const char* name = "expiry-proposed";
    SessionId session;
    Term term;
    LogIndex index;
    void visit(auto&& f) const {
        f("session", session);
        f("term", term);
        f("index", index);
    }
};

/// A server answered yes to the client's sending number `sending` of a keep-alive (or, with the
/// number of an opening's sending, told the client its session).
struct RenewalAnswered {
    static constexpr const char* name = "renewal-answered";
    SessionId session;
    SendingNo sending;
    NodeId client;
    Term term;
    void visit(auto&& f) const {
        f("session", session);
        f("sending", sending);
        f("client", client);
        f("term", term);
    }
};

/// A server sent the answer to a request that went through the log.
struct Answered {
    static constexpr const char* name = "answered";
    SessionId session;
    RequestSeq seq;
    FencingToken token;  ///< of a grant, else zero
    LogIndex applied;    ///< how far the server had applied
    LockId lock;
    NodeId client;
    Operation operation;
    AnswerStatus status;
    void visit(auto&& f) const {
        f("session", session);
        f("seq", seq);
        f("token", token);
        f("applied", applied);
        f("lock", lock);
        f("client", client);
        f("operation", operation);
        f("status", status);
    }
};

/// The end of a hold: the grant had lasted for hold_max, timed and proposed by the leader of
/// `term`.
struct HoldEnded {
    static constexpr const char* name = "hold-ended";
    LockId lock;
    SessionId session;
    RequestSeq seq;
    FencingToken token;
    LogIndex index;
    Term term;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("seq", seq);
        f("token", token);
        f("index", index);
        f("term", term);
    }
};

/// The holder's session expired, at this index: nobody gets the lock before its delay has ended.
struct DelayStarted {
    static constexpr const char* name = "delay-started";
    LockId lock;
    SessionId session;
    FencingToken token;
    LogIndex index;
    void visit(auto&& f) const {
        f("lock", lock);
        f("session", session);
        f("token", token);
        f("index", index);
    }
};

/// The delay of a lock ended; if somebody waits, Granted with this index follows.
struct DelayEnded {
    static constexpr const char* name = "delay-ended";
    LockId lock;
    LogIndex index;
    Term term;
    void visit(auto&& f) const {
        f("lock", lock);
        f("index", index);
        f("term", term);
    }
};

/// What remains of the sessions' leases was written into the log.
struct LeasesCheckpointed {
    static constexpr const char* name = "leases-checkpointed";
    LogIndex index;
    Term term;
    std::uint64_t sessions;
    void visit(auto&& f) const {
        f("index", index);
        f("term", term);
        f("sessions", sessions);
    }
};

/// A renewal that came after a checkpoint was made to outlive the leader that received it.
struct CheckpointCleared {
    static constexpr const char* name = "checkpoint-cleared";
    SessionId session;
    LogIndex index;
    void visit(auto&& f) const {
        f("session", session);
        f("index", index);
    }
};

/// A new leader counts a session's lease from a checkpoint, not anew.
struct LeaseInherited {
    static constexpr const char* name = "lease-inherited";
    SessionId session;
    Duration remaining;
    Term term;
    void visit(auto&& f) const {
        f("session", session);
        f("remaining", remaining);
        f("term", term);
    }
};

/// The leader received a keep-alive, and will answer it once it knows that it still leads.
struct RenewalReceived {
    static constexpr const char* name = "renewal-received";
    SessionId session;
    SendingNo sending;
    NodeId client;
    Term term;
    void visit(auto&& f) const {
        f("session", session);
        f("sending", sending);
        f("client", client);
        f("term", term);
    }
};

/// A server turned a request away: it would have gone beyond a limit.
struct LimitMet {
    static constexpr const char* name = "limit-met";
    Limit limit;
    Operation operation;
    NodeId client;
    void visit(auto&& f) const {
        f("limit", limit);
        f("operation", operation);
        f("client", client);
    }
};

}  // namespace lockstep::events
