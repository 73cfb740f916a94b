#include "properties/orphans.hpp"

#include <algorithm>

namespace lockstep::properties {

// Who asks and who leaves, as applied.

void Orphans::on(const Stamp& stamp, const events::Queued& e) {
    Lock& lock = locks_[e.lock];
    const Request request{e.session, e.seq};
    if (std::find(lock.queue.begin(), lock.queue.end(), request) != lock.queue.end()) return;
    if (lock.somebody_left) context_.ledger.checked(PropertyId::Lock5);
    if (lock.somebody_left && e.position > lock.queue.size()) {
        context_.ledger.object(PropertyId::Lock5, stamp, [&] {
            return fmt::format(
                "{} was queued for lock {} behind {} others, of whom only {} still waited",
                context_.whose(e.session), context_.name(e.lock), e.position, lock.queue.size());
        });
    }
    lock.queue.push_back(request);
}

void Orphans::on(const Stamp& stamp, const events::Granted& e) {
    Lock& lock = locks_[e.lock];
    kept_nobody(stamp, e, lock);
    if (lock.ended) freed_in_time(stamp, *lock.ended, e.lock, lock);
    const Request request{e.session, e.seq};
    std::erase(lock.queue, request);
    lock.holder = request;
    lock.token = e.token;
    lock.ended.reset();
    lock.leaving = {};
    const Sessions::Session* session = context_.sessions.find(e.session);
    lock.client = session ? session->client : sim::ProcessId();
    lock.ttl = session ? session->ttl : context_.setup.ttl;
    if (const Leaving* leaving = leavings_.find(e.session)) lock.leaving = *leaving;
    const sim::SimTime* cancel = cancelling_.find(request);
    if (cancel && !lock.leaving.gave_up) lock.leaving.gave_up = *cancel;
}

/// A grant shows who was at the head of the queue.
void Orphans::kept_nobody(const Stamp& stamp, const events::Granted& e, Lock& lock) {
    const Request request{e.session, e.seq};
    const bool over = context_.sessions.over(e.session);
    const bool undone = !over && cancelled(request);
    if (lock.somebody_left || over || undone) context_.ledger.checked(PropertyId::Lock5);
    lock.somebody_left = false;
    if (over) kept_in_queue(stamp, e.lock, request, "whose session had ended");
    if (undone) kept_in_queue(stamp, e.lock, request, "which had been cancelled");
}

void Orphans::kept_in_queue(const Stamp& stamp, LockId lock, const Request& request,
                            std::string_view why) {
    context_.ledger.object(PropertyId::Lock5, stamp, [&] {
        return fmt::format("lock {} was granted to {} for its request {}, {}", context_.name(lock),
                           context_.whose(request.session), request.seq.value, why);
    });
}

bool Orphans::cancelled(const Request& request) const {
    return std::find(cancelled_.begin(), cancelled_.end(), request) != cancelled_.end();
}

void Orphans::on(const Stamp& stamp, const events::Cancelled& e) {
    Lock& lock = locks_[e.lock];
    const Request request{e.session, e.seq};
    cancelling_.erase(request);
    if (e.effect == events::CancelEffect::HadFinalAnswer) return;
    cancelled_[cancelled_count_++ % cancelled_kept] = request;
    lock.somebody_left = true;
    std::erase(lock.queue, request);
    if (e.effect == events::CancelEffect::ReleasedGrant && lock.holder == request)
        ended(stamp, e.lock, lock);
}

void Orphans::on(const Stamp& stamp, const events::Released& e) {
    Lock& lock = locks_[e.lock];
    if (lock.holder.session == e.session && lock.token == e.token) ended(stamp, e.lock, lock);
}

void Orphans::on(const Stamp& stamp, const events::HoldEnded& e) {
    Lock& lock = locks_[e.lock];
    if (lock.holder.session == e.session && lock.token == e.token) ended(stamp, e.lock, lock);
}

void Orphans::on(const Stamp& stamp, const events::SessionEnded& e) {
    locks_.for_each_item([&](LockId id, Lock& lock) {
        const std::size_t waiting =
            std::erase_if(lock.queue, [&](const Request& r) { return r.session == e.session; });
        if (waiting != 0) lock.somebody_left = true;
        if (lock.holder.session == e.session) ended(stamp, id, lock);
    });
    leavings_.erase(e.session);
    if (!cancelling_.empty())
        cancelling_.erase_if([&](const auto& item) { return item.first.session == e.session; });
}

void Orphans::on(const Stamp&, const events::DelayStarted& e) {
    if (Lock& lock = locks_[e.lock]; lock.ended) lock.ended = sim::SimTime::never();
}

void Orphans::on(const Stamp& stamp, const events::DelayEnded& e) {
    if (Lock& lock = locks_[e.lock]; lock.ended) freed_in_time(stamp, stamp.at, e.lock, lock);
}

// Clients that leave.

void Orphans::on(const Stamp& stamp, const events::CancelSent& e) {
    const Request request{e.session, e.seq};
    if (!context_.sessions.open(e.session) || cancelled(request)) return;
    cancelling_[request] = stamp.at;
    Lock& lock = locks_[e.lock];
    if (lock.holder == request && !lock.leaving.gave_up) lock.leaving.gave_up = stamp.at;
}

void Orphans::on(const Stamp& stamp, const events::ReleaseCalled& e) {
    Lock& lock = locks_[e.lock];
    if (lock.holder.session == e.session && lock.token == e.token && !lock.leaving.gave_up)
        lock.leaving.gave_up = stamp.at;
}

void Orphans::left(const Stamp& stamp, SessionId session) {
    if (!context_.sessions.open(session)) return;
    Leaving& leaving = leavings_[session];
    if (leaving.gave_up) return;
    leaving.gave_up = stamp.at;
    locks_.for_each([&](Lock& lock) {
        if (lock.holder.session == session && !lock.leaving.gave_up)
            lock.leaving.gave_up = stamp.at;
    });
}

void Orphans::on(const Stamp& stamp, const sim::ProcessStopped&) {
    context_.sessions.for_each([&](SessionId id, const Sessions::Session& session) {
        if (session.client != stamp.process) return;
        if (Leaving& leaving = leavings_[id]; !leaving.died) leaving.died = stamp.at;
    });
    locks_.for_each([&](Lock& lock) {
        if (lock.client == stamp.process && lock.holder.session && !lock.leaving.died)
            lock.leaving.died = stamp.at;
    });
}

// What is due.

sim::SimTime Orphans::from(const Lock& lock, sim::SimTime beginning) {
    const sim::SimTime awake = std::max(beginning, context_.stalls.resumed(lock.client));
    return std::max(awake, *healed_);
}

void Orphans::ended(const Stamp& stamp, LockId id, Lock& lock) {
    given_up_in_time(stamp, id, lock, true);
    lock.holder = {};
    lock.leaving.gave_up.reset();
    if (!lock.leaving.died) return;
    lock.ended = stamp.at;
    if (context_.setup.lock_delay.ns == 0) freed_in_time(stamp, stamp.at, id, lock);
}

void Orphans::given_up_in_time(const Stamp& stamp, LockId id, const Lock& lock, bool over) {
    if (!lock.leaving.gave_up || !judged()) return;
    const Setup& setup = context_.setup;
    const sim::SimTime due =
        later(from(lock, *lock.leaving.gave_up),
              setup.live1_bound() + stretch(lock.ttl, setup.drift_bound) + setup.slack);
    if (!over && stamp.at <= due) return;  // the run ends before
    context_.ledger.checked(PropertyId::Lock5);
    if (stamp.at <= due) return;
    context_.ledger.object(PropertyId::Lock5, {due, lock.client, stamp.ordinal}, [&] {
        return fmt::format(
            "client {} gave up lock {} (token {}) at {}; that grant had not ended by {}",
            context_.name(lock.client), context_.name(id), lock.token.value,
            say(*lock.leaving.gave_up), say(due));
    });
}

/// `at` is when the lock was free at last; never, if it is not.
void Orphans::freed_in_time(const Stamp& stamp, sim::SimTime at, LockId id, Lock& lock) {
    lock.ended.reset();
    const std::optional<sim::SimTime> died = std::exchange(lock.leaving.died, std::nullopt);
    if (!died || !judged()) return;
    const Setup& setup = context_.setup;
    // The delay is timed by a leader's clock, as the lease is.
    const Duration wait =
        stretch(lock.ttl, setup.drift_bound) + stretch(setup.lock_delay, setup.drift_bound);
    const sim::SimTime due =
        later(std::max(*died, *healed_), setup.live1_bound() + wait + setup.slack);
    const bool free = at != sim::SimTime::never();
    if (!free && stamp.at <= due) return;  // the run ends before
    context_.ledger.checked(PropertyId::Live3);
    if (free && at <= due) return;
    context_.ledger.object(PropertyId::Live3, {due, lock.client, stamp.ordinal}, [&] {
        return fmt::format(
            "client {}, which held lock {} (token {}), died at {}; the lock was not free by {}",
            context_.name(lock.client), context_.name(id), lock.token.value, say(*died), say(due));
    });
}

void Orphans::finish(const Stamp& stamp) {
    locks_.for_each_item([&](LockId id, Lock& lock) {
        if (lock.holder.session) given_up_in_time(stamp, id, lock, false);
        const bool held = static_cast<bool>(lock.holder.session);
        if (lock.leaving.died && (held || lock.ended))
            freed_in_time(stamp, lock.ended.value_or(sim::SimTime::never()), id, lock);
    });
}

}  // namespace lockstep::properties
