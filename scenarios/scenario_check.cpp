// What a scenario's values must satisfy, seen together.
#include "core/events/event.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/scenario_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lockstep::scenario {
namespace {

using sim::to_string;

constexpr Duration shortest_ttl = milliseconds(100);
constexpr Duration longest_ttl = seconds(3'600);

template <std::size_t n>
bool one_of(const std::array<const char*, n>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool one_of(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Keeps the first objection.
/// Beyond it, connections come and go without end, and nothing could be demanded of anybody. Faults
/// may lose more for a while.
constexpr std::int64_t most_loss = 300'000;

class Checker {
public:
    explicit Checker(const Scenario& scenario) : s_(scenario) {}

    std::optional<Objection> run() {
        cluster();
        lease();
        raft();
        surroundings();
        workload();
        expectations();
        for (std::size_t i = 0; i < s_.faults.size(); ++i) fault(s_.faults[i], i);
        phases();
        return first_;
    }

private:
    void object(std::string key, std::string message) {
        if (!first_) first_ = Objection{std::move(key), std::move(message)};
    }
    void number(const char* key, std::uint64_t value, std::uint64_t low, std::uint64_t high,
                const char* note = "") {
        if (value < low || value > high)
            object(key, fmt::format("found {}{}; allowed is {} to {}", value, note, low, high));
    }
    void span(const std::string& key, Duration value, Duration low, Duration high) {
        if (value < low || value > high)
            object(key, fmt::format("found {}; allowed is {} to {}", to_string(value),
                                    to_string(low), to_string(high)));
    }
    void range(const char* key, const DurationRange& value, Duration low, Duration high) {
        span(key, value.min, low, high);
        span(key, value.max, low, high);
        if (value.max < value.min)
            object(key, fmt::format("found {}, which ends before it begins", text_of(value)));
    }
    void share(const std::string& key, Ppm value, std::int64_t high = 1'000'000) {
        if (value.value < 0 || value.value > high)
            object(key, fmt::format("found {}; allowed is 0% to {}", text_of(value),
                                    text_of(Ppm{high})));
    }

    void cluster();
    void lease();
    void raft();
    void surroundings();
    void workload();
    void phases();
    void expectations();
    void fault(const sim::Fault& fault, std::size_t index);
    void fault_times(const sim::Fault& fault, const std::string& key);
    void fault_amounts(const sim::Fault& fault, const std::string& key);
    void trigger(const sim::Trigger& trigger, const std::string& key);
    void aim(const sim::Aim& aim, const std::string& key, bool may_be_trigger);
    void peer(std::string_view name, const std::string& key);
    bool is_process(std::string_view name) const {
        return one_of(server_names(s_), name) || one_of(client_names(s_), name) ||
               one_of(resource_names(s_), name);
    }
    std::string processes() const {
        const auto clients = client_names(s_);
        return fmt::format("n1 to n{}, {}{}", s_.cluster.servers,
                           clients.empty() ? "" : "worker-a to " + clients.back() + ", ",
                           fmt::join(resource_names(s_), ", "));
    }

    const Scenario& s_;
    std::optional<Objection> first_;
};

void Checker::cluster() {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    if (!std::all_of(s_.name.begin(), s_.name.end(), plain))
        object("name", fmt::format("found \"{}\"; allowed are a to z, 0 to 9 and -", s_.name));
    if (s_.service != "raft")
        object("service", fmt::format("found \"{}\"; allowed is \"raft\"", s_.service));
    number("cluster.servers", s_.cluster.servers, 1, limits::servers,
           s_.cluster.servers == 0 ? ", of which no quorum can be made" : "");
    number("cluster.clients", s_.cluster.clients, 0, limits::clients);
    number("cluster.locks", s_.cluster.locks, 1, limits::locks);
    if (s_.swarm && s_.cluster.clients == 0)
        object("cluster.clients", "found 0, and a swarm, whose faults are aimed at clients, too");
}

void Checker::lease() {
    const Lease& lease = s_.lease;
    range("lease.ttl", lease.ttl, shortest_ttl, longest_ttl);
    share("lease.drift_bound", lease.drift_bound, 500'000);
    span("lease.margin", lease.margin, Duration{}, longest_ttl);
    if (first_) return;
    const Duration renewal = lease.renew_every.value_or(lease.ttl.min / 3);
    const Duration usable = shrink(lease.ttl.min, lease.drift_bound) - lease.margin;
    if (usable <= Duration{})
        object("lease.margin",
               fmt::format("found {}; a TTL of {} less a drift of {} leaves nothing of the lease",
                           to_string(lease.margin), to_string(lease.ttl.min),
                           text_of(lease.drift_bound)));
    else if (renewal <= Duration{} || renewal >= usable || renewal > lease.ttl.min / 3)
        object(
            "lease.renew_every",
            fmt::format("found {}; allowed is more than 0s, at most a third of the TTL of {}, and "
                        "less than the {} for which a holder may act",
                        to_string(renewal), to_string(lease.ttl.min), to_string(usable)));
}

void Checker::raft() {
    const RaftSettings& raft = s_.raft;
    range("raft.election_timeout_min", raft.election_min, milliseconds(1), seconds(3'600));
    range("raft.election_timeout_max", raft.election_max, milliseconds(1), seconds(3'600));
    if (first_) return;
    if (raft.election_max.min < raft.election_min.max)
        object("raft.election_timeout_max",
               fmt::format("found {}, which may be less than the minimum of {}",
                           text_of(raft.election_max), text_of(raft.election_min)));
    if (raft.heartbeat < milliseconds(1) || raft.heartbeat >= raft.election_min.min)
        object("raft.heartbeat",
               fmt::format("found {}; allowed is 1ms and more, and less than the shortest election "
                           "timeout, {}",
                           to_string(raft.heartbeat), to_string(raft.election_min.min)));
    number("raft.snapshot_every", raft.snapshot_every, 1, 1'000'000'000);
    number("raft.append_entries", raft.append_entries, 1, 10'000);
}

void Checker::surroundings() {
    const NetworkSettings& network = s_.network;
    range("network.delay", network.delay, Duration{}, seconds(3'600));
    share("network.tail_chance", network.tail_chance);
    span("network.tail", network.tail, Duration{}, seconds(3'600));
    share("network.loss", network.loss, most_loss);
    share("network.duplicate", network.duplicate);
    share("network.reorder", network.reorder);
    span("network.connection_timeout", network.connection_timeout, milliseconds(1), seconds(3'600));
    range("disk.sync", s_.disk.sync, Duration{}, seconds(3'600));
    if (first_ || s_.run.budget != Budget::Recoverable) return;
    // Else nobody could win an election in time, and LIVE-1 would blame the service for it.
    const Duration vote = network.delay.max * 2 + s_.disk.sync.max;
    if (vote >= s_.raft.election_min.min)
        object(network.delay.max * 2 > s_.disk.sync.max ? "network.delay" : "disk.sync",
               fmt::format("a vote can take {} (there, a sync, and back), as long as the shortest "
                           "election timeout, {}; allowed is less, or run.budget = \"unlimited\"",
                           to_string(vote), to_string(s_.raft.election_min.min)));
}

void Checker::workload() {
    const Workload& workload = s_.workload;
    range("workload.think", workload.think, Duration{}, limits::longest);
    range("workload.hold", workload.hold, Duration{}, limits::longest);
    if (workload.wait_max != Duration::max())
        span("workload.wait_max", workload.wait_max, Duration{}, seconds(3'600));
    span("workload.period", workload.period, milliseconds(1), limits::longest);
}

void Checker::phases() {
    span("run.faults_for", s_.run.faults_for, milliseconds(1), limits::longest);
    span("run.slack", s_.run.slack, Duration{}, seconds(3'600));
    if (!s_.run.quiet || first_) return;
    span("run.quiet", *s_.run.quiet, Duration{}, limits::longest);
    const Duration least = shortest_quiet(s_);
    if (s_.run.budget == Budget::Recoverable && *s_.run.quiet < least)
        object("run.quiet", fmt::format("found {}; what is demanded after healing takes up to {} "
                                        "(say \"auto\" for that)",
                                        to_string(*s_.run.quiet), to_string(least)));
}

void Checker::expectations() {
    for (std::size_t i = 0; i < s_.expect.size(); ++i) {
        const Expectation& expected = s_.expect[i];
        const std::string key = fmt::format("expect[{}]", i + 1);
        if (!is_property_id(expected.violated))
            object(key + ".violated",
                   fmt::format("found \"{}\"; allowed is a property's id, such as "
                               "\"FENCE-2\"",
                               expected.violated));
        if (!expected.when_key.empty() && !value_of(s_, expected.when_key))
            object(key + ".when",
                   fmt::format("found \"{}\", which is no key of a scenario", expected.when_key));
    }
    for (const auto& [id, least] : s_.minimum_share) {
        if (!is_property_id(id))
            object("properties." + id,
                   "found no property's id; allowed is one such as \"FENCE-2\"");
        share("properties." + id, least);
    }
}

// Faults.

void Checker::aim(const sim::Aim& aim, const std::string& key, bool may_be_trigger) {
    if (aim.name == "any-client" && s_.cluster.clients == 0)
        object(key, "found \"any-client\", and no clients (cluster.clients)");
    const bool known = aim.by == sim::Aim::By::Trigger ? may_be_trigger
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

void Checker::peer(std::string_view name, const std::string& key) {
    constexpr std::array<const char*, 4> groups{"servers", "clients", "resources", "others"};
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
    if (trigger.on == On::Message && !one_of(message_names(), trigger.what))
        object(key + ".message", fmt::format("found \"{}\"; allowed is {}", trigger.what,
                                             fmt::join(message_names(), ", ")));
    if (trigger.on == On::Event && events::kind_of(trigger.what) == events::event_kinds) {
        std::string kinds;
        for (std::size_t k = 0; k < events::event_kinds; ++k)
            kinds += (k == 0 ? "" : ", ") + std::string(events::kind_name(k));
        object(key + ".event", fmt::format("found \"{}\"; allowed is {}", trigger.what, kinds));
    }
    if (trigger.where) aim(*trigger.where, key + ".at", false);
    if (trigger.nth == 0) object(key + ".nth", "found 0; allowed is 1 and more");
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
    if (fault.kind == FaultKind::StallFiber && fault.strand > 1)
        object(
            key + ".strand",
            fmt::format("found {}; allowed is 0, the callbacks, or 1, the worker", fault.strand));
    if (fault.kind == FaultKind::Delay)
        span(key + ".extra", fault.amount, nanoseconds(1), seconds(3'600));
    if (fault.kind == FaultKind::ClockStep) {
        span(key + ".step", fault.amount, -limits::longest, limits::longest);
        if (fault.amount == Duration{}) object(key + ".step", "found 0s; allowed is any other");
    }
    if (fault.kind == FaultKind::DropMessage && !one_of(message_names(), fault.message))
        object(key + ".message", fmt::format("found \"{}\"; allowed is {}", fault.message,
                                             fmt::join(message_names(), ", ")));
}

void Checker::fault(const sim::Fault& fault, std::size_t index) {
    const std::string key = fmt::format("fault[{}]", index + 1);
    if (index >= limits::faults)
        object(key,
               fmt::format("found {} faults; allowed are {}", s_.faults.size(), limits::faults));
    if (first_) return;
    aim(fault.aim, key + ".aim", fault.trigger.has_value());
    for (const std::string& name : fault.peers) peer(name, key + ".peers");
    if (fault.trigger) trigger(*fault.trigger, key + ".when");
    fault_times(fault, key);
    fault_amounts(fault, key);
}

}  // namespace

std::optional<Objection> check(const Scenario& scenario) {
    return Checker(scenario).run();
}

}  // namespace lockstep::scenario
