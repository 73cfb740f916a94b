#include "scenarios/world/guest_service.hpp"

#include <algorithm>

namespace lockstep::world {

std::optional<sim::ProcessId> GuestService::who_is(std::string_view role) const {
    if (role == "leader" && leader_) return leader_;
    if (role == "holder" && !holders_.empty()) return holders_.back().client;
    if (role == "next-waiter")
        for (const Party& waiter : waiters_)
            for (const Party& holder : holders_)
                if (holder.lock == waiter.lock) return waiter.client;
    return std::nullopt;
}

std::vector<sim::ProcessId> GuestService::servers() const {
    std::vector<sim::ProcessId> all;
    for (std::uint32_t i = 1; i <= settings_.servers.size(); ++i) all.emplace_back(i);
    return all;
}

void GuestService::on_event(const Stamp& stamp, const events::Event& event) {
    if (const auto* called = std::get_if<events::AcquireCalled>(&event)) {
        waiters_.push_back({called->session, called->lock, stamp.process});
    } else if (const auto* returned = std::get_if<events::AcquireReturned>(&event)) {
        forget(waiters_, returned->session);
    } else if (const auto* told = std::get_if<events::GrantTold>(&event)) {
        holders_.push_back({told->session, told->lock, stamp.process});
    } else if (const auto* lost = std::get_if<events::LossTold>(&event)) {
        forget(holders_, lost->session);
    } else if (const auto* released = std::get_if<events::ReleaseCalled>(&event)) {
        forget(holders_, released->session);
    } else if (const auto* closed = std::get_if<events::CloseCalled>(&event)) {
        forget(holders_, closed->session);
    } else if (const auto* became = std::get_if<events::BecameLeader>(&event)) {
        if (became->term < leader_term_) return;
        leader_term_ = became->term;
        leader_ = stamp.process;
    }
}

void GuestService::on_world_event(const Stamp& stamp, const sim::WorldEvent& event) {
    if (!std::holds_alternative<sim::ProcessStopped>(event)) return;
    const auto of_it = [&](const Party& party) { return party.client == stamp.process; };
    std::erase_if(holders_, of_it);
    std::erase_if(waiters_, of_it);
    if (leader_ == stamp.process) leader_ = sim::ProcessId();
}

void GuestService::forget(std::vector<Party>& parties, SessionId session) {
    std::erase_if(parties, [&](const Party& party) { return party.session == session; });
}

}  // namespace lockstep::world
