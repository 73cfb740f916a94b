#pragma once

#include "core/base/prng.hpp"
#include "core/raft/durability.hpp"
#include "core/raft/log.hpp"
#include "core/raft/outbox.hpp"
#include "core/raft/roles.hpp"
#include "core/raft/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::raft {

/// One replica of Raft as a state machine: no IO, no clock, no thread. Everything that the world
/// does to it is a call with the reading of its own clock; everything it wants done is in Effects.
///
/// It withholds every message that promises durability until Persisted comes back, so that a
/// driver may send what it finds in Effects at once.
///
/// Messages may be lost, repeated, delayed and reordered at will. What contradicts what a quorum
/// has made durable can come only of a disk that forgot; it is ignored, and is not an assertion
/// here.
///
/// Source: Ongaro, "Consensus: Bridging Theory and Practice" (2014), chapters 3,
/// 5, 6.4, 9.6, 10.2.1.
class Replica {
public:
    /// The state machine starts from `stored.snapshot`. Reports Recovered, and the vote that was
    /// found, in case its VoteCast was lost with the former life.
    Replica(Config config, Stored stored, Prng prng, LocalTime now, Effects& effects);
    ~Replica() = default;
    Replica(const Replica&) = delete;
    Replica& operator=(const Replica&) = delete;

    void step(Input&& input, LocalTime now, Effects& effects);

    /// Appends a command if this replica leads; its position, or nothing if it does not lead.
    std::optional<LogIndex> propose(Blob command, LocalTime now, Effects& effects);

    /// Asks for a confirmation, by acknowledgements of a round numbered after this call, that this
    /// replica leads. The answer comes in Effects::confirmed under the same context, at once if it
    /// does not lead, and only after an entry of its own term was committed if it does.
    void confirm(std::uint64_t context, LocalTime now, Effects& effects);

    /// The state machine's snapshot after `index`, which must be applied: the log up to there goes.
    /// Nothing happens if a snapshot covers the index already.
    void compact(LogIndex index, std::uint64_t state_hash, Blob state, LocalTime now,
                 Effects& effects);

    /// When the next Tick is due at the latest. Earlier ones do no harm. A leader judges its quorum
    /// and its disk at its heartbeats.
    LocalTime wake_at() const;

    bool leads() const { return std::holds_alternative<Leader>(role_); }
    const Role& role() const { return role_; }
    Term term() const { return stored_.hard.term; }
    /// Whom this replica believes to lead; zero if it knows nobody.
    NodeId leader() const;
    LogIndex commit_index() const { return commit_; }
    LogIndex last_index() const { return log_.last_index(); }
    LogIndex first_index() const {
        return log_.first_index();
    }  ///< what is before is in the snapshot
    /// Of the log in memory, what this replica's disk has acknowledged.
    LogIndex durable_index() const { return disk_.durable_index(); }
    /// The leader has committed an entry of its own term (and may therefore answer).
    bool committed_in_own_term() const;
    const Stored& stored() const { return stored_; }
    const Log& log() const { return log_; }

private:
    /// One call from outside.
    struct Step {
        LocalTime now;
        Effects& out;
    };

    // replica.cpp: calls from outside, term and vote, time, disk
    void begin(LocalTime now);
    void finish(Step& s);
    void tick(Step& s);
    void receive(Receive& received, Step& s);
    void persisted(PersistId id, Step& s);
    Persist& changes(Step& s);
    void set_hard(HardState hard, Step& s);
    void rewrite_file(Step& s);
    void append(Entry entry, Step& s);
    void advance_commit(LogIndex index, bool as_leader, Step& s);
    void promise(NodeId to, Message message, PersistId needed, Step& s);
    void become_follower(Term term, NodeId leader, events::StepDownReason reason, Step& s);
    bool disk_hangs(LocalTime now) const;
    Duration draw_timeout();
    std::optional<std::size_t> place_of(NodeId id) const;

    // election.cpp
    void campaign(Step& s);
    void become_candidate(Step& s);
    void become_leader(Step& s);
    void count_own_vote(Step& s);
    void ask_for_votes(bool pre, Step& s);
    bool hears_leader(LocalTime now) const;
    void handle(NodeId from, const VoteRequest& request, Step& s);
    void handle(NodeId from, const VoteReply& reply, Step& s);

    // follower.cpp
    bool accept_leader(NodeId from, Term term, Step& s);
    bool reconcile(std::span<Entry> entries, Step& s);
    void reply_conflict(NodeId to, const AppendRequest& request, Step& s);
    void handle(NodeId from, AppendRequest& request, Step& s);
    void handle(NodeId from, SnapshotRequest& request, Step& s);
    void install(Snapshot snapshot, Step& s);

    // leader.cpp
    Peer* answering_peer(NodeId from, Term term, std::uint64_t round, Step& s);
    void handle(NodeId from, const AppendReply& reply, Step& s);
    void handle(NodeId from, const SnapshotReply& reply, Step& s);
    void agree(Leader& leader, Peer& peer, LogIndex index, Step& s);
    void disagree(Leader& leader, Peer& peer, LogIndex hint, Term hint_term, Step& s);
    void send_log(Leader& leader, Peer& peer, Step& s);
    void send_append(Leader& leader, Peer& peer, LogIndex prev, std::span<const Entry> entries,
                     Step& s);
    void send_snapshot(Leader& leader, Peer& peer, Step& s);
    void send_heartbeat(Leader& leader, Peer& peer, Step& s);
    void start_round(Leader& leader, Step& s);
    void count_round(Leader& leader, Step& s);
    void commit_by_quorum(Leader& leader, Step& s);
    void answer_asked(Leader& leader, Step& s);
    bool still_leads(Leader& leader, Step& s);
    void reset_link(NodeId peer);

    const Config config_;
    const std::size_t self_;  ///< place among the members
    Prng prng_;
    Stored stored_;
    Log log_;
    Durability disk_;
    Outbox outbox_;
    Role role_;
    LogIndex commit_;
    PersistId hard_persist_;  ///< the request that makes the current term and vote durable
    LocalTime last_now_;
    bool persist_open_ = false;  ///< this step has a Persist, the last of Effects::persist
    Duration retransmit_after_;
};

}  // namespace lockstep::raft
