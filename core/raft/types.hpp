#pragma once

#include "core/base/blob.hpp"
#include "core/base/strong.hpp"
#include "core/base/time.hpp"
#include "core/events/event.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace lockstep::raft {

/// One position of the log. An empty command is the no-op with which a leader opens its term.
struct Entry {
    LogIndex index;
    Term term;
    Blob command;
};

/// Term and vote, one atomic record.
struct HardState {
    Term term;
    NodeId vote;
    bool operator==(const HardState&) const = default;
};

/// The state after `index`. Index zero: there is none.
struct Snapshot {
    LogIndex index;
    Term term;
    std::uint64_t prefix_hash = 0;
    std::uint64_t state_hash = 0;
    Blob state;
};

/// Everything a replica keeps over its lives. `entries` follow the snapshot without a gap.
struct Stored {
    HardState hard;
    Snapshot snapshot;
    std::vector<Entry> entries;
};

// --- messages between replicas ---------------------------------------------------------------

struct VoteRequest {
    Term term;  ///< the candidate's; of a pre-vote, the term it would start
    LogIndex last_index;
    Term last_term;
    bool pre;
};

struct VoteReply {
    Term term;
    bool pre;
    bool granted;
};

/// `round` numbers the leader's confirmations of leadership and is echoed.
struct AppendRequest {
    Term term;
    LogIndex prev_index;
    Term prev_term;
    LogIndex commit;
    std::uint64_t round;
    std::vector<Entry> entries;
};

/// On success `index` is the last entry known to agree and to be durable. On a conflict it is the
/// follower's hint: its last entry that is not of a later term than the one asked for, and can thus
/// agree, with `hint_term` that entry's term. The leader goes on below its own entries of later
/// terms than that, so that each side skips whole terms.
struct AppendReply {
    Term term;
    LogIndex index;
    Term hint_term;
    std::uint64_t round;
    bool success;
};

struct SnapshotRequest {
    Term term;
    std::uint64_t round;
    Snapshot snapshot;
};

struct SnapshotReply {
    Term term;
    LogIndex index;
    std::uint64_t round;
};

using Message = std::variant<VoteRequest, VoteReply, AppendRequest, AppendReply, SnapshotRequest,
                             SnapshotReply>;

// --- what the replica asks of the world --------------------------------------------------------

struct Send {
    NodeId to;
    Message message;
};

/// One request to the disk. The driver makes it durable, then hands back Persisted{id}; ids come
/// back in order, and one may stand for all before it. Otherwise than with `rewrite`, term, vote,
/// truncation and entries are appended to the log file, as one record. With `rewrite` the whole
/// file is replaced, atomically, by `hard`, `snapshot` and `entries`, which then hold everything
/// that is stored (`Replica::stored()` as it was when the step returned). wal.hpp encodes both.
struct Persist {
    PersistId id;
    bool rewrite = false;
    bool has_hard = false;
    HardState hard;
    LogIndex truncate_from;  ///< zero: nothing is cut
    std::vector<Entry> entries;
    Snapshot snapshot;  ///< with `rewrite` only
};

/// A request to confirm leadership ended: the replica led at some instant after the request, or it
/// did not. `read_index` covers everything that was committed, by any leader, when the request was
/// made: an answer that must reflect it needs that much applied.
struct Confirmation {
    std::uint64_t context;
    bool leads;
    LogIndex read_index;
};

/// Reused from step to step; the caller clears it. Memory is kept.
struct Effects {
    std::vector<Send> send;
    std::vector<Persist> persist;
    std::vector<Entry> committed;  ///< to apply, in order, after a snapshot if there is one
    std::vector<Confirmation> confirmed;
    std::vector<events::Event> events;
    Snapshot install;  ///< index not zero: replace the state machine by it first
    void clear() {
        send.clear();
        persist.clear();
        committed.clear();
        confirmed.clear();
        events.clear();
        install = Snapshot();
    }
};

struct Config {
    NodeId self;
    std::vector<NodeId> members;  ///< with self, in ascending order
    Duration election_min = seconds(1);
    Duration election_max = seconds(2);
    Duration heartbeat = milliseconds(100);
    std::size_t max_entries_per_append = 64;
    std::size_t max_inflight_appends = 16;
};

// --- what the world does to the replica --------------------------------------------------------

struct Tick {};
struct Receive {
    NodeId from;
    Message message;
};
struct Persisted {
    PersistId id;
};
/// The connection to the peer was reset: what was in flight to it may be lost.
struct LinkReset {
    NodeId peer;
};
using Input = std::variant<Tick, Receive, Persisted, LinkReset>;

}  // namespace lockstep::raft
