#pragma once

#include "core/base/flat_map.hpp"
#include "scenarios/world/lock_client.hpp"
#include "scenarios/world/reporting.hpp"
#include "scenarios/world/service.hpp"

namespace lockstep::world {

/// The base of a client of one's own service. It keeps what is held and until when, tells the
/// application of losses, and reports all of it, so that ACT-1, BELIEF-1, FENCE-1, FENCE-2, LIN-1,
/// LIVE-2 and LIVE-4 judge the service. What is left to write is how a lock is asked for and given
/// up: straight code that blocks, in the fibers of the process, and callbacks.
///
/// Deadlines are readings of the process's own monotonic clock (sim::Process::now).
class GuestClient : public LockClient {
public:
    GuestClient(sim::Process& process, Reporter& reporter, ClientSlot slot);

    // As LockClient has them.
    void open() final;
    bool has_session() const final { return open_; }
    Acquired acquire(LockId lock, Duration wait_max) final;
    bool may_act(LockId lock) final;
    void release(LockId lock, Duration patience) final;
    void close() final;
    void on_timer(sim::TimerId timer) final;
    bool on_message(sim::Envelope& message) override = 0;
    void on_reset(sim::ProcessId) override {}

protected:
    /// One wish for a lock. The session is this wish's alone; a server that reports must be told
    /// it.
    struct Ask {
        LockId lock;
        SessionId session;
        Duration wait_max;  ///< Duration::max(): without end
    };
    struct Grant {
        FencingToken token;
        LocalTime deadline = LocalTime::never();  ///< of the belief; never(): until released
    };
    struct Answer {
        events::AcquireOutcome outcome;
        Grant grant;
    };
    static Answer granted(FencingToken token, LocalTime deadline) {
        return {events::AcquireOutcome::Granted, {token, deadline}};
    }
    static Answer timed_out() { return {events::AcquireOutcome::TimedOut, {}}; }
    static Answer held_by_another() { return {events::AcquireOutcome::Held, {}}; }

    /// Makes ready to ask. Blocks as long as that takes.
    virtual void connect() {}
    /// Blocks until granted, refused, or wait_max is over. It must find an end once wait_max is
    /// over and the world is well again.
    virtual Answer ask(const Ask& ask) = 0;
    /// Gives the lock up; blocks until that is known to have happened (true), or for `patience`.
    /// False: it is not known, or the lock was not this client's any more.
    virtual bool give_up(LockId lock, SessionId session, const Grant& grant, Duration patience) = 0;
    /// The application has no more use for the lock, and does not wait.
    virtual void abandon(LockId, SessionId, const Grant&) {}
    /// Whether the application may act under the grant. A client library with a check of its own
    /// puts it here; ACT-1 objects to a yes at or past the deadline.
    virtual bool check(const Grant& grant, LocalTime now) const { return now < grant.deadline; }
    /// One of this client's own timers fell due: 0 to own_timers - 1.
    virtual void on_own_timer(sim::TimerId) {}

    static constexpr sim::TimerId own_timers = timers - 1;
    void set_own_timer(sim::TimerId timer, LocalTime at);
    void cancel_own_timer(sim::TimerId timer);

    /// A renewal was answered: the belief lasts until then. Ignored if the lock was lost meanwhile;
    /// a deadline that has passed is final.
    void extend(LockId lock, LocalTime deadline);
    /// The service said that the lock is lost.
    void lose(LockId lock, events::LossReason reason = events::LossReason::SessionOver);
    /// What the client believes; null if it does not hold the lock.
    const Grant* holds(LockId lock) const;

    /// The reading of the process's clock after a span; never() if there is no end to it.
    LocalTime after(Duration span) const;
    /// A line of the story (Reporter::note).
    template <class... Args>
    void note(fmt::format_string<Args...> format, Args&&... args) {
        reporter_.note(process_.id(), format, std::forward<Args>(args)...);
    }

    sim::Process& process() { return process_; }

private:
    struct Held {
        SessionId session;
        Grant grant;
    };

    void report(const events::Event& event) { reporter_.emit(process_.id(), event); }
    void begin(LockId lock, SessionId session, const Grant& grant);
    void end_overdue();
    void arm();

    sim::Process& process_;
    Reporter& reporter_;
    const sim::TimerId first_timer_;
    bool open_ = false;
    FlatMap<LockId, Held> held_;
};

}  // namespace lockstep::world
