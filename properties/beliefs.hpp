#pragma once

#include "core/events/client_events.hpp"
#include "properties/context.hpp"

#include <algorithm>
#include <vector>

namespace lockstep::properties {

/// BELIEF-1 TruthfulDeadline and ACT-1 ActsInTime: what clients believe, over true time.
///
/// A belief lasts from the telling to the call of release or close, being told of loss, a crash, or
/// the true instant of the deadline, the session's or the grant's own, whichever comes first. From
/// that instant on, the client owes its application the news. A process may be several clients,
/// which are told apart by their sessions.
class Beliefs {
public:
    explicit Beliefs(Context& context) : context_(context) {}

    void on(const Stamp&, const events::GrantTold&);
    void on(const Stamp& stamp, const events::MayActAsked& e) {
        context_.ledger.checked(PropertyId::Act1);
        if (e.yes && (e.now >= e.deadline || passed(stamp.process, e.session))) [[unlikely]]
            acted_late(stamp, e);
    }
    /// A passed deadline is final.
    void on(const Stamp& stamp, const events::DeadlineMoved& e) {
        if (passed(stamp.process, e.session)) [[unlikely]]
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
        LocalTime deadline;  ///< as its application was told, on the client's own clock
        sim::SimTime since;
        bool over = false;      ///< the deadline has passed; the application does not know it yet
        sim::SimTime news_due;  ///< of one that is over; never while the client is stalled
        sim::SimTime over_since;
    };
    struct Lock {
        sim::ProcessId last_client;  ///< the last that was told; zero: none yet
        SessionId last_session;
    };
    static constexpr std::size_t passed_kept = 512;
    struct Client {
        std::vector<SessionId> passed;  ///< whose deadlines have passed, ascending; the latest
    };

    bool passed(sim::ProcessId client, SessionId session) {
        const std::vector<SessionId>& all = clients_[client].passed;
        return !all.empty() && session <= all.back() &&
               std::binary_search(all.begin(), all.end(), session);
    }
    static bool rivals(const Belief& a, const Belief& b) {
        return a.lock == b.lock && (a.client != b.client || a.session != b.session);
    }
    void over(const Stamp&, Belief&);
    void grant_over(const Stamp&, std::uint64_t key);

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
