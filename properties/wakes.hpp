#pragma once

#include "core/events/lock_events.hpp"
#include "core/events/raft_events.hpp"
#include "properties/context.hpp"

#include <vector>

namespace lockstep::properties {

/// WAKE-1 OneWake: a lock that comes free, or whose delay ends, while somebody waits is granted by
/// the same entry, and no other session is told of that grant.
class Wakes {
public:
    explicit Wakes(Context& context) : context_(context) {}

    void on(const Stamp&, const events::Granted&);
    void on(const Stamp&, const events::Queued&);
    void on(const Stamp&, const events::Released&);
    void on(const Stamp&, const events::Cancelled&);
    void on(const Stamp&, const events::SessionEnded&);
    void on(const Stamp&, const events::HoldEnded&);
    void on(const Stamp&, const events::DelayStarted&);
    void on(const Stamp&, const events::DelayEnded&);
    void on(const Stamp& stamp, const events::SessionOpened& e) {
        reached(stamp, LogIndex(e.session.value));
    }
    void on(const Stamp& stamp, const events::Applied& e) { reached(stamp, e.index); }
    void on(const Stamp&, const events::Answered&);
    void finish(const Stamp&);

private:
    struct Request {
        SessionId session;
        RequestSeq seq;
        bool operator==(const Request&) const = default;
    };
    struct Lock {
        Request holder;  ///< of session zero: nobody
        FencingToken token;
        Request woken;  ///< who was granted it last by being woken
        FencingToken woken_token;
        std::vector<Request> queue;
        bool owed = false;  ///< it came free by the entry at `owed_at_`; its grant is to follow
    };

    /// The lock came free by the entry at the index.
    void freed(const Stamp&, LockId id, Lock& lock, LogIndex index);
    /// An entry is told of; what one before it owed comes no more.
    void reached(const Stamp& stamp, LogIndex index) {
        if (!owed_.empty() && index > owed_at_) [[unlikely]]
            missed(stamp);
    }
    void missed(const Stamp&);
    void paid(LockId id, Lock& lock);

    Context& context_;
    NodeMap<LockId, Lock> locks_;
    std::vector<LockId> owed_;
    LogIndex owed_at_;
};

}  // namespace lockstep::properties
