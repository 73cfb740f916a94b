#include "properties/raft_log.hpp"

#include <algorithm>

namespace lockstep::properties {

// ShadowLog

std::optional<std::uint64_t> ShadowLog::hash_at(LogIndex i) const {
    const Entry* entry = ring_.find(i);
    if (!entry || !entry->term) return std::nullopt;
    return entry->hash;
}

void ShadowLog::append(const events::Appended& e) {
    if (ring_.push(e.index, {e.term, e.prefix_hash})) [[likely]]
        return;
    if (e.index <= ring_.top())
        ring_.cut(e.index.prev());
    else if (e.index != ring_.top().next())
        ring_.restart(e.index.prev());
    ring_.extend(e.index);
    ring_.at(e.index) = {e.term, e.prefix_hash};
}

LogIndex ShadowLog::recover(const events::Recovered& e) {
    const std::optional<std::uint64_t> had = hash_at(e.last_index);
    const bool same = had && *had == e.last_hash;
    if (same) {
        ring_.cut(e.last_index);
        ring_.lower(e.base_index);
        ring_.prune(e.base_index);
        return e.last_index;
    }
    // Not the log that this server had: only its end is known.
    ring_.restart(e.base_index);
    if (e.last_index > e.base_index) {
        ring_.extend(e.last_index);
        ring_.at(e.last_index) = {e.last_term, e.last_hash};
    }
    return e.base_index;
}

// KnownEntries

const KnownEntries::Known* KnownEntries::meet_anew(LogIndex index, const Known& entry) {
    if (index <= ring_.floor() || !entry.term) return nullptr;
    if (ring_.push(index, entry)) return nullptr;
    ring_.extend(index);
    Known& first = ring_.at(index);
    if (!first.term) {
        first = entry;
        return nullptr;
    }
    if (const Known* other = others_.find({index, entry.term})) return other;
    others_[{index, entry.term}] = entry;
    return nullptr;
}

void KnownEntries::prune(LogIndex up_to) {
    ring_.prune(up_to);
    if (others_.empty()) return;
    others_.erase_if([up_to](const auto& item) { return item.first.first <= up_to; });
}

// Commits

void Commits::add(const Commit& commit) {
    if (!steps_.empty()) {
        Commit& highest = steps_.back();
        if (highest.term == commit.term) {
            if (commit.index > highest.index) highest = commit;
            return;
        }
        if (highest.term > commit.term) return insert(commit);
        if (highest.index >= commit.index) return;  // asked for together, and says less
    }
    if (steps_.size() == kept) steps_.erase(steps_.begin());
    steps_.push_back(commit);
}

/// A leader that was deposed unawares learned of a commit of its own term late.
void Commits::insert(const Commit& commit) {
    const auto above = std::find_if(steps_.begin(), steps_.end(),
                                    [&](const Commit& c) { return c.term > commit.term; });
    if (above != steps_.begin() && std::prev(above)->index >= commit.index) return;
    const auto at = steps_.insert(above, commit);
    std::erase_if(steps_, [&, term = at->term, index = at->index](const Commit& c) {
        return (c.term > term && c.index <= index) || (c.term == term && c.index < index);
    });
    if (steps_.size() > kept) steps_.erase(steps_.begin());
}

const Commits::Commit* Commits::below(Term term) const {
    for (auto it = steps_.rbegin(); it != steps_.rend(); ++it)
        if (it->term < term) return &*it;
    return nullptr;
}

// RaftLog

RaftLog::RaftLog(Context& context) : context_(context) {
    // A server that has said nothing yet has an empty log, and holds the floor at zero.
    for (const Setup::Process& process : context.setup.roster)
        if (process.kind == sim::ProcessKind::Server) server(process.id);
}

void RaftLog::on(const Stamp& stamp, const events::BecameLeader& e) {
    Server& s = server(stamp.process);
    s.leads = e.term;
    if (const Commits::Commit* commit = commits_.below(e.term)) has_commit(stamp, s, e, *commit);
    const Elected elected{e.term, stamp.process, e.last_index, LogIndex(UINT64_MAX)};
    const auto at = std::find_if(elected_.begin(), elected_.end(),
                                 [&](const Elected& other) { return other.term > e.term; });
    elected_.insert(at, elected);
    if (elected_.size() > elected_kept) elected_.erase(elected_.begin());
}

void RaftLog::on(const Stamp& stamp, const events::SteppedDown&) {
    server(stamp.process).leads = Term();
}

void RaftLog::on(const Stamp& stamp, const events::VoteCast& e) {
    Server& s = server(stamp.process);
    if (e.term > s.leads) s.leads = Term();
}

void RaftLog::on(const Stamp& stamp, const sim::ProcessStopped&) {
    servers_[stamp.process].leads = Term();
}

void RaftLog::on(const Stamp& stamp, const events::Recovered& e) {
    Server& s = server(stamp.process);
    s.leads = Term();
    changed_from(stamp.process, s.log.recover(e).next());
    if (e.last_index > e.base_index) matches(stamp, e.last_index, e.last_term, e.last_hash);
    move_floor();
}

void RaftLog::on(const Stamp& stamp, const events::Appended& e) {
    if (!e.index) return;
    Server& s = server(stamp.process);
    if (s.leads) {
        if (e.term > s.leads)
            s.leads = Term();
        else
            only_appends(stamp, s, e.index, "overwrote");
    }
    if (e.index <= s.log.last()) changed_from(stamp.process, e.index);
    s.log.append(e);
    matches(stamp, e.index, e.term, e.prefix_hash);
}

void RaftLog::on(const Stamp& stamp, const events::Truncated& e) {
    if (!e.from) return;
    Server& s = server(stamp.process);
    if (s.leads) only_appends(stamp, s, e.from, "truncated");
    changed_from(stamp.process, e.from);
    s.log.truncate(e.from);
}

void RaftLog::on(const Stamp& stamp, const events::CommitAdvanced& e) {
    if (!e.as_leader) return;
    if (!elected_.empty() && elected_.back().term > e.term) is_in_higher_leaders(stamp, e);
    commits_.add({e.term, e.index, e.prefix_hash, stamp.process});
}

void RaftLog::on(const Stamp& stamp, const events::Compacted& e) {
    server(stamp.process).log.compact(e.index);
    move_floor();
}

void RaftLog::on(const Stamp& stamp, const events::SnapshotInstalled& e) {
    Server& s = server(stamp.process);
    if (s.leads) only_appends(stamp, s, e.index, "replaced with a snapshot");
    matches(stamp, e.index, e.term, e.prefix_hash);
    // Entries above the snapshot stay only if the server had the very entry that it ends with.
    const std::optional<std::uint64_t> had = s.log.hash_at(e.index);
    if (had && *had == e.prefix_hash)
        s.log.compact(e.index);
    else {
        changed_from(stamp.process, e.index);
        s.log.install(e.index);
    }
    move_floor();
}

void RaftLog::rewrote(const Stamp& stamp, const Server& s, LogIndex from, const char* did) {
    context_.ledger.object(PropertyId::Raft2, stamp, [&] {
        return fmt::format(
            "server {} {} its log from index {} on while it led term {} (its log "
            "ended at {})",
            context_.name(stamp.process), did, from.value, s.leads.value, s.log.last().value);
    });
}

void RaftLog::differs(const Stamp& stamp, LogIndex index, const KnownEntries::Known& known,
                      std::uint64_t hash) {
    context_.ledger.object(PropertyId::Raft3, stamp, [&] {
        return fmt::format(
            "the log of server {} up to index {} of term {} hashes to {:016x}, that "
            "of server {} to {:016x}",
            context_.name(stamp.process), index.value, known.term.value, hash,
            context_.name(known.first), known.hash);
    });
}

void RaftLog::has_commit(const Stamp& stamp, const Server& s, const events::BecameLeader& e,
                         const Commits::Commit& commit) {
    const std::optional<std::uint64_t> hash =
        e.last_index == commit.index ? e.last_hash : s.log.hash_at(commit.index);
    const bool lacks = e.last_index < commit.index;
    if (!lacks && !hash) return;  // below its snapshot, whose state RAFT-5 compares
    context_.ledger.checked(PropertyId::Raft4);
    if (!lacks && *hash == commit.hash) return;
    context_.ledger.object(PropertyId::Raft4, stamp, [&] {
        return fmt::format(
            "server {} became leader of term {} {} index {}, which server {} had "
            "committed in term {}",
            context_.name(stamp.process), e.term.value, lacks ? "without" : "with another entry at",
            commit.index.value, context_.name(commit.leader), commit.term.value);
    });
}

void RaftLog::is_in_higher_leaders(const Stamp& stamp, const events::CommitAdvanced& e) {
    for (const Elected& leader : elected_) {
        if (leader.term <= e.term) continue;
        // A leader's log grows by entries of its own term alone: what it lacked at its election,
        // it never got.
        const bool lacks = leader.last_index < e.index;
        std::optional<std::uint64_t> hash;
        if (e.index <= leader.intact) hash = servers_[leader.process].log.hash_at(e.index);
        if (!lacks && !hash) continue;
        context_.ledger.checked(PropertyId::Raft4);
        if (!lacks && *hash == e.prefix_hash) continue;
        context_.ledger.object(PropertyId::Raft4, stamp, [&] {
            return fmt::format(
                "server {} committed index {} in term {}, which the log of server "
                "{}, elected for term {}, does not hold",
                context_.name(stamp.process), e.index.value, e.term.value,
                context_.name(leader.process), leader.term.value);
        });
    }
}

void RaftLog::changed_from(sim::ProcessId process, LogIndex from) {
    for (Elected& leader : elected_)
        if (leader.process == process) leader.intact = std::min(leader.intact, from.prev());
}

/// Runs at compactions and starts only; costs a look at each server.
void RaftLog::move_floor() {
    LogIndex lowest(UINT64_MAX);
    servers_.for_each([&](const Server& s) {
        if (s.seen) lowest = std::min(lowest, s.log.base());
    });
    if (lowest == LogIndex(UINT64_MAX) || lowest <= context_.log_floor) return;
    context_.log_floor = lowest;
    entries_.prune(lowest);
}

}  // namespace lockstep::properties
