#include "properties/liveness.hpp"

#include <algorithm>

namespace lockstep::properties {

// LIVE-1

void LeaderReturns::on(const Stamp& stamp, const events::BecameLeader& e) {
    if (e.term >= term_) {
        term_ = e.term;
        leader_ = stamp.process;
    }
    if (waiting_) leads(stamp);
}

void LeaderReturns::on(const Stamp& stamp, const events::SteppedDown&) {
    gone(stamp);
}
void LeaderReturns::on(const Stamp& stamp, const sim::ProcessStopped&) {
    gone(stamp);
}

void LeaderReturns::gone(const Stamp& stamp) {
    if (!leader_ || stamp.process != leader_) return;
    // It led from healing until past the bound: nothing was missing.
    if (waiting_ && stamp.at >= due_) leads({due_, stamp.process, stamp.ordinal});
    leader_ = {};
}

void LeaderReturns::on(const Stamp& stamp, const sim::Healed&) {
    waiting_ = context_.setup.recoverable;
    due_ = later(stamp.at, context_.setup.live1_bound());
}

// One that led at healing and has not stepped down since has led all the time, even if it had
// nothing to commit for longer than the bound.
void LeaderReturns::commits(const Stamp& stamp) {
    if (stamp.process == leader_ && stamp.at > due_)
        leads({due_, stamp.process, stamp.ordinal});
    else
        leads(stamp);
}

void LeaderReturns::leads(const Stamp& stamp) {
    waiting_ = false;
    context_.ledger.checked(PropertyId::Live1);
    if (stamp.at <= due_) return;
    context_.ledger.object(PropertyId::Live1, {due_, stamp.process, stamp.ordinal}, [&] {
        return fmt::format(
            "no server led within {} after healing, by {}; the next to lead was {}, "
            "at {}",
            say(context_.setup.live1_bound()), say(due_), context_.name(stamp.process),
            say(stamp.at));
    });
}

void LeaderReturns::finish(const Stamp& stamp) {
    if (!waiting_ || stamp.at < due_) return;
    context_.ledger.checked(PropertyId::Live1);
    // One that led at healing counts if nobody wanted anything of it.
    const bool answer_due = later(asked_, context_.setup.live1_bound()) <= stamp.at;
    if (leader_ && !answer_due) return;
    context_.ledger.object(PropertyId::Live1, {due_, {}, stamp.ordinal}, [&] {
        return fmt::format("no server {} within {} after healing, by {}, nor later",
                           leader_ ? "that leads answered or committed anything" : "led",
                           say(context_.setup.live1_bound()), say(due_));
    });
}

// LIVE-2

void WaitersServed::on(const Stamp& stamp, const events::AcquireCalled& e) {
    waits_[{e.session, e.seq}] = {e.lock, stamp.process, stamp.at, e.wait_max, std::nullopt, false};
}

void WaitersServed::on(const Stamp& stamp, const events::Granted& e) {
    Wait* wait = waits_.find({e.session, e.seq});
    if (wait && !wait->answered && !wait->granted) wait->granted = stamp.at;
}

void WaitersServed::on(const Stamp& stamp, const events::GrantTold& e) {
    if (Wait* wait = waits_.find({e.session, e.seq})) told(stamp, *wait);
}

void WaitersServed::on(const Stamp& stamp, const events::CancelSent& e) {
    if (Wait* wait = waits_.find({e.session, e.seq})) told(stamp, *wait);
}

void WaitersServed::on(const Stamp& stamp, const events::AcquireReturned& e) {
    Wait* wait = waits_.find({e.session, e.seq});
    if (!wait) return;
    told(stamp, *wait);
    returned(stamp, *wait);
    waits_.erase({e.session, e.seq});
}

void WaitersServed::on(const Stamp& stamp, const events::CloseCalled& e) {
    drop(stamp, [&](const Key& key, const Wait&) { return key.first == e.session; });
}
void WaitersServed::on(const Stamp& stamp, const events::SessionOverTold& e) {
    drop(stamp, [&](const Key& key, const Wait&) { return key.first == e.session; });
}
void WaitersServed::on(const Stamp& stamp, const sim::DeadlinePassed& e) {
    drop(stamp, [&](const Key& key, const Wait& wait) {
        return key.first.value == e.key && wait.client == stamp.process;
    });
}
void WaitersServed::on(const Stamp& stamp, const sim::ProcessStopped&) {
    drop(stamp, [&](const Key&, const Wait& wait) { return wait.client == stamp.process; });
}

/// The grant is gone, and the client will hear of the end; its wait ends by that.
void WaitersServed::on(const Stamp& stamp, const events::SessionEnded& e) {
    for (auto& [key, wait] : waits_) {
        if (key.first != e.session) continue;
        overdue(stamp, wait);
        wait.granted.reset();
    }
}

/// The grant is gone before its client heard of it; the wait goes on until it is told something.
void WaitersServed::on(const Stamp& stamp, const events::HoldEnded& e) {
    Wait* wait = waits_.find({e.session, e.seq});
    if (!wait) return;
    overdue(stamp, *wait);
    wait->granted.reset();
}

template <class Over>
void WaitersServed::drop(const Stamp& stamp, Over&& over) {
    waits_.erase_if([&](auto& item) {
        if (!over(item.first, item.second)) return false;
        overdue(stamp, item.second);
        return true;
    });
}

void WaitersServed::overdue(const Stamp& stamp, Wait& wait) {
    if (!judged()) return;
    if (wait.granted && !wait.answered && stamp.at > telling_due(wait)) told(stamp, wait);
    if (stamp.at > return_due(wait)) returned(stamp, wait);
}

sim::SimTime WaitersServed::from(const Wait& wait, sim::SimTime beginning) {
    const sim::SimTime awake = std::max(beginning, context_.stalls.resumed(wait.client));
    return std::max(awake, *healed_);
}

sim::SimTime WaitersServed::telling_due(const Wait& wait) {
    const Setup& setup = context_.setup;
    return later(from(wait, *wait.granted), setup.live1_bound() + setup.renew_every + setup.slack);
}

/// The client's own clock times the wait; then it cancels, and a leader has to answer that.
sim::SimTime WaitersServed::return_due(const Wait& wait) {
    const Setup& setup = context_.setup;
    static constexpr Duration longest = seconds(3'600LL * 24 * 365);
    if (wait.wait_max > longest) return sim::SimTime::never();
    return later(from(wait, wait.called), stretch(wait.wait_max, setup.drift_bound) +
                                              setup.live1_bound() + setup.renew_every +
                                              setup.slack);
}

void WaitersServed::told(const Stamp& stamp, Wait& wait) {
    const bool owed = wait.granted.has_value() && !wait.answered;
    wait.answered = true;
    if (!owed || !judged() || context_.stalls.stalled(wait.client)) return;
    context_.ledger.checked(PropertyId::Live2);
    const sim::SimTime due = telling_due(wait);
    if (stamp.at <= due) return;
    context_.ledger.object(PropertyId::Live2, {due, wait.client, stamp.ordinal}, [&] {
        return fmt::format("client {} was granted lock {} at {} and was not told by {}",
                           context_.name(wait.client), context_.name(wait.lock), say(*wait.granted),
                           say(due));
    });
}

void WaitersServed::returned(const Stamp& stamp, Wait& wait) {
    if (!judged() || context_.stalls.stalled(wait.client)) return;
    const sim::SimTime due = return_due(wait);
    if (due == sim::SimTime::never()) return;
    context_.ledger.checked(PropertyId::Live2);
    if (stamp.at <= due) return;
    context_.ledger.object(PropertyId::Live2, {due, wait.client, stamp.ordinal}, [&] {
        return fmt::format(
            "client {} asked for lock {} at {} and would wait for {}; that had not "
            "ended by {}",
            context_.name(wait.client), context_.name(wait.lock), say(wait.called),
            say(wait.wait_max), say(due));
    });
}

void WaitersServed::finish(const Stamp& stamp) {
    for (auto& [key, wait] : waits_) overdue(stamp, wait);
}

}  // namespace lockstep::properties
