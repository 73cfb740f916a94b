#include "core/base/assert.hpp"
#include "core/base/overloaded.hpp"
#include "core/client/client.hpp"

#include <algorithm>
#include <utility>

/// What servers say, and what it means for the session.
namespace lockstep::client {

using events::AcquireOutcome;
using events::AnswerStatus;
using events::LossReason;
using events::Operation;

/// A hint is followed at once, but only so often in a row: two servers that each take the other for
/// the leader would otherwise play ball with the client.
void Client::on(NodeId from, const wire::NotLeader& reply, LocalTime now, Effects&) {
    if (from != target_) return;  // asked long ago
    const bool known = std::ranges::find(config_.servers, reply.leader) != config_.servers.end();
    if (known && reply.leader != from && redirects_ < config_.servers.size()) {
        ++redirects_;
        retarget(reply.leader, now);
        return;
    }
    redirects_ = 0;
    try_next_server(now + config_.retry_every / 5);
}

/// The server lives, and leads: it is asked again when it said, and no other before. Deadlines and
/// waits go on meanwhile.
void Client::on(NodeId from, const wire::Busy& reply, LocalTime now, Effects&) {
    LocalTime* send_at = from == target_ ? send_at_of(reply) : nullptr;
    if (send_at == nullptr) return;
    redirects_ = 0;
    const Duration wait = std::clamp(reply.retry_after, config_.retry_every / 10, config_.ttl);
    const Duration jittered = prng_.between(wait, wait + wait / 4);
    *send_at = now + jittered;
    target_heard_ = std::max(target_heard_, *send_at);
}

/// When the request that found the server busy is sent next; nothing if it is no longer open.
LocalTime* Client::send_at_of(const wire::Busy& reply) {
    if (reply.operation == Operation::Open)
        return opening_ && opening_->nonce == reply.nonce ? &opening_->send_at : nullptr;
    if (reply.operation == Operation::Close) {
        const auto closing = std::ranges::find(closing_, reply.session, &Closing::id);
        return closing != closing_.end() ? &closing->send_at : nullptr;
    }
    if (!session_ || reply.session != session_->id) return nullptr;
    if (reply.operation == Operation::KeepAlive)
        return session_->renewals.empty() ? nullptr : &session_->renew_at;
    Pending* open = pending(reply.seq);
    if (open == nullptr || open->queued) return nullptr;
    switch (open->kind) {
        case Pending::Kind::Acquire:
            return reply.operation == Operation::Acquire ? &open->send_at : nullptr;
        case Pending::Kind::Cancel:
            return reply.operation == Operation::Cancel ? &open->send_at : nullptr;
        case Pending::Kind::Release:
            return reply.operation == Operation::Release ? &open->send_at : nullptr;
    }
    return nullptr;
}

bool Client::concerns(NodeId from, const wire::Reply& reply) const {
    const auto mine = [this](SessionId id) {
        return (session_ && session_->id == id) ||
               std::ranges::find(closing_, id, &Closing::id) != closing_.end();
    };
    const auto opens = [this](Nonce nonce) { return opening_ && opening_->nonce == nonce; };
    return std::visit(
        Overloaded{[&](const wire::NotLeader& r) {
                       return r.operation == Operation::Open ? opening_ && from == target_
                                                             : mine(r.session);
                   },
                   [&](const wire::OpenReply& r) { return opens(r.nonce); },
                   [&](const wire::KeepAliveReply& r) { return mine(r.session); },
                   [&](const wire::RequestReply& r) { return mine(r.session); },
                   [&](const wire::Busy& r) {
                       return r.operation == Operation::Open ? opens(r.nonce) : mine(r.session);
                   }},
        reply);
}

void Client::on(NodeId from, const wire::OpenReply& reply, LocalTime now, Effects& effects) {
    if (!opening_ || reply.nonce != opening_->nonce) return;
    heard(from, now);
    if (reply.status == AnswerStatus::LimitReached) return;  // asked again in its time
    // The nonce is spent. Not at once: a service that refuses every nonce must not be flooded.
    if (reply.status != AnswerStatus::Ok) {
        begin_opening(retry_at(now));
        return;
    }
    const LocalTime deadline = deadline_from(opening_->first_sent, reply.ttl);
    if (now >= deadline) {
        closing_.push_back(Closing{reply.session, RequestSeq(1), now, now + config_.ttl});
        begin_opening(retry_at(now));
        return;
    }
    Session session;
    session.id = reply.session;
    session.ttl = reply.ttl;
    session.deadline = deadline;
    session.renew_at = renewal_after(opening_->first_sent, reply.ttl);
    session_ = std::move(session);
    effects.events.emplace_back(events::SessionTold{reply.session, reply.nonce, deadline});
    effects.notices.emplace_back(SessionReady{reply.session});
    opening_.reset();
}

void Client::on(NodeId from, const wire::KeepAliveReply& reply, LocalTime now, Effects& effects) {
    if (!session_ || reply.session != session_->id) return;
    auto& sent = session_->renewals;
    const auto sending = std::ranges::find(sent, reply.sending, &Sending::number);
    if (sending == sent.end()) return;
    heard(from, now);
    if (reply.status != AnswerStatus::Ok) {
        session_over(effects);
        return;
    }
    const LocalTime at = sending->at;
    const bool newest = sending + 1 == sent.end();
    sent.erase(sent.begin(), sending + 1);
    const LocalTime deadline = deadline_from(at, session_->ttl);
    if (deadline > session_->deadline) {
        session_->deadline = deadline;
        effects.events.emplace_back(events::DeadlineMoved{session_->id, deadline});
    }
    if (newest) session_->renew_at = renewal_after(at, session_->ttl);
    for (const RequestSeq seq : reply.waits) {
        Pending* open = pending(seq);
        if (open != nullptr) open->waited_at = std::max(open->waited_at, at);
    }
    for (const wire::HeldGrant& grant : reply.grants) {
        Pending* open = pending(grant.seq);
        // Of a seq that is closed, or that is being cancelled, a grant is nothing.
        if (open != nullptr && open->kind == Pending::Kind::Acquire)
            granted(*open, grant.lock, grant.token, now, effects);
    }
}

void Client::on(NodeId from, const wire::RequestReply& reply, LocalTime now, Effects& effects) {
    if (reply.operation == Operation::Close) {
        if (reply.status != AnswerStatus::Ok && reply.status != AnswerStatus::SessionOver) return;
        if (std::erase_if(closing_, [&](const Closing& c) {
                return c.id == reply.session && c.seq == reply.seq;
            }) > 0)
            heard(from, now);
        return;
    }
    if (std::erase_if(closing_, [&](const Closing& c) {
            return c.id == reply.session && reply.status == AnswerStatus::SessionOver;
        }) > 0)
        return;
    if (!session_ || reply.session != session_->id) return;
    heard(from, now);
    if (reply.status == AnswerStatus::SessionOver) {
        session_over(effects);
        return;
    }
    Pending* open = pending(reply.seq);
    if (open == nullptr || reply.status == AnswerStatus::Stale) return;
    switch (open->kind) {
        case Pending::Kind::Acquire:
            if (reply.operation == Operation::Acquire) on_acquire(*open, reply, now, effects);
            return;
        case Pending::Kind::Cancel:  // a grant of it is nothing any more
            if (reply.operation == Operation::Cancel) forget(reply.seq);
            return;
        case Pending::Kind::Release:
            if (reply.operation != Operation::Release) return;
            effects.events.emplace_back(
                events::ReleaseReturned{open->lock, session_->id, open->token, reply.status});
            effects.notices.emplace_back(
                ReleaseDone{open->lock, open->seq, open->token, reply.status});
            forget(reply.seq);
            return;
    }
}

void Client::on_acquire(Pending& open, const wire::RequestReply& reply, LocalTime now,
                        Effects& effects) {
    const auto refused = [&](AcquireOutcome outcome) {
        finish_acquire(open, outcome, FencingToken(), effects);
        forget(open.seq);
    };
    switch (reply.status) {
        case AnswerStatus::Granted:
            granted(open, reply.lock, reply.token, now, effects);
            return;
        case AnswerStatus::Queued:
            open.queued = true;
            open.send_at = LocalTime::never();
            return;
        case AnswerStatus::Held:
            refused(AcquireOutcome::Held);
            return;
        case AnswerStatus::AlreadyHeld:
            refused(AcquireOutcome::AlreadyHeld);
            return;
        case AnswerStatus::AlreadyWaiting:
            refused(AcquireOutcome::AlreadyWaiting);
            return;
        case AnswerStatus::LimitReached:
            refused(AcquireOutcome::LimitReached);
            return;
        case AnswerStatus::Ok:
        case AnswerStatus::Cancelled:  // it was not cancelled by this client, which still waits
        case AnswerStatus::NotHeld:
        case AnswerStatus::Stale:
        case AnswerStatus::SessionOver:
            return;
    }
}

void Client::granted(Pending& open, LockId lock, FencingToken token, LocalTime now,
                     Effects& effects) {
    LOCKSTEP_ASSERT(open.kind == Pending::Kind::Acquire, "seq={}", open.seq.value);
    if (lock != open.lock || !token) return;  // no grant that was asked for
    const LocalTime until = hold_until(open);
    if (now >= until) {
        time_out(open, now, effects);  // it may be over as soon as it is believed
        return;
    }
    session_->grants[open.lock] = Grant{open.seq, token, until};
    effects.events.emplace_back(events::GrantTold{open.lock, session_->id, open.seq, token,
                                                  std::min(session_->deadline, until)});
    finish_acquire(open, AcquireOutcome::Granted, token, effects);
    forget(open.seq);
}

void Client::finish_acquire(const Pending& open, AcquireOutcome outcome, FencingToken token,
                            Effects& effects) {
    effects.events.emplace_back(
        events::AcquireReturned{open.lock, session_->id, open.seq, outcome});
    effects.notices.emplace_back(AcquireDone{open.lock, open.seq, outcome, token});
}

void Client::session_over(Effects& effects) {
    effects.events.emplace_back(events::SessionOverTold{session_->id});
    lose_session(LossReason::SessionOver, effects);
}

void Client::lose_session(LossReason reason, Effects& effects) {
    for (const auto& [lock, grant] : session_->grants) {
        effects.events.emplace_back(events::LossTold{lock, session_->id, grant.token, reason});
        effects.notices.emplace_back(Lost{lock, grant.token, reason});
    }
    end_pending(effects);
    effects.notices.emplace_back(SessionLost{session_->id, reason});
    session_.reset();
}

void Client::end_pending(Effects& effects) {
    for (const Pending& open : session_->pending) {
        if (open.kind == Pending::Kind::Acquire)
            finish_acquire(open, AcquireOutcome::SessionOver, FencingToken(), effects);
        if (open.kind == Pending::Kind::Release)
            effects.notices.emplace_back(
                ReleaseDone{open.lock, open.seq, open.token, AnswerStatus::SessionOver});
    }
}

void Client::heard(NodeId from, LocalTime now) {
    redirects_ = 0;
    if (from == target_) target_heard_ = now;
}

Client::Pending* Client::pending(RequestSeq seq) {
    const auto it = std::ranges::find(session_->pending, seq, &Pending::seq);
    return it == session_->pending.end() ? nullptr : &*it;
}

void Client::forget(RequestSeq seq) {
    std::erase_if(session_->pending, [seq](const Pending& p) { return p.seq == seq; });
}

}  // namespace lockstep::client
