#include "properties/expiry.hpp"

#include <algorithm>

namespace lockstep::properties {

void Expiry::on(const Stamp& stamp, const events::OpenSent& e) {
    if (!e.first) return;
    static constexpr std::size_t openings_kept = 512;
    std::vector<Opening>& openings = clients_[stamp.process].openings;
    if (openings.size() == openings_kept) openings.erase(openings.begin());
    openings.push_back({e.nonce, stamp.at});
}

void Expiry::on(const Stamp& stamp, const events::RenewalSent& e) {
    if (Session* session = find(e.session))
        session->sendings[session->sent++ % Session::kept] = {e.sending, stamp.at};
}

void Expiry::on(const Stamp&, const events::RenewalAnswered& e) {
    Session* session = find(e.session);
    if (!session || session->client != e.client) return;
    const std::size_t kept = std::min(session->sent, Session::kept);
    for (std::size_t back = 1; back <= kept; ++back) {
        const Sending& sending = session->sendings[(session->sent - back) % Session::kept];
        if (sending.number != e.sending) continue;
        if (!session->anchor || *session->anchor < sending.at) session->anchor = sending.at;
        return;
    }
}

void Expiry::on(const Stamp&, const events::SessionOpened& e) {
    std::vector<Opening>& openings = clients_[e.client].openings;
    const auto opening = std::find_if(openings.begin(), openings.end(),
                                      [&](const Opening& o) { return o.nonce == e.nonce; });
    std::size_t place = sessions_.size();
    if (const std::size_t* known = places_.find(e.session)) {
        place = *known;
    } else if (!unused_.empty()) {
        place = unused_.back();
        unused_.pop_back();
    } else {
        sessions_.emplace_back();
    }
    places_[e.session] = place;
    Session& session = sessions_[place];
    session.client = e.client;
    session.ttl = e.ttl;
    session.anchor.reset();
    session.sent = 0;
    if (opening == openings.end()) return;
    session.anchor = opening->sent;
    openings.erase(opening);
}

void Expiry::on(const Stamp& stamp, const events::ExpiryProposed& e) {
    const Session* session = find(e.session);
    if (!session || proposals_.contains({e.session, e.term})) return;
    proposals_[{e.session, e.term}] = {stamp.at, stamp.process, session->anchor};
}

void Expiry::on(const Stamp& stamp, const events::SessionEnded& e) {
    const std::size_t* place = places_.find(e.session);
    if (!place) return;
    const Session& session = sessions_[*place];
    if (e.reason == events::EndReason::Expired) {
        const Proposal* proposal = proposals_.find({e.session, e.term});
        if (proposal)
            not_early(stamp, e, session, *proposal);
        else
            unproposed(stamp, e, session.client);
    }
    unused_.push_back(*place);
    places_.erase(e.session);
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

void Expiry::not_early(const Stamp& stamp, const events::SessionEnded& e, const Session& session,
                       const Proposal& proposal) {
    if (!proposal.anchor) return;
    context_.ledger.checked(PropertyId::Lock3);
    const Duration passed = proposal.at - *proposal.anchor;
    const Duration least = shrink(session.ttl, context_.setup.drift_bound);
    if (passed >= least) return;
    context_.ledger.object(PropertyId::Lock3, stamp, [&] {
        return fmt::format(
            "session {} of client {} expired at index {}: server {} proposed that "
            "{} after the sending of its last answered renewal, {} too early",
            e.session.value, context_.name(session.client), e.index.value,
            context_.name(proposal.leader), say(passed), say(least - passed));
    });
}

}  // namespace lockstep::properties
