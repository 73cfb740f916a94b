// The same faults, but weaker, shorter, and at rounder times.
#include "harness/shrink/candidates.hpp"
#include "scenarios/scenario_fields.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

namespace lockstep::harness {
namespace {

using sim::Fault;
using sim::FaultKind;

constexpr std::int64_t shortest = milliseconds(1).ns;

/// One fault of a scenario, and what is offered in its place.
class Weaker {
public:
    Weaker(Candidates& to, std::size_t position)
        : to_(to), position_(position), fault_(to.origin().faults[position]) {}

    void offer(Fault changed, std::string_view what) {
        Scenario scenario = to_.origin();
        scenario.faults[position_] = std::move(changed);
        to_.offer(std::move(scenario), fmt::format("fault {}: {}", position_ + 1, what));
    }
    const Fault& fault() const { return fault_; }

    /// A number of the fault, which may be negative.
    template <class Get>
    void number(Get get, std::int64_t least, std::string (*text)(std::int64_t),
                std::string_view what) {
        Fault probe = fault_;
        const std::int64_t now = get(probe);
        const bool negative = now < 0;
        for (const std::int64_t n : smaller(negative ? -now : now, least)) {
            Fault changed = fault_;
            get(changed) = negative ? -n : n;
            offer(std::move(changed), fmt::format("{} {}", what, text(negative ? -n : n)));
        }
    }

private:
    Candidates& to_;
    std::size_t position_;
    const Fault& fault_;
};

/// What its new kind does not read goes back to what it is by default.
Fault as_kind(const Fault& fault, FaultKind kind) {
    Fault changed = fault;
    changed.kind = kind;
    const Fault empty;
    const sim::FaultFields has = sim::fields_of(kind);
    if (!has.peers) changed.peers = empty.peers;
    if (!has.peers) changed.direction = empty.direction;
    if (!has.amount) changed.amount = empty.amount;
    if (!has.period) changed.period = empty.period;
    if (!has.count) changed.count = empty.count;
    return changed;
}

/// The kind of which this one is the worse form.
std::optional<FaultKind> milder(FaultKind kind) {
    switch (kind) {
        case FaultKind::CrashKill:
            return FaultKind::Pause;
        case FaultKind::CrashPower:
        case FaultKind::CrashLoop:
            return FaultKind::CrashKill;
        case FaultKind::CrashAtSync:
            return FaultKind::CrashPower;
        case FaultKind::BlackHole:
            return FaultKind::Cut;
        default:
            return std::nullopt;
    }
}

/// One member of a group in place of all of it.
void on_one_alone(Weaker& weaker, const Scenario& scenario) {
    const Fault& fault = weaker.fault();
    const FaultKind kind =
        fault.kind == FaultKind::Swizzle ? FaultKind::Cut : FaultKind::CrashPower;
    std::vector<std::string> members;
    if (fault.aim.name == "servers") members = scenario::server_names(scenario);
    if (fault.aim.name == "clients") members = scenario::client_names(scenario);
    if (fault.aim.name == "resources") members = scenario::resource_names(scenario);
    const auto zones = scenario::zone_members(scenario);
    for (std::size_t z = 0; z < zones.size(); ++z)
        if (fault.aim.name == fmt::format("zone-{}", z + 1)) members = zones[z];
    for (const std::string& name : members) {
        Fault changed = as_kind(fault, kind);
        changed.aim = {sim::Aim::By::Process, name};
        weaker.offer(std::move(changed), fmt::format("{} of {}", sim::to_string(kind), name));
    }
}

void weaker_kinds(Weaker& weaker, const Scenario& scenario) {
    const Fault& fault = weaker.fault();
    if (sim::fields_of(fault.kind).group) on_one_alone(weaker, scenario);
    if (const auto kind = milder(fault.kind))
        weaker.offer(as_kind(fault, *kind), sim::to_string(*kind));
    if (fault.kind == FaultKind::Pause && fault.clock == sim::ClockMode::Frozen) {
        Fault changed = fault;
        changed.clock = sim::ClockMode::Runs;
        weaker.offer(std::move(changed), "the clock runs on");
    }
}

void fewer_peers(Weaker& weaker) {
    const auto& peers = weaker.fault().peers;
    if (peers.size() < 2) return;
    for (std::size_t i = 0; i < peers.size(); ++i) {
        if (peers[i].starts_with('!')) continue;
        Fault changed = weaker.fault();
        changed.peers.erase(changed.peers.begin() + static_cast<std::ptrdiff_t>(i));
        if (changed.peers.front().starts_with('!')) continue;  // would mean: all but these
        weaker.offer(std::move(changed), fmt::format("not with {}", peers[i]));
    }
}

std::string span_of(std::int64_t ns) {
    return sim::to_string(Duration{ns});
}
std::string share_of(std::int64_t ppm) {
    return scenario::text_of(Ppm{ppm});
}
std::string count_text(std::int64_t n) {
    return fmt::format("{}", n);
}

void smaller_numbers(Weaker& weaker) {
    const Fault& fault = weaker.fault();
    const sim::FaultFields has = sim::fields_of(fault.kind);
    if (has.lasts)
        weaker.number([](Fault& f) -> std::int64_t& { return f.duration.ns; }, shortest, span_of,
                      "for");
    weaker.number([](Fault& f) -> std::int64_t& { return f.start.ns; }, 0, span_of, "at");
    if (has.amount)
        weaker.number([](Fault& f) -> std::int64_t& { return f.amount.ns; }, shortest, span_of,
                      "by");
    if (has.ppm) weaker.number([](Fault& f) -> std::int64_t& { return f.ppm; }, 1, share_of, "of");
    // Its period is how often it comes: it may be rounder, and rarer it would be larger.
    if (has.period)
        for (const std::int64_t ns : rounder(fault.period.ns, shortest)) {
            Fault changed = fault;
            changed.period = {ns};
            weaker.offer(std::move(changed), fmt::format("every {}", span_of(ns)));
        }
    if (has.count)
        for (const std::int64_t n : smaller(fault.count, 1)) {
            Fault changed = fault;
            changed.count = static_cast<std::uint32_t>(n);
            weaker.offer(std::move(changed), fmt::format("count {}", count_text(n)));
        }
    if (!fault.trigger) return;
    for (const std::int64_t n : smaller(fault.trigger->nth, 1)) {
        Fault changed = fault;
        changed.trigger->nth = static_cast<std::uint32_t>(n);
        weaker.offer(std::move(changed), fmt::format("the {}. time", n));
    }
}

}  // namespace

void with_simpler_faults(Candidates& to) {
    for (std::size_t i = 0; i < to.origin().faults.size(); ++i) {
        Weaker weaker(to, i);
        weaker_kinds(weaker, to.origin());
        fewer_peers(weaker);
        smaller_numbers(weaker);
    }
}

}  // namespace lockstep::harness
