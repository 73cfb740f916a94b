#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "properties/context.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace lockstep::properties {

/// LOCK-3 NoEarlyExpiry. A session's lease is anchored at the sending of its last renewal that any
/// server answered, or at the first sending of its opening; an expiry that takes effect was
/// proposed at least TTL x (1 - drift bound) of true time after the anchor of that moment.
class Expiry {
public:
    explicit Expiry(Context& context) : context_(context) {}

    void on(const Stamp&, const events::OpenSent&);
    void on(const Stamp&, const events::RenewalSent&);
    void on(const Stamp&, const events::RenewalAnswered&);
    void on(const Stamp&, const events::SessionOpened&);
    void on(const Stamp&, const events::ExpiryProposed&);
    void on(const Stamp&, const events::SessionEnded&);

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
    struct Session {
        SessionId id;
        Duration ttl;
        std::optional<sim::SimTime> anchor;  ///< none: its opening was not seen
    };
    /// A client's last sendings. An answer to an older one moves no anchor that matters.
    struct Client {
        static constexpr std::size_t kept = 128;
        std::vector<Sending> sendings;  ///< by number modulo `kept`
        std::vector<Opening> openings;  ///< of which no session is known yet, the latest last
        std::vector<Session> sessions;  ///< that are open, the latest last: rarely more than one

        Session* find(SessionId id);
    };
    struct Proposal {
        sim::SimTime at;
        sim::ProcessId leader;
        std::optional<sim::SimTime> anchor;
    };

    void not_early(const Stamp&, const events::SessionEnded&, NodeId client, const Session&,
                   const Proposal&);
    void unproposed(const Stamp&, const events::SessionEnded&, NodeId client);

    Context& context_;
    NodeMap<NodeId, Client> clients_;
    FlatMap<SessionId, NodeId> owners_;  ///< of the open sessions
    FlatMap<std::pair<SessionId, Term>, Proposal> proposals_;
};

}  // namespace lockstep::properties
