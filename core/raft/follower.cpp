#include "core/base/assert.hpp"
#include "core/raft/replica.hpp"

#include <algorithm>
#include <utility>

/// The receiving side of log replication and of snapshots (§3.5, §5).
namespace lockstep::raft {

/// The sender leads `term`, not an earlier one than ours. False if this term has another leader.
bool Replica::accept_leader(NodeId from, Term leaders_term, Step& s) {
    LOCKSTEP_ASSERT(leaders_term >= term(), "theirs={} ours={}", leaders_term.value, term().value);
    if (leaders_term == term()) {
        if (leads()) return false;
        auto* follower = std::get_if<Follower>(&role_);
        if (follower != nullptr && follower->leader) {
            if (follower->leader != from) return false;
            follower->heard_at = s.now;
            follower->deadline = s.now + follower->timeout;
            return true;
        }
    }
    become_follower(leaders_term, from, events::StepDownReason::HigherTerm, s);
    return true;
}

void Replica::handle(NodeId from, AppendRequest& request, Step& s) {
    if (request.term < term()) {
        promise(from, AppendReply{term(), LogIndex(), Term(), 0, false}, PersistId(), s);
        return;
    }
    if (!accept_leader(from, request.term, s)) return;
    const LogIndex prev = request.prev_index;
    if (prev >= log_.base_index() && !log_.has(prev, request.prev_term)) {
        if (prev > commit_) reply_conflict(from, request, s);
        return;
    }
    if (!reconcile(request.entries, s)) return;

    // All that this request vouches for. What lies behind it may be of another leader.
    const LogIndex last(prev.value + request.entries.size());
    const LogIndex committed = std::min(request.commit, last);
    if (committed > commit_) advance_commit(committed, false, s);

    // A heartbeat is answered at once, even if the disk is behind: it confirms that the leader
    // leads.
    const bool heartbeat = request.entries.empty();
    const LogIndex index = heartbeat ? std::min(last, disk_.durable_index()) : last;
    promise(from, AppendReply{term(), index, Term(), request.round, true}, disk_.needed_for(index),
            s);
}

/// Makes the log hold the entries, which follow one that agrees. Only a conflict cuts anything: an
/// old request, come late, must not take away what a later one brought. False if the entries
/// contradict what is committed.
bool Replica::reconcile(std::span<Entry> entries, Step& s) {
    std::size_t i = 0;
    while (i < entries.size() &&
           (entries[i].index <= log_.base_index() || log_.has(entries[i].index, entries[i].term)))
        ++i;
    if (i == entries.size()) return true;
    const LogIndex from = entries[i].index;
    if (from <= commit_) return false;
    if (from <= log_.last_index()) {
        LOCKSTEP_ASSERT(!leads(), "from={}", from.value);
        changes(s).truncate_from = from;
        log_.truncate(from, commit_);
        disk_.cut(from.prev());
        s.out.events.emplace_back(events::Truncated{from});
    }
    for (; i < entries.size(); ++i) append(std::move(entries[i]), s);
    return true;
}

void Replica::reply_conflict(NodeId to, const AppendRequest& request, Step& s) {
    LOCKSTEP_ASSERT(request.prev_index > log_.base_index(), "prev={} base={}",
                    request.prev_index.value, log_.base_index().value);
    const LogIndex hint = log_.last_at_or_below(request.prev_index.prev(), request.prev_term);
    promise(to, AppendReply{term(), hint, log_.term_at(hint), request.round, false}, PersistId(),
            s);
}

void Replica::handle(NodeId from, SnapshotRequest& request, Step& s) {
    if (request.term < term()) {
        promise(from, SnapshotReply{term(), LogIndex(), 0}, PersistId(), s);
        return;
    }
    if (!accept_leader(from, request.term, s)) return;
    const LogIndex index = request.snapshot.index;
    if (index > commit_) {
        // A log that has the entry needs no snapshot: what is committed there is committed here.
        if (log_.has(index, request.snapshot.term))
            advance_commit(index, false, s);
        else
            install(std::move(request.snapshot), s);
    }
    promise(from, SnapshotReply{term(), index, request.round}, disk_.needed_for(index), s);
}

void Replica::install(Snapshot snapshot, Step& s) {
    const LogIndex index = snapshot.index;
    LOCKSTEP_ASSERT(index > commit_ && !leads(), "index={} commit={}", index.value, commit_.value);
    s.out.events.emplace_back(
        events::SnapshotInstalled{index, snapshot.term, snapshot.prefix_hash, snapshot.state_hash});
    disk_.cut(commit_);
    s.out.install = snapshot;
    s.out.committed.clear();  // all of it is in the snapshot
    log_.reset(std::move(snapshot));
    commit_ = index;
    rewrite_file(s);
}

}  // namespace lockstep::raft
