#pragma once

#include "core/events/lock_events.hpp"
#include "properties/context.hpp"

#include <vector>

namespace lockstep::properties {

/// LOCK-1 SingleHolder, LOCK-2 TokenIncreases, LOCK-4 Fifo: holders and queues as the applied
/// entries made them. The events of an index come once, in the order of indices.
class LockTable {
public:
    explicit LockTable(Context& context) : context_(context) {}

    void on(const Stamp&, const events::Granted&);
    void on(const Stamp&, const events::Queued&);
    void on(const Stamp&, const events::Released&);
    void on(const Stamp&, const events::Cancelled&);
    void on(const Stamp&, const events::SessionEnded&);
    void on(const Stamp&, const events::HoldEnded&);
    void on(const Stamp&, const events::DelayStarted&);
    void on(const Stamp&, const events::DelayEnded&);

private:
    struct Request {
        SessionId session;
        RequestSeq seq;
        bool operator==(const Request&) const = default;
    };
    struct Lock {
        Request holder;  ///< of session zero: free
        FencingToken token;
        FencingToken last_token;
        bool delayed = false;  ///< nobody holds it, and nobody may yet
        std::vector<Request> queue;
    };

    void free_is_granted(const Stamp&, const events::Granted&, const Lock&);
    void token_grows(const Stamp&, const events::Granted&, const Lock&);
    void first_in_queue(const Stamp&, const events::Granted&, Lock&);

    Context& context_;
    NodeMap<LockId, Lock> locks_;
};

}  // namespace lockstep::properties
