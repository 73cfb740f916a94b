#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "properties/context.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::properties {

/// LOCK-5 NoOrphan: no queue keeps who has left it, and a grant that its client has given up ends.
/// LIVE-3 DeadHolderFreed: the lock of a holder that died comes free.
///
/// A client gives a grant up by cancelling its acquire, releasing it, closing its session, or
/// losing the session. It has died when its process stopped, whatever its next life does.
class Orphans {
public:
    explicit Orphans(Context& context) : context_(context) {}

    void on(const Stamp&, const events::Granted&);
    void on(const Stamp&, const events::Queued&);
    void on(const Stamp&, const events::Released&);
    void on(const Stamp&, const events::Cancelled&);
    void on(const Stamp&, const events::SessionEnded&);
    void on(const Stamp&, const events::HoldEnded&);
    void on(const Stamp&, const events::DelayStarted&);
    void on(const Stamp&, const events::DelayEnded&);

    void on(const Stamp&, const events::CancelSent&);
    void on(const Stamp&, const events::ReleaseCalled&);
    void on(const Stamp& stamp, const events::CloseCalled& e) { left(stamp, e.session); }
    void on(const Stamp& stamp, const events::SessionOverTold& e) { left(stamp, e.session); }
    void on(const Stamp& stamp, const sim::DeadlinePassed& e) { left(stamp, SessionId(e.key)); }
    void on(const Stamp&, const sim::ProcessStopped&);
    void on(const Stamp& stamp, const sim::Healed&) { healed_ = stamp.at; }
    void finish(const Stamp&);

private:
    struct Request {
        SessionId session;
        RequestSeq seq;
        constexpr auto operator<=>(const Request&) const = default;
    };
    /// When its client left a session, one way or the other.
    struct Leaving {
        std::optional<sim::SimTime> gave_up;
        std::optional<sim::SimTime> died;
    };
    struct Lock {
        Request holder;  ///< of session zero: nobody
        FencingToken token;
        sim::ProcessId client;  ///< the holder's
        Duration ttl;           ///< of the holder's session
        Leaving leaving;
        /// The end of a dead holder was applied then; a delay may follow, and ends later.
        std::optional<sim::SimTime> ended;
        std::vector<Request> queue;
        bool somebody_left = false;  ///< the queue, since the last grant
    };
    static constexpr std::size_t cancelled_kept = 64;

    bool judged() const { return context_.setup.recoverable && healed_.has_value(); }
    void left(const Stamp&, SessionId session);
    void kept_nobody(const Stamp&, const events::Granted&, Lock&);
    bool cancelled(const Request&) const;
    void kept_in_queue(const Stamp&, LockId, const Request&, std::string_view why);
    /// The holder's grant ends: what it owed is judged as of now.
    void ended(const Stamp&, LockId, Lock&);
    /// `over`: it ends now; else the run does.
    void given_up_in_time(const Stamp&, LockId, const Lock&, bool over);
    void freed_in_time(const Stamp&, sim::SimTime at, LockId, Lock&);
    sim::SimTime from(const Lock&, sim::SimTime beginning);

    Context& context_;
    NodeMap<LockId, Lock> locks_;
    FlatMap<SessionId, Leaving> leavings_;       ///< of open sessions
    FlatMap<Request, sim::SimTime> cancelling_;  ///< cancels that were sent and not applied yet
    std::array<Request, cancelled_kept> cancelled_;
    std::size_t cancelled_count_ = 0;
    std::optional<sim::SimTime> healed_;
};

}  // namespace lockstep::properties
