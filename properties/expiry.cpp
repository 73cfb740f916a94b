#include "properties/expiry.hpp"

#include <algorithm>

namespace lockstep::properties {

Expiry::Session* Expiry::Client::find(SessionId id) {
    for (auto it = sessions.rbegin(); it != sessions.rend(); ++it)
        if (it->id == id) return &*it;
    return nullptr;
}

void Expiry::on(const Stamp& stamp, const events::OpenSent& e) {
    if (!e.first) return;
    static constexpr std::size_t openings_kept = 32;
    std::vector<Opening>& openings = clients_[stamp.process].openings;
    if (openings.size() == openings_kept) openings.erase(openings.begin());
    openings.push_back({e.nonce, stamp.at});
}

void Expiry::on(const Stamp& stamp, const events::RenewalSent& e) {
    std::vector<Sending>& sendings = clients_[stamp.process].sendings;
    if (sendings.empty()) [[unlikely]]
        sendings.resize(Client::kept);
    sendings[e.sending.value % Client::kept] = {e.session, e.sending, stamp.at};
}

void Expiry::on(const Stamp&, const events::RenewalAnswered& e) {
    Client& client = clients_[e.client];
    if (client.sendings.empty()) return;
    const Sending& sending = client.sendings[e.sending.value % Client::kept];
    if (sending.number != e.sending || sending.session != e.session) return;
    Session* session = client.find(e.session);
    if (session && (!session->anchor || *session->anchor < sending.at))
        session->anchor = sending.at;
}

void Expiry::on(const Stamp&, const events::SessionOpened& e) {
    Client& client = clients_[e.client];
    const auto opening = std::find_if(client.openings.begin(), client.openings.end(),
                                      [&](const Opening& o) { return o.nonce == e.nonce; });
    Session session{e.session, e.ttl, std::nullopt};
    if (opening != client.openings.end()) {
        session.anchor = opening->sent;
        client.openings.erase(opening);
    }
    client.sessions.push_back(session);
    owners_[e.session] = e.client;
}

void Expiry::on(const Stamp& stamp, const events::ExpiryProposed& e) {
    const NodeId* owner = owners_.find(e.session);
    if (!owner || proposals_.contains({e.session, e.term})) return;
    const Session* session = clients_[*owner].find(e.session);
    if (session) proposals_[{e.session, e.term}] = {stamp.at, stamp.process, session->anchor};
}

void Expiry::on(const Stamp& stamp, const events::SessionEnded& e) {
    const NodeId* found = owners_.find(e.session);
    if (!found) return;
    const NodeId owner = *found;
    Client& client = clients_[owner];
    const Session* session = client.find(e.session);
    if (session && e.reason == events::EndReason::Expired) {
        const Proposal* proposal = proposals_.find({e.session, e.term});
        if (proposal)
            not_early(stamp, e, owner, *session, *proposal);
        else
            unproposed(stamp, e, owner);
    }
    std::erase_if(client.sessions, [&](const Session& s) { return s.id == e.session; });
    owners_.erase(e.session);
    for (auto it = proposals_.lower_bound({e.session, Term()});
         it != proposals_.end() && it->first.first == e.session;)
        it = proposals_.erase(it);
}

void Expiry::unproposed(const Stamp& stamp, const events::SessionEnded& e, NodeId client) {
    context_.ledger.checked(PropertyId::Lock3);
    context_.ledger.object(PropertyId::Lock3, stamp, [&] {
        return fmt::format(
            "session {} of client {} expired at index {}, though no leader of term "
            "{} had proposed that",
            e.session.value, context_.name(client), e.index.value, e.term.value);
    });
}

void Expiry::not_early(const Stamp& stamp, const events::SessionEnded& e, NodeId client,
                       const Session& session, const Proposal& proposal) {
    if (!proposal.anchor) return;
    context_.ledger.checked(PropertyId::Lock3);
    const Duration passed = proposal.at - *proposal.anchor;
    const Duration least = shrink(session.ttl, context_.setup.drift_bound);
    if (passed >= least) return;
    context_.ledger.object(PropertyId::Lock3, stamp, [&] {
        return fmt::format(
            "session {} of client {} expired at index {}: server {} proposed that "
            "{} after the sending of its last answered renewal, {} too early",
            e.session.value, context_.name(client), e.index.value, context_.name(proposal.leader),
            say(passed), say(least - passed));
    });
}

}  // namespace lockstep::properties
