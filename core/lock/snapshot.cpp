#include "core/lock/table.hpp"

#include <algorithm>

/// The table as bytes: sessions with the answers kept, locks with their queues, nonces of ended
/// sessions. Everything is in ascending order, so that equal tables have equal bytes.
namespace lockstep::lock {

using events::AnswerStatus;
using events::Operation;

void Table::encode(Writer& out) const {
    out.id(applied_);
    out.varint(sessions_.size());
    for (const auto& [id, session] : sessions_) {
        out.id(id);
        out.id(session.client);
        out.id(session.nonce);
        out.duration(session.ttl);
        out.id(session.mark);
        out.boolean(session.checkpoint.has_value());
        if (session.checkpoint) out.duration(*session.checkpoint);
        out.varint(session.kept.size());
        for (const auto& [seq, kept] : session.kept) {
            out.id(seq);
            out.u8(static_cast<std::uint8_t>(kept.operation));
            out.u8(static_cast<std::uint8_t>(kept.status));
            out.id(kept.lock);
            out.id(kept.token);
            out.id(kept.other_seq);
            out.boolean(kept.cancel_seen);
        }
    }
    out.varint(locks_.size());
    for (const auto& [id, lock] : locks_) {
        out.id(id);
        out.id(lock.holder);
        out.id(lock.seq);
        out.id(lock.token);
        out.duration(lock.delay);
        out.varint(lock.queue.size());
        lock.queue.for_each([&](const Waiter& waiter) {
            out.id(waiter.session);
            out.id(waiter.seq);
            out.id(waiter.since);
        });
    }
    std::size_t remembered = 0;
    for (const auto& [id, client] : clients_) remembered += client.ended.empty() ? 0 : 1;
    out.varint(remembered);
    for (const auto& [id, client] : clients_) {
        if (client.ended.empty()) continue;
        out.id(id);
        out.varint(client.ended.size());
        for (const Ended& ended : client.ended) {
            out.id(ended.nonce);
            out.id(ended.at);
        }
    }
}

std::optional<Table> Table::decode(std::span<const std::byte> bytes, Limits limits) {
    Reader in(bytes);
    Table table(limits);
    table.applied_ = in.id<LogIndex>();
    if (!table.decode_sessions(in) || !table.decode_locks(in) || !table.decode_ended(in) ||
        !in.done() || !table.kept_agree())
        return std::nullopt;
    return table;
}

bool Table::decode_sessions(Reader& in) {
    SessionId last;
    for (std::size_t left = in.count(); left > 0; --left) {
        const auto id = in.id<SessionId>();
        if (in.failed() || id <= last || id.value > applied_.value) return false;
        last = id;
        Session& session = sessions_[id];
        session.client = in.id<NodeId>();
        session.nonce = in.id<Nonce>();
        session.ttl = in.duration();
        session.mark = in.id<RequestSeq>();
        if (in.boolean()) session.checkpoint = in.duration();
        if (session.checkpoint.value_or(Duration()).ns < 0) return false;
        if (in.failed() || session.mark < RequestSeq(1)) return false;
        SessionId& known = clients_[session.client].live[session.nonce];
        if (known) return false;
        known = id;
        sum_ += hash_of(id, session);
        if (!decode_kept(in, id, session)) return false;
    }
    return !in.failed();
}

bool Table::decode_kept(Reader& in, SessionId id, Session& session) {
    RequestSeq next = session.mark;
    for (std::size_t left = in.count(); left > 0; --left) {
        const auto seq = in.id<RequestSeq>();
        Kept kept;
        kept.operation = in.enumerator<Operation>(6);
        kept.status = in.enumerator<AnswerStatus>(11);
        kept.lock = in.id<LockId>();
        kept.token = in.id<FencingToken>();
        kept.other_seq = in.id<RequestSeq>();
        kept.cancel_seen = in.boolean();
        if (in.failed() || seq < next || kept.token.value > applied_.value) return false;
        if (!may_be_kept(kept)) return false;
        // No seq is above the last one; a second record would not be either.
        if (seq == RequestSeq(UINT64_MAX) && left > 1) return false;
        next = seq.next();
        session.kept[seq] = kept;
        sum_ += hash_of(id, seq, kept);
    }
    return !in.failed();
}

bool Table::may_be_kept(const Kept& kept) {
    switch (kept.status) {
        case AnswerStatus::Granted:
        case AnswerStatus::Queued:
        case AnswerStatus::Cancelled:
            return kept.operation == Operation::Acquire && !kept.cancel_seen;
        case AnswerStatus::Held:
        case AnswerStatus::AlreadyHeld:
        case AnswerStatus::AlreadyWaiting:
        case AnswerStatus::LimitReached:
            return kept.operation == Operation::Acquire;
        case AnswerStatus::Ok:
        case AnswerStatus::NotHeld:
            return kept.operation == Operation::Release && !kept.cancel_seen;
        case AnswerStatus::Stale:
        case AnswerStatus::SessionOver:
            return false;
    }
    return false;
}

bool Table::decode_locks(Reader& in) {
    LockId next;
    bool first = true;
    for (std::size_t left = in.count(); left > 0; --left) {
        const auto id = in.id<LockId>();
        if (in.failed() || (!first && id <= next)) return false;
        first = false;
        next = id;
        Lock& lock = locks_[id];
        lock.holder = in.id<SessionId>();
        lock.seq = in.id<RequestSeq>();
        lock.token = in.id<FencingToken>();
        lock.delay = in.duration();
        if (in.failed() || !lock.token || lock.token.value > applied_.value || lock.delay.ns < 0)
            return false;
        if (lock.delay.ns > 0) {
            if (lock.holder || lock.seq) return false;
        } else {
            Session* holder = sessions_.find(lock.holder);
            if (holder == nullptr) return false;
            holder->grants[id] = {lock.seq, lock.token};
        }
        sum_ += hash_of(id, lock);
        if (!decode_queue(in, id, lock)) return false;
    }
    return !in.failed();
}

bool Table::decode_queue(Reader& in, LockId id, Lock& lock) {
    LogIndex last;
    for (std::size_t left = in.count(); left > 0; --left) {
        Waiter waiter;
        waiter.session = in.id<SessionId>();
        waiter.seq = in.id<RequestSeq>();
        waiter.since = in.id<LogIndex>();
        Session* session = sessions_.find(waiter.session);
        if (in.failed() || session == nullptr || waiter.session == lock.holder ||
            session->waits.contains(id) || waiter.since <= last || waiter.since > applied_)
            return false;
        last = waiter.since;
        session->waits[id] = {waiter.seq, waiter.since};
        lock.queue.push(waiter);
        sum_ += hash_of(id, waiter);
    }
    return !in.failed();
}

bool Table::decode_ended(Reader& in) {
    NodeId last;
    bool first = true;
    for (std::size_t left = in.count(); left > 0; --left) {
        const auto id = in.id<NodeId>();
        const std::size_t count = in.count();
        if (in.failed() || (!first && id <= last)) return false;
        if (count == 0 || count > ended_nonces_kept) return false;
        first = false;
        last = id;
        Client& client = clients_[id];
        LogIndex at;
        for (std::size_t i = 0; i < count; ++i) {
            const Ended ended{in.id<Nonce>(), in.id<LogIndex>()};
            const bool known = std::any_of(client.ended.begin(), client.ended.end(),
                                           [&](const Ended& e) { return e.nonce == ended.nonce; });
            if (in.failed() || known || client.live.contains(ended.nonce) || ended.at <= at ||
                ended.at > applied_)
                return false;
            at = ended.at;
            client.ended.push_back(ended);
            sum_ += hash_of(id, ended);
        }
    }
    return !in.failed();
}

/// The answers kept say of waits and grants what the locks say.
bool Table::kept_agree() const {
    for (const auto& [id, session] : sessions_) {
        for (const auto& [seq, kept] : session.kept) {
            if (kept.status != AnswerStatus::Queued) continue;
            const Wait* wait = session.waits.find(kept.lock);
            if (wait == nullptr || wait->seq != seq) return false;
        }
        for (const auto& [lock, wait] : session.waits) {
            const Kept* kept = session.kept.find(wait.seq);
            if (wait.seq < session.mark) continue;
            if (kept == nullptr || kept->status != AnswerStatus::Queued || kept->lock != lock)
                return false;
        }
        for (const auto& [lock, grant] : session.grants) {
            if (grant.seq < session.mark) continue;
            const Kept* kept = session.kept.find(grant.seq);
            if (kept == nullptr || kept->status != AnswerStatus::Granted || kept->lock != lock ||
                kept->token != grant.token)
                return false;
        }
    }
    return true;
}

}  // namespace lockstep::lock
