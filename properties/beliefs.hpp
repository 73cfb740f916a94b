#pragma once

#include "core/events/client_events.hpp"
#include "properties/context.hpp"

#include <vector>

namespace lockstep::properties {

/// BELIEF-1 TruthfulDeadline and ACT-1 ActsInTime: what clients believe, over true time.
///
/// A belief lasts from the telling to the call of release or close, being told of loss, a crash, or
/// the true instant of the deadline. From that instant on, the client owes its application the
/// news.
class Beliefs {
public:
    explicit Beliefs(Context& context) : context_(context) {}

    void on(const Stamp&, const events::GrantTold&);
    void on(const Stamp& stamp, const events::MayActAsked& e) {
        context_.ledger.checked(PropertyId::Act1);
        if (e.yes && (e.now >= e.deadline || clients_[stamp.process].passed == e.session))
            [[unlikely]]
            acted_late(stamp, e);
    }
    /// A passed deadline is final.
    void on(const Stamp& stamp, const events::DeadlineMoved& e) {
        if (clients_[stamp.process].passed == e.session) [[unlikely]]
            revived(stamp, e);
    }
    void on(const Stamp&, const events::ReleaseCalled&);
    void on(const Stamp&, const events::CloseCalled&);
    void on(const Stamp&, const events::LossTold&);
    void on(const Stamp&, const sim::ProcessStopped&);
    void on(const Stamp&, const sim::DeadlinePassed&);
    void on(const Stamp&, const sim::Paused&);
    void on(const Stamp&, const sim::Resumed&);
    void finish(const Stamp&);

private:
    struct Belief {
        LockId lock;
        sim::ProcessId client;
        SessionId session;
        FencingToken token;
        sim::SimTime since;
        bool over = false;      ///< the deadline has passed; the application does not know it yet
        sim::SimTime news_due;  ///< of one that is over; never while the client is stalled
        sim::SimTime over_since;
    };
    struct Lock {
        sim::ProcessId last_client;  ///< the last that was told; zero: none yet
    };
    struct Client {
        SessionId passed;  ///< the session whose deadline passed last
    };

    void begin(const Stamp&, const Belief&);
    void overlap(const Stamp&, const Belief& older, const Belief& newer);
    void acted_late(const Stamp&, const events::MayActAsked&);
    void revived(const Stamp&, const events::DeadlineMoved&);
    /// Takes out the beliefs that `ends` picks; news that is overdue by now came too late.
    template <class Ends>
    void end(const Stamp&, Ends&& ends);
    void news_in_time(const Stamp&, const Belief&);

    Context& context_;
    std::vector<Belief> beliefs_;  ///< all clients', in the order of telling
    NodeMap<LockId, Lock> locks_;
    NodeMap<sim::ProcessId, Client> clients_;
};

}  // namespace lockstep::properties
