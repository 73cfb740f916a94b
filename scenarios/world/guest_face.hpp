#pragma once

#include "scenarios/world/guest_settings.hpp"
#include "sim/envelope.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::world {

/// A kind of message of a service, so that scenarios and drawn plans can aim faults at it by name.
struct MessageKind {
    enum class Way : std::uint8_t { BetweenServers, FromClients, ToClients };

    std::string name;    ///< as scenarios spell it: a to z, 0 to 9 and -
    std::uint16_t kind;  ///< as PayloadTraits gives it: GuestFamily and above
    Way way;
};

/// The kind of a payload type that has one kind for all its values.
template <class T>
MessageKind message_kind_of(MessageKind::Way way) {
    return {sim::PayloadTraits<T>::name, sim::PayloadTraits<T>::kind, way};
}
template <class T>
MessageKind request() {
    return message_kind_of<T>(MessageKind::Way::FromClients);
}
template <class T>
MessageKind answer() {
    return message_kind_of<T>(MessageKind::Way::ToClients);
}
template <class T>
MessageKind between_servers() {
    return message_kind_of<T>(MessageKind::Way::BetweenServers);
}

/// What must be known of a service before there is a run of it: to check scenarios, to draw plans,
/// and to tell a property that found nothing wrong from one that was shown nothing.
struct ServiceFace {
    std::string about;  ///< one line for `lockstep list`
    std::vector<MessageKind> messages;
    std::vector<SettingFace> settings;  ///< what [service_settings] may contain
    /// Roles that its who_is can name: of `leader`, `holder` and `next-waiter`.
    std::vector<std::string> roles{"holder", "next-waiter"};
    /// Its servers report who leads (Reporter::leads): RAFT-1, LIVE-1 and AVAIL-1 have something to
    /// check. Raft's other properties are of logs, of which a Reporter says nothing.
    bool reports_leaders = false;
    /// Its servers report grants, queues and their ends (world::Reporter): LOCK-1, LOCK-2, LOCK-4,
    /// LOCK-5, GRANT-1 and LIVE-3 have something to check. Without that, clients and resources
    /// alone are judged. The list of both flags is that of harness::has_evidence.
    bool reports_grants = false;
};

}  // namespace lockstep::world
