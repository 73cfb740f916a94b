#include "core/client/client.hpp"

#include "core/base/assert.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::client {

using events::AcquireOutcome;
using events::LossReason;

namespace {

constexpr std::size_t renewals_kept = 16;

LocalTime after(LocalTime now, Duration d) {
    const Duration room = LocalTime::never() - std::max(now, LocalTime());
    return d >= room ? LocalTime::never() : now + d;
}

}  // namespace

Client::Client(Config config, Prng prng)
    : config_(std::move(config)), prng_(prng), nonces_(config_.first_nonce) {
    LOCKSTEP_ASSERT(!config_.servers.empty(), "client {}", config_.self.value);
    LOCKSTEP_ASSERT(shrink(config_.ttl, config_.drift_bound) > config_.margin,
                    "ttl={} drift_bound={} margin={}", config_.ttl.ns, config_.drift_bound.value,
                    config_.margin.ns);
    LOCKSTEP_ASSERT(
        config_.hold_max.ns == 0 || shrink(config_.hold_max, config_.drift_bound) > config_.margin,
        "hold_max={} drift_bound={} margin={}", config_.hold_max.ns, config_.drift_bound.value,
        config_.margin.ns);
    LOCKSTEP_ASSERT(config_.requests_max > 0, "client {}", config_.self.value);
    LOCKSTEP_ASSERT(config_.renew_every.ns > 0 && config_.retry_every.ns > 0,
                    "renew_every={} retry_every={}", config_.renew_every.ns,
                    config_.retry_every.ns);
    LOCKSTEP_ASSERT(config_.jitter_percent >= 0 && config_.jitter_percent < 100,
                    "jitter_percent={}", config_.jitter_percent);
    target_ = config_.servers[prng_.below(config_.servers.size())];
}

void Client::step(Input&& input, LocalTime now, Effects& effects) {
    pass_time(now, effects);
    if (const auto* received = std::get_if<Receive>(&input)) {
        std::visit([&](const auto& reply) { on(received->from, reply, now, effects); },
                   received->reply);
    } else if (const auto* reset = std::get_if<LinkReset>(&input)) {
        // Not at once: a server that is down resets whatever is sent to it.
        if (reset->peer == target_) try_next_server(now + config_.retry_every / 10);
    }
    flush(now, effects);
}

/// What has passed by itself, in the order in which the application must learn of it.
void Client::pass_time(LocalTime now, Effects& effects) {
    pass_holds(now, effects);
    pass_deadline(now, effects);
    if (opening_ && opening_->sent && now >= deadline_from(opening_->first_sent, config_.ttl))
        begin_opening(now);  // its session would be over before it began
    std::erase_if(closing_, [now](const Closing& c) { return now >= c.give_up; });
    if (!session_) return;
    for (Pending& pending : session_->pending)
        if (pending.kind == Pending::Kind::Acquire && now >= pending.give_up)
            time_out(pending, now, effects);
}

/// The service ends the hold by itself, later than this.
void Client::pass_holds(LocalTime now, Effects& effects) {
    if (!session_ || config_.hold_max.ns == 0) return;
    const LocalTime upto = std::min(now, session_->deadline);
    session_->grants.erase_if([&](const auto& item) {
        const auto& [lock, grant] = item;
        if (grant.until > upto) return false;
        effects.events.emplace_back(
            events::LossTold{lock, session_->id, grant.token, LossReason::HoldEnded});
        effects.notices.emplace_back(Lost{lock, grant.token, LossReason::HoldEnded});
        return true;
    });
}

void Client::pass_deadline(LocalTime now, Effects& effects) {
    if (!session_ || now < session_->deadline) return;
    const SessionId over = session_->id;
    const RequestSeq seq = session_->last_seq.next();
    lose_session(LossReason::DeadlinePassed, effects);
    closing_.push_back(Closing{over, seq, now, now + config_.ttl});
}

/// The application goes on without the lock. Whatever becomes of the wait, it is undone.
void Client::time_out(Pending& acquire, LocalTime now, Effects& effects) {
    finish_acquire(acquire, AcquireOutcome::TimedOut, FencingToken(), effects);
    effects.events.emplace_back(events::CancelSent{acquire.lock, session_->id, acquire.seq});
    acquire.kind = Pending::Kind::Cancel;
    acquire.queued = false;
    acquire.sent = false;
    acquire.give_up = LocalTime::never();
    acquire.send_at = now;
}

LocalTime Client::wake_at() const {
    LocalTime at = LocalTime::never();
    if (opening_) {
        at = std::min(at, opening_->send_at);
        if (opening_->sent) at = std::min(at, deadline_from(opening_->first_sent, config_.ttl));
    }
    for (const Closing& closing : closing_) at = std::min({at, closing.send_at, closing.give_up});
    if (session_) {
        at = std::min({at, session_->deadline, session_->renew_at});
        for (const Pending& pending : session_->pending)
            at = std::min({at, pending.send_at, pending.give_up});
        for (const auto& [lock, grant] : session_->grants) at = std::min(at, grant.until);
    }
    return at;
}

void Client::open(LocalTime now, Effects& effects) {
    pass_time(now, effects);
    LOCKSTEP_ASSERT(!session_ && !opening_, "session={} opening={}", session().value,
                    opening_.has_value());
    begin_opening(now);
    flush(now, effects);
}

void Client::begin_opening(LocalTime send_at) {
    opening_ = Opening{Nonce(nonces_++), LocalTime(), false, send_at};
}

RequestSeq Client::acquire(LockId lock, Duration wait_max, LocalTime now, Effects& effects) {
    LOCKSTEP_ASSERT(session_.has_value(), "acquire of lock {} without a session", lock.value);
    LOCKSTEP_ASSERT(wait_max.ns >= 0, "wait_max={}", wait_max.ns);
    const bool too_many = session_->last_seq.next().value - mark().value >= config_.requests_max;
    const RequestSeq seq = session_->last_seq = session_->last_seq.next();
    effects.events.emplace_back(events::AcquireCalled{lock, session_->id, seq, wait_max});
    const bool try_only = wait_max.ns == 0;
    Pending asked{Pending::Kind::Acquire,
                  seq,
                  lock,
                  FencingToken(),
                  try_only,
                  false,
                  try_only ? LocalTime::never() : after(now, wait_max),
                  now,
                  false,
                  now};
    if (too_many)
        finish_acquire(asked, AcquireOutcome::LimitReached, FencingToken(), effects);
    else
        session_->pending.push_back(asked);
    pass_time(now, effects);
    flush(now, effects);
    return seq;
}

RequestSeq Client::release(LockId lock, FencingToken token, LocalTime now, Effects& effects) {
    LOCKSTEP_ASSERT(holds(lock, token), "release of lock {} token {}", lock.value, token.value);
    const RequestSeq seq = session_->last_seq = session_->last_seq.next();
    effects.events.emplace_back(events::ReleaseCalled{lock, session_->id, token});
    session_->grants.erase(lock);
    session_->pending.push_back(
        Pending{Pending::Kind::Release, seq, lock, token, false, false, LocalTime::never(), now});
    pass_time(now, effects);
    flush(now, effects);
    return seq;
}

void Client::close(LocalTime now, Effects& effects) {
    LOCKSTEP_ASSERT(session_.has_value(), "close without a session");
    const SessionId over = session_->id;
    const RequestSeq seq = session_->last_seq.next();
    effects.events.emplace_back(events::CloseCalled{over});
    end_pending(effects);
    session_.reset();
    closing_.push_back(Closing{over, seq, now, now + config_.ttl});
    pass_time(now, effects);
    flush(now, effects);
}

bool Client::may_act(LockId lock, FencingToken token, LocalTime now, Effects& effects) {
    const SessionId asked = session();
    const LocalTime until = std::min(deadline(), hold_deadline(lock, token));
    pass_time(now, effects);
    const bool yes = holds(lock, token) && now < until;
    effects.events.emplace_back(events::MayActAsked{lock, asked, token, now, until, yes});
    return yes;
}

LocalTime Client::hold_deadline(LockId lock, FencingToken token) const {
    return holds(lock, token) ? session_->grants.find(lock)->until : LocalTime::never();
}

bool Client::holds(LockId lock, FencingToken token) const {
    if (!session_) return false;
    const Grant* grant = session_->grants.find(lock);
    return grant != nullptr && grant->token == token;
}

// --- sending -----------------------------------------------------------------------------------

void Client::flush(LocalTime now, Effects& effects) {
    silent(now);
    if (opening_ && now >= opening_->send_at) send_opening(now, effects);
    for (Closing& closing : closing_) {
        if (now < closing.send_at) continue;
        closing.send_at = retry_at(now);
        closing.sent = true;
        effects.send.push_back({target_, wire::Close{closing.id, closing.seq}});
    }
    if (!session_) return;
    if (now >= session_->renew_at) send_renewal(now, effects);
    for (Pending& pending : session_->pending)
        if (now >= pending.send_at) send_pending(pending, now, effects);
}

void Client::send_opening(LocalTime now, Effects& effects) {
    const bool first = !opening_->sent;
    if (first) opening_->first_sent = now;
    opening_->sent = true;
    opening_->send_at = retry_at(now);
    sendings_ = sendings_.next();
    effects.events.emplace_back(events::OpenSent{opening_->nonce, sendings_, first});
    effects.send.push_back({target_, wire::Open{opening_->nonce, sendings_, config_.ttl}});
}

void Client::send_renewal(LocalTime now, Effects& effects) {
    sendings_ = sendings_.next();
    if (session_->renewals.size() == renewals_kept)
        session_->renewals.erase(session_->renewals.begin());
    session_->renewals.push_back(Sending{sendings_, now});
    session_->renew_at = retry_at(now);
    effects.events.emplace_back(events::RenewalSent{session_->id, sendings_});
    effects.send.push_back({target_, wire::KeepAlive{session_->id, sendings_}});
}

void Client::send_pending(Pending& pending, LocalTime now, Effects& effects) {
    // Who is in line is told when the turn comes; should that be lost, a renewal's answer says it,
    // too.
    pending.send_at = pending.queued ? LocalTime::never() : retry_at(now);
    pending.sent = true;
    const SessionId id = session_->id;
    switch (pending.kind) {
        case Pending::Kind::Acquire:
            effects.send.push_back(
                {target_, wire::Acquire{id, pending.seq, mark(), pending.lock, pending.try_only}});
            return;
        case Pending::Kind::Cancel:
            effects.send.push_back({target_, wire::Cancel{id, pending.seq, mark(), pending.lock}});
            return;
        case Pending::Kind::Release:
            effects.send.push_back(
                {target_, wire::Release{id, pending.seq, mark(), pending.lock, pending.token}});
            return;
    }
}

LocalTime Client::deadline_from(LocalTime sent, Duration ttl) const {
    return sent + shrink(ttl, config_.drift_bound) - config_.margin;
}

LocalTime Client::hold_until(const Pending& acquire) const {
    return config_.hold_max.ns == 0 ? LocalTime::never()
                                    : deadline_from(acquire.waited_at, config_.hold_max);
}

/// Below it nothing is open, so that the service may forget its answers.
RequestSeq Client::mark() const {
    RequestSeq lowest = session_->last_seq.next();
    for (const Pending& pending : session_->pending) lowest = std::min(lowest, pending.seq);
    return lowest;
}

/// Jittered, lest clients that lost the same server come back in step.
LocalTime Client::retry_at(LocalTime now) {
    const Duration least = config_.retry_every * (100 - config_.jitter_percent) / 100;
    const Duration wait = prng_.between(least, config_.retry_every);
    return now + wait;
}

/// Of the TTL that the service granted, a renewal takes at most a third, whatever was configured.
LocalTime Client::renewal_after(LocalTime sent, Duration ttl) {
    const Duration most = std::min(config_.renew_every, ttl / 3);
    const Duration least = most * (100 - config_.jitter_percent) / 100;
    const Duration wait = prng_.between(least, most);
    return sent + wait;
}

/// The server of before no longer answers for anything: all that is open is asked anew, a waiter
/// under its old seq, which keeps its place in line.
void Client::retarget(NodeId server, LocalTime send_at) {
    target_ = server;
    target_heard_ = send_at;
    if (opening_) opening_->send_at = send_at;
    for (Closing& closing : closing_) closing.send_at = send_at;
    if (!session_) return;
    if (!session_->renewals.empty()) session_->renew_at = send_at;
    for (Pending& pending : session_->pending) {
        pending.send_at = send_at;
        pending.queued = false;
    }
}

void Client::try_next_server(LocalTime send_at) {
    const auto at = std::ranges::find(config_.servers, target_);
    const auto next = static_cast<std::size_t>(at - config_.servers.begin()) + 1;
    retarget(config_.servers[next % config_.servers.size()], send_at);
}

/// Something is due again, and the server has not been heard since it was sent: another one may
/// know more.
void Client::silent(LocalTime now) {
    const auto overdue = [now](const auto& asked) { return asked.sent && now >= asked.send_at; };
    const bool again = (opening_ && overdue(*opening_)) || std::ranges::any_of(closing_, overdue) ||
                       (session_ && !session_->renewals.empty() && now >= session_->renew_at) ||
                       (session_ && std::ranges::any_of(session_->pending, overdue));
    if (again && now - target_heard_ >= config_.retry_every) try_next_server(now);
}

}  // namespace lockstep::client
