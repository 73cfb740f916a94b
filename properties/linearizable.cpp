#include "properties/linearizable.hpp"

#include <algorithm>

namespace lockstep::properties {
namespace {

lin::Rules rules_of(const Setup& setup) {
    lin::Rules rules;
    rules.lock_delay = setup.lock_delay.ns > 0;
    rules.hold_least = shrink(setup.hold_max, setup.drift_bound);
    return rules;
}

lin::Names names_of(const Context& context) {
    return {[&context](LockId lock) { return "lock " + context.name(lock); }, {}, {}, {}};
}

}  // namespace

Linearizable::Linearizable(Context& context)
    : context_(context), history_(rules_of(context.setup), names_of(context)) {}

/// Nothing is told to a history that was objected to.
bool Linearizable::judged() {
    return !objected_;
}

void Linearizable::object(const Stamp& stamp) {
    for (; explained_ < history_.explained(); ++explained_)
        context_.ledger.checked(PropertyId::Lin1);
    if (objected_) return;
    // More ways to explain it than are followed: nothing is known of the rest.
    if (history_.gave_up()) context_.ledger.forgo(PropertyId::Lin1);
    if (!history_.objection()) return;
    objected_ = true;
    context_.ledger.object(PropertyId::Lin1, stamp, [&] { return history_.objection()->evidence; });
}

// --- leases ------------------------------------------------------------------------------------

void Linearizable::on(const Stamp& stamp, const events::OpenSent& e) {
    if (!e.first) return;
    static constexpr std::size_t openings_kept = 32;
    std::vector<Opening>& openings = clients_[stamp.process].openings;
    if (openings.size() == openings_kept) openings.erase(openings.begin());
    openings.push_back({e.nonce, stamp.at});
}

void Linearizable::on(const Stamp& stamp, const events::RenewalSent& e) {
    std::vector<Sending>& sendings = clients_[stamp.process].sendings;
    if (sendings.empty()) [[unlikely]]
        sendings.resize(Client::kept);
    sendings[e.sending.value % Client::kept] = {e.session, e.sending, stamp.at};
}

void Linearizable::on(const Stamp& stamp, const events::SessionOpened& e) {
    std::vector<Opening>& openings = clients_[e.client].openings;
    const auto opening = std::find_if(openings.begin(), openings.end(),
                                      [&](const Opening& o) { return o.nonce == e.nonce; });
    leases_[e.session] = {e.ttl};
    if (opening == openings.end()) return;
    promise(stamp, e.session, opening->sent, e.ttl);
    openings.erase(opening);
}

void Linearizable::on(const Stamp& stamp, const events::RenewalAnswered& e) {
    const std::vector<Sending>& sendings = clients_[e.client].sendings;
    const Lease* lease = leases_.find(e.session);
    if (sendings.empty() || !lease) return;
    const Sending& sending = sendings[e.sending.value % Client::kept];
    if (sending.number == e.sending && sending.session == e.session)
        promise(stamp, e.session, sending.at, lease->ttl);
}

void Linearizable::promise(const Stamp& stamp, SessionId session, sim::SimTime sent, Duration ttl) {
    if (!judged()) return;
    history_.promised(session, later(sent, shrink(ttl, context_.setup.drift_bound)), stamp.at);
    object(stamp);
}

void Linearizable::on(const Stamp& stamp, const events::SessionTold& e) {
    clients_[stamp.process].sessions.push_back(e.session);
}

// --- calls and answers -------------------------------------------------------------------------

void Linearizable::on(const Stamp& stamp, const events::AcquireCalled& e) {
    if (!judged()) return;
    const lin::CallId call = history_.acquire(e.lock, e.session, stamp.at);
    clients_[stamp.process].open.push_back({call, e.session, e.lock, e.seq, {}});
    object(stamp);
}

void Linearizable::on(const Stamp& stamp, const events::GrantTold& e) {
    if (!judged()) return;
    std::vector<Open>& open = clients_[stamp.process].open;
    const auto it = std::find_if(open.begin(), open.end(), [&](const Open& o) {
        return o.session == e.session && o.seq == e.seq && o.lock == e.lock && o.seq;
    });
    if (it == open.end()) return;
    history_.granted(it->call, e.token, stamp.at);
    open.erase(it);
    object(stamp);
}

void Linearizable::on(const Stamp& stamp, const events::AcquireReturned& e) {
    if (!judged()) return;
    std::vector<Open>& open = clients_[stamp.process].open;
    const auto it = std::find_if(open.begin(), open.end(), [&](const Open& o) {
        return o.session == e.session && o.seq == e.seq && o.lock == e.lock && o.seq;
    });
    if (it == open.end()) return;
    const lin::CallId call = it->call;
    open.erase(it);
    switch (e.outcome) {
        case events::AcquireOutcome::Held:
        case events::AcquireOutcome::AlreadyHeld:
        case events::AcquireOutcome::AlreadyWaiting:  // in line, because it is held
            history_.refused(call, stamp.at);
            break;
        case events::AcquireOutcome::TimedOut:
            history_.acquire_unknown(call, true, stamp.at);
            break;
        case events::AcquireOutcome::LimitReached:
            history_.turned_away(call, stamp.at);
            break;
        case events::AcquireOutcome::Granted:  // by an answer without a token
        case events::AcquireOutcome::SessionOver:
            history_.acquire_unknown(call, false, stamp.at);
            break;
    }
    object(stamp);
}

void Linearizable::on(const Stamp& stamp, const events::ReleaseCalled& e) {
    if (!judged()) return;
    const lin::CallId call = history_.release(e.lock, e.session, e.token, stamp.at);
    clients_[stamp.process].open.push_back({call, e.session, e.lock, {}, e.token});
    object(stamp);
}

void Linearizable::on(const Stamp& stamp, const events::ReleaseReturned& e) {
    if (!judged()) return;
    std::vector<Open>& open = clients_[stamp.process].open;
    const auto it = std::find_if(open.begin(), open.end(), [&](const Open& o) {
        return o.session == e.session && o.token == e.token && o.lock == e.lock && !o.seq;
    });
    if (it == open.end()) return;
    if (e.status == events::AnswerStatus::Ok)
        history_.released(it->call, stamp.at);
    else if (e.status == events::AnswerStatus::NotHeld)
        history_.not_held(it->call, stamp.at);
    else
        history_.release_unknown(it->call, stamp.at);
    open.erase(it);
    object(stamp);
}

// --- ends --------------------------------------------------------------------------------------

void Linearizable::give_up(const Stamp& stamp, SessionId session) {
    history_.may_end(session, stamp.at);
    drop_releases(stamp, session);
    history_.gone(session, stamp.at);
    leases_.erase(session);
    object(stamp);
}

void Linearizable::drop_releases(const Stamp& stamp, SessionId session) {
    std::erase_if(clients_[stamp.process].open, [&](const Open& o) {
        if (o.session != session || o.seq) return false;
        history_.release_unknown(o.call, stamp.at);
        return true;
    });
}

void Linearizable::on(const Stamp& stamp, const events::LossTold& e) {
    if (!judged()) return;
    if (e.reason == events::LossReason::HoldEnded)
        history_.hold_may_end(e.lock, e.session, e.token, stamp.at);
    else if (e.reason == events::LossReason::DeadlinePassed)
        history_.may_end(e.session, stamp.at);
    object(stamp);
}

void Linearizable::on(const Stamp& stamp, const events::CloseCalled& e) {
    if (!judged()) return;
    give_up(stamp, e.session);
}

void Linearizable::on(const Stamp& stamp, const events::SessionOverTold& e) {
    if (!judged()) return;
    drop_releases(stamp, e.session);
    history_.over(e.session, stamp.at);
    leases_.erase(e.session);
    object(stamp);
}

void Linearizable::on(const Stamp& stamp, const sim::DeadlinePassed& e) {
    if (!judged() || events::is_grant_deadline(e.key)) return;
    give_up(stamp, SessionId(e.key));
}

void Linearizable::on(const Stamp& stamp, const sim::ProcessStopped&) {
    if (!judged()) return;
    Client& client = clients_[stamp.process];
    for (const Open& open : client.open) {
        if (open.seq)
            history_.acquire_unknown(open.call, false, stamp.at);
        else
            history_.release_unknown(open.call, stamp.at);
    }
    client.open.clear();
    for (const SessionId session : client.sessions) {
        history_.gone(session, stamp.at);
        leases_.erase(session);
    }
    client.sessions.clear();
    object(stamp);
}

void Linearizable::on(const Stamp& stamp, const sim::AssumptionBroken& e) {
    if (!judged() || e.assumption != Assumption::ClockRate || e.kind != sim::ProcessKind::Server)
        return;
    history_.promises_void(stamp.at);
    object(stamp);
}

void Linearizable::finish(const Stamp& stamp) {
    if (!judged()) return;
    history_.finish(stamp.at);
    object(stamp);
}

}  // namespace lockstep::properties
