// What a scenario's values must satisfy, seen together.
#include "core/events/event.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/scenario_checker.hpp"
#include "scenarios/scenario_fields.hpp"
#include "scenarios/scenario_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lockstep::scenario {
namespace {

using sim::to_string;

constexpr Duration shortest_ttl = milliseconds(100);
constexpr Duration longest_ttl = seconds(3'600);

/// Beyond it, connections come and go without end, and nothing could be demanded of anybody. Faults
/// may lose more for a while.
constexpr std::int64_t most_loss = 300'000;
/// Where liveness is demanded: what is sent again and again must come through within the bounds.
constexpr std::int64_t most_loss_to_recover = 100'000;

}  // namespace

void Checker::cluster() {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    if (!std::all_of(s_.name.begin(), s_.name.end(), plain))
        object("name", fmt::format("found \"{}\"; allowed are a to z, 0 to 9 and -", s_.name));
    // Which services there are, only the program knows that was built with them.
    if (s_.service.empty() || !std::all_of(s_.service.begin(), s_.service.end(), plain))
        object("service",
               fmt::format("found \"{}\"; allowed are a to z, 0 to 9 and -", s_.service));
    number("cluster.servers", s_.cluster.servers, 1, limits::servers,
           s_.cluster.servers == 0 ? ", of which no quorum can be made" : "");
    number("cluster.clients", s_.cluster.clients, 0, limits::clients);
    number("cluster.locks", s_.cluster.locks, 1, limits::locks);
    number("cluster.sessions", s_.cluster.sessions, 1, limits::sessions);
    number("cluster.zones", s_.cluster.zones, 0, limits::zones);
    if (s_.cluster.zones > s_.cluster.servers)
        object("cluster.zones", fmt::format("found {}; allowed are no more than servers, {}",
                                            s_.cluster.zones, s_.cluster.servers));
    server_limits();
    if (s_.swarm && s_.cluster.clients == 0)
        object("cluster.clients", "found 0, and a swarm, whose faults are aimed at clients, too");
    const bool zone_loss = s_.swarm && std::find(s_.swarm->kinds.begin(), s_.swarm->kinds.end(),
                                                 sim::FaultKind::ZoneLoss) != s_.swarm->kinds.end();
    if (zone_loss && s_.cluster.zones == 0)
        object("swarm.kinds", "found \"zone-loss\", and no zones (cluster.zones)");
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

void Checker::lease_options() {
    const Lease& lease = s_.lease;
    if (lease.checkpoint_every)
        span("lease.checkpoint_every", *lease.checkpoint_every, milliseconds(10), longest_ttl);
    if (lease.lock_delay) span("lease.lock_delay", *lease.lock_delay, milliseconds(1), longest_ttl);
    if (!lease.hold_max) return;
    span("lease.hold_max", *lease.hold_max, milliseconds(1), longest_ttl);
    if (shrink(*lease.hold_max, lease.drift_bound) <= lease.margin)
        object(
            "lease.hold_max",
            fmt::format("found {}; less a drift of {} and the margin of {} nothing is left of it",
                        to_string(*lease.hold_max), text_of(lease.drift_bound),
                        to_string(lease.margin)));
}

void Checker::server_limits() {
    const ServerLimits& l = s_.limits;
    number("limits.sessions", l.sessions, 1, 1'000'000);
    number("limits.locks_per_session", l.locks_per_session, 1, 1'000'000);
    number("limits.requests_per_session", l.requests_per_session, 1, 1'000'000);
    number("limits.waiters", l.waiters, 0, 1'000'000);
    number("limits.pending", l.pending, 1, 1'000'000);
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
    share("network.loss", network.loss,
          s_.run.budget == Budget::Recoverable ? most_loss_to_recover : most_loss);
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
    number("workload.writes", workload.writes, 1, 1'000);
    span("workload.drain", workload.drain, Duration{}, limits::longest);
    span("workload.stop_every", workload.stop_every, milliseconds(1), limits::longest);
    const bool calls =
        workload.kind == WorkloadKind::Cron || workload.kind == WorkloadKind::Payments;
    const bool is_endpoint = s_.resource.kind == ResourceKind::Endpoint;
    if (calls != is_endpoint)
        object(
            "resource.kind",
            fmt::format("found \"{}\"; the workloads cron and payments need an \"endpoint\", and "
                        "the others something that can be read and written (here: {})",
                        text_of(s_.resource.kind), text_of(workload.kind)));
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

/// What its fingerprint means, only the program knows that has the property.
void Checker::repro(const ReproNote& note) {
    const auto is_hash = [](std::string_view text) {
        return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == text.npos;
    };
    if (note.fingerprint.find('/') == std::string::npos)
        object("repro.fingerprint",
               fmt::format("found \"{}\"; allowed is a property and the kind of its evidence, such "
                           "as \"BELIEF-1/client-was-told-that-it-holds-lock\"",
                           note.fingerprint));
    for (const auto& [key, text] :
         {std::pair{"repro.digest", note.digest}, {"repro.content", note.content}})
        if (!is_hash(text))
            object(key, fmt::format("found \"{}\"; allowed are sixteen hex digits", text));
    if (!note.build.empty() && !is_hash(note.build))
        object("repro.build",
               fmt::format("found \"{}\"; allowed are sixteen hex digits, or none", note.build));
    number("repro.plan_epoch", note.plan_epoch, 1, 1'000'000);
}

std::optional<Objection> check(const Scenario& scenario) {
    return Checker(scenario).run();
}

}  // namespace lockstep::scenario
