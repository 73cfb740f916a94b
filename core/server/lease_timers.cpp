#include "core/server/lease_timers.hpp"

#include "core/base/assert.hpp"

#include <algorithm>

namespace lockstep::server {
namespace {

LocalTime end_of(Duration ttl, LocalTime from) {
    return ttl.ns > LocalTime::never().ns - from.ns ? LocalTime::never() : from + ttl;
}

}  // namespace

void LeaseTimers::start(SessionId session, Duration ttl, LocalTime now) {
    LOCKSTEP_ASSERT(!leases_.contains(session), "session={}", session.value);
    const LocalTime due = end_of(ttl, now);
    leases_[session] = {ttl, due};
    push({due, session});
}

void LeaseTimers::renew(SessionId session, LocalTime received) {
    Lease* lease = leases_.find(session);
    LOCKSTEP_ASSERT(lease != nullptr && !lease->expiring, "session={}", session.value);
    lease->due = std::max(lease->due, end_of(lease->ttl, received));
}

bool LeaseTimers::expiring(SessionId session) const {
    const Lease* lease = leases_.find(session);
    return lease != nullptr && lease->expiring;
}

SessionId LeaseTimers::take_due(LocalTime now) {
    while (!heap_.empty() && heap_.front().at <= now) {
        const SessionId session = heap_.front().session;
        pop();
        Lease* lease = leases_.find(session);
        if (lease == nullptr) continue;
        if (lease->due > now) {
            push({lease->due, session});
            continue;
        }
        lease->expiring = true;
        return session;
    }
    return SessionId();
}

void LeaseTimers::push(Alarm alarm) {
    // Sessions that come and go well within their TTL must not fill the heap.
    static constexpr std::size_t stale_allowed = 64;
    if (heap_.size() >= 2 * leases_.size() + stale_allowed) drop_stale();
    heap_.push_back(alarm);
    std::push_heap(heap_.begin(), heap_.end());
}

void LeaseTimers::pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
}

void LeaseTimers::drop_stale() {
    std::erase_if(heap_, [&](const Alarm& a) { return !leases_.contains(a.session); });
    std::make_heap(heap_.begin(), heap_.end());
}

}  // namespace lockstep::server
