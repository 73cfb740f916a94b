#pragma once

#include "core/base/codec.hpp"
#include "core/base/flat_map.hpp"
#include "core/events/event.hpp"
#include "core/lock/command.hpp"
#include "core/lock/wait_queue.hpp"
#include "core/wire/messages.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::lock {

/// A lock passed to one of its waiters.
struct Notice {
    SessionId session;
    wire::HeldGrant grant;
};

/// One grant of a lock.
struct Hold {
    LockId lock;
    FencingToken token;
    auto operator<=>(const Hold&) const = default;
};

/// How long the lock is kept from its next waiter, after that grant.
struct Delay {
    Hold after;
    Duration span;
};

/// What one entry did. Reused from entry to entry.
struct Outcome {
    /// To whoever asked. For an opening: the session, and Ok, SessionOver or LimitReached. Nobody
    /// asked for an expiry.
    wire::RequestReply answer{};
    Duration ttl;                        ///< of the session, in the answer to an opening
    SessionId opened;                    ///< the session that began, if one did
    SessionId ended;                     ///< the session that ended, if one did
    SessionId cleared;                   ///< the session that no checkpoint covers from now on
    std::optional<events::Limit> limit;  ///< the request would have gone beyond it
    std::vector<Notice> notices;
    std::vector<Hold> granted;      ///< to whomever
    std::vector<Hold> ended_holds;  ///< in whichever way
    std::vector<Delay> delayed;     ///< their locks are kept from the next waiter from now on
    std::vector<Hold> ended_delays;
    std::vector<events::Event> events;  ///< in the order in which it happened

    void clear() {
        answer = {};
        ttl = {};
        opened = ended = cleared = SessionId();
        limit.reset();
        notices.clear();
        granted.clear();
        ended_holds.clear();
        delayed.clear();
        ended_delays.clear();
        events.clear();
    }
};

/// Beyond these a request is refused. Part of what the table computes with: equal on all servers.
struct Limits {
    std::uint64_t sessions = 10'000;
    std::uint64_t locks_per_session = 1'000;     ///< held and waited for
    std::uint64_t requests_per_session = 1'000;  ///< answers kept for one session
    std::uint64_t waiters = 10'000;              ///< of one lock
};

/// Sessions, their requests, and the locks that they hold and wait for: the replicated state
/// machine. A function of the entries alone: equal logs make equal tables, hashes and outcomes.
///
/// Requests. Each is (session, seq), takes effect at most once, and its answer is kept until the
/// client's mark passes it. A repeat changes nothing, reports nothing, and gets the answer as it
/// now is: that of an acquire goes from Queued to Granted, and a cancel makes it Cancelled for
/// good.
///
/// Openings. Idempotent by (client, nonce). Of a client's sessions that ended, the last
/// `ended_nonces_kept` nonces are remembered. A copy of an opening older than that begins a session
/// of which its client knows nothing; nothing renews it, and it expires.
///
/// Tokens. The fencing token of a grant is the index of the entry that made it. Each entry ends at
/// most one session, hold or delay, so a lock is granted at most once an index, and its tokens only
/// grow.
///
/// Delays. A lock whose holder expired may be kept from the next waiter for a while. Acquires queue
/// meanwhile, or are refused (`held`) if they only try.
///
/// Limits. An opening beyond them is refused, and nothing is remembered. So is a request beyond
/// what is kept of a session: its `limit` is RequestsPerSession, and it may be made again. An
/// acquire beyond one of the others is refused for good, as by a lock that is held.
///
/// Checkpoints. What remained of a session's lease, for the leader that comes next; in the state
/// until it is cleared or replaced.
///
/// A lock that nobody holds, and that is not delayed, is not in the table: the state is bounded by
/// what sessions have, not by the names that ever were used.
class Table {
public:
    static constexpr std::size_t ended_nonces_kept = 32;

    explicit Table(Limits limits = {}) : limits_(limits) {}

    /// Applies the entry at `index`, which must be the next one.
    void apply(const Command& command, LogIndex index, Term entry_term, Outcome& out);
    /// Passes over an entry that holds no command.
    void skip(LogIndex index);

    LogIndex applied() const { return applied_; }
    /// Equal for equal states; costs nothing, as each change keeps it up.
    std::uint64_t state_hash() const;

    bool live(SessionId session) const { return sessions_.contains(session); }
    std::size_t session_count() const { return sessions_.size(); }
    /// What the session holds, in the order of the locks; appended. None if it is over.
    void grants(SessionId session, std::vector<wire::HeldGrant>& out) const;
    /// The acquires of the session that wait, in the order of the locks; appended.
    void waits(SessionId session, std::vector<RequestSeq>& out) const;
    /// Calls visitor(SessionId, Duration ttl, const std::optional<Duration>& checkpoint) for each
    /// live session, oldest first.
    template <class Visitor>
    void for_each_session(Visitor&& visitor) const {
        for (const auto& [id, session] : sessions_) visitor(id, session.ttl, session.checkpoint);
    }
    /// Calls visitor(Hold, Duration delay) for each lock that is held, or delayed: then `delay` is
    /// not zero, and the token is that of the grant before.
    template <class Visitor>
    void for_each_lock(Visitor&& visitor) const {
        for (const auto& [id, lock] : locks_) visitor(Hold{id, lock.token}, lock.delay);
    }

    /// The holder's session, zero if the lock is free or delayed.
    SessionId holder(LockId lock) const;
    /// The lock is kept from its next waiter.
    bool delayed(LockId lock) const;
    /// How many wait for the lock.
    std::size_t waiters(LockId lock) const;

    /// Everything, sessions, answers and queues included.
    void encode(Writer& out) const;
    /// Takes any bytes. A table that is given back is consistent: no entry can make it fail an
    /// assertion.
    static std::optional<Table> decode(std::span<const std::byte> bytes, Limits limits = {});

private:
    /// The answer kept for a seq. For an acquire it may still change.
    struct Kept {
        events::Operation operation{};  ///< Acquire or Release; a tombstone stands for its acquire
        events::AnswerStatus status{};
        LockId lock{};
        FencingToken token{};
        RequestSeq other_seq{};
        bool cancel_seen = false;  ///< a cancel came after the refusal
    };
    struct Grant {
        RequestSeq seq;
        FencingToken token;
    };
    struct Wait {
        RequestSeq seq;
        LogIndex since;
    };
    struct Session {
        NodeId client;
        Nonce nonce;
        Duration ttl;
        RequestSeq mark{1};
        std::optional<Duration> checkpoint;  ///< what remained of the lease
        FlatMap<RequestSeq, Kept> kept;
        // What the locks say, by session. Not part of the hash or the snapshot.
        FlatMap<LockId, Grant> grants;
        FlatMap<LockId, Wait> waits;
    };
    /// Held, or delayed: then there is no holder, and the token is that of the grant before.
    struct Lock {
        SessionId holder;
        RequestSeq seq;
        FencingToken token;
        Duration delay;
        WaitQueue queue;
    };
    struct Ended {
        Nonce nonce;
        LogIndex at;
    };
    struct Client {
        FlatMap<Nonce, SessionId> live;  // what the sessions say, by client
        std::vector<Ended> ended;        // oldest first
    };

    // One per command (table.cpp).
    void on(const Open&, Outcome&);
    void on(const Close&, Outcome&);
    void on(const Acquire&, Outcome&);
    void on(const Cancel&, Outcome&);
    void on(const Release&, Outcome&);
    void on(const Expire&, Outcome&);
    void on(const EndHold&, Outcome&);
    void on(const EndDelay&, Outcome&);
    void on(const Checkpoint&, Outcome&);
    void on(const ClearCheckpoint&, Outcome&);

    // What they are made of (transitions.cpp).
    Session* session_asked(SessionId id, RequestSeq seq, RequestSeq mark, Outcome& out);
    bool room_for(const Session& session, RequestSeq seq, Outcome& out) const;
    void raise_mark(SessionId id, Session& session, RequestSeq mark);
    void set_kept(SessionId id, Session& session, RequestSeq seq, const Kept& kept);
    static void answer_kept(const Kept& kept, Outcome& out);
    void acquire_new(const Acquire& c, Session& session, Outcome& out);
    void release_new(const Release& c, Session& session, Outcome& out);
    void cancel_kept(const Cancel& c, Session& session, const Kept& kept, Outcome& out);
    void grant(LockId id, SessionId holder, RequestSeq seq, Outcome& out);
    void enqueue(LockId id, SessionId waiter, RequestSeq seq, Outcome& out);
    void leave_queue(LockId id, Session& session);
    void pass_on(LockId id, Outcome& out);
    void serve(LockId id, Lock& lock, Outcome& out);
    void start_delay(LockId id, Duration delay, Outcome& out);
    void end_session(SessionId id, Term term, events::EndReason reason, Duration delay,
                     Outcome& out);
    void set_checkpoint(SessionId id, Session& session, std::optional<Duration> checkpoint);
    void remember_ended(NodeId client, Nonce nonce);

    // Hashes of the parts of the state, of which the state's hash is the sum (table_hash.cpp).
    static std::uint64_t hash_of(SessionId id, const Session& session);
    static std::uint64_t hash_of(SessionId id, RequestSeq seq, const Kept& kept);
    static std::uint64_t hash_of(LockId id, const Lock& lock);
    static std::uint64_t hash_of(LockId id, const Waiter& waiter);
    static std::uint64_t hash_of(NodeId client, const Ended& ended);

    // Snapshots (snapshot.cpp).
    bool decode_sessions(Reader& in);
    bool decode_kept(Reader& in, SessionId id, Session& session);
    bool decode_locks(Reader& in);
    bool decode_queue(Reader& in, LockId id, Lock& lock);
    bool decode_ended(Reader& in);
    static bool may_be_kept(const Kept& kept);
    bool kept_agree() const;

    Limits limits_;
    LogIndex applied_;
    std::uint64_t sum_ = 0;
    FlatMap<SessionId, Session> sessions_;
    FlatMap<LockId, Lock> locks_;
    FlatMap<NodeId, Client> clients_;
};

}  // namespace lockstep::lock
