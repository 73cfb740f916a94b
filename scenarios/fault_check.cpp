// What the faults of a scenario must satisfy.
#include "core/events/event.hpp"
#include "scenarios/scenario_checker.hpp"
#include "scenarios/scenario_values.hpp"

#include <fmt/format.h>

namespace lockstep::scenario {

using sim::to_string;

void Checker::aim(const sim::Aim& aim, const std::string& key, bool may_be_trigger) {
    if (aim.name == "any-client" && s_.cluster.clients == 0)
        object(key, "found \"any-client\", and no clients (cluster.clients)");
    const bool known = aim.by == sim::Aim::By::Trigger ? may_be_trigger
                       : aim.by == sim::Aim::By::Group ? false  // see group_aim
                       : aim.by == sim::Aim::By::Role
                           ? one_of(role_names, aim.name) || one_of(drawn_aims, aim.name)
                           : is_process(aim.name);
    if (known) return;
    object(key, fmt::format("found {}; allowed is a process ({}), a role ({}) or {}{}",
                            aim.name.empty() && aim.by != sim::Aim::By::Trigger
                                ? std::string("nobody")
                                : fmt::format("\"{}\", which is nobody here", sim::to_string(aim)),
                            processes(), fmt::join(role_names, ", "), fmt::join(drawn_aims, ", "),
                            may_be_trigger ? ", or \"trigger\"" : ""));
}

/// Kinds that act on a group are aimed at one, and no others are.
void Checker::group_aim(const sim::Fault& fault, const std::string& key) {
    const bool zone = fault.kind == sim::FaultKind::ZoneLoss;
    const auto all = groups();
    std::vector<std::string> allowed;
    for (const std::string& name : all)
        if (!zone || name.starts_with("zone-")) allowed.push_back(name);
    if (one_of(allowed, fault.aim.name)) return;
    object(key, fmt::format("found \"{}\"; a {} is aimed at a group: {}", sim::to_string(fault.aim),
                            sim::to_string(fault.kind),
                            allowed.empty() ? "there are no zones (cluster.zones)"
                                            : fmt::format("{}", fmt::join(allowed, ", "))));
}

std::vector<std::string> Checker::groups() const {
    std::vector<std::string> all{"servers"};
    if (s_.cluster.clients > 0) all.emplace_back("clients");
    all.emplace_back("resources");
    for (std::uint32_t z = 1; z <= s_.cluster.zones; ++z) all.push_back(fmt::format("zone-{}", z));
    return all;
}

void Checker::peer(std::string_view name, const std::string& key) {
    std::vector<std::string> groups = this->groups();
    if (s_.cluster.clients == 0) groups.emplace_back("clients");  // a run adds none: it is no one
    groups.emplace_back("others");
    const std::string_view bare = name.starts_with('!') ? name.substr(1) : name;
    if (one_of(groups, bare) || one_of(role_names, bare) || is_process(bare)) return;
    object(key,
           fmt::format("found \"{}\"; allowed is a process ({}), a role ({}) or a group ({}), each "
                       "with ! to leave it out",
                       name, processes(), fmt::join(role_names, ", "), fmt::join(groups, ", ")));
}

void Checker::trigger(const sim::Trigger& trigger, const std::string& key) {
    using On = sim::Trigger::On;
    if (trigger.on == On::Point && !point_number(trigger.what))
        object(key + ".point", fmt::format("found \"{}\"; allowed is {}", trigger.what,
                                           fmt::join(point_names, ", ")));
    if (trigger.on == On::Message && !is_message(trigger.what))
        object(key + ".message", fmt::format("found \"{}\"; allowed is {}", trigger.what,
                                             fmt::join(message_names(), ", ")));
    if (trigger.on == On::Disk && !one_of(disk_operations, trigger.what))
        object(key + ".disk", fmt::format("found \"{}\"; allowed is {}", trigger.what,
                                          fmt::join(disk_operations, ", ")));
    if (trigger.on == On::Event && events::kind_of(trigger.what) == events::event_kinds) {
        std::string kinds;
        for (std::size_t k = 0; k < events::event_kinds; ++k)
            kinds += (k == 0 ? "" : ", ") + std::string(events::kind_name(k));
        object(key + ".event", fmt::format("found \"{}\"; allowed is {}", trigger.what, kinds));
    }
    if (trigger.where) aim(*trigger.where, key + ".at", false);
    if (trigger.nth == 0 || trigger.nth > 1'000'000'000)
        object(key + ".nth", fmt::format("found {}; allowed is 1 to 1000000000", trigger.nth));
}

void Checker::fault_times(const sim::Fault& fault, const std::string& key) {
    const Duration end = s_.run.faults_for;
    if (fault.start < Duration{} || fault.start >= end)
        object(key + ".at", fmt::format("found {}; faults begin at 0s or later and before {}, when "
                                        "everything heals (run.faults_for)",
                                        to_string(fault.start), to_string(end)));
    if (!sim::fields_of(fault.kind).lasts) return;
    if (fault.duration <= Duration{} || fault.duration > end - fault.start)
        object(key + ".for",
               fmt::format(
                   "found {}; allowed is more than 0s and at most {}, as everything heals at {} "
                   "(run.faults_for)",
                   to_string(fault.duration), to_string(end - fault.start), to_string(end)));
}

/// Fibers are the workers of clients; our own servers, and resources, have callbacks alone.
void Checker::strand(const sim::Fault& fault, const std::string& key) {
    const std::string& name = fault.aim.name;
    const bool server = one_of(server_names(s_), name) || name == "any-server" || name == "leader";
    const bool resource = one_of(resource_names(s_), name) || name == "any-resource";
    if (fault.strand >= 1 && (resource || (server && s_.service == "raft")))
        object(key, fmt::format("found {}; of {} allowed is 0, the callbacks: it has no workers",
                                fault.strand, name));
    if (fault.strand > s_.cluster.sessions)
        object(key, fmt::format("found {}; allowed is 0, the callbacks, or {}", fault.strand,
                                s_.cluster.sessions == 1
                                    ? std::string("1, the worker")
                                    : fmt::format("1 to {}, the workers", s_.cluster.sessions)));
}

void Checker::fault_amounts(const sim::Fault& fault, const std::string& key) {
    using sim::FaultKind;
    const bool chance = fault.kind == FaultKind::Loss || fault.kind == FaultKind::Duplicate ||
                        fault.kind == FaultKind::Reorder;
    if (chance && (fault.ppm <= 0 || fault.ppm > 1'000'000))
        object(key + ".chance", fmt::format("found {}; allowed is more than 0% and at most 100%",
                                            text_of(Ppm{fault.ppm})));
    if (fault.kind == FaultKind::ClockDrift &&
        (fault.ppm == 0 || fault.ppm < -900'000 || fault.ppm > 1'000'000))
        object(key + ".rate", fmt::format("found {}; allowed is -90% to 100%, but not 0%",
                                          text_of(Ppm{fault.ppm})));
    if (fault.kind == FaultKind::StallFiber) strand(fault, key + ".strand");
    if (fault.kind == FaultKind::Delay || fault.kind == FaultKind::DiskSlow)
        span(key + ".extra", fault.amount, nanoseconds(1), seconds(3'600));
    // A crash-loop must leave room for being down, and up again.
    const Duration least = milliseconds(fault.kind == FaultKind::CrashLoop ? 2 : 1);
    if (sim::fields_of(fault.kind).period)
        span(key + ".period", fault.period, least, limits::longest);
    if (fault.kind == FaultKind::CrashLoop && !first_)
        span(key + ".down", fault.amount, milliseconds(1), fault.period - milliseconds(1));
    if (fault.count == 0 || fault.count > 1'000'000)
        object(key + ".count", fmt::format("found {}; allowed is 1 to 1000000", fault.count));
    if (fault.kind == FaultKind::ClockStep || fault.kind == FaultKind::ClockStrobe) {
        span(key + ".step", fault.amount, -limits::longest, limits::longest);
        if (fault.amount == Duration{}) object(key + ".step", "found 0s; allowed is any other");
    }
    const bool may_name = sim::fields_of(fault.kind).message_optional && !fault.message.empty();
    if ((fault.kind == FaultKind::DropMessage || may_name) && !is_message(fault.message))
        object(key + ".message", fmt::format("found \"{}\"; allowed is {}", fault.message,
                                             fmt::join(message_names(), ", ")));
}

void Checker::fault(const sim::Fault& fault, std::size_t index) {
    const std::string key = fmt::format("fault[{}]", index + 1);
    if (index >= limits::faults)
        object(key,
               fmt::format("found {} faults; allowed are {}", s_.faults.size(), limits::faults));
    if (first_) return;
    if (sim::fields_of(fault.kind).group)
        group_aim(fault, key + ".aim");
    else
        aim(fault.aim, key + ".aim", fault.trigger.has_value());
    for (const std::string& name : fault.peers) {
        if (name == fault.aim.name)
            object(
                key + ".peers",
                fmt::format("found \"{}\", at which the fault is aimed: it has no link to itself",
                            name));
        peer(name, key + ".peers");
    }
    if (fault.trigger) trigger(*fault.trigger, key + ".when");
    fault_times(fault, key);
    fault_amounts(fault, key);
}

}  // namespace lockstep::scenario
