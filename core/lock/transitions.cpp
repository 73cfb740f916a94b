#include "core/base/assert.hpp"
#include "core/lock/table.hpp"

#include <algorithm>

/// What the commands are made of. Each keeps the table's invariants and the sum of hashes.
namespace lockstep::lock {

using events::AnswerStatus;
using events::CancelEffect;
using events::Operation;
using events::RefusalReason;

/// The session, if the request concerns it still; otherwise the request is answered.
Table::Session* Table::session_asked(SessionId id, RequestSeq seq, RequestSeq mark, Outcome& out) {
    out.answer.session = id;
    out.answer.seq = seq;
    Session* session = sessions_.find(id);
    if (session == nullptr) {
        out.answer.status = AnswerStatus::SessionOver;
        return nullptr;
    }
    raise_mark(id, *session, mark);
    if (seq < session->mark) {
        out.answer.status = AnswerStatus::Stale;
        return nullptr;
    }
    return session;
}

/// Whether there is an answer to the seq, or room for one.
bool Table::room_for(const Session& session, RequestSeq seq, Outcome& out) const {
    if (session.kept.size() < limits_.requests_per_session || session.kept.contains(seq))
        return true;
    out.answer.status = AnswerStatus::LimitReached;
    out.limit = events::Limit::RequestsPerSession;
    return false;
}

void Table::raise_mark(SessionId id, Session& session, RequestSeq mark) {
    if (mark <= session.mark) return;
    sum_ -= hash_of(id, session);
    session.mark = mark;
    sum_ += hash_of(id, session);
    session.kept.erase_if([&](const auto& item) {
        if (item.first >= mark) return false;
        sum_ -= hash_of(id, item.first, item.second);
        return true;
    });
}

void Table::answer_kept(const Kept& kept, Outcome& out) {
    out.answer.status = kept.status;
    out.answer.lock = kept.lock;
    out.answer.token = kept.token;
    out.answer.other_seq = kept.other_seq;
}

void Table::set_kept(SessionId id, Session& session, RequestSeq seq, const Kept& kept) {
    if (const Kept* before = session.kept.find(seq)) sum_ -= hash_of(id, seq, *before);
    session.kept[seq] = kept;
    sum_ += hash_of(id, seq, kept);
}

void Table::acquire_new(const Acquire& c, Session& session, Outcome& out) {
    const auto refuse = [&](AnswerStatus status, RefusalReason reason, Grant other = {}) {
        set_kept(c.session, session, c.seq,
                 {Operation::Acquire, status, c.lock, other.token, other.seq});
        out.events.push_back(events::Refused{c.lock, c.session, c.seq, applied_, reason});
    };
    const auto beyond = [&](events::Limit limit) {
        refuse(AnswerStatus::LimitReached, RefusalReason::LimitReached);
        out.limit = limit;
    };
    const Lock* lock = locks_.find(c.lock);
    if (const Grant* held = session.grants.find(c.lock)) {
        refuse(AnswerStatus::AlreadyHeld, RefusalReason::AlreadyHeld, *held);
    } else if (const Wait* wait = session.waits.find(c.lock)) {
        refuse(AnswerStatus::AlreadyWaiting, RefusalReason::AlreadyWaiting, {wait->seq, {}});
    } else if (session.grants.size() + session.waits.size() >= limits_.locks_per_session) {
        beyond(events::Limit::LocksPerSession);
    } else if (lock == nullptr) {
        grant(c.lock, c.session, c.seq, out);
    } else if (c.try_only) {
        refuse(AnswerStatus::Held, RefusalReason::Held);
    } else if (lock->queue.size() >= limits_.waiters) {
        beyond(events::Limit::Waiters);
    } else {
        enqueue(c.lock, c.session, c.seq, out);
    }
}

void Table::release_new(const Release& c, Session& session, Outcome& out) {
    const Grant* held = session.grants.find(c.lock);
    const bool holds = held != nullptr && held->token == c.token;
    set_kept(c.session, session, c.seq,
             {Operation::Release, holds ? AnswerStatus::Ok : AnswerStatus::NotHeld, c.lock});
    if (!holds) return;
    out.events.push_back(events::Released{c.lock, c.session, held->seq, held->token, applied_});
    session.grants.erase(c.lock);
    pass_on(c.lock, out);
}

/// A cancel that found an answer of its acquire.
void Table::cancel_kept(const Cancel& c, Session& session, const Kept& kept, Outcome& out) {
    // That seq was given to a release: there is no acquire to cancel.
    if (kept.operation == Operation::Release) return;
    const LockId lock = kept.lock;
    const auto report = [&](CancelEffect effect) {
        out.events.push_back(events::Cancelled{lock, c.session, c.seq, applied_, effect});
    };
    if (kept.status == AnswerStatus::Cancelled) return;
    if (kept.status == AnswerStatus::Queued) {
        leave_queue(lock, session);
        session.waits.erase(lock);
        set_kept(c.session, session, c.seq, {Operation::Acquire, AnswerStatus::Cancelled, lock});
        report(CancelEffect::LeftQueue);
    } else if (kept.status == AnswerStatus::Granted) {
        const Grant* held = session.grants.find(lock);
        const bool holds = held != nullptr && held->seq == c.seq;
        set_kept(c.session, session, c.seq, {Operation::Acquire, AnswerStatus::Cancelled, lock});
        // A grant that was released before leaves nothing to end, as if the acquire had not come
        // yet.
        report(holds ? CancelEffect::ReleasedGrant : CancelEffect::Tombstone);
        if (!holds) return;
        session.grants.erase(lock);
        pass_on(lock, out);
    } else if (!kept.cancel_seen) {
        Kept seen = kept;
        seen.cancel_seen = true;
        set_kept(c.session, session, c.seq, seen);
        report(CancelEffect::HadFinalAnswer);
    }
}

/// The lock, which nobody holds and nobody waits for any more before this one, goes to the session.
void Table::grant(LockId id, SessionId holder, RequestSeq seq, Outcome& out) {
    Session& session = *sessions_.find(holder);
    const FencingToken token(applied_.value);
    Lock& lock = locks_[id];
    LOCKSTEP_ASSERT(!lock.holder && lock.delay.ns == 0 && lock.token < token,
                    "lock={} holder={} token={} index={}", id.value, lock.holder.value,
                    lock.token.value, applied_.value);
    lock.holder = holder;
    lock.seq = seq;
    lock.token = token;
    sum_ += hash_of(id, lock);
    session.grants[id] = {seq, token};
    out.granted.push_back({id, token});
    // Whoever raised its mark past a request that still waited asked not to be answered.
    if (seq >= session.mark)
        set_kept(holder, session, seq, {Operation::Acquire, AnswerStatus::Granted, id, token});
    out.events.push_back(events::Granted{id, holder, seq, token});
}

void Table::enqueue(LockId id, SessionId waiter, RequestSeq seq, Outcome& out) {
    Lock& lock = *locks_.find(id);
    Session& session = *sessions_.find(waiter);
    const std::uint64_t position = lock.queue.size();
    const Waiter last{waiter, seq, applied_};
    lock.queue.push(last);
    sum_ += hash_of(id, last);
    session.waits[id] = {seq, applied_};
    set_kept(waiter, session, seq, {Operation::Acquire, AnswerStatus::Queued, id});
    out.events.push_back(events::Queued{id, waiter, seq, applied_, position});
}

/// The session waits for the lock, and shall no longer; its own note of that is left to the caller.
void Table::leave_queue(LockId id, Session& session) {
    Lock* lock = locks_.find(id);
    const Wait* wait = session.waits.find(id);
    LOCKSTEP_ASSERT(lock != nullptr && wait != nullptr, "lock={}", id.value);
    const Waiter* waiter = lock->queue.find(wait->since);
    LOCKSTEP_ASSERT(waiter != nullptr, "lock={} since={}", id.value, wait->since.value);
    sum_ -= hash_of(id, *waiter);
    lock->queue.leave(wait->since);
}

/// The holder's grant has ended: the lock goes to its next waiter, or is forgotten.
void Table::pass_on(LockId id, Outcome& out) {
    Lock* lock = locks_.find(id);
    LOCKSTEP_ASSERT(lock != nullptr && lock->holder, "lock={}", id.value);
    out.ended_holds.push_back({id, lock->token});
    sum_ -= hash_of(id, *lock);
    lock->holder = SessionId();
    serve(id, *lock, out);
}

/// The lock, which nobody holds and which is not in the hash, goes to its next waiter, if any.
void Table::serve(LockId id, Lock& lock, Outcome& out) {
    if (lock.queue.empty()) {
        locks_.erase(id);
        return;
    }
    const Waiter next = lock.queue.front();
    sum_ -= hash_of(id, next);
    lock.queue.pop_front();
    sessions_.find(next.session)->waits.erase(id);
    grant(id, next.session, next.seq, out);
    out.notices.push_back({next.session, {id, next.seq, lock.token}});
}

/// The holder expired: the lock goes to nobody before the delay has ended.
void Table::start_delay(LockId id, Duration delay, Outcome& out) {
    Lock* lock = locks_.find(id);
    LOCKSTEP_ASSERT(lock != nullptr && lock->holder, "lock={}", id.value);
    const Hold before{id, lock->token};
    out.events.push_back(events::DelayStarted{id, lock->holder, lock->token, applied_});
    out.ended_holds.push_back(before);
    out.delayed.push_back({before, delay});
    sum_ -= hash_of(id, *lock);
    lock->holder = SessionId();
    lock->seq = RequestSeq();
    lock->delay = delay;
    sum_ += hash_of(id, *lock);
}

/// First its waits leave all queues, then its locks are freed, in the order of their ids.
void Table::end_session(SessionId id, Term term, events::EndReason reason, Duration delay,
                        Outcome& out) {
    Session& session = *sessions_.find(id);
    for (const auto& [lock, wait] : session.waits) leave_queue(lock, session);
    sum_ -= hash_of(id, session);
    for (const auto& [seq, kept] : session.kept) sum_ -= hash_of(id, seq, kept);
    remember_ended(session.client, session.nonce);
    const FlatMap<LockId, Grant> held = std::move(session.grants);
    sessions_.erase(id);
    out.ended = id;
    out.events.push_back(events::SessionEnded{id, applied_, term, reason});
    for (const auto& [lock, grant] : held) {
        if (delay.ns > 0)
            start_delay(lock, delay, out);
        else
            pass_on(lock, out);
    }
}

void Table::set_checkpoint(SessionId id, Session& session, std::optional<Duration> checkpoint) {
    sum_ -= hash_of(id, session);
    session.checkpoint = checkpoint;
    sum_ += hash_of(id, session);
}

void Table::remember_ended(NodeId id, Nonce nonce) {
    Client& client = clients_[id];
    client.live.erase(nonce);
    if (client.ended.size() == ended_nonces_kept) {
        sum_ -= hash_of(id, client.ended.front());
        client.ended.erase(client.ended.begin());
    }
    client.ended.push_back({nonce, applied_});
    sum_ += hash_of(id, client.ended.back());
}

}  // namespace lockstep::lock
