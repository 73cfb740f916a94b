#include "properties/availability.hpp"

#include <algorithm>

namespace lockstep::properties {
namespace {

constexpr std::string_view names[] = {"an opening of a session", "a renewal", "a release",
                                      "an attempt to acquire", "a cancel"};

/// Openings of one client in one life have all but the low bits of their nonces in common.
constexpr std::uint64_t opener(Nonce nonce) {
    return nonce.value >> 24;
}

}  // namespace

// The world.

void Availability::before_change(const Stamp& stamp, sim::ProcessId changing) {
    const auto overdue = [&](sim::ProcessId id, Client& client) {
        for (Operation& operation : client.open) judge(stamp, id, client, operation, false);
    };
    if (!majority_.is_server(changing)) return overdue(changing, clients_[changing]);
    clients_.for_each_item(overdue);
}

void Availability::on(const Stamp& stamp, const sim::ProcessStopped& e) {
    change(stamp, e);
    clients_[stamp.process] = {};
    if (stamp.process == leader_) leader_ = {};
}

void Availability::on(const Stamp& stamp, const sim::LinkTroubled& e) {
    const bool from_server = majority_.is_server(stamp.process);
    if (from_server && !majority_.is_server(e.peer))
        before_change(stamp, e.peer);
    else
        before_change(stamp, stamp.process);
    majority_.on(stamp, e);
}

void Availability::on(const Stamp& stamp, const events::BecameLeader& e) {
    if (e.term < term_) return;
    if (!majority_.others_cut_off()) before_change(stamp, stamp.process);
    term_ = e.term;
    leader_ = stamp.process;
    leads_since_ = stamp.at;
}

void Availability::on(const Stamp& stamp, const events::SteppedDown&) {
    if (stamp.process != leader_) return;
    if (!majority_.others_cut_off()) before_change(stamp, stamp.process);
    leader_ = {};
}

/// It was turned away, and comes again in its time.
void Availability::on(const Stamp& stamp, const events::LimitMet& e) {
    dropped(stamp, e.client, [](const Operation&) { return true; });
}

// What clients ask and hear.

void Availability::on(const Stamp& stamp, const events::OpenSent& e) {
    if (!e.first) return;
    // A new nonce after one that came to nothing: to its application it is still one opening.
    for (Operation& operation : clients_[stamp.process].open) {
        if (operation.kind != Kind::Open || opener(Nonce(operation.number)) != opener(e.nonce))
            continue;
        operation.number = e.nonce.value;
        return;
    }
    begin(stamp.process, {Kind::Open, {}, e.nonce.value, {}, stamp.at});
}

void Availability::on(const Stamp& stamp, const events::SessionTold& e) {
    finished(stamp, stamp.process,
             [&](const Operation& o) { return o.kind == Kind::Open && o.number == e.nonce.value; });
}

void Availability::on(const Stamp& stamp, const events::RenewalSent& e) {
    for (const Operation& o : clients_[stamp.process].open)
        if (o.kind == Kind::Renewal && o.session == e.session) return;
    begin(stamp.process, {Kind::Renewal, e.session, 0, {}, stamp.at});
}

void Availability::on(const Stamp& stamp, const events::DeadlineMoved& e) {
    finished(stamp, stamp.process,
             [&](const Operation& o) { return o.kind == Kind::Renewal && o.session == e.session; });
}

void Availability::on(const Stamp& stamp, const events::AcquireCalled& e) {
    if (e.wait_max.ns == 0)
        begin(stamp.process, {Kind::Attempt, e.session, e.seq.value, e.lock, stamp.at});
}

void Availability::on(const Stamp& stamp, const events::AcquireReturned& e) {
    const auto it = [&](const Operation& o) {
        return o.kind == Kind::Attempt && o.session == e.session && o.number == e.seq.value;
    };
    if (e.outcome == events::AcquireOutcome::SessionOver)
        dropped(stamp, stamp.process, it);
    else
        finished(stamp, stamp.process, it);
}

void Availability::on(const Stamp& stamp, const events::ReleaseCalled& e) {
    begin(stamp.process, {Kind::Release, e.session, e.token.value, e.lock, stamp.at});
}

void Availability::on(const Stamp& stamp, const events::ReleaseReturned& e) {
    finished(stamp, stamp.process, [&](const Operation& o) {
        return o.kind == Kind::Release && o.session == e.session && o.lock == e.lock &&
               o.number == e.token.value;
    });
}

void Availability::on(const Stamp& stamp, const events::CancelSent& e) {
    begin(stamp.process, {Kind::Cancel, e.session, e.seq.value, e.lock, stamp.at});
}

void Availability::on(const Stamp& stamp, const events::Cancelled& e) {
    const Sessions::Session* session = context_.sessions.find(e.session);
    if (!session) return;
    finished(stamp, session->client, [&](const Operation& o) {
        return o.kind == Kind::Cancel && o.session == e.session && o.number == e.seq.value;
    });
}

/// A cancel that found its answer there changes nothing, and is reported by its answer alone.
void Availability::on(const Stamp& stamp, const events::Answered& e) {
    if (e.operation != events::Operation::Cancel) return;
    finished(stamp, e.client, [&](const Operation& o) {
        return o.kind == Kind::Cancel && o.session == e.session && o.number == e.seq.value;
    });
}

void Availability::on(const Stamp& stamp, const events::CloseCalled& e) {
    session_lost(stamp, e.session);
}
void Availability::on(const Stamp& stamp, const events::SessionOverTold& e) {
    session_lost(stamp, e.session);
}
void Availability::on(const Stamp& stamp, const sim::DeadlinePassed& e) {
    session_lost(stamp, SessionId(e.key));
}
void Availability::on(const Stamp& stamp, const events::LossTold& e) {
    if (e.reason != events::LossReason::HoldEnded) session_lost(stamp, e.session);
}

void Availability::session_lost(const Stamp& stamp, SessionId session) {
    dropped(stamp, stamp.process,
            [&](const Operation& o) { return o.kind != Kind::Open && o.session == session; });
}

void Availability::begin(sim::ProcessId client, const Operation& operation) {
    clients_[client].open.push_back(operation);
}

template <class Which>
void Availability::finished(const Stamp& stamp, sim::ProcessId id, Which&& which) {
    Client& client = clients_[id];
    const auto found = std::find_if(client.open.begin(), client.open.end(), which);
    if (found == client.open.end()) return;
    judge(stamp, id, client, *found, true);
    client.open.erase(found);
    client.served = stamp.at;
}

template <class Which>
void Availability::dropped(const Stamp& stamp, sim::ProcessId id, Which&& which) {
    Client& client = clients_[id];
    std::erase_if(client.open, [&](Operation& operation) {
        if (!which(operation)) return false;
        judge(stamp, id, client, operation, false);
        return true;
    });
}

// What is due.

std::optional<sim::SimTime> Availability::owed_from(sim::ProcessId client) {
    // A service that has no leaders has no majorities.
    if (!term_ || !majority_.stands() || !majority_.reaches(client)) return std::nullopt;
    const sim::SimTime steady = std::max(majority_.since(), majority_.changed(client));
    const sim::SimTime from = later(steady, context_.setup.live1_bound());
    if (majority_.others_cut_off()) return from;
    if (!leader_ || !majority_.has(leader_)) return std::nullopt;
    return std::max(from, leads_since_);
}

void Availability::judge(const Stamp& stamp, sim::ProcessId id, Client& client,
                         Operation& operation, bool done) {
    if (operation.late) return;
    const std::optional<sim::SimTime> owed = owed_from(id);
    if (!owed || stamp.at < *owed) return;
    const Setup& setup = context_.setup;
    Duration allowed = setup.slack;
    if (setup.lossy || !client.served || *client.served < *owed) allowed += setup.live1_bound();
    const sim::SimTime due = later(std::max(operation.called, *owed), allowed);
    if (!done && stamp.at <= due) return;
    context_.ledger.checked(PropertyId::Avail1);
    if (stamp.at <= due) return;
    operation.late = true;
    late(stamp, id, operation, due);
}

void Availability::late(const Stamp& stamp, sim::ProcessId client, const Operation& operation,
                        sim::SimTime due) {
    context_.ledger.object(PropertyId::Avail1, {due, client, stamp.ordinal}, [&] {
        return fmt::format(
            "{} by client {}, begun at {}, had not finished by {}, though a majority of servers "
            "that it reaches had been up and steady since {}",
            names[static_cast<std::size_t>(operation.kind)], context_.name(client),
            say(operation.called), say(due), say(majority_.since()));
    });
}

void Availability::finish(const Stamp& stamp) {
    clients_.for_each_item([&](sim::ProcessId id, Client& client) {
        for (Operation& operation : client.open) judge(stamp, id, client, operation, false);
    });
}

}  // namespace lockstep::properties
