#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "properties/context.hpp"
#include "properties/linearizable_history.hpp"

#include <vector>

namespace lockstep::properties {

/// LIN-1 Linearizable: what clients called and were told, as a history. Servers are heard on two
/// matters only: whose session a number is, with its TTL, and which sendings they answered, on
/// which the bounds of leases rest (as in LOCK-3).
///
/// Of unknown outcome is what a crash or the loss of a session left open. An acquire that timed out
/// is being cancelled: it may have been granted and given back at any time. A session whose client
/// closed it, or whose deadline passed (the client then closes it), may end from that instant on.
/// Once the rate of a server's clock is wrong, LOCK-3 allows any end.
class Linearizable {
public:
    explicit Linearizable(Context& context);

    void on(const Stamp&, const events::OpenSent&);
    void on(const Stamp&, const events::RenewalSent&);
    void on(const Stamp&, const events::RenewalAnswered&);
    void on(const Stamp&, const events::SessionOpened&);
    void on(const Stamp&, const events::SessionTold&);
    void on(const Stamp&, const events::AcquireCalled&);
    void on(const Stamp&, const events::GrantTold&);
    void on(const Stamp&, const events::AcquireReturned&);
    void on(const Stamp&, const events::ReleaseCalled&);
    void on(const Stamp&, const events::ReleaseReturned&);
    void on(const Stamp&, const events::LossTold&);
    void on(const Stamp&, const events::CloseCalled&);
    void on(const Stamp&, const events::SessionOverTold&);
    void on(const Stamp&, const sim::DeadlinePassed&);
    void on(const Stamp&, const sim::ProcessStopped&);
    void on(const Stamp&, const sim::AssumptionBroken&);
    void finish(const Stamp&);

private:
    struct Opening {
        Nonce nonce;
        sim::SimTime sent;
    };
    struct Sending {
        SessionId session;
        SendingNo number;
        sim::SimTime at;
    };
    struct Open {
        lin::CallId call;
        SessionId session;
        LockId lock;
        RequestSeq seq;      ///< of an acquire
        FencingToken token;  ///< of a release
    };
    /// A client's last sendings, its sessions in this life, and its calls without outcome.
    struct Client {
        static constexpr std::size_t kept = 128;
        std::vector<Sending> sendings;  ///< by number modulo `kept`
        std::vector<Opening> openings;
        std::vector<SessionId> sessions;
        std::vector<Open> open;
    };
    struct Lease {
        Duration ttl;
    };

    void promise(const Stamp&, SessionId, sim::SimTime sent, Duration ttl);
    /// Its client needs the session no more, and says so to the service.
    void give_up(const Stamp&, SessionId);
    /// What was asked of a session that is lost: nobody waits for the answers.
    void drop_releases(const Stamp&, SessionId);
    bool judged();
    void object(const Stamp&);

    Context& context_;
    lin::History history_;
    NodeMap<sim::ProcessId, Client> clients_;
    FlatMap<SessionId, Lease> leases_;  ///< of the sessions that are not known to be over
    std::uint64_t explained_ = 0;
    bool objected_ = false;
};

}  // namespace lockstep::properties
