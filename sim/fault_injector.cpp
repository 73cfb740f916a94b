#include "sim/fault_injector.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {
namespace {

// Steps of one fault at the same instant are told apart by these.
enum : std::uint64_t { StartStep = 1, EndStep, RetryStep };

std::uint64_t identity(const Fault& fault, std::uint64_t occurrence) {
    const std::string text = fault.label();
    const std::uint64_t label = hash_bytes(std::as_bytes(std::span(text.data(), text.size())));
    return hash_words(label, fault.start.ns, fault.duration.ns, occurrence);
}

}  // namespace

FaultInjector::FaultInjector(World& world, FaultPlan plan, Ppm drift_bound,
                             const RoleResolver& roles, const Numbers& numbers)
    : world_(world),
      plan_(std::move(plan)),
      drift_bound_(drift_bound),
      roles_(roles),
      states_(plan_.size()),
      loads_(world.processes()) {
    std::map<std::uint64_t, std::uint64_t> occurrences;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        const Fault& fault = plan_[i];
        State& state = states_[i];
        const std::uint64_t kin = identity(fault, 0);
        state.order = identity(fault, ++occurrences[kin]);
        if (fault.aim.by == Aim::By::Process)
            LOCKSTEP_ASSERT(find(fault.aim.name), "fault {} is aimed at {}", i, fault.aim.name);
        LOCKSTEP_ASSERT(fault.aim.by != Aim::By::Trigger || fault.trigger,
                        "fault {} is aimed at the place of a trigger that it lacks", i);
        if (fault.trigger) {
            const auto number = numbers(fault.trigger->on, fault.trigger->what);
            LOCKSTEP_ASSERT(number, "fault {} waits for {}", i, fault.trigger->what);
            state.number = *number;
        }
        if (fault.kind == FaultKind::DropMessage) {
            const auto number = numbers(Trigger::On::Message, fault.message);
            LOCKSTEP_ASSERT(number, "fault {} drops {}", i, fault.message);
            state.message = *number;
        }
        ++tally_[static_cast<std::size_t>(fault.kind)].planned;
    }
}

void FaultInjector::arm() {
    LOCKSTEP_ASSERT(!armed_, "a plan of {} faults is armed twice", plan_.size());
    armed_ = true;
    for (std::size_t i = 0; i < plan_.size(); ++i)
        world_.at(SimTime{} + plan_[i].start, hash_words(states_[i].order, StartStep),
                  [this, i] { start_time(i); });
}

void FaultInjector::start_time(std::size_t fault) {
    State& state = states_[fault];
    if (state.phase != Phase::Coming) return;
    if (plan_[fault].trigger) {
        state.phase = Phase::Armed;
        watch(fault, true);
    } else {
        seek(fault);
    }
}

// Triggers.

void FaultInjector::watch(std::size_t fault, bool on) {
    auto& numbers = watched_[static_cast<std::size_t>(plan_[fault].trigger->on)];
    const std::uint32_t number = states_[fault].number;
    if (numbers.size() <= number) numbers.resize(number + 1);
    if (on)
        ++numbers[number];
    else
        --numbers[number];
}

void FaultInjector::met(Trigger::On on, ProcessId process, std::uint32_t number) {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        State& state = states_[i];
        if (state.phase != Phase::Armed) continue;
        const Trigger& trigger = *plan_[i].trigger;
        if (trigger.on != on || state.number != number) continue;
        if (trigger.where && who(*trigger.where, state) != process) continue;
        if (++state.seen == trigger.nth) triggered(i, process, on == Trigger::On::Point);
    }
}

void FaultInjector::triggered(std::size_t fault, ProcessId process, bool at_point) {
    State& state = states_[fault];
    watch(fault, false);
    state.met_at = process;
    const FaultKind kind = plan_[fault].kind;
    if (at_point && (kind == FaultKind::Pause || kind == FaultKind::StallFiber)) {
        seek(fault);
        return;
    }
    state.phase = Phase::Triggered;
    world_.at(world_.now(), hash_words(state.order, StartStep), [this, fault] {
        if (states_[fault].phase == Phase::Triggered) seek(fault);
    });
}

// Aims.

std::optional<ProcessId> FaultInjector::find(std::string_view name) const {
    for (std::uint32_t p = 1; p <= world_.processes(); ++p)
        if (world_.process(ProcessId(p)).name() == name) return ProcessId(p);
    return std::nullopt;
}

std::optional<ProcessId> FaultInjector::who(const Aim& aim, const State& state) const {
    switch (aim.by) {
        case Aim::By::Process:
            return find(aim.name);
        case Aim::By::Role:
            return roles_.resolve(aim.name);
        case Aim::By::Trigger:
            return state.met_at;
    }
    return std::nullopt;
}

/// `!name` takes away what the others put in; a list of nothing else takes it from all.
std::vector<ProcessId> FaultInjector::peers_of(const Fault& fault, ProcessId target) const {
    const std::size_t count = world_.processes();
    std::vector<bool> in(count + 1, false);
    const auto set = [&](std::string_view name, bool to) {
        for (std::uint32_t p = 1; p <= count; ++p) {
            const ProcessKind kind = world_.process(ProcessId(p)).kind();
            if (name == "others" || (name == "servers" && kind == ProcessKind::Server) ||
                (name == "clients" && kind == ProcessKind::Client) ||
                (name == "resources" && kind == ProcessKind::Resource))
                in[p] = to;
        }
        if (const auto found = find(name))
            in[found->value] = to;
        else if (const auto has_role = roles_.resolve(name))
            in[has_role->value] = to;
    };
    const auto excludes = [](const std::string& peer) { return peer.starts_with('!'); };
    if (std::all_of(fault.peers.begin(), fault.peers.end(), excludes)) set("others", true);
    for (const std::string& peer : fault.peers)
        if (!excludes(peer)) set(peer, true);
    for (const std::string& peer : fault.peers)
        if (excludes(peer)) set(std::string_view(peer).substr(1), false);
    in[target.value] = false;
    std::vector<ProcessId> peers;
    for (std::uint32_t p = 1; p <= count; ++p)
        if (in[p]) peers.emplace_back(p);
    return peers;
}

void FaultInjector::seek(std::size_t fault) {
    State& state = states_[fault];
    const Duration now = world_.now() - SimTime{};
    // A fault with a time ends by that time, however late it found its target.
    state.until = (plan_[fault].trigger ? now : plan_[fault].start) + plan_[fault].duration;
    if (try_start(fault)) return;
    state.phase = Phase::Seeking;
    ++seeking_;
    world_.at(SimTime{} + state.until, hash_words(state.order, EndStep),
              [this, fault] { end_time(fault); });
}

bool FaultInjector::try_start(std::size_t fault) {
    const auto target = who(plan_[fault].aim, states_[fault]);
    if (!target) return false;
    start(fault, *target);
    return true;
}

void FaultInjector::roles_changed() {
    if (seeking_ == 0 || retry_due_) return;
    retry_due_ = true;
    world_.at(world_.now(), RetryStep, [this] { retry(); });
}

void FaultInjector::retry() {
    retry_due_ = false;
    for (std::size_t i = 0; i < plan_.size(); ++i)
        if (states_[i].phase == Phase::Seeking && try_start(i)) --seeking_;
}

// Start and end.

void FaultInjector::start(std::size_t fault, ProcessId target) {
    const Fault& what = plan_[fault];
    State& state = states_[fault];
    const bool was_seeking = state.phase == Phase::Seeking;
    state.target = target;
    state.peers = peers_of(what, target);
    state.phase = Phase::Active;
    ++active_;
    if (what.kind == FaultKind::DropMessage) {  // waits for its message, until healing
        apply(fault);
        return;
    }
    fired(fault);
    apply(fault);
    if (!was_seeking)
        world_.at(SimTime{} + state.until, hash_words(state.order, EndStep),
                  [this, fault] { end_time(fault); });
}

void FaultInjector::fired(std::size_t fault) {
    const Fault& what = plan_[fault];
    ++tally_[static_cast<std::size_t>(what.kind)].started;
    if (what.aim.by == Aim::By::Role) ++hits_by_role_[what.aim.name];
    world_.emit(*states_[fault].target, FaultStarted{static_cast<std::uint32_t>(fault)});
}

void FaultInjector::message_dropped(std::size_t fault) {
    fired(fault);
    end(fault);
}

void FaultInjector::end_time(std::size_t fault) {
    if (states_[fault].phase == Phase::Active)
        end(fault);
    else if (states_[fault].phase == Phase::Seeking)
        miss(fault);
}

void FaultInjector::end(std::size_t fault) {
    State& state = states_[fault];
    undo(fault);
    state.phase = Phase::Over;
    --active_;
    ++tally_[static_cast<std::size_t>(plan_[fault].kind)].ended;
    world_.emit(*state.target, FaultEnded{static_cast<std::uint32_t>(fault)});
}

void FaultInjector::miss(std::size_t fault) {
    State& state = states_[fault];
    if (state.phase == Phase::Seeking) --seeking_;
    if (state.phase == Phase::Armed) watch(fault, false);
    state.phase = Phase::Over;
    ++tally_[static_cast<std::size_t>(plan_[fault].kind)].missed;
    world_.emit(ProcessId(), FaultMissed{static_cast<std::uint32_t>(fault)});
}

void FaultInjector::heal() {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        const bool waits =
            plan_[i].kind == FaultKind::DropMessage && states_[i].phase == Phase::Active;
        if (waits) {
            undo(i);
            --active_;
        }
        if (states_[i].phase == Phase::Active && !waits)
            end(i);
        else if (states_[i].phase != Phase::Over)
            miss(i);
    }
    LOCKSTEP_ASSERT(active_ == 0 && seeking_ == 0, "{} faults on, {} seeking after healing",
                    active_, seeking_);
}

}  // namespace lockstep::sim
