#pragma once

#include "core/base/flat_map.hpp"
#include "scenarios/world/reporting.hpp"
#include "scenarios/world/service.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::world {

/// The base of a service of one's own: knows who has which role from what clients report. What is
/// left to write is how a server and a client are made.
class GuestService : public Service {
public:
    GuestService(const scenario::Resolved& settings, Recorder& recorder)
        : settings_(settings), reporter_(recorder) {}

    /// `holder` believes in a lock, the latest that was told first; `next-waiter` has waited
    /// longest for a lock that somebody holds; `leader` is who reported to lead (Reporter::leads),
    /// or, of servers that report no such thing, nobody.
    std::optional<sim::ProcessId> who_is(std::string_view role) const override;
    void on_event(const Stamp& stamp, const events::Event& event) override;
    void on_world_event(const Stamp& stamp, const sim::WorldEvent& event) override;

protected:
    const scenario::Resolved& settings() const { return settings_; }
    Reporter& reporter() { return reporter_; }
    /// The addresses of the servers, in the order of make_server's index.
    std::vector<sim::ProcessId> servers() const;

private:
    struct Party {
        SessionId session;
        LockId lock;
        sim::ProcessId client;
    };

    void forget(std::vector<Party>& parties, SessionId session);

    const scenario::Resolved& settings_;
    Reporter reporter_;
    std::vector<Party> holders_;  ///< in the order of telling
    std::vector<Party> waiters_;  ///< in the order of asking
    Term leader_term_;
    sim::ProcessId leader_;
};

}  // namespace lockstep::world
