// How often and how hard each kind of fault is drawn.
#include "sim/swarm_dimension.hpp"

#include <array>
#include <cstdint>

namespace lockstep::sim {

bool Dimension::wanted() {
    switch (kind_) {
        case FaultKind::ClockFreeze: {
            const bool on = rng_.chance(eighth);
            return on && in_.break_clocks;
        }
        case FaultKind::DiskRot:
        case FaultKind::DiskLies: {
            const bool on = rng_.chance(quarter);
            return on && in_.break_disks;
        }
        case FaultKind::DiskError:
        case FaultKind::DiskFull:
        case FaultKind::Swizzle:
        case FaultKind::RestartAll:
            return rng_.chance(quarter);
        case FaultKind::ZoneLoss: {
            const bool on = rng_.chance(half);
            return on && !losable_zones().empty();
        }
        default:
            return rng_.chance(half);
    }
}

/// What takes much with it does not come in crowds, or little else would happen.
std::uint64_t Dimension::at_most() const {
    switch (kind_) {
        case FaultKind::DiskRot:
            return 2;
        case FaultKind::DiskError:
        case FaultKind::DiskFull:
        case FaultKind::DiskLies:
        case FaultKind::Swizzle:
        case FaultKind::CrashLoop:
        case FaultKind::RestartAll:
            return 3;
        case FaultKind::ZoneLoss:
            return 4;
        default:
            return UINT64_MAX;
    }
}

/// Unless nothing need be left, a majority of the servers is: they are spread over the zones in
/// turn.
std::vector<std::string> Dimension::losable_zones() const {
    const std::size_t zones = in_.groups.size();
    const std::size_t servers = in_.servers.size();
    std::vector<std::string> losable;
    for (std::size_t z = 0; z < zones; ++z) {
        const std::size_t size = (servers + zones - 1 - z) / zones;
        if (in_.unlimited || 2 * size < servers) losable.push_back(in_.groups[z]);
    }
    return losable;
}

/// The leader, a server, or sometimes a resource: nothing that matters is on a client's disk.
Aim Dimension::owner_of_disk() {
    const bool leader = rng_.chance(half) && has_role("leader");
    const bool resource = rng_.chance(quarter) && !in_.resources.empty();
    if (leader) return {Aim::By::Role, "leader"};
    return process(one_of(resource ? in_.resources : in_.servers));
}

/// The servers mostly.
Aim Dimension::group() {
    if (kind_ == FaultKind::ZoneLoss) return {Aim::By::Group, one_of(losable_zones())};
    const std::uint64_t which = rng_.below(4);
    if (which == 0 && !in_.clients.empty()) return {Aim::By::Group, "clients"};
    if (which == 1 && !in_.resources.empty() && kind_ == FaultKind::RestartAll)
        return {Aim::By::Group, "resources"};
    if (which == 1 && !in_.groups.empty()) return {Aim::By::Group, one_of(in_.groups)};
    return {Aim::By::Group, "servers"};
}

void Dimension::newer(Fault& fault) {
    switch (kind_) {
        case FaultKind::BlackHole:
            fault.aim = someone(true);
            peers(fault);
            fault.direction = static_cast<Direction>(rng_.below(3));
            break;
        case FaultKind::Reset:
            fault.aim = someone(true);
            peers(fault);
            break;
        case FaultKind::Swizzle:
        case FaultKind::RestartAll:
        case FaultKind::ZoneLoss:
            fault.aim = group();
            break;
        case FaultKind::ClockStrobe:
            strobe(fault);
            break;
        case FaultKind::DiskSlow:
            fault.aim = owner_of_disk();
            fault.amount = lasting() / 20 * hardness_ + milliseconds(1);
            break;
        case FaultKind::DiskError:
        case FaultKind::DiskFull:
            // A process that fails comes back after a second, and fails again: a few times will do.
            fault.aim = owner_of_disk();
            fault.duration = std::min(fault.duration, seconds(1) * hardness_);
            break;
        case FaultKind::DiskRot:
        case FaultKind::DiskLies:
            fault.aim = owner_of_disk();
            break;
        case FaultKind::CrashAtSync:
            fault.aim = owner_of_disk();
            // Up to 16, for which a busy server takes a second or so.
            fault.count =
                static_cast<std::uint32_t>(1 + rng_.below(std::uint64_t{1} << rng_.below(5)));
            fault.duration = std::min(fault.duration + seconds(1), in_.to - fault.start);
            break;
        case FaultKind::CrashLoop:
            crash_loop(fault);
            break;
        default:
            break;  // drawn elsewhere
    }
    if (!fields_of(kind_).lasts) fault.duration = Duration{};
}

void Dimension::peers(Fault& fault) {
    constexpr std::array<const char*, 4> groups{"others", "servers", "clients", "resources"};
    fault.peers = {groups[rng_.below(groups.size())]};
}

/// Up to some forty jumps.
void Dimension::strobe(Fault& fault) {
    fault.aim = anybody();
    const Duration jump = lasting() * hardness_;
    fault.amount = rng_.chance(half) ? jump : -jump;
    const std::int64_t jumps = rng_.between(std::int64_t{2}, std::int64_t{40});
    fault.period = std::max(milliseconds(fault.duration.ns / 1'000'000 / jumps), milliseconds(10));
}

/// Up for a while or hardly at all, as a supervisor restarts what fails at once.
void Dimension::crash_loop(Fault& fault) {
    fault.aim = someone(true);
    const std::int64_t period = rng_.between(std::int64_t{200}, std::int64_t{4'000});
    const std::int64_t down = rng_.between(std::int64_t{1}, std::int64_t{9});
    fault.period = milliseconds(period);
    fault.amount = milliseconds(period * down / 10);
}

/// In some faults messages of one kind suffer alone: what servers tell each other only where both
/// ends may be servers.
void Dimension::maybe_one_message(Fault& fault) {
    const bool alone = messages_.chance(quarter);
    const std::uint64_t list = messages_.below(3);
    const std::uint64_t pick = messages_.next();
    const std::string& peers = fault.peers.front();
    const bool to_servers = peers == "servers" || peers == "others";
    const std::vector<std::string>& of_clients = pick % 2 == 0 ? in_.from_clients : in_.to_clients;
    const std::vector<std::string>& kinds =
        list == 0 && to_servers ? in_.between_servers : of_clients;
    if (alone && !kinds.empty()) fault.message = kinds[pick / 2 % kinds.size()];
}

}  // namespace lockstep::sim
