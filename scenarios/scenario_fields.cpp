#include "scenarios/scenario_fields.hpp"

#include "scenarios/scenario_values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::scenario {
namespace {

// The overloads below join these.
using scenario::parse;
using scenario::text_of;

// The table. A visitor is called with the key and the member; members of special spelling are
// wrapped.

/// `auto` instead of a duration.
template <class T>
struct OrAuto {
    T& duration;
};
/// `forever` instead of a duration.
template <class T>
struct OrForever {
    T& duration;
};
/// `all` instead of a list of kinds.
template <class T>
struct Kinds {
    T& kinds;
};

template <class S, class F>
void visit_scenario(S& s, F&& f) {
    f("name", s.name);
    f("service", s.service);
    f("cluster.servers", s.cluster.servers);
    f("cluster.clients", s.cluster.clients);
    f("cluster.locks", s.cluster.locks);
    f("lease.ttl", s.lease.ttl);
    f("lease.renew_every", OrAuto{s.lease.renew_every});
    f("lease.drift_bound", s.lease.drift_bound);
    f("lease.margin", s.lease.margin);
    f("raft.election_timeout_min", s.raft.election_min);
    f("raft.election_timeout_max", s.raft.election_max);
    f("raft.heartbeat", s.raft.heartbeat);
    f("raft.snapshot_every", s.raft.snapshot_every);
    f("raft.append_entries", s.raft.append_entries);
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
}

template <class T>
Wrong parse(std::string_view text, OrAuto<T> to) {
    Duration d;
    if (text == "auto") {
        to.duration.reset();
    } else if (parse(text, d)) {
        return "\"auto\" or a duration such as \"10s\", \"250ms\", \"1.5s\" (ns, us, ms, s, m, h)";
    } else {
        to.duration = d;
    }
    return std::nullopt;
}
template <class T>
Wrong parse(std::string_view text, OrForever<T> to) {
    if (text == "forever")
        to.duration = Duration::max();
    else if (parse(text, to.duration))
        return "\"forever\" or a duration such as \"10s\", \"250ms\", \"1.5s\"";
    return std::nullopt;
}
template <class T>
Wrong parse(std::string_view text, Kinds<T> to) {
    std::vector<sim::FaultKind> kinds;
    if (text != "all") {
        for (const std::string& name : split(text)) {
            sim::FaultKind kind{};
            if (auto wrong = parse(name, kind)) return "\"all\" or a list of " + *wrong;
            kinds.push_back(kind);
        }
        if (kinds.empty())
            return std::string("\"all\" or a list of kinds of faults, not an empty one");
    }
    to.kinds = kinds;
    return std::nullopt;
}
Wrong parse(std::string_view text, std::string& to) {
    to = text;
    return std::nullopt;
}
Wrong parse(std::string_view text, std::vector<std::string>& to) {
    to = split(text);
    return std::nullopt;
}

template <class T>
std::string text_of(OrAuto<T> v) {
    return v.duration ? text_of(*v.duration) : "auto";
}
template <class T>
std::string text_of(OrForever<T> v) {
    return text_of(v.duration);
}
template <class T>
std::string text_of(Kinds<T> v) {
    std::vector<std::string> names;
    for (const sim::FaultKind kind : v.kinds) names.emplace_back(sim::to_string(kind));
    return names.empty() ? "all" : join(names);
}
std::string text_of(const std::string& v) {
    return v;
}
std::string text_of(const std::vector<std::string>& v) {
    return join(v);
}
std::string text_of(std::uint32_t v) {
    return fmt::format("{}", v);
}
std::string text_of(std::uint64_t v) {
    return fmt::format("{}", v);
}
std::string text_of(bool v) {
    return v ? "true" : "false";
}

template <class T>
constexpr Shape shape_of(const T&) {
    return Shape::Text;
}
constexpr Shape shape_of(const std::uint32_t&) {
    return Shape::Number;
}
constexpr Shape shape_of(const std::uint64_t&) {
    return Shape::Number;
}
constexpr Shape shape_of(const bool&) {
    return Shape::Boolean;
}
constexpr Shape shape_of(const std::vector<std::string>&) {
    return Shape::List;
}
template <class T>
Shape shape_of(const Kinds<T>& v) {
    return v.kinds.empty() ? Shape::Text : Shape::List;
}

std::string name_of(Shape shape) {
    switch (shape) {
        case Shape::Number:
            return "a number";
        case Shape::Boolean:
            return "true or false";
        case Shape::Text:
            return "a string";
        case Shape::List:
            return "an array of strings";
    }
    return {};
}

std::string quoted(std::string_view text, std::optional<Shape> shape) {
    if (shape == Shape::List) return fmt::format("[{}]", text);
    if (shape == Shape::Number || shape == Shape::Boolean) return std::string(text);
    return fmt::format("\"{}\"", text);
}

/// Tries keys one by one and remembers what became of it.
struct Setter {
    std::string_view key;
    std::string_view text;
    std::optional<Shape> shape;
    bool found = false;
    std::optional<std::string> error;
    std::vector<std::string> keys;

    template <class T>
    static std::string allowed_for(T& to) {
        if constexpr (requires { to.append("x"); } || requires { to.emplace_back("x"); })
            return name_of(shape_of(to));
        else  // nothing is spelled like this
            return parse("?", to).value_or(name_of(shape_of(to)));
    }
    template <class T>
    void operator()(const char* name, T&& to) {
        keys.emplace_back(name);
        if (key != name) return;
        found = true;
        constexpr bool is_kinds = requires { to.kinds; };
        const bool fits = !shape || *shape == shape_of(to) ||
                          (is_kinds && (*shape == Shape::Text || *shape == Shape::List));
        if (!fits)
            error = fmt::format("found {}, {}; allowed is {}", quoted(text, shape), name_of(*shape),
                                allowed_for(to));
        else if (auto allowed = parse(text, to))
            error = fmt::format("found {}; allowed is {}", quoted(text, shape), *allowed);
    }
};

template <class F>
void visit_fault(sim::Fault& fault, F&& f) {
    f("kind", fault.kind);
    f("peers", fault.peers);
    f("direction", fault.direction);
    f("at", fault.start);
    f("for", fault.duration);
    f("clock", fault.clock);
    f("strand", fault.strand);
    f("message", fault.message);
}

/// Keys of a fault that need more than a member.
std::optional<std::string> set_in_fault(sim::Fault& fault, Setter& set) {
    visit_fault(fault, set);
    const auto special = [&](const char* name, auto& to) {
        set(name, to);
        return set.key == name && !set.error;
    };
    std::string text;
    Ppm ppm{fault.ppm};
    if (special("aim", text)) fault.aim = aim_of(text);
    if (special("chance", ppm) || special("rate", ppm)) fault.ppm = ppm.value;
    if (special("extra", fault.amount) || special("step", fault.amount)) return set.error;
    sim::Trigger trigger = fault.trigger.value_or(sim::Trigger{});
    using On = sim::Trigger::On;
    const auto waits = [&](const char* name, On on) {
        if (!special(name, trigger.what)) return;
        trigger.on = on;
        fault.trigger = trigger;
    };
    waits("when.event", On::Event);
    waits("when.point", On::Point);
    waits("when.message", On::Message);
    if (special("when.at", text)) {
        trigger.where = aim_of(text);
        fault.trigger = trigger;
    }
    if (special("when.nth", trigger.nth)) fault.trigger = trigger;
    return set.error;
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
        all.push_back({key, shape_of(v), text_of(v)});
    };
    visit_scenario(scenario, add);
    if (scenario.swarm) visit_swarm(*scenario.swarm, add);
    for (const auto& [id, least] : scenario.minimum_share)
        all.push_back({"properties." + id, Shape::Text, text_of(least)});
    return all;
}

std::vector<Field> fault_fields(const sim::Fault& fault) {
    const sim::FaultFields has = sim::fields_of(fault.kind);
    std::vector<Field> all;
    const auto add = [&all](const char* key, Shape shape, std::string value) {
        all.push_back({key, shape, std::move(value)});
    };
    add("kind", Shape::Text, std::string(sim::to_string(fault.kind)));
    add("aim", Shape::Text, sim::to_string(fault.aim));
    add("at", Shape::Text, text_of(fault.start));
    if (has.lasts) add("for", Shape::Text, text_of(fault.duration));
    if (has.peers && !fault.peers.empty()) add("peers", Shape::List, join(fault.peers));
    if (has.peers) add("direction", Shape::Text, text_of(fault.direction));
    if (has.clock) add("clock", Shape::Text, text_of(fault.clock));
    if (has.ppm)
        add(fault.kind == sim::FaultKind::ClockDrift ? "rate" : "chance", Shape::Text,
            text_of(Ppm{fault.ppm}));
    if (has.amount)
        add(fault.kind == sim::FaultKind::Delay ? "extra" : "step", Shape::Text,
            sim::to_string(fault.amount));
    if (has.strand) add("strand", Shape::Number, text_of(fault.strand));
    if (has.message) add("message", Shape::Text, fault.message);
    if (!fault.trigger) return all;
    using On = sim::Trigger::On;
    const On on = fault.trigger->on;
    add(on == On::Event   ? "when.event"
        : on == On::Point ? "when.point"
                          : "when.message",
        Shape::Text, fault.trigger->what);
    if (fault.trigger->where) add("when.at", Shape::Text, sim::to_string(*fault.trigger->where));
    add("when.nth", Shape::Number, text_of(fault.trigger->nth));
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
    visit_scenario(scenario, set);
    Swarm swarm = scenario.swarm.value_or(Swarm());
    visit_swarm(swarm, set);
    if (key.starts_with("swarm.") && set.found && !set.error) scenario.swarm = swarm;
    if (set.found) return set.error;
    for (const char* list : {"fault", "expect", "properties"}) set.keys.emplace_back(list);
    return unknown_key(key, set.keys);
}

}  // namespace lockstep::scenario
