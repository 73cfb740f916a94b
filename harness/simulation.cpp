#include "harness/simulation.hpp"

#include "core/base/assert.hpp"
#include "harness/observers.hpp"
#include "harness/services.hpp"
#include "scenarios/workloads/client_program.hpp"
#include "scenarios/world/resource_program.hpp"
#include "sim/disk.hpp"
#include "sim/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::harness {
namespace {

// Control steps of one instant are told apart by these; the injector numbers its own from
// another range.
constexpr std::uint64_t heal_order = 1'000'000'000;
constexpr std::uint64_t healed_order = heal_order + 1;

/// How often it is looked whether the healed world has settled: connections drained.
constexpr Duration settle_step = milliseconds(50);

sim::Limits limits_of(const RunOptions& options) {
    sim::Limits limits;
    if (options.step_limit > 0) limits.steps = options.step_limit;
    return limits;
}

class ServiceRoles final : public sim::RoleResolver {
public:
    explicit ServiceRoles(const world::Service& service) : service_(service) {}
    std::optional<sim::ProcessId> resolve(std::string_view role) const override {
        return service_.who_is(role);
    }

private:
    const world::Service& service_;
};

resource::Kind kind_of(scenario::ResourceKind kind) {
    switch (kind) {
        case scenario::ResourceKind::Store:
            return resource::Kind::Store;
        case scenario::ResourceKind::Endpoint:
            return resource::Kind::Endpoint;
        case scenario::ResourceKind::Row:
            return resource::Kind::Row;
    }
    LOCKSTEP_ASSERT(false, "resource {}", static_cast<int>(kind));
}

/// Rows and endpoints look at no token, whatever the scenario says of stores.
properties::FencingMode mode_of(const scenario::Resolved& settings) {
    if (settings.resource != scenario::ResourceKind::Store)
        return properties::FencingMode::Conditional;
    switch (settings.fencing) {
        case resource::Fencing::Fenced:
            return properties::FencingMode::Fenced;
        case resource::Fencing::WriteOnly:
            return properties::FencingMode::WriteOnly;
        case resource::Fencing::None:
            return properties::FencingMode::None;
    }
    LOCKSTEP_ASSERT(false, "fencing {}", static_cast<int>(settings.fencing));
}

/// The fresh client of the end, which is the last of all processes; nobody in an unlimited run.
sim::ProcessId probe_of(const scenario::Resolved& settings) {
    if (!settings.recoverable) return {};
    return sim::ProcessId(static_cast<std::uint32_t>(
        settings.servers.size() + settings.clients.size() + settings.resources.size() + 1));
}

std::optional<std::uint32_t> trigger_number(const std::string& service, sim::Trigger::On on,
                                            std::string_view name) {
    switch (on) {
        case sim::Trigger::On::Event:
            if (const std::size_t kind = events::kind_of(name); kind < events::event_kinds)
                return static_cast<std::uint32_t>(kind);
            return std::nullopt;
        case sim::Trigger::On::Point:
            return scenario::point_number(name);
        case sim::Trigger::On::Message:
            if (const ServiceEntry* entry = find_service(service))
                if (const auto kind = message_kind(*entry, name); kind != 0) return kind;
            return std::nullopt;
        case sim::Trigger::On::Disk: {
            const auto& all = scenario::disk_operations;
            const auto found = std::find(all.begin(), all.end(), name);
            if (found == all.end()) return std::nullopt;
            return static_cast<std::uint32_t>(found - all.begin());
        }
    }
    LOCKSTEP_ASSERT(false, "trigger {}", static_cast<int>(on));
}

sim::FaultInjector::Groups groups_of(const scenario::Resolved& settings) {
    sim::FaultInjector::Groups groups;
    for (std::size_t z = 0; z < settings.zones.size(); ++z)
        groups.emplace(fmt::format("zone-{}", z + 1), settings.zones[z]);
    return groups;
}

}  // namespace

Simulation::Simulation(scenario::Resolved settings, const RunOptions& options)
    : settings_(std::move(settings)),
      options_(options),
      world_(settings_.seed, stacks_, recorder_, limits_of(options)),
      marks_(settings_.servers.size(), probe_of(settings_)) {
    recorder_.attach(world_);
    for (const Reseed& reseed : options_.reseeds) world_.reseed_from(reseed.when, reseed.salt);
    const bool codec = options_.wire_codec < 0 ? settings_.wire_codec : options_.wire_codec > 0;
    world_.set_wire_codec(codec);
    world_.keep_checkpoints(options_.checkpoints);
    service_ = make_service(settings_, recorder_);
    roles_ = std::make_unique<ServiceRoles>(*service_);
    add_processes();
    set_links();
    injector_ = std::make_unique<sim::FaultInjector>(
        world_, settings_.plan, settings_.drift_bound, *roles_,
        [this](sim::Trigger::On on, std::string_view name) {
            return trigger_number(settings_.service, on, name);
        },
        groups_of(settings_));
    add_probe();
    properties_ = std::make_unique<PropertyFeed>(setup());
    triggers_ = std::make_unique<Triggers>(*injector_);
    recorder_.add(*service_);
    recorder_.add(*properties_);
    recorder_.add(marks_);
    if (options_.keep_log) {
        log_ = std::make_unique<Log>(world_);
        recorder_.add(*log_);
        recorder_.keep_notes(true);
    }
    if (!settings_.plan.empty()) recorder_.add(*triggers_);
    world_.trace_messages((options_.keep_log && options_.keep_messages) ||
                          injector_->wants_messages());
    world_.trace_disks(injector_->wants_disks());
}

Simulation::~Simulation() = default;

void Simulation::add_processes() {
    for (std::size_t i = 0; i < settings_.servers.size(); ++i)
        world_.add_process(settings_.servers[i], sim::ProcessKind::Server,
                           [this, i](sim::Process& p) { return service_->make_server(p, i); });
    clients_.locks = [this](sim::Process& p, world::ClientSlot slot) {
        return service_->make_client(p, slot);
    };
    clients_.workloads = [this] { return workloads::make(settings_.workload.kind); };
    clients_.sessions = settings_.sessions;
    for (const auto& name : settings_.clients)
        world_.add_process(name, sim::ProcessKind::Client, [this](sim::Process& p) {
            return std::make_unique<workloads::ClientProgram>(p, recorder_, clients_, settings_,
                                                              guarded_, stopping_);
        });
    const world::ResourceProgram::Settings resource{kind_of(settings_.resource), settings_.fencing};
    for (const auto& name : settings_.resources)
        guarded_.push_back(
            world_.add_process(name, sim::ProcessKind::Resource, [this, resource](sim::Process& p) {
                return std::make_unique<world::ResourceProgram>(p, recorder_, resource);
            }));
}

void Simulation::set_links() {
    world_.network().set_default(settings_.client_link);
    const auto servers = static_cast<std::uint32_t>(settings_.servers.size());
    for (std::uint32_t from = 1; from <= servers; ++from)
        for (std::uint32_t to = 1; to <= servers; ++to)
            if (from != to)
                world_.network().set_model(sim::ProcessId(from), sim::ProcessId(to),
                                           settings_.server_link);
    for (std::uint32_t p = 1; p <= world_.processes(); ++p)
        world_.process(sim::ProcessId(p)).disk().set_model(settings_.disk);
}

/// Added when the injector has counted the processes: no fault is for it.
void Simulation::add_probe() {
    if (!settings_.recoverable) return;
    prober_ = clients_;
    prober_.workloads = [] { return workloads::make_probe(); };
    prober_.sessions = 1;
    world_.add_process("probe", sim::ProcessKind::Client, [this](sim::Process& p) {
        return std::make_unique<workloads::ClientProgram>(p, recorder_, prober_, settings_,
                                                          guarded_, stopping_);
    });
}

properties::Setup Simulation::setup() const {
    properties::Setup setup;
    for (std::uint32_t p = 1; p <= world_.processes(); ++p) {
        const auto& process = world_.process(sim::ProcessId(p));
        setup.roster.push_back({sim::ProcessId(p), process.kind(), process.name()});
    }
    setup.locks = settings_.locks;
    for (std::size_t i = 0; i < guarded_.size(); ++i)
        setup.guards.push_back({guarded_[i], LockId(static_cast<std::uint32_t>(i + 1))});
    setup.points.assign(scenario::point_names.begin(), scenario::point_names.end());
    setup.ttl = settings_.ttl;
    setup.drift_bound = settings_.drift_bound;
    setup.margin = settings_.margin;
    setup.renew_every = settings_.renew_every;
    setup.election_timeout_max = settings_.election_max;
    setup.slack = settings_.slack;
    setup.fencing = mode_of(settings_);
    for (const auto& expected : settings_.expected_violations)
        if (expected == "FENCE-2") setup.fence2_judged = true;
    setup.recoverable = settings_.recoverable;
    setup.lock_delay = settings_.lock_delay;
    setup.hold_max = settings_.hold_max;
    setup.probe = probe_of(settings_);
    for (const sim::LinkModel& link : {settings_.server_link, settings_.client_link})
        if (link.loss_ppm != 0 || link.delay.tail_ppm != 0) setup.lossy = true;
    return setup;
}

void Simulation::start_all() {
    for (std::uint32_t p = 1; p <= world_.processes(); ++p)
        if (sim::ProcessId(p) != probe_of(settings_)) world_.start(sim::ProcessId(p));
}

void Simulation::run() {
    start_all();
    injector_->arm();
    world_.at(sim::SimTime{settings_.faults_for.ns}, heal_order, [this] { heal(); });
    if (!advance(sim::SimTime{settings_.faults_for.ns})) return;
    const sim::SimTime give_up = world_.now() + longest_settling();
    while (!healed_) {
        unsettled_ = world_.now() >= give_up;
        if (unsettled_ || !advance(world_.now() + settle_step)) return;
    }
    if (!advance(world_.now() + settings_.quiet)) return;
    // Workers finish what they are at and give up what they hold.
    stopping_ = true;
    world_.emit(sim::ProcessId(), sim::Stopping{});
    if (!advance(world_.now() + settings_.longest_turn())) return;
    if (settings_.recoverable && !probe()) return;
    properties_->suite.finish(world_.now());
}

/// A fresh client takes every lock in turn, for as long as that may take at most.
bool Simulation::probe() {
    const Duration one = settings_.live1_bound() + stretch(settings_.ttl, settings_.drift_bound) +
                         settings_.lock_delay + settings_.slack;
    const auto locks = static_cast<std::int64_t>(settings_.locks.size());
    const sim::SimTime give_up = world_.now() + one + settings_.slack * locks;
    world_.emit(sim::ProcessId(), sim::Probing{});
    world_.start(probe_of(settings_));
    while (world_.now() < give_up && !marks_.probed_all(settings_.locks.size()))
        if (!advance(world_.now() + settle_step)) return false;
    return true;
}

bool Simulation::advance(sim::SimTime to) {
    if (options_.until && *options_.until <= to) {
        to = std::max(*options_.until, world_.now());
        cut_ = true;
    }
    // Where the run is looked at in between changes nothing of it.
    while (options_.stop && world_.now() + seconds(1) < to) {
        if (options_.stop()) out_of_time_ = true;
        if (out_of_time_) return false;
        end_ = world_.run_until(world_.now() + seconds(1));
        if (end_ != sim::RunEnd::ReachedEnd) return false;
    }
    end_ = world_.run_until(to);
    return end_ == sim::RunEnd::ReachedEnd && !cut_;
}

/// By then connections have come back or been given up, many times over.
Duration Simulation::longest_settling() const {
    return seconds(60) + settings_.client_link.connection_timeout * 20;
}

void Simulation::heal() {
    injector_->heal();
    settles_ = world_.network().latest_arrival();
    declare_healed();
}

void Simulation::declare_healed() {
    if (injector_->quiet() && world_.network().drained() && world_.now() >= settles_) {
        world_.emit(sim::ProcessId(), sim::Healed{});
        healed_ = true;
        return;
    }
    world_.at(world_.now() + settle_step, healed_order, [this] { declare_healed(); });
}

}  // namespace lockstep::harness
