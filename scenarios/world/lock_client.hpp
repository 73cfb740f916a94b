#pragma once

#include "core/events/event.hpp"
#include "core/wire/messages.hpp"
#include "sim/process.hpp"

namespace lockstep::world {

/// What an acquire came to. The token is zero unless the outcome is Granted.
struct Acquired {
    events::AcquireOutcome outcome;
    FencingToken token;
    bool granted() const { return outcome == events::AcquireOutcome::Granted; }
};

/// The client library of a lock service as its application sees it: straight code that blocks.
/// Blocking calls are made from a fiber of the process; the callbacks are made by the process's
/// program for whatever is not its own.
///
/// A client reports what it asks, is told, believes and gives up (core/events/client_events.hpp)
/// through the Recorder. Properties see nothing else of it.
class LockClient {
public:
    virtual ~LockClient() = default;

    /// The first timer of the process that is the client's; it may use `timers` of them.
    static constexpr sim::TimerId first_timer = 0;
    static constexpr sim::TimerId timers = 4;

    /// Blocks until a session is open.
    virtual void open() = 0;
    /// False without a session, or once its loss was told; then `open` is the way on.
    virtual bool has_session() const = 0;
    /// Blocks until granted, refused, timed out (after `wait_max` on the client's own clock), or
    /// the session is lost. Duration::max() waits without end; zero tries.
    virtual Acquired acquire(LockId lock, Duration wait_max) = 0;
    /// Whether the grant may still be acted upon, by a fresh reading of the client's own clock.
    virtual bool may_act(LockId lock) = 0;
    /// Gives the lock up. Blocks until answered, or until the session is over; no more than
    /// `patience`.
    virtual void release(LockId lock, Duration patience) = 0;
    /// Ends the session without waiting.
    virtual void close() = 0;

    virtual void on_message(sim::Envelope& message) = 0;
    virtual void on_timer(sim::TimerId timer) = 0;
    virtual void on_reset(sim::ProcessId peer) = 0;
};

}  // namespace lockstep::world
