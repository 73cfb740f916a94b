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
            if constexpr (std::is_same_v<std::decay_t<decltype(c)>, Expire>) {
                on(c, entry_term, out);
            } else {
                on(c, out);
            }
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
    end_session(c.session, Term(), EndReason::Closed, out);
}

void Table::on(const Acquire& c, Outcome& out) {
    out.answer.operation = Operation::Acquire;
    out.answer.lock = c.lock;
    Session* session = session_asked(c.session, c.seq, c.mark, out);
    if (session == nullptr) return;
    // A repeat, or an acquire whose cancel overtook it, changes nothing.
    if (!session->kept.contains(c.seq)) acquire_new(c, *session, out);
    answer_kept(*session->kept.find(c.seq), out);
}

void Table::on(const Cancel& c, Outcome& out) {
    out.answer.operation = Operation::Cancel;
    out.answer.lock = c.lock;
    Session* session = session_asked(c.session, c.seq, c.mark, out);
    if (session == nullptr) return;
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
    if (session == nullptr) return;
    if (!session->kept.contains(c.seq)) release_new(c, *session, out);
    answer_kept(*session->kept.find(c.seq), out);
}

void Table::on(const Expire& c, Term entry_term, Outcome& out) {
    if (c.term != entry_term || !live(c.session)) return;
    end_session(c.session, c.term, EndReason::Expired, out);
}

void Table::grants(SessionId id, std::vector<wire::HeldGrant>& out) const {
    const Session* session = sessions_.find(id);
    if (session == nullptr) return;
    for (const auto& [lock, grant] : session->grants) out.push_back({lock, grant.seq, grant.token});
}

SessionId Table::holder(LockId id) const {
    const Lock* lock = locks_.find(id);
    return lock == nullptr ? SessionId() : lock->holder;
}

std::size_t Table::waiters(LockId id) const {
    const Lock* lock = locks_.find(id);
    return lock == nullptr ? 0 : lock->queue.size();
}

}  // namespace lockstep::lock
