#pragma once

#include "core/base/flat_map.hpp"
#include "core/base/strong.hpp"
#include "core/base/time.hpp"

#include <vector>

namespace lockstep::server {

/// The leases that one leader times, on its own monotonic clock. A renewal writes one number: the
/// heap keeps for each session a time at which it cannot be due before, and moves it when that has
/// come.
class LeaseTimers {
public:
    /// Starts a session's full TTL at `now`.
    void start(SessionId session, Duration ttl, LocalTime now);
    /// The TTL runs anew from `received`, unless a later renewal was confirmed before.
    void renew(SessionId session, LocalTime received);
    void end(SessionId session) { leases_.erase(session); }
    /// Its expiry was proposed: the session is renewed no more.
    bool expiring(SessionId session) const;

    /// A session whose TTL has run out by `now`, which is `expiring` from then on; zero if there is
    /// none.
    SessionId take_due(LocalTime now);
    /// Nothing is due before it.
    LocalTime next_due() const { return heap_.empty() ? LocalTime::never() : heap_.front().at; }
    std::size_t size() const { return leases_.size(); }

private:
    struct Lease {
        Duration ttl;
        LocalTime due;
        bool expiring = false;
    };
    struct Alarm {
        LocalTime at;
        SessionId session;
        /// For the heap operations, which keep the greatest in front: the earliest is.
        bool operator<(const Alarm& o) const {
            return at != o.at ? o.at < at : o.session < session;
        }
    };
    void push(Alarm alarm);
    void pop();
    void drop_stale();

    FlatMap<SessionId, Lease> leases_;
    std::vector<Alarm> heap_;  ///< one for each lease that is not expiring, and some of ended ones
};

}  // namespace lockstep::server
