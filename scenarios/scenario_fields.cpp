#include "scenarios/scenario_fields.hpp"

#include "scenarios/scenario_spelling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::scenario {
namespace {

using spelling::Kinds;
using spelling::OrAuto;
using spelling::OrForever;
using spelling::OrOff;
using spelling::set_in_fault;
using spelling::Setter;

// The table. A visitor is called with the key and the member; members of special spelling are
// wrapped.

template <class S, class F>
void visit_scenario(S& s, F&& f) {
    f("name", s.name);
    f("service", s.service);
    f("cluster.servers", s.cluster.servers);
    f("cluster.clients", s.cluster.clients);
    f("cluster.locks", s.cluster.locks);
    f("cluster.sessions", s.cluster.sessions);
    f("cluster.zones", s.cluster.zones);
    f("lease.ttl", s.lease.ttl);
    f("lease.renew_every", OrAuto{s.lease.renew_every});
    f("lease.drift_bound", s.lease.drift_bound);
    f("lease.margin", s.lease.margin);
    f("lease.checkpoint_every", OrOff{s.lease.checkpoint_every});
    f("lease.lock_delay", OrOff{s.lease.lock_delay});
    f("lease.hold_max", OrOff{s.lease.hold_max});
    f("raft.election_timeout_min", s.raft.election_min);
    f("raft.election_timeout_max", s.raft.election_max);
    f("raft.heartbeat", s.raft.heartbeat);
    f("raft.snapshot_every", s.raft.snapshot_every);
    f("raft.append_entries", s.raft.append_entries);
    f("limits.sessions", s.limits.sessions);
    f("limits.locks_per_session", s.limits.locks_per_session);
    f("limits.requests_per_session", s.limits.requests_per_session);
    f("limits.waiters", s.limits.waiters);
    f("limits.pending", s.limits.pending);
    f("resource.kind", s.resource.kind);
    f("resource.fencing", s.resource.fencing);
    f("network.server_links", s.network.server_links);
    f("network.client_links", s.network.client_links);
    f("network.delay", s.network.delay);
    f("network.tail_chance", s.network.tail_chance);
    f("network.tail", s.network.tail);
    f("network.loss", s.network.loss);
    f("network.duplicate", s.network.duplicate);
    f("network.reorder", s.network.reorder);
    f("network.connection_timeout", s.network.connection_timeout);
    f("disk.sync", s.disk.sync);
    f("workload.kind", s.workload.kind);
    f("workload.think", s.workload.think);
    f("workload.hold", s.workload.hold);
    f("workload.wait_max", OrForever{s.workload.wait_max});
    f("workload.period", s.workload.period);
    f("workload.writes", s.workload.writes);
    f("workload.drain", s.workload.drain);
    f("workload.stop_every", s.workload.stop_every);
    f("run.faults_for", s.run.faults_for);
    f("run.quiet", OrAuto{s.run.quiet});
    f("run.slack", s.run.slack);
    f("run.budget", s.run.budget);
    f("run.wire_codec", s.run.wire_codec);
    f("marks.required", s.required_marks);
}

template <class S, class F>
void visit_swarm(S& s, F&& f) {
    f("swarm.kinds", Kinds{s.kinds});
    f("swarm.break_clocks", s.break_clocks);
    f("swarm.break_disks", s.break_disks);
}

template <class S, class F>
void visit_repro(S& s, F&& f) {
    f("repro.seed", s.seed);
    f("repro.plan_epoch", s.plan_epoch);
    f("repro.fingerprint", s.fingerprint);
    f("repro.digest", s.digest);
    f("repro.content", s.content);
    f("repro.build", s.build);
    f("repro.version", s.version);
}

/// Names the nearest key, and those of the same table, or the tables if there is no such table.
std::optional<std::string> unknown_key(std::string_view key, const std::vector<std::string>& keys) {
    const auto table_of = [](std::string_view k) {
        return k.substr(0, std::min(k.find('.'), k.size()));
    };
    std::vector<std::string> allowed;
    for (const std::string& known : keys)
        if (known.find('.') != std::string::npos && table_of(known) == table_of(key))
            allowed.push_back(known);
    for (const std::string& known : allowed.empty() ? keys : std::vector<std::string>()) {
        const std::string table(table_of(known));
        if (allowed.empty() || allowed.back() != table) allowed.push_back(table);
    }
    return fmt::format("found an unknown key; did you mean \"{}\"? Allowed are {}",
                       nearest(key, keys), fmt::join(allowed, ", "));
}

/// `fault[3].for`: position 3 and the rest.
std::optional<std::pair<std::uint64_t, std::string_view>> in_list(std::string_view list,
                                                                  std::string_view key) {
    if (!key.starts_with(list) || !key.substr(list.size()).starts_with('[')) return std::nullopt;
    const std::size_t close = key.find("].");
    std::uint64_t position = 0;
    if (close == std::string_view::npos) return std::nullopt;
    if (parse(key.substr(list.size() + 1, close - list.size() - 1), position)) return std::nullopt;
    return std::pair{position, key.substr(close + 2)};
}

std::optional<std::string> set_expectation(Expectation& expected, Setter& set) {
    set("violated", expected.violated);
    std::string when = expected.when_key + "=" + expected.when_value;
    set("when", when);
    if (set.key != "when" || set.error) return set.error;
    const std::size_t equals = when.find('=');
    if (equals == std::string::npos || equals == 0)
        return fmt::format(
            "found \"{}\"; allowed is \"KEY=VALUE\", such as \"resource.fencing=none\"", when);
    expected.when_key = when.substr(0, equals);
    expected.when_value = when.substr(equals + 1);
    return std::nullopt;
}

}  // namespace

std::vector<Field> fields(const Scenario& scenario) {
    std::vector<Field> all;
    const auto add = [&all](const char* key, const auto& v) {
        all.push_back({key, spelling::shape_of(v), spelling::text_of(v)});
    };
    visit_scenario(scenario, add);
    for (const auto& [name, value] : scenario.service_settings)
        all.push_back({"service_settings." + name, Shape::Text, value});
    if (scenario.swarm) visit_swarm(*scenario.swarm, add);
    for (const auto& [id, least] : scenario.minimum_share)
        all.push_back({"properties." + id, Shape::Text, text_of(least)});
    if (scenario.repro) visit_repro(*scenario.repro, add);
    return all;
}

std::optional<std::string> value_of(const Scenario& scenario, std::string_view key) {
    for (Field& field : fields(scenario))
        if (field.key == key) return std::move(field.value);
    if (const auto place = in_list("fault", key)) {
        if (place->first == 0 || place->first > scenario.faults.size()) return std::nullopt;
        for (Field& field : fault_fields(scenario.faults[place->first - 1]))
            if (field.key == place->second) return std::move(field.value);
    }
    return std::nullopt;
}

std::optional<std::string> set_value(Scenario& scenario, std::string_view key,
                                     std::string_view text, std::optional<Shape> shape) {
    Setter set{key, text, shape, false, {}, {}};
    if (const auto place = in_list("fault", key)) {
        if (place->first == 0 || place->first > scenario.faults.size())
            return fmt::format("found fault {}; the scenario has {}", place->first,
                               scenario.faults.size());
        set.key = place->second;
        auto error = set_in_fault(scenario.faults[place->first - 1], set);
        return set.found ? error : unknown_key(set.key, set.keys);
    }
    if (const auto place = in_list("expect", key)) {
        if (place->first == 0 || place->first > scenario.expect.size())
            return fmt::format("found expectation {}; the scenario has {}", place->first,
                               scenario.expect.size());
        set.key = place->second;
        auto error = set_expectation(scenario.expect[place->first - 1], set);
        return set.found ? error : unknown_key(set.key, set.keys);
    }
    if (key.starts_with("properties.") && key.size() > 11) {
        Ppm least;
        set(std::string(key).c_str(), least);
        if (!set.error) scenario.minimum_share.emplace_back(key.substr(11), least);
        return set.error;
    }
    constexpr std::string_view settings = "service_settings.";
    if (key.starts_with(settings) && key.size() > settings.size()) {
        if (shape == Shape::List) return fmt::format("found [{}]; allowed is one value", text);
        const std::string name(key.substr(settings.size()));
        std::erase_if(scenario.service_settings, [&](const auto& s) { return s.first == name; });
        const auto place = std::ranges::lower_bound(scenario.service_settings, name, {},
                                                    [](const auto& known) { return known.first; });
        scenario.service_settings.insert(place, {name, std::string(text)});
        return std::nullopt;
    }
    visit_scenario(scenario, set);
    Swarm swarm = scenario.swarm.value_or(Swarm());
    visit_swarm(swarm, set);
    if (key.starts_with("swarm.") && set.found && !set.error) scenario.swarm = swarm;
    ReproNote repro = scenario.repro.value_or(ReproNote());
    visit_repro(repro, set);
    if (key.starts_with("repro.") && set.found && !set.error) scenario.repro = repro;
    if (set.found) return set.error;
    for (const char* list : {"fault", "expect", "properties", "service_settings"})
        set.keys.emplace_back(list);
    return unknown_key(key, set.keys);
}

}  // namespace lockstep::scenario
