#pragma once

#include "core/events/raft_events.hpp"
#include "properties/context.hpp"
#include "properties/index_ring.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace lockstep::properties {

/// The log of one server as its events tell it: term and prefix hash by index. Entries that the
/// events never named (a log that was there before the first event) are unknown.
class ShadowLog {
public:
    LogIndex base() const { return ring_.floor(); }
    LogIndex last() const { return ring_.top(); }
    /// The hash of the log up to the index, where it is known.
    std::optional<std::uint64_t> hash_at(LogIndex i) const;

    void append(const events::Appended& e);
    void truncate(LogIndex from) { ring_.cut(from.prev()); }
    void compact(LogIndex up_to) { ring_.prune(up_to); }
    void install(LogIndex base) { ring_.restart(base); }
    /// Returns the last index up to which the log is what it was before.
    LogIndex recover(const events::Recovered& e);

private:
    struct Entry {
        Term term;  ///< zero: unknown
        std::uint64_t hash = 0;
    };
    IndexRing<Entry> ring_;
};

/// Every (index, term) that was in any log, with the hash of the log up to it, down to what no
/// disk holds any more.
class KnownEntries {
public:
    struct Known {
        Term term;
        std::uint64_t hash = 0;
        sim::ProcessId first;  ///< the server whose log had it first
    };
    /// What was known of this entry, or null; then it is known from now on.
    const Known* meet(LogIndex index, const Known& entry) {
        const Known* first = ring_.find(index);
        if (first && first->term == entry.term) [[likely]]
            return first;
        return meet_anew(index, entry);
    }
    void prune(LogIndex up_to);

private:
    const Known* meet_anew(LogIndex index, const Known& entry);

    IndexRing<Known> ring_;  ///< the first term met at an index; others are rare
    FlatMap<std::pair<LogIndex, Term>, Known> others_;
};

/// The highest commit of each term that can still be asked for: both term and index grow along it.
class Commits {
public:
    struct Commit {
        Term term;
        LogIndex index;
        std::uint64_t hash = 0;
        sim::ProcessId leader;
    };
    void add(const Commit& commit);
    /// The highest commit of the terms below, or null.
    const Commit* below(Term term) const;

private:
    static constexpr std::size_t kept = 64;
    void insert(const Commit& commit);
    std::vector<Commit> steps_;
};

/// RAFT-2 LeaderAppendOnly, RAFT-3 LogMatching, RAFT-4 LeaderCompleteness (Raft, figure 3).
class RaftLog {
public:
    explicit RaftLog(Context& context);

    void on(const Stamp&, const events::BecameLeader&);
    void on(const Stamp&, const events::SteppedDown&);
    void on(const Stamp&, const events::VoteCast&);
    void on(const Stamp&, const events::Recovered&);
    void on(const Stamp&, const events::Appended&);
    void on(const Stamp&, const events::Truncated&);
    void on(const Stamp&, const events::CommitAdvanced&);
    void on(const Stamp&, const events::Compacted&);
    void on(const Stamp&, const events::SnapshotInstalled&);
    void on(const Stamp&, const sim::ProcessStopped&);

private:
    struct Server {
        ShadowLog log;
        Term leads;  ///< zero: does not lead
        bool seen = false;
    };
    /// A leader of the past or present. Up to `intact`, its server's log still is what it was.
    struct Elected {
        Term term;
        sim::ProcessId process;
        LogIndex last_index;  ///< at the election
        LogIndex intact;
    };
    static constexpr std::size_t elected_kept = 16;

    Server& server(sim::ProcessId id) {
        Server& s = servers_[id];
        s.seen = true;
        return s;
    }
    /// A leader changed its log from the index on: RAFT-2 allows that above its end alone.
    void only_appends(const Stamp& stamp, const Server& s, LogIndex from, const char* did) {
        context_.ledger.checked(PropertyId::Raft2);
        if (from <= s.log.last()) [[unlikely]]
            rewrote(stamp, s, from, did);
    }
    void rewrote(const Stamp&, const Server&, LogIndex from, const char* did);
    /// RAFT-3: the log up to the index is what it is in every other log that has this entry.
    void matches(const Stamp& stamp, LogIndex index, Term term, std::uint64_t hash) {
        const KnownEntries::Known* known = entries_.meet(index, {term, hash, stamp.process});
        if (!known) return;
        context_.ledger.checked(PropertyId::Raft3);
        if (known->hash != hash) [[unlikely]]
            differs(stamp, index, *known, hash);
    }
    void differs(const Stamp&, LogIndex, const KnownEntries::Known&, std::uint64_t hash);
    void has_commit(const Stamp&, const Server&, const events::BecameLeader&,
                    const Commits::Commit&);
    void is_in_higher_leaders(const Stamp&, const events::CommitAdvanced&);
    void changed_from(sim::ProcessId, LogIndex from);
    void move_floor();

    Context& context_;
    NodeMap<sim::ProcessId, Server> servers_;
    KnownEntries entries_;
    Commits commits_;
    std::vector<Elected> elected_;  ///< by term, the highest last
};

}  // namespace lockstep::properties
