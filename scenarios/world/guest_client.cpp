#include "scenarios/world/guest_client.hpp"

#include "core/base/assert.hpp"

#include <algorithm>
#include <optional>

namespace lockstep::world {

GuestClient::GuestClient(sim::Process& process, Reporter& reporter, ClientSlot slot)
    : process_(process), reporter_(reporter), first_timer_(slot.first_timer()) {}

void GuestClient::open() {
    if (open_) return;
    connect();
    open_ = true;
}

Acquired GuestClient::acquire(LockId lock, Duration wait_max) {
    end_overdue();
    const SessionId session = reporter_.new_session();
    // Its deadline comes with the grant.
    report(events::SessionTold{session, Nonce(session.value), LocalTime::never()});
    report(events::AcquireCalled{lock, session, Reporter::seq, wait_max});
    if (const Held* held = held_.find(lock)) {
        const FencingToken token = held->grant.token;
        report(events::AcquireReturned{lock, session, Reporter::seq,
                                       events::AcquireOutcome::AlreadyHeld});
        return {events::AcquireOutcome::AlreadyHeld, token};
    }
    Answer answer = ask({lock, session, wait_max});
    // What is over before the application hears of it, it must not hear of: it would act on it.
    if (answer.outcome == events::AcquireOutcome::Granted &&
        answer.grant.deadline <= process_.now()) {
        abandon(lock, session, answer.grant);
        answer.outcome = events::AcquireOutcome::SessionOver;
    }
    const bool granted = answer.outcome == events::AcquireOutcome::Granted;
    if (granted) begin(lock, session, answer.grant);
    report(events::AcquireReturned{lock, session, Reporter::seq, answer.outcome});
    return {answer.outcome, granted ? answer.grant.token : FencingToken()};
}

void GuestClient::begin(LockId lock, SessionId session, const Grant& grant) {
    LOCKSTEP_ASSERT(!held_.contains(lock), "lock={} is held", lock.value);
    held_[lock] = {session, grant};
    if (grant.deadline != LocalTime::never()) {
        report(events::DeadlineMoved{session, grant.deadline});
        process_.watch_deadline(session.value, grant.deadline);
    }
    report(events::GrantTold{lock, session, Reporter::seq, grant.token, grant.deadline});
    arm();
}

bool GuestClient::may_act(LockId lock) {
    const Held* found = held_.find(lock);
    if (found == nullptr) return false;
    const Held held = *found;
    const LocalTime now = process_.now();
    const bool yes = check(held.grant, now);
    report(
        events::MayActAsked{lock, held.session, held.grant.token, now, held.grant.deadline, yes});
    if (!yes) end_overdue();
    return yes;
}

void GuestClient::release(LockId lock, Duration patience) {
    end_overdue();
    const Held* found = held_.find(lock);
    if (found == nullptr) return;  // lost meanwhile, as the application was told
    const Held held = *found;
    held_.erase(lock);
    arm();
    process_.watch_deadline(held.session.value, LocalTime::never());
    report(events::ReleaseCalled{lock, held.session, held.grant.token});
    const bool known = give_up(lock, held.session, held.grant, patience);
    if (known)
        report(events::ReleaseReturned{lock, held.session, held.grant.token,
                                       events::AnswerStatus::Ok});
    else  // nothing is known of it, and nobody will ask again
        report(events::CloseCalled{held.session});
}

void GuestClient::close() {
    end_overdue();
    open_ = false;
    const FlatMap<LockId, Held> held = std::move(held_);
    held_.clear();
    arm();
    for (const auto& [lock, one] : held) {
        process_.watch_deadline(one.session.value, LocalTime::never());
        report(events::CloseCalled{one.session});
        abandon(lock, one.session, one.grant);
    }
}

void GuestClient::on_timer(sim::TimerId timer) {
    LOCKSTEP_ASSERT(timer >= first_timer_, "timer={} first={}", timer, first_timer_);
    if (timer - first_timer_ < own_timers)
        on_own_timer(timer - first_timer_);
    else
        end_overdue();
}

void GuestClient::set_own_timer(sim::TimerId timer, LocalTime at) {
    LOCKSTEP_ASSERT(timer < own_timers, "timer={}", timer);
    process_.set_timer(first_timer_ + timer, at);
}

void GuestClient::cancel_own_timer(sim::TimerId timer) {
    LOCKSTEP_ASSERT(timer < own_timers, "timer={}", timer);
    process_.cancel_timer(first_timer_ + timer);
}

void GuestClient::extend(LockId lock, LocalTime deadline) {
    end_overdue();
    Held* held = held_.find(lock);
    if (held == nullptr || deadline <= held->grant.deadline) return;
    held->grant.deadline = deadline;
    report(events::DeadlineMoved{held->session, deadline});
    process_.watch_deadline(held->session.value, deadline);
    arm();
}

void GuestClient::lose(LockId lock, events::LossReason reason) {
    const Held* found = held_.find(lock);
    if (found == nullptr) return;
    const Held held = *found;
    held_.erase(lock);
    arm();
    process_.watch_deadline(held.session.value, LocalTime::never());
    report(events::LossTold{lock, held.session, held.grant.token, reason});
    tell_lost(lock, held.grant.token, reason);
}

LocalTime GuestClient::after(Duration span) const {
    const LocalTime now = process_.now();
    return span < LocalTime::never() - now ? now + span : LocalTime::never();
}

const GuestClient::Grant* GuestClient::holds(LockId lock) const {
    const Held* held = held_.find(lock);
    return held == nullptr ? nullptr : &held->grant;
}

/// Each loss is told by itself; what the application does about it may change the others.
void GuestClient::end_overdue() {
    const auto overdue = [this]() -> std::optional<LockId> {
        const LocalTime now = process_.now();
        for (const auto& [lock, held] : held_)
            if (held.grant.deadline <= now) return lock;
        return std::nullopt;
    };
    while (const auto lock = overdue()) lose(*lock, events::LossReason::DeadlinePassed);
    arm();
}

void GuestClient::arm() {
    LocalTime next = LocalTime::never();
    for (const auto& [lock, held] : held_) next = std::min(next, held.grant.deadline);
    const sim::TimerId timer = first_timer_ + own_timers;
    if (next == LocalTime::never())
        process_.cancel_timer(timer);
    else
        process_.set_timer(timer, next);
}

}  // namespace lockstep::world
