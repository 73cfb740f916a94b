#pragma once

#include "core/base/assert.hpp"
#include "core/raft/types.hpp"

#include <algorithm>
#include <vector>

namespace lockstep::raft {

/// What of a replica's state its disk has acknowledged, and what is on the way there.
class Durability {
public:
    /// What was read from the disk is durable.
    explicit Durability(LogIndex last) : durable_index_(last) {}

    /// A new request to the disk, which will make the log durable up to what `covers` says.
    PersistId open(LocalTime now) {
        if (pending_.empty()) silent_since_ = now;
        newest_ = newest_.next();
        pending_.push_back(Pending{newest_, durable_index_, HardState()});
        return newest_;
    }
    void covers(LogIndex last) { newest_pending().last = last; }
    /// The newest request holds a vote, to be reported when it is durable.
    void holds_vote(HardState vote) { newest_pending().vote = vote; }

    /// The log in memory no longer agrees with earlier requests above `last_kept`.
    void cut(LogIndex last_kept) {
        durable_index_ = std::min(durable_index_, last_kept);
        for (Pending& pending : pending_) pending.last = std::min(pending.last, last_kept);
    }

    /// The disk has made everything up to the request `id` durable. Calls `vote(hard)` for each
    /// vote among it.
    void acknowledge(PersistId id, LocalTime now, auto&& vote) {
        LOCKSTEP_ASSERT(id <= newest_, "id={} newest={}", id.value, newest_.value);
        if (id <= acknowledged_) return;
        acknowledged_ = id;
        silent_since_ = now;
        auto it = pending_.begin();
        for (; it != pending_.end() && it->id <= id; ++it) {
            durable_index_ = std::max(durable_index_, it->last);
            if (it->vote.vote) vote(it->vote);
        }
        pending_.erase(pending_.begin(), it);
    }

    bool done(PersistId id) const { return id <= acknowledged_; }
    PersistId acknowledged() const { return acknowledged_; }
    /// The log in memory is durable up to here.
    LogIndex durable_index() const { return durable_index_; }
    /// The request that makes the log durable up to `index`; zero if it is.
    PersistId needed_for(LogIndex index) const {
        if (index <= durable_index_) return PersistId();
        for (const Pending& pending : pending_)
            if (pending.last >= index) return pending.id;
        LOCKSTEP_ASSERT(false, "index={} is on the way to no disk", index.value);
        return PersistId();
    }
    /// The disk owes an answer, and has given none for `span`.
    bool silent_for(Duration span, LocalTime now) const {
        return !pending_.empty() && now - silent_since_ >= span;
    }

private:
    struct Pending {
        PersistId id;
        LogIndex last;
        HardState vote;
    };
    Pending& newest_pending() {
        LOCKSTEP_ASSERT(!pending_.empty() && pending_.back().id == newest_, "newest={}",
                        newest_.value);
        return pending_.back();
    }

    std::vector<Pending> pending_;  ///< in order of id; `last` does not decrease
    PersistId newest_;
    PersistId acknowledged_;
    LogIndex durable_index_;
    LocalTime
        silent_since_;  ///< of the last answer, or of the first request after all were answered
};

}  // namespace lockstep::raft
