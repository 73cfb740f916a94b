#pragma once

#include "core/base/strong.hpp"
#include "core/base/time.hpp"
#include "core/events/lock_events.hpp"

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

/// What clients, servers and resources say to each other. Encoded forms are in codec.hpp.
namespace lockstep::wire {

using events::AnswerStatus;
using events::Operation;

// --- client to server ------------------------------------------------------------------------

/// Opens a session. Idempotent by the nonce; a repeat for a session that has ended is answered
/// SessionOver.
struct Open {
    Nonce nonce;
    SendingNo sending;
    Duration ttl;
};

/// Renews all locks of a session. Not an entry of the log: answered after a confirmation of
/// leadership.
struct KeepAlive {
    SessionId session;
    SendingNo sending;
};

struct Close {
    SessionId session;
    RequestSeq seq;
};

/// `mark`: the client wants no answers of a seq below it any more.
struct Acquire {
    SessionId session;
    RequestSeq seq;
    RequestSeq mark;
    LockId lock;
    bool try_only;  ///< wait_max = 0: refused (`held`) rather than queued
};

/// Ends the wait of an earlier acquire, or gives up the grant that crossed it.
struct Cancel {
    SessionId session;
    RequestSeq seq;  ///< the acquire's
    RequestSeq mark;
    LockId lock;
};

struct Release {
    SessionId session;
    RequestSeq seq;  ///< of this release
    RequestSeq mark;
    LockId lock;
    FencingToken token;
};

using Request = std::variant<Open, KeepAlive, Close, Acquire, Cancel, Release>;

// --- server to client ------------------------------------------------------------------------

/// The server does not lead. `leader` is whom it believes to lead, zero if it knows nobody.
struct NotLeader {
    NodeId leader;
    Operation operation;
    SessionId session;
    RequestSeq seq;
};

struct OpenReply {
    Nonce nonce;
    SendingNo sending;
    AnswerStatus status;  ///< Ok, SessionOver, LimitReached
    SessionId session;
    Duration ttl;
};

struct HeldGrant {
    LockId lock;
    RequestSeq seq;
    FencingToken token;
    bool operator==(const HeldGrant&) const = default;
};

/// `grants` lists what the session holds, so that a lost notice of a grant heals. `waits` lists the
/// acquires that wait, if the service ends holds: whatever grant these get is made later than the
/// renewal was sent.
struct KeepAliveReply {
    SessionId session;
    SendingNo sending;
    AnswerStatus status;  ///< Ok, SessionOver
    std::vector<HeldGrant> grants;
    std::vector<RequestSeq> waits{};
};

/// The answer to a close, acquire, cancel or release. A queued acquire is answered Queued at once
/// and Granted when its turn comes.
struct RequestReply {
    Operation operation;
    AnswerStatus status;
    SessionId session;
    RequestSeq seq;
    LockId lock;
    FencingToken token;    ///< of the grant (Granted, AlreadyHeld), else zero
    RequestSeq other_seq;  ///< the earlier acquire (AlreadyHeld, AlreadyWaiting), else zero
};

/// The leader has as much to do as it takes on (back-pressure). Nothing was done, and nothing is
/// remembered: the request may be sent again, as it was, after `retry_after`.
struct Busy {
    Operation operation;
    SessionId session;
    RequestSeq seq;
    Nonce nonce;  ///< of an opening, else zero
    Duration retry_after;
};

using Reply = std::variant<NotLeader, OpenReply, KeepAliveReply, RequestReply, Busy>;

// --- caller and resource ---------------------------------------------------------------------

struct Write {
    LockId lock;
    FencingToken token;
    std::uint64_t n;   ///< grows within the grant
    std::uint64_t op;  ///< the operation's id, the same in every copy
    std::uint64_t read_version;
    std::uint64_t value;
};

struct Read {
    LockId lock;
    FencingToken token;
    std::uint64_t op;
};

/// A call of an endpoint that knows calls by their idempotency keys: of those with one key the
/// first takes effect, and all are answered alike.
struct Call {
    LockId lock;
    FencingToken token;
    std::uint64_t key;
    std::uint64_t op;  ///< of this attempt, the same in every copy of it
    std::uint64_t value;
};

struct CallReply {
    std::uint64_t op;
    std::uint64_t key;
    bool accepted;
    bool first;           ///< this attempt is the one that took effect
    std::uint64_t value;  ///< of the call that took effect
};

struct WriteReply {
    std::uint64_t op;
    bool accepted;
    std::uint64_t version;
    FencingToken held_token;
};

struct ReadReply {
    std::uint64_t op;
    bool accepted;
    std::uint64_t value;
    std::uint64_t version;
    FencingToken held_token;
};

using ResourceRequest = std::variant<Write, Read, Call>;
using ResourceReply = std::variant<WriteReply, ReadReply, CallReply>;

}  // namespace lockstep::wire
