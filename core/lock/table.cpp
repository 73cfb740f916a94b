#include "core/lock/table.hpp"

#include "core/base/assert.hpp"

#include <algorithm>

namespace lockstep::lock {

using events::AnswerStatus;
using events::CancelEffect;
using events::EndReason;
using events::Operation;

void Table::apply(const Command& command, LogIndex index, Term entry_term, Outcome& out) {
    skip(index);
    out.clear();
    std::visit(
        [&](const auto& c) {
            if constexpr (requires { c.term; })
                if (c.term != entry_term) return;
            on(c, out);
        },
        command);
}

void Table::skip(LogIndex index) {
    LOCKSTEP_ASSERT(index == applied_.next(), "index={} applied={}", index.value, applied_.value);
    applied_ = index;
}

void Table::on(const Open& c, Outcome& out) {
    out.answer.operation = Operation::Open;
    Client& client = clients_[c.client];
    if (const SessionId* known = client.live.find(c.nonce)) {
        out.answer.status = AnswerStatus::Ok;
        out.answer.session = *known;
        out.ttl = sessions_.find(*known)->ttl;
        return;
    }
    const auto is_it = [&](const Ended& ended) { return ended.nonce == c.nonce; };
    if (std::any_of(client.ended.begin(), client.ended.end(), is_it)) {
        out.answer.status = AnswerStatus::SessionOver;
        return;
    }

    if (sessions_.size() >= limits_.sessions) {
        out.answer.status = AnswerStatus::LimitReached;
        out.limit = events::Limit::Sessions;
        return;
    }

    const SessionId id(applied_.value);
    Session& session = sessions_[id];
    session.client = c.client;
    session.nonce = c.nonce;
    session.ttl = c.ttl;
    sum_ += hash_of(id, session);
    client.live[c.nonce] = id;
    out.answer.status = AnswerStatus::Ok;
    out.answer.session = id;
    out.ttl = c.ttl;
    out.opened = id;
    out.events.push_back(events::SessionOpened{id, c.nonce, c.ttl, c.client});
}

void Table::on(const Close& c, Outcome& out) {
    out.answer.operation = Operation::Close;
    out.answer.session = c.session;
    out.answer.seq = c.seq;
    if (!live(c.session)) {
        out.answer.status = AnswerStatus::SessionOver;
        return;
    }
    out.answer.status = AnswerStatus::Ok;
    end_session(c.session, Term(), EndReason::Closed, Duration(), out);
}

void Table::on(const Acquire& c, Outcome& out) {
    out.answer.operation = Operation::Acquire;
    out.answer.lock = c.lock;
    Session* session = session_asked(c.session, c.seq, c.mark, out);
    if (session == nullptr || !room_for(*session, c.seq, out)) return;
    // A repeat, or an acquire whose cancel overtook it, changes nothing.
    if (!session->kept.contains(c.seq)) acquire_new(c, *session, out);
    answer_kept(*session->kept.find(c.seq), out);
}

void Table::on(const Cancel& c, Outcome& out) {
    out.answer.operation = Operation::Cancel;
    out.answer.lock = c.lock;
    Session* session = session_asked(c.session, c.seq, c.mark, out);
    if (session == nullptr || !room_for(*session, c.seq, out)) return;
    if (const Kept* kept = session->kept.find(c.seq)) {
        cancel_kept(c, *session, *kept, out);
    } else {
        set_kept(c.session, *session, c.seq, {Operation::Acquire, AnswerStatus::Cancelled, c.lock});
        out.events.push_back(
            events::Cancelled{c.lock, c.session, c.seq, applied_, CancelEffect::Tombstone});
    }
    answer_kept(*session->kept.find(c.seq), out);
}

void Table::on(const Release& c, Outcome& out) {
    out.answer.operation = Operation::Release;
    out.answer.lock = c.lock;
    Session* session = session_asked(c.session, c.seq, c.mark, out);
    if (session == nullptr || !room_for(*session, c.seq, out)) return;
    if (!session->kept.contains(c.seq)) release_new(c, *session, out);
    answer_kept(*session->kept.find(c.seq), out);
}

void Table::on(const Expire& c, Outcome& out) {
    if (live(c.session)) end_session(c.session, c.term, EndReason::Expired, c.delay, out);
}

void Table::on(const EndHold& c, Outcome& out) {
    const Lock* lock = locks_.find(c.lock);
    if (lock == nullptr || !lock->holder || lock->token != c.token) return;
    out.events.push_back(
        events::HoldEnded{c.lock, lock->holder, lock->seq, c.token, applied_, c.term});
    sessions_.find(lock->holder)->grants.erase(c.lock);
    pass_on(c.lock, out);
}

void Table::on(const EndDelay& c, Outcome& out) {
    Lock* lock = locks_.find(c.lock);
    if (lock == nullptr || lock->delay.ns == 0 || lock->token != c.token) return;
    out.events.push_back(events::DelayEnded{c.lock, applied_, c.term});
    out.ended_delays.push_back({c.lock, c.token});
    sum_ -= hash_of(c.lock, *lock);
    lock->delay = Duration();
    serve(c.lock, *lock, out);
}

void Table::on(const Checkpoint& c, Outcome& out) {
    std::uint64_t covered = 0;
    for (const Remaining& lease : c.leases) {
        Session* session = sessions_.find(lease.session);
        if (session == nullptr) continue;
        set_checkpoint(lease.session, *session, lease.left);
        ++covered;
    }
    out.events.push_back(events::LeasesCheckpointed{applied_, c.term, covered});
}

void Table::on(const ClearCheckpoint& c, Outcome& out) {
    Session* session = sessions_.find(c.session);
    if (session == nullptr) return;
    out.cleared = c.session;
    if (!session->checkpoint) return;
    set_checkpoint(c.session, *session, std::nullopt);
    out.events.push_back(events::CheckpointCleared{c.session, applied_});
}

void Table::grants(SessionId id, std::vector<wire::HeldGrant>& out) const {
    const Session* session = sessions_.find(id);
    if (session == nullptr) return;
    for (const auto& [lock, grant] : session->grants) out.push_back({lock, grant.seq, grant.token});
}

void Table::waits(SessionId id, std::vector<RequestSeq>& out) const {
    const Session* session = sessions_.find(id);
    if (session == nullptr) return;
    for (const auto& [lock, wait] : session->waits) out.push_back(wait.seq);
}

SessionId Table::holder(LockId id) const {
    const Lock* lock = locks_.find(id);
    return lock == nullptr ? SessionId() : lock->holder;
}

bool Table::delayed(LockId id) const {
    const Lock* lock = locks_.find(id);
    return lock != nullptr && lock->delay.ns > 0;
}

std::size_t Table::waiters(LockId id) const {
    const Lock* lock = locks_.find(id);
    return lock == nullptr ? 0 : lock->queue.size();
}

}  // namespace lockstep::lock
