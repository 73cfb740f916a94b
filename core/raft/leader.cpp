#include "core/base/assert.hpp"
#include "core/raft/replica.hpp"

#include <algorithm>
#include <utility>

/// The sending side: replication, commitment, confirmations of leadership (§3.5, §3.6.2, §6.4,
/// §10.2.1).
namespace lockstep::raft {

/// The peer that answers this leader in its own term, or null. Notes that it was heard.
Peer* Replica::answering_peer(NodeId from, Term reply_term, std::uint64_t round, Step& s) {
    if (reply_term > term()) {
        become_follower(reply_term, NodeId(), events::StepDownReason::HigherTerm, s);
        return nullptr;
    }
    auto* leader = std::get_if<Leader>(&role_);
    if (leader == nullptr || reply_term < term()) return nullptr;
    const auto peer = std::ranges::find(leader->peers, from, &Peer::id);
    LOCKSTEP_ASSERT(peer != leader->peers.end(), "from={}", from.value);
    peer->heard_at = s.now;
    peer->round_acked = std::max(peer->round_acked, std::min(round, leader->round));
    return &*peer;
}

void Replica::handle(NodeId from, const AppendReply& reply, Step& s) {
    Peer* peer = answering_peer(from, reply.term, reply.round, s);
    if (peer == nullptr) return;
    auto& leader = std::get<Leader>(role_);
    if (reply.success)
        agree(leader, *peer, reply.index, s);
    else
        disagree(leader, *peer, reply.index, reply.hint_term, s);
    count_round(leader, s);
}

void Replica::handle(NodeId from, const SnapshotReply& reply, Step& s) {
    Peer* peer = answering_peer(from, reply.term, reply.round, s);
    if (peer == nullptr) return;
    auto& leader = std::get<Leader>(role_);
    agree(leader, *peer, reply.index, s);
    count_round(leader, s);
}

/// The peer's log agrees with this one, durably, up to `index`: that stays true for the term,
/// however old the reply is.
void Replica::agree(Leader& leader, Peer& peer, LogIndex index, Step& s) {
    if (index > log_.last_index()) return;
    const bool moved = index > peer.match;
    if (moved) {
        peer.match = index;
        peer.moved_at = s.now;
        peer.window.acknowledge(index);
    }
    switch (peer.mode) {
        case Peer::Mode::Probe:
            // Less, and the reply is to something older, or the peer's disk is behind.
            if (index.next() < peer.next) break;
            peer.replicate();
            break;
        case Peer::Mode::Replicate:
            peer.next = std::max(peer.next, peer.match.next());
            break;
        case Peer::Mode::Snapshot:
            if (peer.match >= log_.base_index())
                peer.replicate();
            else if (moved)
                peer.probe_from(peer.match.next());  // a later snapshot was taken since
            break;
    }
    if (moved) commit_by_quorum(leader, s);
    if (peer.mode != Peer::Mode::Snapshot && peer.next <= log_.last_index())
        send_log(leader, peer, s);
}

/// The peer's log does not have what an append built on.
void Replica::disagree(Leader& leader, Peer& peer, LogIndex hint, Term hint_term, Step& s) {
    if (peer.mode == Peer::Mode::Snapshot || hint < peer.match) return;
    LogIndex first = hint.next();
    if (hint >= log_.base_index()) {
        const LogIndex agreed = log_.last_at_or_below(hint, hint_term);
        // The log does not reach back to where the two agree: only the snapshot does.
        first = log_.term_at(agreed) <= hint_term ? agreed.next() : agreed;
    }
    first = std::max(first, peer.match.next());
    if (first >= peer.next) return;  // the answer to an earlier append
    peer.probe_from(first);
    send_log(leader, peer, s);
}

void Replica::send_log(Leader& leader, Peer& peer, Step& s) {
    switch (peer.mode) {
        case Peer::Mode::Probe:
            if (peer.probing) return;
            if (peer.next.prev() < log_.base_index()) {
                send_snapshot(leader, peer, s);
                return;
            }
            peer.probing = true;
            send_append(leader, peer, peer.next.prev(),
                        log_.entries_from(peer.next, config_.max_entries_per_append), s);
            return;
        case Peer::Mode::Replicate:
            while (peer.next <= log_.last_index() && !peer.window.full()) {
                if (peer.next.prev() < log_.base_index()) {
                    send_snapshot(leader, peer, s);
                    return;
                }
                const auto entries = log_.entries_from(peer.next, config_.max_entries_per_append);
                if (peer.window.empty()) peer.moved_at = s.now;
                send_append(leader, peer, peer.next.prev(), entries, s);
                peer.window.push(entries.back().index);
                peer.next = entries.back().index.next();
            }
            return;
        case Peer::Mode::Snapshot:
            return;
    }
}

void Replica::send_append(Leader& leader, Peer& peer, LogIndex prev, std::span<const Entry> entries,
                          Step& s) {
    // Peers hear of the log before this disk has it; it counts itself when it has (§10.2.1).
    s.out.send.push_back(
        Send{peer.id, AppendRequest{term(),
                                    prev,
                                    log_.covers(prev) ? log_.term_at(prev) : Term(),
                                    commit_,
                                    leader.round,
                                    {entries.begin(), entries.end()}}});
}

void Replica::send_snapshot(Leader& leader, Peer& peer, Step& s) {
    peer.mode = Peer::Mode::Snapshot;
    peer.moved_at = s.now;
    peer.window.clear();
    s.out.send.push_back(Send{peer.id, SnapshotRequest{term(), leader.round, stored_.snapshot}});
}

/// An append without entries, or whatever gets a peer that is stuck going again.
void Replica::send_heartbeat(Leader& leader, Peer& peer, Step& s) {
    const Duration waited = s.now - peer.moved_at;
    if (peer.mode == Peer::Mode::Replicate && !peer.window.empty() && waited >= retransmit_after_)
        peer.probe_from(peer.match.next());
    if (peer.mode == Peer::Mode::Snapshot && waited >= config_.election_min)
        peer.probe_from(peer.match.next());
    if (peer.mode == Peer::Mode::Probe) {
        if (peer.next.prev() < log_.base_index()) {
            send_snapshot(leader, peer, s);
            return;
        }
        peer.probing = true;
        send_append(leader, peer, peer.next.prev(), {}, s);
        return;
    }
    // Builds on what the peer is known to have, lest it conflict with what is still on the way. The
    // beginning of the log agrees with every log.
    send_append(leader, peer, log_.covers(peer.match) ? peer.match : LogIndex(), {}, s);
}

void Replica::start_round(Leader& leader, Step& s) {
    ++leader.round;
    leader.heartbeat_due = s.now + config_.heartbeat;
    for (Peer& peer : leader.peers) send_heartbeat(leader, peer, s);
    count_round(leader, s);
}

void Replica::count_round(Leader& leader, Step& s) {
    if (leader.round_acked == leader.round) return;
    QuorumValues<std::uint64_t> acked;
    acked.add(leader.round);
    for (const Peer& peer : leader.peers) acked.add(peer.round_acked);
    const std::uint64_t reached = acked.reached();
    LOCKSTEP_ASSERT(reached >= leader.round_acked, "reached={} acked={}", reached,
                    leader.round_acked);
    if (reached == leader.round_acked) return;
    leader.round_acked = reached;
    if (!leader.asked.empty()) answer_asked(leader, s);
}

void Replica::commit_by_quorum(Leader& leader, Step& s) {
    QuorumValues<LogIndex> matches;
    matches.add(disk_.durable_index());
    for (const Peer& peer : leader.peers) matches.add(peer.match);
    const LogIndex reached = matches.reached();
    // An entry of an earlier term is committed by one of this term that follows it (figure 3.7).
    if (reached <= commit_ || log_.term_at(reached) != term()) return;
    LOCKSTEP_ASSERT(reached >= leader.opening, "reached={} opening={}", reached.value,
                    leader.opening.value);
    advance_commit(reached, true, s);
    if (!leader.asked.empty()) answer_asked(leader, s);
}

void Replica::confirm(std::uint64_t context, LocalTime now, Effects& effects) {
    begin(now);
    Step s{now, effects};
    auto* leader = std::get_if<Leader>(&role_);
    if (leader != nullptr && still_leads(*leader, s)) {
        const LogIndex read_index = std::max(commit_, leader->opening);
        leader->asked.push_back(Leader::Asked{context, leader->round + 1, read_index});
        // While a round is out, requests gather for the next.
        if (leader->round_acked == leader->round) start_round(*leader, s);
    } else {
        s.out.confirmed.push_back(Confirmation{context, false, LogIndex()});
    }
    finish(s);
}

void Replica::answer_asked(Leader& leader, Step& s) {
    if (committed_in_own_term()) {
        auto it = leader.asked.begin();
        for (; it != leader.asked.end() && it->round <= leader.round_acked; ++it) {
            LOCKSTEP_ASSERT(it->read_index <= commit_, "read_index={} commit={}",
                            it->read_index.value, commit_.value);
            s.out.confirmed.push_back(Confirmation{it->context, true, it->read_index});
        }
        leader.asked.erase(leader.asked.begin(), it);
    }
    const bool some_wait = !leader.asked.empty() && leader.asked.back().round > leader.round;
    if (some_wait && leader.round_acked == leader.round) start_round(leader, s);
}

/// False, and it has stepped down, if no quorum has answered for an election timeout (§6.2) or its
/// own disk hangs.
bool Replica::still_leads(Leader& leader, Step& s) {
    using events::StepDownReason;
    QuorumValues<LocalTime> heard;
    heard.add(s.now);
    for (const Peer& peer : leader.peers) heard.add(peer.heard_at);
    const bool alone = s.now - heard.reached() >= config_.election_max;
    const bool hangs = disk_hangs(s.now);
    if (!alone && !hangs) return true;
    become_follower(term(), NodeId(),
                    hangs ? StepDownReason::DiskHangs : StepDownReason::QuorumLost, s);
    return false;
}

/// What was on the way may be lost. The next heartbeat probes; at once would be a loop if the peer
/// is down and resets everything.
void Replica::reset_link(NodeId id) {
    auto* leader = std::get_if<Leader>(&role_);
    if (leader == nullptr) return;
    const auto peer = std::ranges::find(leader->peers, id, &Peer::id);
    if (peer == leader->peers.end()) return;
    peer->probe_from(peer->match.next());
    peer->probing = true;
}

}  // namespace lockstep::raft
