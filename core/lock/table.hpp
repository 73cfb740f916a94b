#pragma once

#include "core/base/codec.hpp"
#include "core/base/flat_map.hpp"
#include "core/events/event.hpp"
#include "core/lock/command.hpp"
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

/// What one entry did. Reused from entry to entry.
struct Outcome {
    /// To whoever asked. For an opening: the session, and Ok or SessionOver. Nobody asked for an
    /// expiry.
    wire::RequestReply answer{};
    Duration ttl;      ///< of the session, in the answer to an opening
    SessionId opened;  ///< the session that began, if one did
    SessionId ended;   ///< the session that ended, if one did
    std::vector<Notice> notices;
    std::vector<events::Event> events;  ///< in the order in which it happened

    void clear() {
        answer = {};
        ttl = {};
        opened = ended = SessionId();
        notices.clear();
        events.clear();
    }
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
/// most one session, so a lock is granted at most once an index, and its tokens only grow.
///
/// A lock that nobody holds is not in the table: the state is bounded by what sessions have, not by
/// the names that ever were used.
class Table {
public:
    static constexpr std::size_t ended_nonces_kept = 32;

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
    /// Calls visitor(SessionId, Duration ttl) for each live session, oldest first.
    template <class Visitor>
    void for_each_session(Visitor&& visitor) const {
        for (const auto& [id, session] : sessions_) visitor(id, session.ttl);
    }

    /// The holder's session, zero if the lock is free.
    SessionId holder(LockId lock) const;
    /// How many wait for the lock.
    std::size_t waiters(LockId lock) const;

    /// Everything, sessions, answers and queues included.
    void encode(Writer& out) const;
    /// Takes any bytes. A table that is given back is consistent: no entry can make it fail an
    /// assertion.
    static std::optional<Table> decode(std::span<const std::byte> bytes);

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
    struct Session {
        NodeId client;
        Nonce nonce;
        Duration ttl;
        RequestSeq mark{1};
        FlatMap<RequestSeq, Kept> kept;
        // What the locks say, by session. Not part of the hash or the snapshot.
        FlatMap<LockId, Grant> grants;
        FlatMap<LockId, RequestSeq> waits;
    };
    struct Waiter {
        SessionId session;
        RequestSeq seq;
        LogIndex
            since;  ///< the entry that queued it: the order of the queue, and in the hash its place
    };
    struct Lock {
        SessionId holder;
        RequestSeq seq;
        FencingToken token;
        std::vector<Waiter> queue;
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
    void on(const Expire&, Term entry_term, Outcome&);

    // What they are made of (transitions.cpp).
    Session* session_asked(SessionId id, RequestSeq seq, RequestSeq mark, Outcome& out);
    void raise_mark(SessionId id, Session& session, RequestSeq mark);
    void set_kept(SessionId id, Session& session, RequestSeq seq, const Kept& kept);
    static void answer_kept(const Kept& kept, Outcome& out);
    void acquire_new(const Acquire& c, Session& session, Outcome& out);
    void release_new(const Release& c, Session& session, Outcome& out);
    void cancel_kept(const Cancel& c, Session& session, const Kept& kept, Outcome& out);
    void grant(LockId id, SessionId holder, RequestSeq seq, Outcome& out);
    void enqueue(LockId id, SessionId waiter, RequestSeq seq, Outcome& out);
    void leave_queue(LockId id, SessionId waiter);
    void pass_on(LockId id, Outcome& out);
    void end_session(SessionId id, Term term, events::EndReason reason, Outcome& out);
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

    LogIndex applied_;
    std::uint64_t sum_ = 0;
    FlatMap<SessionId, Session> sessions_;
    FlatMap<LockId, Lock> locks_;
    FlatMap<NodeId, Client> clients_;
};

}  // namespace lockstep::lock
