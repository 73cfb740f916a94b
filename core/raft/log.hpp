#pragma once

#include "core/raft/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::raft {

/// The log in memory: a view of the stored entries that keeps a hash of every prefix beside them.
///
/// It covers (base, last]; what is at or below the base is in the snapshot. Two logs with equal
/// prefix hashes at an index hold the same commands in the same terms up to there.
class Log {
public:
    /// `stored` outlives the log, and its snapshot and entries are changed by the log alone.
    explicit Log(Stored& stored);

    LogIndex base_index() const { return stored_.snapshot.index; }
    LogIndex first_index() const { return base_index().next(); }
    LogIndex last_index() const { return LogIndex(base_index().value + stored_.entries.size()); }
    Term last_term() const { return term_at(last_index()); }
    /// In [base, last].
    bool covers(LogIndex index) const { return index >= base_index() && index <= last_index(); }
    /// `index` must be covered.
    Term term_at(LogIndex index) const;
    std::uint64_t prefix_hash_at(LogIndex index) const;
    /// In (base, last].
    const Entry& entry_at(LogIndex index) const;
    /// The entries from `first` on, at most `limit` of them; empty beyond the last.
    std::span<const Entry> entries_from(LogIndex first, std::size_t limit) const;

    bool has(LogIndex index, Term term) const { return covers(index) && term_at(index) == term; }
    /// The highest covered index at or below `index` whose term is at most `term`; the base if
    /// there is none. `index` at or above the base.
    LogIndex last_at_or_below(LogIndex index, Term term) const;
    /// Whether a log that ends with (index, term) is at least as up to date as this one (§3.6.1).
    bool not_ahead_of(LogIndex index, Term term) const;

    void append(Entry entry);
    /// Removes the entries from `from` on. Nothing that is committed may go.
    void truncate(LogIndex from, LogIndex commit);
    /// Replaces the log up to `snapshot.index`, which it covers, by the snapshot.
    void compact(Snapshot snapshot);
    /// Replaces everything by the snapshot.
    void reset(Snapshot snapshot);

private:
    std::size_t offset_of(LogIndex index) const;

    Stored& stored_;
    std::vector<std::uint64_t> hashes_;  ///< beside the entries
};

}  // namespace lockstep::raft
