#include "properties/quorum.hpp"

#include "core/events/event.hpp"

#include <algorithm>

namespace lockstep::properties {

Quorum::Quorum(Context& context) : context_(context) {
    for (const Setup::Process& process : context.setup.roster) {
        if (process.kind != sim::ProcessKind::Server) continue;
        members_.push_back(process.id);
        servers_[process.id].place = members_.size();
    }
}

// What is durable where.

Quorum::TermRecord* Quorum::find(Term term) {
    for (auto it = terms_.rbegin(); it != terms_.rend() && it->term >= term; ++it)
        if (it->term == term) return &*it;
    return nullptr;
}

Quorum::TermRecord& Quorum::record(Term term) {
    if (TermRecord* known = find(term)) return *known;
    if (terms_.size() == terms_kept) terms_.erase(terms_.begin());
    const auto place = std::find_if(terms_.begin(), terms_.end(),
                                    [&](const TermRecord& r) { return r.term > term; });
    return *terms_.insert(place, {term, std::vector<LogIndex>(members_.size())});
}

void Quorum::durable(sim::ProcessId server, LogIndex index, Term term) {
    told_durable_ = true;
    const std::size_t place = servers_[server].place;
    if (place == 0 || !term) return;
    LogIndex& last = record(term).durable[place - 1];
    last = std::max(last, index);
}

void Quorum::covered(sim::ProcessId server, LogIndex index) {
    LogIndex& covered = servers_[server].covered;
    covered = std::max(covered, index);
}

/// What a server finds at its start is durable before it reports it.
void Quorum::on(const Stamp& stamp, const events::Recovered& e) {
    covered(stamp.process, e.base_index);
    if (told_durable_ && e.last_index > e.base_index)
        durable(stamp.process, e.last_index, e.last_term);
}

// Who leads.

void Quorum::on(const Stamp& stamp, const events::BecameLeader& e) {
    Server& server = servers_[stamp.process];
    server.leads = e.term;
    server.receipts.clear();
    if (e.term <= highest_) return;
    highest_ = e.term;
    highest_since_ = stamp.at;
}

void Quorum::leads_no_more(const Stamp& stamp) {
    Server& server = servers_[stamp.process];
    server.leads = {};
    server.receipts.clear();
}

// What is answered.

void Quorum::on(const Stamp& stamp, const events::Answered& e) {
    const Server& server = servers_[stamp.process];
    if (!judged(server)) return;
    if (!server.leads) return answers_without_leading(stamp, events::to_string(e.operation));
    const TermRecord* known = find(server.leads);
    if (!known && terms_.size() == terms_kept) return;  // it may have been forgotten
    std::size_t backing = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const LogIndex durable = known ? known->durable[i] : LogIndex();
        if (std::max(durable, servers_[members_[i]].covered) >= e.applied) ++backing;
    }
    context_.ledger.checked(PropertyId::Quorum1);
    if (backing >= members_.size() / 2 + 1) return;
    context_.ledger.object(PropertyId::Quorum1, stamp, [&] {
        return fmt::format(
            "server {}, leader of term {}, answered request {} of {} ({}) as of index {}; an entry "
            "of that term from there on was durable on {} of {} servers",
            context_.name(stamp.process), server.leads.value, e.seq.value,
            context_.whose(e.session), events::to_string(e.status), e.applied.value, backing,
            members_.size());
    });
}

void Quorum::on(const Stamp& stamp, const events::RenewalReceived& e) {
    // Of a session that is over nothing is renewed: it is answered otherwise, or never.
    if (!context_.sessions.open(e.session)) return;
    std::vector<Receipt>& receipts = servers_[stamp.process].receipts;
    if (receipts.size() == receipts_kept) receipts.erase(receipts.begin());
    const bool replaced = highest_ > e.term;
    receipts.push_back({e.session, e.sending, replaced ? highest_ : Term(), highest_since_});
}

/// Of several copies of one sending, the earliest is taken to be the one that is answered.
void Quorum::on(const Stamp& stamp, const events::RenewalAnswered& e) {
    std::vector<Receipt>& receipts = servers_[stamp.process].receipts;
    const auto receipt = std::find_if(receipts.begin(), receipts.end(), [&](const Receipt& r) {
        return r.sending == e.sending && r.session == e.session;
    });
    if (judged(servers_[stamp.process]) && !servers_[stamp.process].leads)
        return answers_without_leading(stamp, "renewal");
    if (receipt == receipts.end()) return;
    const Receipt received = *receipt;
    receipts.erase(receipt);
    context_.ledger.checked(PropertyId::Quorum1);
    if (!received.replaced_by) return;
    context_.ledger.object(PropertyId::Quorum1, stamp, [&] {
        return fmt::format(
            "server {} renewed {} as leader of term {}, though a leader of term {} had been "
            "elected at {}, before it received that renewal",
            context_.name(stamp.process), context_.whose(e.session), e.term.value,
            received.replaced_by.value, say(received.elected));
    });
}

void Quorum::answers_without_leading(const Stamp& stamp, std::string_view what) {
    context_.ledger.checked(PropertyId::Quorum1);
    context_.ledger.object(PropertyId::Quorum1, stamp, [&] {
        return fmt::format("server {} answered a request ({}) while it led no term",
                           context_.name(stamp.process), what);
    });
}

void Quorum::on(const Stamp&, const events::SessionEnded& e) {
    for (const sim::ProcessId member : members_)
        std::erase_if(servers_[member].receipts,
                      [&](const Receipt& r) { return r.session == e.session; });
}

}  // namespace lockstep::properties
