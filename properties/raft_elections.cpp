#include "properties/raft_elections.hpp"

namespace lockstep::properties {

void RaftElections::on(const Stamp& stamp, const events::BecameLeader& e) {
    context_.ledger.checked(PropertyId::Raft1);
    const sim::ProcessId* other = leaders_.find(e.term);
    if (!other) {
        leaders_[e.term] = stamp.process;
        if (leaders_.size() > terms_kept) leaders_.erase(leaders_.begin());
        return;
    }
    if (*other == stamp.process) return;
    context_.ledger.object(PropertyId::Raft1, stamp, [&] {
        return fmt::format("server {} and server {} both became leader of term {}",
                           context_.name(*other), context_.name(stamp.process), e.term.value);
    });
}

void RaftElections::on(const Stamp& stamp, const events::VoteCast& e) {
    context_.ledger.checked(PropertyId::Raft6);
    FlatMap<Term, NodeId>& votes = votes_[stamp.process];
    const NodeId* other = votes.find(e.term);
    if (!other) {
        votes[e.term] = e.candidate;
        if (votes.size() > terms_kept) votes.erase(votes.begin());
        return;
    }
    if (*other == e.candidate) return;
    context_.ledger.object(PropertyId::Raft6, stamp, [&] {
        return fmt::format("server {} voted for both {} and {} in term {}",
                           context_.name(stamp.process), context_.name(*other),
                           context_.name(e.candidate), e.term.value);
    });
}

}  // namespace lockstep::properties
