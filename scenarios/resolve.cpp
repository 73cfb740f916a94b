#include "scenarios/resolve.hpp"

#include "core/base/assert.hpp"
#include "core/base/prng.hpp"
#include "scenarios/scenario_fields.hpp"
#include "scenarios/scenario_values.hpp"
#include "sim/swarm.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::scenario {
namespace {

/// Draws what a scenario leaves open, each value from its own stream, and notes what came.
class Drawer {
public:
    Drawer(std::uint64_t seed, std::vector<std::string>& notes) : seed_(seed), notes_(notes) {}

    Duration duration(const char* key, const DurationRange& range) {
        if (range.min == range.max) return range.min;
        // In whole milliseconds where the range allows, which people can read.
        const Duration unit = range.min.ns % 1'000'000 == 0 && range.max.ns % 1'000'000 == 0
                                  ? milliseconds(1)
                                  : nanoseconds(1);
        Prng stream = stream_of(key);
        const Duration drawn =
            unit * stream.between(range.min.ns / unit.ns, range.max.ns / unit.ns);
        note(key, text_of(drawn));
        return drawn;
    }
    sim::LinkMode links(const char* key, LinkChoice choice) {
        if (choice != LinkChoice::Drawn)
            return choice == LinkChoice::Ordered ? sim::LinkMode::Ordered : sim::LinkMode::Datagram;
        const bool ordered = stream_of(key).chance(500'000);
        note(key, text_of(ordered ? LinkChoice::Ordered : LinkChoice::Datagram));
        return ordered ? sim::LinkMode::Ordered : sim::LinkMode::Datagram;
    }
    bool on(const char* key, Switch choice) {
        if (choice != Switch::Drawn) return choice == Switch::On;
        const bool drawn = stream_of(key).chance(500'000);
        note(key, drawn ? "on" : "off");
        return drawn;
    }
    const std::string& one_of(const std::string& key, const std::vector<std::string>& names) {
        const std::string& drawn = names[stream_of(key).below(names.size())];
        note(key, drawn);
        return drawn;
    }

private:
    Prng stream_of(const std::string& key) const {
        return Prng(hash_words(seed_, hash_name(("scenario/" + key).c_str())));
    }
    void note(const std::string& key, const std::string& value) {
        notes_.push_back(fmt::format("{} = {}", key, value));
    }

    std::uint64_t seed_;
    std::vector<std::string>& notes_;
};

sim::LinkModel link_of(const NetworkSettings& network, sim::LinkMode mode) {
    sim::LinkModel link;
    link.mode = mode;
    link.delay.min = network.delay.min;
    link.delay.max = network.delay.max;
    link.delay.tail_ppm = static_cast<std::uint32_t>(network.tail_chance.value);
    link.delay.tail = network.tail;
    link.loss_ppm = static_cast<std::uint32_t>(network.loss.value);
    link.duplicate_ppm = static_cast<std::uint32_t>(network.duplicate.value);
    link.reorder_ppm = static_cast<std::uint32_t>(network.reorder.value);
    link.connection_timeout = network.connection_timeout;
    return link;
}

void draw_numbers(const Scenario& s, Drawer& draw, Resolved& r) {
    r.ttl = draw.duration("lease.ttl", s.lease.ttl);
    r.renew_every = s.lease.renew_every.value_or(r.ttl / 3);
    r.drift_bound = s.lease.drift_bound;
    r.margin = s.lease.margin;
    r.checkpoint_every = s.lease.checkpoint_every;
    r.lock_delay = s.lease.lock_delay.value_or(Duration{});
    r.hold_max = s.lease.hold_max.value_or(Duration{});
    r.limits = s.limits;
    r.sessions = s.cluster.sessions;
    r.election_min = draw.duration("raft.election_timeout_min", s.raft.election_min);
    r.election_max = draw.duration("raft.election_timeout_max", s.raft.election_max);
    r.heartbeat = s.raft.heartbeat;
    r.snapshot_every = s.raft.snapshot_every;
    r.append_entries = s.raft.append_entries;
    r.resource = s.resource.kind;
    r.fencing = s.resource.fencing;
    r.server_link = link_of(s.network, draw.links("network.server_links", s.network.server_links));
    r.client_link = link_of(s.network, draw.links("network.client_links", s.network.client_links));
    r.disk.sync_min = s.disk.sync.min;
    r.disk.sync_max = s.disk.sync.max;
    r.workload = s.workload;
    r.wire_codec = draw.on("run.wire_codec", s.run.wire_codec);
}

/// The written faults, with names for the aims that the seed decides.
sim::FaultPlan written_plan(const Scenario& s, Drawer& draw, const Resolved& r) {
    sim::FaultPlan plan = s.faults;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const auto settle = [&](sim::Aim& aim, const char* what) {
            if (aim.by != sim::Aim::By::Role || !aim.name.starts_with("any-")) return;
            const auto& names = aim.name == "any-server"   ? r.servers
                                : aim.name == "any-client" ? r.clients
                                                           : r.resources;
            const std::string key = fmt::format("fault[{}].{}", i + 1, what);
            aim = {sim::Aim::By::Process, draw.one_of(key, names)};
        };
        settle(plan[i].aim, "aim");
        if (plan[i].trigger && plan[i].trigger->where) settle(*plan[i].trigger->where, "when.at");
    }
    return plan;
}

sim::SwarmInput swarm_input(const Scenario& s, const Resolved& r, const Vocabulary& words) {
    sim::SwarmInput input;
    input.seed = r.seed;
    input.servers = r.servers;
    input.clients = r.clients;
    input.resources = r.resources;
    input.interesting = {r.ttl, r.renew_every, r.election_min, r.election_max,
                         s.network.connection_timeout};
    input.between_servers = words.between_servers;
    input.from_clients = words.from_clients;
    input.to_clients = words.to_clients;
    input.roles = words.roles;
    // The first election is worth having; faults in it are had by scenarios that ask for them.
    input.from = std::min(r.election_max * 2, s.run.faults_for / 4);
    input.to = s.run.faults_for;
    input.kinds = s.swarm->kinds;
    input.drift_bound = r.drift_bound;
    input.break_clocks = s.swarm->break_clocks;
    input.break_disks = s.swarm->break_disks;
    input.unlimited = s.run.budget == Budget::Unlimited;
    for (std::size_t z = 1; z <= r.zones.size(); ++z)
        input.groups.push_back(fmt::format("zone-{}", z));
    return input;
}

}  // namespace

Vocabulary raft_vocabulary() {
    Vocabulary words;
    words.between_servers.assign(raft_messages.begin(), raft_messages.end());
    words.from_clients.assign(client_requests.begin(), client_requests.end());
    words.to_clients.assign(client_replies.begin(), client_replies.end());
    words.roles.assign(role_names.begin(), role_names.end());
    return words;
}

Resolved resolve(const Scenario& scenario, std::uint64_t seed) {
    LOCKSTEP_ASSERT(scenario.service == "raft" || !scenario.swarm,
                    "a swarm for service {}, whose words are not known", scenario.service);
    return resolve(scenario, seed, raft_vocabulary());
}

Duration Resolved::longest_turn() const {
    Duration turn = workload.hold.max;
    if (workload.kind == WorkloadKind::Append) turn = turn * workload.writes;
    if (workload.kind == WorkloadKind::Drain) turn = turn + workload.drain;
    if (workload.kind == WorkloadKind::Election) turn = turn + workload.period;
    return turn + ttl;
}

Resolved resolve(const Scenario& scenario, std::uint64_t seed, const Vocabulary& words) {
    const auto objection = check(scenario);
    LOCKSTEP_ASSERT(!objection, "{}: {}", objection->key, objection->message);
    Resolved r;
    r.seed = seed;
    r.service = scenario.service;
    r.servers = server_names(scenario);
    r.clients = client_names(scenario);
    r.resources = resource_names(scenario);
    r.locks = lock_names(scenario);
    r.zones = zone_members(scenario);
    r.service_settings = scenario.service_settings;
    Drawer draw(seed, r.drawn);
    draw_numbers(scenario, draw, r);
    r.faults_for = scenario.run.faults_for;
    r.slack = scenario.run.slack;
    r.recoverable = scenario.run.budget == Budget::Recoverable;
    r.plan = written_plan(scenario, draw, r);
    if (scenario.swarm) {
        sim::SwarmPlan swarm = sim::draw_swarm(swarm_input(scenario, r, words));
        r.plan.insert(r.plan.end(), swarm.faults.begin(), swarm.faults.end());
        for (std::string& line : swarm.dimensions) r.drawn.push_back("swarm " + std::move(line));
    }
    if (r.recoverable) r.quiet = scenario.run.quiet.value_or(shortest_quiet(pinned(scenario, r)));
    r.expected_violations = expected_violations(scenario);
    return r;
}

Scenario pinned(const Scenario& scenario, const Resolved& resolved) {
    Scenario s = scenario;
    s.lease.ttl = {resolved.ttl, resolved.ttl};
    s.lease.renew_every = resolved.renew_every;
    s.raft.election_min = {resolved.election_min, resolved.election_min};
    s.raft.election_max = {resolved.election_max, resolved.election_max};
    const auto links = [](const sim::LinkModel& link) {
        return link.mode == sim::LinkMode::Ordered ? LinkChoice::Ordered : LinkChoice::Datagram;
    };
    s.network.server_links = links(resolved.server_link);
    s.network.client_links = links(resolved.client_link);
    s.run.wire_codec = resolved.wire_codec ? Switch::On : Switch::Off;
    s.faults = resolved.plan;
    s.swarm.reset();
    return s;
}

}  // namespace lockstep::scenario
