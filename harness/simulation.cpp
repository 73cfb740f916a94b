#include "harness/simulation.hpp"

#include "core/base/assert.hpp"
#include "scenarios/services/raft/raft_service.hpp"
#include "scenarios/workloads/client_program.hpp"
#include "scenarios/world/payloads.hpp"
#include "scenarios/world/resource_program.hpp"
#include "sim/disk.hpp"
#include "sim/network.hpp"

#include <fmt/format.h>

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

std::unique_ptr<world::Service> make_service(const scenario::Resolved& settings,
                                             world::Recorder& recorder) {
    LOCKSTEP_ASSERT(settings.service == "raft", "service {}", settings.service);
    return std::make_unique<services::RaftService>(settings, recorder);
}

properties::FencingMode mode_of(resource::Fencing fencing) {
    switch (fencing) {
        case resource::Fencing::Fenced:
            return properties::FencingMode::Fenced;
        case resource::Fencing::WriteOnly:
            return properties::FencingMode::WriteOnly;
        case resource::Fencing::None:
            return properties::FencingMode::None;
    }
    LOCKSTEP_ASSERT(false, "fencing {}", static_cast<int>(fencing));
}

std::optional<std::uint32_t> trigger_number(sim::Trigger::On on, std::string_view name) {
    switch (on) {
        case sim::Trigger::On::Event:
            if (const std::size_t kind = events::kind_of(name); kind < events::event_kinds)
                return static_cast<std::uint32_t>(kind);
            return std::nullopt;
        case sim::Trigger::On::Point:
            return scenario::point_number(name);
        case sim::Trigger::On::Message:
            if (const auto kind = world::message_kind(name); kind != 0) return kind;
            return std::nullopt;
    }
    LOCKSTEP_ASSERT(false, "trigger {}", static_cast<int>(on));
}

}  // namespace

class Simulation::PropertyFeed final : public world::Observer {
public:
    explicit PropertyFeed(const properties::Setup& setup) : suite(setup) {}
    void on_event(const world::Stamp& s, const events::Event& event) override {
        suite.on({s.at, s.process, s.ordinal}, event);
    }
    void on_world_event(const world::Stamp& s, const sim::WorldEvent& event) override {
        suite.on({s.at, s.process, s.ordinal}, event);
    }
    properties::Suite suite;
};

class Simulation::Log final : public world::Observer {
public:
    explicit Log(const sim::World& world) : world_(world) {}
    void on_event(const world::Stamp& s, const events::Event& event) override {
        events.push_back({s.at, s.process, event});
    }
    void on_world_event(const world::Stamp& s, const sim::WorldEvent& event) override {
        events.push_back({s.at, s.process, event});
    }
    void on_message(sim::SimTime at, const sim::Envelope& message, sim::SimTime arrives,
                    const char* dropped) override {
        std::string fate = "held";
        if (dropped != nullptr)
            fate = fmt::format("dropped: {}", dropped);
        else if (arrives != sim::SimTime::never())
            fate = fmt::format("arrives {}.{:06}", arrives.ns / 1'000'000'000,
                               arrives.ns % 1'000'000'000 / 1'000);
        events.push_back(
            {at, message.from,
             MessageLine{fmt::format("{} -> {} {} ({})", name(message.from), name(message.to),
                                     message.payload.print(), fate)}});
    }
    std::vector<LoggedEvent> events;

private:
    const std::string& name(sim::ProcessId p) const { return world_.process(p).name(); }
    const sim::World& world_;
};

/// Tells the injector what its triggers and its search for roles wait for. Heard last, so that
/// roles are up to date.
class Simulation::Triggers final : public world::Observer {
public:
    explicit Triggers(sim::FaultInjector& injector) : injector_(injector) {}
    void on_event(const world::Stamp& s, const events::Event& event) override {
        if (const auto* point = std::get_if<events::PointReached>(&event))
            injector_.on_point(s.process, point->point);
        injector_.on_event(s.process, static_cast<std::uint32_t>(event.index()));
        injector_.roles_changed();
    }
    void on_world_event(const world::Stamp&, const sim::WorldEvent&) override {
        injector_.roles_changed();
    }
    void on_message(sim::SimTime, const sim::Envelope& message, sim::SimTime,
                    const char*) override {
        injector_.on_message(message.from, message.payload.kind());
    }

private:
    sim::FaultInjector& injector_;
};

Simulation::Simulation(scenario::Resolved settings, const RunOptions& options)
    : settings_(std::move(settings)),
      options_(options),
      world_(settings_.seed, stacks_, recorder_, limits_of(options)),
      marks_(settings_.servers.size()) {
    recorder_.attach(world_);
    const bool codec = options_.wire_codec < 0 ? settings_.wire_codec : options_.wire_codec > 0;
    world_.set_wire_codec(codec);
    world_.keep_checkpoints(options_.checkpoints);
    service_ = make_service(settings_, recorder_);
    roles_ = std::make_unique<ServiceRoles>(*service_);
    add_processes();
    set_links();
    injector_ = std::make_unique<sim::FaultInjector>(world_, settings_.plan, settings_.drift_bound,
                                                     *roles_, trigger_number);
    properties_ = std::make_unique<PropertyFeed>(setup());
    triggers_ = std::make_unique<Triggers>(*injector_);
    recorder_.add(*service_);
    recorder_.add(*properties_);
    recorder_.add(marks_);
    if (options_.keep_log) {
        log_ = std::make_unique<Log>(world_);
        recorder_.add(*log_);
    }
    if (!settings_.plan.empty()) recorder_.add(*triggers_);
    world_.trace_messages((options_.keep_log && options_.keep_messages) ||
                          injector_->wants_messages());
}

Simulation::~Simulation() = default;

void Simulation::add_processes() {
    for (std::size_t i = 0; i < settings_.servers.size(); ++i)
        world_.add_process(settings_.servers[i], sim::ProcessKind::Server,
                           [this, i](sim::Process& p) { return service_->make_server(p, i); });
    for (const auto& name : settings_.clients)
        world_.add_process(name, sim::ProcessKind::Client, [this](sim::Process& p) {
            return std::make_unique<workloads::ClientProgram>(
                p, recorder_, service_->make_client(p), workloads::make(settings_.workload.kind),
                settings_, guarded_, stopping_);
        });
    for (const auto& name : settings_.resources)
        guarded_.push_back(
            world_.add_process(name, sim::ProcessKind::Resource, [this](sim::Process& p) {
                return std::make_unique<world::ResourceProgram>(p, recorder_, settings_.fencing);
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
    setup.fencing = mode_of(settings_.fencing);
    for (const auto& expected : settings_.expected_violations)
        if (expected == "FENCE-2") setup.fence2_judged = true;
    setup.recoverable = settings_.recoverable;
    return setup;
}

void Simulation::start_all() {
    for (std::uint32_t p = 1; p <= world_.processes(); ++p) world_.start(sim::ProcessId(p));
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
    // Workers finish what they are at and give up what they hold; a lease is time enough for that.
    stopping_ = true;
    world_.emit(sim::ProcessId(), sim::Stopping{});
    if (!advance(world_.now() + settings_.ttl)) return;
    properties_->suite.finish(world_.now());
}

bool Simulation::advance(sim::SimTime to) {
    end_ = world_.run_until(to);
    return end_ == sim::RunEnd::ReachedEnd;
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

void Simulation::report(Outcome& outcome) const {
    outcome.digest = world_.digest();
    outcome.steps = world_.steps();
    outcome.events = recorder_.events();
    outcome.messages = world_.network().sent();
    outcome.simulated = world_.now() - sim::SimTime{};
    if (end_ == sim::RunEnd::StuckInInstant || end_ == sim::RunEnd::StuckInRun) {
        outcome.end = End::Stuck;
        outcome.end_detail = fmt::format(
            "{} at {}.{:03} s",
            end_ == sim::RunEnd::StuckInInstant ? "too many steps in one instant"
                                                : "too many steps in one run",
            world_.now().ns / 1'000'000'000, world_.now().ns % 1'000'000'000 / 1'000'000);
    }
    if (unsettled_) {
        outcome.end = End::Stuck;
        outcome.end_detail = fmt::format("messages were still held up {} s after healing",
                                         longest_settling().ns / 1'000'000'000);
    }
    outcome.reports = properties_->suite.reports();
    for (std::size_t i = 0; i < mark_count; ++i) {
        const auto mark = static_cast<Mark>(i);
        outcome.marks.push_back({std::string(to_string(mark)), marks_.count(mark)});
    }
    for (std::size_t i = 0; i < sim::fault_kinds; ++i) {
        const auto& tally = injector_->tally()[i];
        if (tally.planned == 0) continue;
        outcome.faults.push_back({std::string(sim::to_string(static_cast<sim::FaultKind>(i))),
                                  tally.planned, tally.started, tally.missed});
    }
    outcome.checkpoints = world_.checkpoints();
    for (std::uint32_t p = 1; p <= world_.processes(); ++p)
        outcome.process_names.push_back(world_.process(sim::ProcessId(p)).name());
    outcome.lock_names = settings_.locks;
    outcome.point_names.assign(scenario::point_names.begin(), scenario::point_names.end());
    outcome.resolved_lines = settings_.drawn;
    if (log_) outcome.log = log_->events;
}

}  // namespace lockstep::harness
