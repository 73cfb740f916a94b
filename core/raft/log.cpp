#include "core/raft/log.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::raft {
namespace {

std::uint64_t prefix_hash(std::uint64_t before, const Entry& entry) {
    return hash_words(before, entry.index.value, entry.term.value, entry.command.hash());
}

}  // namespace

Log::Log(Stored& stored) : stored_(stored) {
    hashes_.reserve(stored.entries.size());
    std::uint64_t hash = stored.snapshot.prefix_hash;
    LogIndex index = stored.snapshot.index;
    Term term = stored.snapshot.term;
    for (const Entry& entry : stored.entries) {
        LOCKSTEP_ASSERT(entry.index == index.next() && entry.term >= term,
                        "entry={}/{} after {}/{}", entry.index.value, entry.term.value, index.value,
                        term.value);
        index = entry.index;
        term = entry.term;
        hashes_.push_back(hash = prefix_hash(hash, entry));
    }
}

std::size_t Log::offset_of(LogIndex index) const {
    LOCKSTEP_ASSERT(index > base_index() && index <= last_index(), "index={} base={} last={}",
                    index.value, base_index().value, last_index().value);
    return static_cast<std::size_t>(index.value - base_index().value - 1);
}

Term Log::term_at(LogIndex index) const {
    return index == base_index() ? stored_.snapshot.term : entry_at(index).term;
}

std::uint64_t Log::prefix_hash_at(LogIndex index) const {
    return index == base_index() ? stored_.snapshot.prefix_hash : hashes_[offset_of(index)];
}

const Entry& Log::entry_at(LogIndex index) const {
    return stored_.entries[offset_of(index)];
}

std::span<const Entry> Log::entries_from(LogIndex first, std::size_t limit) const {
    if (first > last_index()) return {};
    const auto rest = std::span<const Entry>(stored_.entries).subspan(offset_of(first));
    return rest.first(std::min(limit, rest.size()));
}

LogIndex Log::last_at_or_below(LogIndex index, Term term) const {
    LOCKSTEP_ASSERT(index >= base_index(), "index={} base={}", index.value, base_index().value);
    index = std::min(index, last_index());
    while (index > base_index() && term_at(index) > term) index = index.prev();
    return index;
}

bool Log::not_ahead_of(LogIndex index, Term term) const {
    return term > last_term() || (term == last_term() && index >= last_index());
}

void Log::append(Entry entry) {
    LOCKSTEP_ASSERT(entry.index == last_index().next(), "index={} last={}", entry.index.value,
                    last_index().value);
    LOCKSTEP_ASSERT(entry.term >= last_term() && entry.term <= stored_.hard.term,
                    "term={} last_term={} current={}", entry.term.value, last_term().value,
                    stored_.hard.term.value);
    hashes_.push_back(prefix_hash(prefix_hash_at(last_index()), entry));
    stored_.entries.push_back(std::move(entry));
}

void Log::truncate(LogIndex from, LogIndex commit) {
    LOCKSTEP_ASSERT(from > commit, "from={} commit={}", from.value, commit.value);
    const std::size_t kept = offset_of(from);
    stored_.entries.resize(kept);
    hashes_.resize(kept);
}

void Log::compact(Snapshot snapshot) {
    LOCKSTEP_ASSERT(has(snapshot.index, snapshot.term), "index={}/{} base={} last={}",
                    snapshot.index.value, snapshot.term.value, base_index().value,
                    last_index().value);
    const auto gone = static_cast<std::ptrdiff_t>(snapshot.index.value - base_index().value);
    stored_.entries.erase(stored_.entries.begin(), stored_.entries.begin() + gone);
    hashes_.erase(hashes_.begin(), hashes_.begin() + gone);
    stored_.snapshot = std::move(snapshot);
}

void Log::reset(Snapshot snapshot) {
    LOCKSTEP_ASSERT(snapshot.term <= stored_.hard.term, "term={} current={}", snapshot.term.value,
                    stored_.hard.term.value);
    stored_.entries.clear();
    hashes_.clear();
    stored_.snapshot = std::move(snapshot);
}

}  // namespace lockstep::raft
