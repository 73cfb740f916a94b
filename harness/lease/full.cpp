#include "harness/lease/full.hpp"

#include "core/base/hash.hpp"
#include "harness/lease/full_books.hpp"
#include "harness/lease/occurrences.hpp"
#include "harness/run.hpp"
#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

namespace lockstep::lease {
namespace {

constexpr Duration run_length = seconds(3'600);

scenario::Scenario cluster(const Setting& setting, const Conditions& conditions) {
    scenario::Scenario s;
    s.name = "lease";
    s.cluster.servers = 3;
    s.cluster.clients = 2;
    s.lease.ttl = {setting.lease, setting.lease};
    s.lease.renew_every = setting.renew_every;
    s.lease.drift_bound = setting.drift_bound;
    s.lease.margin = shrink(setting.lease, setting.drift_bound) - setting.believes_for();
    if (setting.lock_delay.ns > 0) s.lease.lock_delay = setting.lock_delay;
    if (conditions.round_trip.any()) {
        s.network.delay = {conditions.round_trip.shortest / 2, conditions.round_trip.longest / 2};
    }
    if (conditions.disk.any()) s.disk.sync = {conditions.disk.shortest, conditions.disk.longest};
    s.workload.kind = scenario::WorkloadKind::Election;
    s.workload.hold = {run_length * 2, run_length * 2};
    s.workload.period = seconds(5);
    s.run.faults_for = run_length;
    s.run.budget = scenario::Budget::Unlimited;
    return s;
}

sim::Fault fault(sim::FaultKind kind, const char* role, sim::SimTime start, Duration length) {
    sim::Fault made;
    made.kind = kind;
    made.aim = {sim::Aim::By::Role, role};
    made.start = start - sim::SimTime{};
    made.duration = length;
    return made;
}

/// One source's things, run by run.
struct Stream {
    Occurrences occurrences;
    sim::FaultKind kind;
    const char* role;
    std::optional<Occurrence> next = std::nullopt;
};

std::vector<Occurrence> add_faults(Stream& stream, sim::SimTime begins, scenario::Scenario& s) {
    std::vector<Occurrence> added;
    while (true) {
        if (!stream.next) stream.next = stream.occurrences.next();
        if (stream.next->at >= begins + run_length) return added;
        const Occurrence one = *std::exchange(stream.next, std::nullopt);
        const sim::SimTime start = sim::SimTime{} + (one.at - begins);
        if (one.length.ns == 0 || start + one.length >= sim::SimTime{} + run_length) continue;
        s.faults.push_back(fault(stream.kind, stream.role, start, one.length));
        added.push_back(one);
    }
}

harness::Outcome run_it(const scenario::Scenario& s, std::uint64_t seed) {
    if (const auto objection = scenario::check(s))
        throw std::runtime_error(fmt::format("{}: {}", objection->key, objection->message));
    harness::RunOptions options;
    options.keep_log = true;
    harness::Outcome outcome = harness::run(s, seed, options);
    if (outcome.end != harness::End::Finished)
        throw std::runtime_error(fmt::format("a run did not finish: {}", outcome.end_detail));
    return outcome;
}

/// Losses from that one on, each to the longest stop of late.
void put_down(Tally& tally, std::size_t from, const std::vector<Occurrence>& pauses,
              const Setting& setting) {
    auto& happened = tally.happened[static_cast<std::size_t>(Harm::Kind::Pause)];
    for (const Occurrence& pause : pauses) {
        if (happened.size() <= pause.index) happened.resize(pause.index + 1);
        ++happened[pause.index];
    }
    for (std::size_t i = from; i < tally.losses.size(); ++i) {
        Loss& loss = tally.losses[i];
        loss.kind = Harm::Kind::RoundTrip;
        for (const Occurrence& pause : pauses) {
            const bool late =
                pause.at <= loss.at && pause.at + pause.length + setting.lease > loss.at;
            if (!late || pause.length < loss.length) continue;
            loss.kind = Harm::Kind::Pause;
            loss.index = pause.index;
            loss.length = pause.length;
        }
    }
}

bool assumed(const Source& source) {
    return !source.from_series();
}

}  // namespace

std::string why_not_full(const Setting& setting, const Conditions& conditions) {
    const Setting usual;
    if (setting.retry_every != usual.retry_every || setting.jitter_percent != usual.jitter_percent)
        return "the whole cluster retries every 500 ms, with a jitter of 10%";
    if (setting.poll_every.ns > 0) return "the whole cluster tells its waiters";
    if (setting.renewals_write) return "the whole cluster's renewals are no writes";
    if (!setting.failover_extends) return "the whole cluster extends leases at a failover";
    if (conditions.outages.happens() || conditions.partitions.happens() ||
        conditions.deploys.happens())
        return "the whole cluster runs with pauses, crashes and failovers alone";
    if (conditions.drift.value != 0) return "the whole cluster's clocks do not drift";
    if (!assumed(conditions.round_trip) || !assumed(conditions.disk))
        return "the whole cluster has round trips and syncs from one length to another";
    scenario::Scenario s = cluster(setting, conditions);
    if (const auto objection = scenario::check(s)) return objection->message;
    return "";
}

Tally simulate_full(const Setting& setting, const Conditions& conditions, std::uint64_t seed,
                    Duration span, const std::function<bool()>& go_on) {
    const auto stream = [seed](const char* name) { return hash_words(seed, hash_name(name)); };
    Stream streams[] = {
        {{conditions.pauses, stream("pauses"), setting.lease / 1'000},
         sim::FaultKind::Pause,
         "holder"},
        {{conditions.crashes, stream("crashes")}, sim::FaultKind::CrashKill, "holder"},
        {{conditions.failovers, stream("failovers")}, sim::FaultKind::CrashKill, "leader"}};
    Tally tally;
    tally.bin = run_length;
    const scenario::Scenario base = cluster(setting, conditions);
    for (std::int64_t i = 0; i < span.ns / run_length.ns; ++i) {
        const sim::SimTime begins = sim::SimTime{} + run_length * i;
        scenario::Scenario s = base;
        const auto pauses = add_faults(streams[0], begins, s);
        add_faults(streams[1], begins, s);
        add_faults(streams[2], begins, s);
        const std::size_t losses = tally.losses.size();
        const auto by_start = [](const sim::Fault& f) { return f.start; };
        std::ranges::stable_sort(s.faults, {}, by_start);
        const harness::Outcome run = run_it(s, hash_words(seed, static_cast<std::uint64_t>(i)));
        Bin bin;
        FullBooks books(run, begins, tally, bin);
        books.keep();
        tally.bins.push_back(bin);
        tally.steps += run.steps;
        tally.digest = fold(tally.digest, run.digest);
        put_down(tally, losses, pauses, setting);
        if (!go_on()) break;
    }
    return tally;
}

data::Series measure_failovers(std::uint64_t seed, std::size_t count) {
    constexpr std::size_t a_run = 50;
    data::Series series;
    series.measure = data::Measure::Outage;
    series.format = "simulated failovers";
    series.files = {"simulated failovers"};
    Setting setting;
    scenario::Scenario s = cluster(setting, Conditions());
    for (std::size_t i = 0; i < a_run; ++i)
        s.faults.push_back(fault(sim::FaultKind::CrashKill, "leader",
                                 sim::SimTime{} + seconds(60) * static_cast<std::int64_t>(i + 1),
                                 seconds(20)));
    for (std::size_t run = 0; series.points.size() < count; ++run) {
        const harness::Outcome outcome = run_it(s, hash_words(seed, run));
        sim::SimTime killed = sim::SimTime::never();
        Term elected{};
        Term killed_in{};
        for (const harness::LoggedEvent& logged : outcome.log) {
            if (const auto* world = std::get_if<sim::WorldEvent>(&logged.what)) {
                if (!std::holds_alternative<sim::ProcessStopped>(*world)) continue;
                killed = logged.at;
                killed_in = elected;
                continue;
            }
            const auto* event = std::get_if<events::Event>(&logged.what);
            if (event == nullptr) continue;
            if (const auto* leads = std::get_if<events::BecameLeader>(event))
                elected = std::max(elected, leads->term);
            const auto* applied = std::get_if<events::Applied>(event);
            if (applied == nullptr || killed == sim::SimTime::never() || applied->term <= killed_in)
                continue;
            const auto line = static_cast<std::uint32_t>(series.points.size() + 1);
            series.points.push_back({{}, logged.at - killed, 0, line});
            killed = sim::SimTime::never();
        }
        series.observed += run_length;
    }
    return series;
}

}  // namespace lockstep::lease
