#include "sim/swarm.hpp"

#include "core/base/assert.hpp"
#include "sim/swarm_dimension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep::sim {
/// Any process, clients and servers alike more often than resources.
Aim Dimension::anybody() {
    const std::uint64_t which = rng_.below(8);
    if (which < 4) return process(one_of(in_.servers));
    if (which < 7 || in_.resources.empty()) return process(one_of(in_.clients));
    return process(one_of(in_.resources));
}

/// Somebody by name, or, as often, whoever has a role by then.
Aim Dimension::someone(bool servers_mostly) {
    const bool by_role = rng_.chance(half) && !in_.roles.empty();
    if (!by_role)
        return servers_mostly && rng_.chance(half) ? process(one_of(in_.servers)) : anybody();
    if (servers_mostly && rng_.chance(half) && in_.roles.front() == "leader")
        return {Aim::By::Role, "leader"};
    return {Aim::By::Role, one_of(in_.roles)};
}

/// Near one of the interesting durations, or short.
Duration Dimension::lasting() {
    constexpr std::array<std::int64_t, 6> permille{500, 900, 1'000, 1'100, 1'500, 2'000};
    const bool is_short = rng_.chance(quarter) || in_.interesting.empty();
    if (is_short) {
        const auto exponent = static_cast<std::int64_t>(rng_.below(10));  // 1 ms to 1 s
        return milliseconds(1) *
               rng_.between(std::int64_t{1} << exponent, std::int64_t{2} << exponent);
    }
    const Duration near = in_.interesting[rng_.below(in_.interesting.size())];
    const std::int64_t factor = permille[rng_.below(permille.size())];
    // In whole milliseconds, which people can read.
    return milliseconds(near.ns / 1'000 * factor / 1'000'000);
}

/// When, and for how long; false if nothing is left of it.
bool Dimension::window(Fault& fault) {
    fault.start = milliseconds(rng_.between(in_.from.ns / 1'000'000, in_.to.ns / 1'000'000));
    fault.duration = std::min(lasting(), in_.to - fault.start);
    return fault.duration > Duration{};
}

Fault Dimension::fresh() {
    Fault fault;
    fault.kind = kind_;
    return fault;
}

void Dimension::draw(SwarmPlan& plan) {
    const bool on = wanted();
    hardness_ = rng_.between(1, 3);
    const bool freezes = rng_.chance(eighth);
    freezes_ = freezes && in_.break_clocks;
    // Between one and a dozen in half a minute.
    const std::int64_t per_half_minute = std::int64_t{1} << rng_.below(4);
    const std::int64_t window_ms = (in_.to - in_.from).ns / 1'000'000;
    const std::int64_t most = std::max<std::int64_t>(1, per_half_minute * window_ms / 30'000);
    const auto drawn = static_cast<std::uint64_t>(rng_.between(1, most + most / 2));
    const std::uint64_t count = std::min(drawn, at_most());
    if (!on) return;
    plan.dimensions.push_back(fmt::format("{}: {} planned, hardness {}{}", to_string(kind_), count,
                                          hardness_, freezes_ ? ", clocks may freeze" : ""));
    if (kind_ == FaultKind::ClockDrift) {
        drifts(plan.faults, count);
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        if (kind_ == FaultKind::Cut)
            cuts(plan.faults);
        else
            one(plan.faults);
    }
}

void Dimension::one(FaultPlan& plan) {
    Fault fault = fresh();
    const bool lasts = window(fault);
    switch (kind_) {
        case FaultKind::Pause:
            fault.aim = someone(false);
            if (rng_.chance(half) && freezes_) fault.clock = ClockMode::Frozen;
            break;
        case FaultKind::StallFiber: {
            const bool holder = rng_.chance(half) && has_role("holder");
            fault.aim = holder ? Aim{Aim::By::Role, "holder"} : process(one_of(in_.clients));
            fault.strand = rng_.chance(half) ? 1 : 0;
            break;
        }
        case FaultKind::Loss:
        case FaultKind::Duplicate:
        case FaultKind::Reorder:
        case FaultKind::Delay:
            fault.aim = someone(true);
            links(fault);
            maybe_one_message(fault);
            break;
        case FaultKind::ClockStep: {
            fault.aim = anybody();
            const Duration jump = lasting() * hardness_;
            fault.amount = rng_.chance(half) ? jump : -jump;
            break;
        }
        case FaultKind::DropMessage:
            lost_message(fault);
            break;
        case FaultKind::ClockFreeze:
            fault.aim = anybody();
            break;
        case FaultKind::CrashKill:
        case FaultKind::CrashPower:
            fault.aim = someone(true);
            break;
        case FaultKind::DiskStall:
            // Nothing that matters is on a client's disk.
            fault.aim = rng_.chance(half) && has_role("leader") ? Aim{Aim::By::Role, "leader"}
                                                                : process(one_of(in_.servers));
            break;
        case FaultKind::Cut:
        case FaultKind::ClockDrift:
            break;  // drawn by cuts and drifts
        default:
            newer(fault);
            break;
    }
    if (lasts || !fields_of(kind_).lasts) plan.push_back(fault);
}

/// How bad, and on which links.
void Dimension::links(Fault& fault) {
    constexpr std::array<const char*, 4> groups{"others", "servers", "clients", "resources"};
    fault.peers = {groups[rng_.below(groups.size())]};
    fault.direction = static_cast<Direction>(rng_.below(3));
    const std::int64_t tenth = rng_.between(1, 10);
    if (kind_ == FaultKind::Delay)
        fault.amount = lasting() / 20 * hardness_ + milliseconds(1);
    else
        fault.ppm = tenth * hardness_ * 30'000;  // 3% to 90%
}

/// Aimed at somebody who sends or receives such messages.
void Dimension::lost_message(Fault& fault) {
    const std::uint64_t whose = rng_.below(3);
    const bool by_role = rng_.chance(half) && !in_.roles.empty();
    const bool outward = rng_.chance(half);
    if (whose == 0 && !in_.between_servers.empty()) {
        fault.aim = by_role && has_role("leader") ? Aim{Aim::By::Role, "leader"}
                                                  : process(one_of(in_.servers));
        fault.message = one_of(in_.between_servers);
        fault.direction = outward ? Direction::Out : Direction::In;
    } else {
        fault.aim = by_role && has_role("holder") ? Aim{Aim::By::Role, "holder"}
                                                  : process(one_of(in_.clients));
        fault.message = one_of(outward ? in_.from_clients : in_.to_clients);
        fault.direction = outward ? Direction::Out : Direction::In;
    }
    fault.duration = Duration{};
}

void Dimension::cuts(FaultPlan& plan) {
    enum : std::uint64_t { Isolate, Partition, OneWay, FromServers, FromResources, Pair, Ways };
    Fault cut = fresh();
    const bool lasts = window(cut);
    const std::uint64_t way = rng_.below(Ways);
    const bool outward = rng_.chance(half);
    switch (way) {
        case Isolate:
            cut.aim = someone(true);
            cut.peers = {"others"};
            break;
        case OneWay:
            cut.aim = someone(true);
            cut.peers = {"others"};
            cut.direction = outward ? Direction::Out : Direction::In;
            break;
        case FromServers:
            cut.aim = rng_.chance(half) && has_role("holder") ? Aim{Aim::By::Role, "holder"}
                                                              : process(one_of(in_.clients));
            cut.peers = {"servers"};
            break;
        case FromResources:
            cut.aim = process(one_of(in_.clients));
            cut.peers = {"resources"};
            break;
        case Pair:
            cut.aim = process(one_of(in_.servers));
            cut.peers = {one_of(in_.servers)};
            break;
        default:
            break;
    }
    if (!lasts) return;
    if (way == Partition)
        partition(plan, cut);
    else if (way != Pair || cut.aim.name != cut.peers.front())
        plan.push_back(cut);
}

/// A minority of the servers, and some of the clients with them, against everybody else.
void Dimension::partition(FaultPlan& plan, const Fault& cut) {
    std::vector<std::string> inside;
    std::vector<std::string> servers = in_.servers;
    const auto minority = static_cast<std::int64_t>(servers.size() - 1) / 2;
    const std::int64_t size = minority < 1 ? 0 : rng_.between(1, minority);
    for (std::int64_t i = 0; i < size; ++i) {
        const auto pick = static_cast<std::ptrdiff_t>(rng_.below(servers.size()));
        inside.push_back(servers[static_cast<std::size_t>(pick)]);
        servers.erase(servers.begin() + pick);
    }
    for (const std::string& client : in_.clients)
        if (rng_.chance(quarter)) inside.push_back(client);
    std::vector<std::string> peers;
    for (const std::string& name : inside) peers.push_back("!" + name);
    for (const std::string& name : inside) {
        Fault side = cut;
        side.aim = process(name);
        side.peers = peers;
        plan.push_back(side);
    }
}

/// The slowest rate over the fastest stays above 1 - bound, true time included, so that no seed of
/// a swarm breaks clock-rate. Each process has at most one drift at a time.
void Dimension::drifts(FaultPlan& plan, std::uint64_t count) {
    const std::int64_t bound = in_.drift_bound.value;
    const std::int64_t slow = rng_.between(std::int64_t{0}, bound);
    const std::int64_t fast = (1'000'000 - slow) * 1'000'000 / (1'000'000 - bound) - 1'000'000;
    std::vector<Fault> drawn;
    for (std::uint64_t i = 0; i < count; ++i) {
        Fault fault = fresh();
        const bool lasts = window(fault);
        fault.aim = anybody();
        const bool extreme = rng_.chance(half);
        const bool is_slow = rng_.chance(half);
        const std::int64_t most = is_slow ? slow : fast;
        const std::int64_t drawn_ppm = rng_.between(std::int64_t{0}, most);
        const std::int64_t ppm = extreme ? most : drawn_ppm;
        fault.ppm = is_slow ? -ppm : ppm;
        if (!lasts || ppm == 0) continue;
        const bool free = std::none_of(drawn.begin(), drawn.end(), [&](const Fault& other) {
            return other.aim == fault.aim && other.start <= fault.start + fault.duration &&
                   fault.start <= other.start + other.duration;
        });
        if (free) drawn.push_back(fault);
    }
    plan.insert(plan.end(), drawn.begin(), drawn.end());
}

SwarmPlan draw_swarm(const SwarmInput& input) {
    LOCKSTEP_ASSERT(input.from <= input.to, "swarm from {} to {}", input.from.ns, input.to.ns);
    SwarmPlan plan;
    for (std::size_t i = 0; i < fault_kinds; ++i) {
        const auto kind = static_cast<FaultKind>(i);
        const bool allowed =
            input.kinds.empty() ||
            std::find(input.kinds.begin(), input.kinds.end(), kind) != input.kinds.end();
        if (allowed) Dimension(input, kind).draw(plan);
    }
    return plan;
}

}  // namespace lockstep::sim
