#include "core/base/assert.hpp"
#include "core/base/overloaded.hpp"
#include "core/raft/replica.hpp"

#include <algorithm>
#include <utility>

/// Pre-vote, vote and the beginning of leadership (§3.4, §3.6.1, §4.2.3, §9.6).
namespace lockstep::raft {

void Replica::campaign(Step& s) {
    outbox_.drop_vote_requests();
    if (disk_hangs(s.now)) {  // its own vote would not become durable
        become_follower(term(), NodeId(), events::StepDownReason::DiskHangs, s);
        return;
    }
    const Duration timeout = draw_timeout();
    PreCandidate candidate{MemberSet(), s.now + timeout};
    candidate.granted.add(self_);
    role_ = candidate;
    if (candidate.granted.size() >= quorum_of(config_.members.size()))
        become_candidate(s);
    else
        ask_for_votes(true, s);
}

void Replica::become_candidate(Step& s) {
    set_hard(HardState{term().next(), config_.self}, s);
    const Duration timeout = draw_timeout();
    role_ = Candidate{MemberSet(), s.now + timeout};
    ask_for_votes(false, s);
}

void Replica::ask_for_votes(bool pre, Step& s) {
    const VoteRequest request{pre ? term().next() : term(), log_.last_index(), log_.last_term(),
                              pre};
    for (const NodeId member : config_.members) {
        if (member == config_.self) continue;
        // A pre-vote promises nothing. A vote is asked for in a term that must not be forgotten.
        if (pre)
            s.out.send.push_back(Send{member, request});
        else
            promise(member, request, PersistId(), s);
    }
}

void Replica::count_own_vote(Step& s) {
    auto& candidate = std::get<Candidate>(role_);
    if (!disk_.done(hard_persist_)) return;
    candidate.granted.add(self_);
    if (candidate.granted.size() >= quorum_of(config_.members.size())) become_leader(s);
}

/// Protects a leader that works from whoever cannot hear it (§4.2.3). A leader's own quorum is
/// watched by still_leads.
bool Replica::hears_leader(LocalTime now) const {
    return std::visit(
        Overloaded{[&](const Follower& follower) {
                       return follower.leader && now - follower.heard_at < config_.election_min;
                   },
                   [](const PreCandidate&) { return false; },
                   [](const Candidate&) { return false; }, [](const Leader&) { return true; }},
        role_);
}

void Replica::handle(NodeId from, const VoteRequest& request, Step& s) {
    if (request.term < term() || hears_leader(s.now)) {
        promise(from, VoteReply{term(), request.pre, false}, PersistId(), s);
        return;
    }
    const bool complete = log_.not_ahead_of(request.last_index, request.last_term);
    if (request.pre) {
        const bool granted = complete && request.term > term();
        promise(from, VoteReply{granted ? request.term : term(), true, granted}, PersistId(), s);
        return;
    }
    if (request.term > term())
        become_follower(request.term, NodeId(), events::StepDownReason::HigherTerm, s);
    const bool granted = complete && (!stored_.hard.vote || stored_.hard.vote == from);
    if (granted) {
        if (!stored_.hard.vote) set_hard(HardState{term(), from}, s);
        if (auto* follower = std::get_if<Follower>(&role_))
            follower->deadline = s.now + follower->timeout;
    }
    promise(from, VoteReply{term(), false, granted}, PersistId(), s);
}

void Replica::handle(NodeId from, const VoteReply& reply, Step& s) {
    const bool of_pre_vote = reply.pre && reply.granted;  // carries the term that was asked about
    if (reply.term > term() && !of_pre_vote) {
        become_follower(reply.term, NodeId(), events::StepDownReason::HigherTerm, s);
        return;
    }
    if (!reply.granted) return;
    const std::size_t quorum = quorum_of(config_.members.size());
    if (auto* asking = std::get_if<PreCandidate>(&role_)) {
        if (!reply.pre || reply.term != term().next()) return;
        asking->granted.add(*place_of(from));
        if (asking->granted.size() >= quorum) become_candidate(s);
    } else if (auto* candidate = std::get_if<Candidate>(&role_)) {
        if (reply.pre || reply.term != term()) return;
        candidate->granted.add(*place_of(from));
        if (candidate->granted.size() >= quorum) become_leader(s);
    }
}

void Replica::become_leader(Step& s) {
    LOCKSTEP_ASSERT(stored_.hard.vote == config_.self && disk_.done(hard_persist_),
                    "vote={} persist={}", stored_.hard.vote.value, hard_persist_.value);
    const LogIndex last = log_.last_index();
    s.out.events.emplace_back(events::BecameLeader{term(), last, log_.prefix_hash_at(last)});
    Leader& leader = role_.emplace<Leader>();
    leader.peers.reserve(config_.members.size() - 1);
    for (const NodeId member : config_.members)
        if (member != config_.self)
            leader.peers.emplace_back(member, last.next(), s.now, config_.max_inflight_appends);
    leader.heartbeat_due = s.now + config_.heartbeat;
    leader.opening = last.next();
    leader.round = 1;
    // Earlier terms' entries are committed by way of this one, never by count (§3.6.2).
    append(Entry{leader.opening, term(), Blob()}, s);
    for (Peer& peer : leader.peers) send_log(leader, peer, s);
    count_round(leader, s);
}

}  // namespace lockstep::raft
