#pragma once

#include "core/events/event.hpp"
#include "core/wire/messages.hpp"
#include "sim/process.hpp"

#include <functional>
#include <utility>

namespace lockstep::world {

/// What an acquire came to. The token is zero unless the outcome is Granted.
struct Acquired {
    events::AcquireOutcome outcome;
    FencingToken token;
    bool granted() const { return outcome == events::AcquireOutcome::Granted; }
};

/// The client library of a lock service as its application sees it: straight code that blocks.
/// Blocking calls are made from one fiber of the process at a time; the callbacks on_message,
/// on_timer and on_reset are made by the process's program for whatever is not its own, and may
/// come while a call blocks.
///
/// What a client owes:
/// * Deadlines. From a grant's deadline on, by its own monotonic clock read afresh, `may_act` is
///   false, for good: an answer that comes later revives nothing.
/// * Losses. Each grant that acquire returned ends in exactly one of: a call of release or close by
///   the application; one call of `tell_lost`, by the client; the end of the process's life. The
///   client tells a loss in the callback in which it learns of it, or at the latest from the timer
///   that it sets for the deadline, and reports LossTold just before. In a process that stands
///   still nobody can be told; it is due when the process goes on.
/// * Reports. What it asks, is told, believes and gives up (core/events/client_events.hpp), through
///   the Recorder, at the moment when it happens. Properties see nothing else of it.
///
/// GuestClient does all of this for a service of one's own.
class LockClient {
public:
    virtual ~LockClient() = default;

    /// How many timers of the process one client may use, from its slot's first on.
    static constexpr sim::TimerId timers = 4;

    /// To be told of each lock that is lost: the deadline has passed, the session is over, or the
    /// hold was ended. Called from the process's callbacks, or from within a call of the
    /// application's own (which finds out that a deadline has passed); must not block, and may call
    /// the client as long as that does not block. When it is called, `may_act` is false already,
    /// and a `release` of that grant does nothing. The application stops what it does under the
    /// lock; what it has sent already, only the resource can still refuse.
    using Lost = std::function<void(LockId, FencingToken, events::LossReason)>;
    void on_lost(Lost lost) { lost_ = std::move(lost); }

    /// Blocks until a session is open. Without effect if one is.
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

    /// True if the message was for this client alone; else others of the process see it, too.
    virtual bool on_message(sim::Envelope& message) = 0;
    virtual void on_timer(sim::TimerId timer) = 0;
    virtual void on_reset(sim::ProcessId peer) = 0;

protected:
    void tell_lost(LockId lock, FencingToken token, events::LossReason reason) const {
        if (lost_) lost_(lock, token, reason);
    }

private:
    Lost lost_;
};

}  // namespace lockstep::world
