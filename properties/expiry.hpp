#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "properties/context.hpp"

#include <array>
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
        SendingNo number;
        sim::SimTime at;
    };
    /// With the last sendings of its renewals. An answer to an older one moves no anchor that
    /// matters. Numbers are a client's own, and a process may be several clients.
    struct Session {
        static constexpr std::size_t kept = 32;
        NodeId client;
        Duration ttl;
        std::optional<sim::SimTime> anchor;  ///< none: its opening was not seen
        std::array<Sending, kept> sendings;  ///< the last, in turn
        std::size_t sent = 0;
    };
    /// Openings of which no session is known yet, the latest last.
    struct Client {
        std::vector<Opening> openings;
    };
    struct Proposal {
        sim::SimTime at;
        sim::ProcessId leader;
        std::optional<sim::SimTime> anchor;
    };

    void not_early(const Stamp&, const events::SessionEnded&, const Session&, const Proposal&);
    void unproposed(const Stamp&, const events::SessionEnded&, NodeId client);

    Context& context_;
    Session* find(SessionId id) {
        const std::size_t* place = places_.find(id);
        return place ? &sessions_[*place] : nullptr;
    }

    NodeMap<NodeId, Client> clients_;
    FlatMap<SessionId, std::size_t> places_;  ///< of the open sessions
    std::vector<Session> sessions_;
    std::vector<std::size_t> unused_;  ///< places in it
    FlatMap<std::pair<SessionId, Term>, Proposal> proposals_;
};

}  // namespace lockstep::properties
