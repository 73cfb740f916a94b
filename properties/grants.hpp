#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "properties/context.hpp"

#include <array>

namespace lockstep::properties {

/// GRANT-1 NoLostGrant: what a client was told was applied, and the lock went to nobody else before
/// that grant's end was. (That states agree by hash from there on is RAFT-5's.)
class Grants {
public:
    explicit Grants(Context& context) : context_(context) {}

    void on(const Stamp&, const events::Granted&);
    void on(const Stamp&, const events::Released&);
    void on(const Stamp&, const events::Cancelled&);
    void on(const Stamp&, const events::SessionEnded&);
    void on(const Stamp&, const events::HoldEnded&);
    void on(const Stamp&, const events::GrantTold&);

private:
    struct Grant {
        FencingToken token;
        SessionId session;
        RequestSeq seq;
        sim::ProcessId told;        ///< the client that was told, if one was
        bool ended = false;         ///< its end was applied
        FencingToken overtaken_by;  ///< the grant that came before its end
    };
    /// The last grants of a lock. An older one has ended, and what its client is told of it now
    /// comes too late to matter.
    struct Lock {
        static constexpr std::size_t kept = 64;
        std::array<Grant, kept> grants;
        std::size_t count = 0;  ///< of all grants so far; the latest is at (count - 1) % kept

        Grant* latest() { return count == 0 ? nullptr : &grants[(count - 1) % kept]; }
        Grant* find(FencingToken token);
        bool forgot(FencingToken token) const;
    };

    void overtaken(const Stamp&, LockId, const Grant&);
    void no_such_grant(const Stamp&, const events::GrantTold&);

    Context& context_;
    NodeMap<LockId, Lock> locks_;
};

}  // namespace lockstep::properties
