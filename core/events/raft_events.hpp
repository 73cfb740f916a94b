#pragma once

#include "core/base/strong.hpp"

/// What a replica of Raft reports. Plain data, trivially copyable, at most 56 bytes; properties see
/// nothing else of a server. `visit` names the fields in their order, for digests and for printing.
namespace lockstep::events {

enum class StepDownReason : std::uint8_t { HigherTerm, QuorumLost, DiskHangs };

/// The replica won an election. Its log ends at `last_index`, whose prefix hashes to `last_hash`.
struct BecameLeader {
    static constexpr const char* name = "became-leader";
    Term term;
    LogIndex last_index;
    std::uint64_t last_hash;
    void visit(auto&& f) const {
        f("term", term);
        f("last_index", last_index);
        f("last_hash", last_hash);
    }
};

struct SteppedDown {
    static constexpr const char* name = "stepped-down";
    Term term;
    StepDownReason reason;
    void visit(auto&& f) const {
        f("term", term);
        f("reason", reason);
    }
};

/// Emitted when the vote is durable, a candidate's for itself too. Pre-votes are not reported.
struct VoteCast {
    static constexpr const char* name = "vote-cast";
    Term term;
    NodeId candidate;
    void visit(auto&& f) const {
        f("term", term);
        f("candidate", candidate);
    }
};

/// Start of a life: the log as it was read from the disk covers (base_index, last_index]; what is
/// at or below the base is in the snapshot. An empty log has last_index = base_index.
struct Recovered {
    static constexpr const char* name = "recovered";
    Term term;
    LogIndex base_index;
    LogIndex last_index;
    Term last_term;
    std::uint64_t last_hash;
    void visit(auto&& f) const {
        f("term", term);
        f("base_index", base_index);
        f("last_index", last_index);
        f("last_term", last_term);
        f("last_hash", last_hash);
    }
};

/// The disk holds damage that no crash explains; the replica does not start.
struct StorageRefused {
    static constexpr const char* name = "storage-refused";
    std::uint64_t offset;
    void visit(auto&& f) const { f("offset", offset); }
};

/// Start of a life: what followed `offset` in the log file was a write that a crash had torn, and
/// was cut off.
struct TornTailCut {
    static constexpr const char* name = "torn-tail-cut";
    std::uint64_t offset;
    void visit(auto&& f) const { f("offset", offset); }
};

/// An entry was put at the end of the log in memory. `prefix_hash` covers everything up to it.
struct Appended {
    static constexpr const char* name = "appended";
    LogIndex index;
    Term term;
    std::uint64_t prefix_hash;
    void visit(auto&& f) const {
        f("index", index);
        f("term", term);
        f("prefix_hash", prefix_hash);
    }
};

/// Everything from `from` on was removed from the log in memory.
struct Truncated {
    static constexpr const char* name = "truncated";
    LogIndex from;
    void visit(auto&& f) const { f("from", from); }
};

/// The replica, in `term`, learned that everything up to `index` is committed.
struct CommitAdvanced {
    static constexpr const char* name = "commit-advanced";
    LogIndex index;
    Term term;
    std::uint64_t prefix_hash;
    bool as_leader;
    void visit(auto&& f) const {
        f("index", index);
        f("term", term);
        f("prefix_hash", prefix_hash);
        f("as_leader", as_leader);
    }
};

/// The entry was applied; `state_hash` is that of the state machine afterwards.
struct Applied {
    static constexpr const char* name = "applied";
    LogIndex index;
    Term term;
    std::uint64_t state_hash;
    void visit(auto&& f) const {
        f("index", index);
        f("term", term);
        f("state_hash", state_hash);
    }
};

/// The log up to `index` was replaced by the replica's own snapshot.
struct Compacted {
    static constexpr const char* name = "compacted";
    LogIndex index;
    void visit(auto&& f) const { f("index", index); }
};

/// A snapshot from the leader replaced state and log: the state is now the one after `index`.
struct SnapshotInstalled {
    static constexpr const char* name = "snapshot-installed";
    LogIndex index;
    Term term;
    std::uint64_t prefix_hash;
    std::uint64_t state_hash;
    void visit(auto&& f) const {
        f("index", index);
        f("term", term);
        f("prefix_hash", prefix_hash);
        f("state_hash", state_hash);
    }
};

/// The replica's log, as it is in memory up to `index`, has become durable on its disk.
struct LogDurable {
    static constexpr const char* name = "log-durable";
    LogIndex index;
    Term term;  ///< of the entry at `index`
    void visit(auto&& f) const {
        f("index", index);
        f("term", term);
    }
};

/// The disk failed, or is full: the process ends itself, because what it wrote may be gone.
struct StorageFailed {
    static constexpr const char* name = "storage-failed";
    bool full;
    void visit(auto&& f) const { f("full", full); }
};

}  // namespace lockstep::events
