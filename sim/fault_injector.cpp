#include "sim/fault_injector.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
#include "sim/disk.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {
namespace {

// Steps of one fault at the same instant are told apart by these.
enum : std::uint64_t { StartStep = 1, EndStep, RetryStep, ActStep };

std::uint64_t identity(const Fault& fault, std::uint64_t occurrence) {
    const std::string text = fault.label();
    const std::uint64_t label = hash_bytes(std::as_bytes(std::span(text.data(), text.size())));
    return hash_words(label, fault.start.ns, fault.duration.ns, occurrence);
}

}  // namespace

FaultInjector::FaultInjector(World& world, FaultPlan plan, Ppm drift_bound,
                             const RoleResolver& roles, const Numbers& numbers, Groups groups)
    : world_(world),
      plan_(std::move(plan)),
      drift_bound_(drift_bound),
      roles_(roles),
      states_(plan_.size()),
      groups_(std::move(groups)),
      loads_(world.processes()),
      told_(world.processes() * world.processes(), Network::Health::Good) {
    std::map<std::uint64_t, std::uint64_t> occurrences;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        const Fault& fault = plan_[i];
        State& state = states_[i];
        const std::uint64_t kin = identity(fault, 0);
        state.order = identity(fault, ++occurrences[kin]);
        if (fault.aim.by == Aim::By::Process)
            LOCKSTEP_ASSERT(find(fault.aim.name), "fault {} is aimed at {}", i, fault.aim.name);
        LOCKSTEP_ASSERT((fault.aim.by == Aim::By::Group) == fields_of(fault.kind).group,
                        "fault {}, a {}, is aimed at {}", i, to_string(fault.kind),
                        to_string(fault.aim));
        LOCKSTEP_ASSERT(fault.aim.by != Aim::By::Trigger || fault.trigger,
                        "fault {} is aimed at the place of a trigger that it lacks", i);
        if (fault.trigger) {
            const auto number = numbers(fault.trigger->on, fault.trigger->what);
            LOCKSTEP_ASSERT(number, "fault {} waits for {}", i, fault.trigger->what);
            state.number = *number;
            // Room for it from now on: that is how it is known which triggers may come.
            auto& watched = watched_[static_cast<std::size_t>(fault.trigger->on)];
            if (watched.size() <= *number) watched.resize(*number + 1);
        }
        if (fault.kind == FaultKind::DropMessage || !fault.message.empty()) {
            const auto number = numbers(Trigger::On::Message, fault.message);
            LOCKSTEP_ASSERT(number, "fault {} concerns messages {}", i, fault.message);
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
        ++triggers_.waited;
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

/// At any time of the run.
bool FaultInjector::wants(Trigger::On on) const {
    return std::any_of(plan_.begin(), plan_.end(), [on](const Fault& fault) {
        return fault.trigger && fault.trigger->on == on;
    });
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
    ++triggers_.met;
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
    for (std::uint32_t p = 1; p <= loads_.size(); ++p)
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
        case Aim::By::Group:
            break;  // no one process
    }
    return std::nullopt;
}

std::vector<ProcessId> FaultInjector::members(std::string_view group) const {
    std::vector<ProcessId> in;
    for (std::uint32_t p = 1; p <= loads_.size(); ++p) {
        const ProcessKind kind = world_.process(ProcessId(p)).kind();
        if ((group == "servers" && kind == ProcessKind::Server) ||
            (group == "clients" && kind == ProcessKind::Client) ||
            (group == "resources" && kind == ProcessKind::Resource))
            in.emplace_back(p);
    }
    const auto found = groups_.find(group);
    if (found == groups_.end()) return in;
    for (const std::string& name : found->second) {
        const auto member = find(name);
        LOCKSTEP_ASSERT(member, "{} is in {}, and nobody", name, group);
        in.push_back(*member);
    }
    return in;
}

/// `!name` takes away what the others put in; a list of nothing else takes it from all.
std::vector<ProcessId> FaultInjector::peers_of(const Fault& fault, ProcessId target) const {
    const std::size_t count = loads_.size();
    std::vector<bool> in(count + 1, false);
    const auto set = [&](std::string_view name, bool to) {
        if (name == "others") in.assign(count + 1, to);
        for (const ProcessId member : members(name)) in[member.value] = to;
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
    if (!ends_by_time(fault)) return;
    world_.at(SimTime{} + state.until, hash_words(state.order, EndStep),
              [this, fault] { end_time(fault); });
}

bool FaultInjector::ends_by_time(std::size_t fault) const {
    return fields_of(plan_[fault].kind).lasts || plan_[fault].duration > Duration{};
}

/// False if there is nobody yet to start it at.
bool FaultInjector::try_start(std::size_t fault) {
    const Fault& what = plan_[fault];
    State& state = states_[fault];
    if (what.aim.by == Aim::By::Group) {
        state.peers = members(what.aim.name);
    } else {
        state.target = who(what.aim, state);
        if (!state.target) return false;
        state.peers = peers_of(what, *state.target);
    }
    if (harmless(fault))
        miss(fault);
    else
        start(fault);
    return true;
}

/// There is nothing that it could do to whom it is aimed at.
bool FaultInjector::harmless(std::size_t fault) const {
    const Fault& what = plan_[fault];
    const State& state = states_[fault];
    const FaultFields has = fields_of(what.kind);
    if (what.kind == FaultKind::DropMessage && what.peers.empty()) return false;
    if (has.peers || has.group) return state.peers.empty();
    if (what.kind != FaultKind::DiskRot) return false;
    const Disk& disk = world_.process(*state.target).disk();
    const auto files = disk.files();
    return std::none_of(files.begin(), files.end(),
                        [&disk](const auto& file) { return disk.durable_size(file) > 0; });
}

void FaultInjector::roles_changed() {
    if (seeking_ == 0 || retry_due_) return;
    retry_due_ = true;
    world_.at(world_.now(), RetryStep, [this] { retry(); });
}

void FaultInjector::retry() {
    retry_due_ = false;
    for (std::size_t i = 0; i < plan_.size(); ++i)
        if (states_[i].phase == Phase::Seeking) try_start(i);
}

// Start and end.

void FaultInjector::start(std::size_t fault) {
    State& state = states_[fault];
    const FaultKind kind = plan_[fault].kind;
    const bool end_is_queued = state.phase == Phase::Seeking;
    if (state.phase == Phase::Seeking) --seeking_;
    if (kind == FaultKind::DropMessage || kind == FaultKind::CrashAtSync) {
        state.phase = Phase::Lurking;
        lurk(fault);
    } else {
        pounce(fault);
    }
    if (state.phase == Phase::Over || end_is_queued || !ends_by_time(fault)) return;
    world_.at(SimTime{} + state.until, hash_words(state.order, EndStep),
              [this, fault] { end_time(fault); });
}

void FaultInjector::lurk(std::size_t fault) {
    State& state = states_[fault];
    if (plan_[fault].kind == FaultKind::DropMessage) {
        links(fault, true);
        return;
    }
    world_.process(*state.target).disk().watch_syncs(plan_[fault].count, fault, [this, fault] {
        schedule(fault, Duration{}, &FaultInjector::pounce);
    });
}

void FaultInjector::stop_lurking(std::size_t fault) {
    if (plan_[fault].kind == FaultKind::DropMessage)
        world_.network().forget_drop(fault);
    else
        world_.process(*states_[fault].target).disk().forget_watch(fault);
}

void FaultInjector::pounce(std::size_t fault) {
    const Fault& what = plan_[fault];
    State& state = states_[fault];
    if (state.phase == Phase::Over) return;
    state.phase = Phase::Active;
    ++active_;
    ++tally_[static_cast<std::size_t>(what.kind)].started;
    if (what.aim.by == Aim::By::Role) ++hits_by_role_[what.aim.name];
    world_.emit(state.target.value_or(ProcessId()),
                FaultStarted{static_cast<std::uint32_t>(fault)});
    apply(fault);
    if (!fields_of(what.kind).lasts) end(fault);
}

/// Does something once more, in a step of its own, if the fault is not over by then.
void FaultInjector::schedule(std::size_t fault, Duration in,
                             void (FaultInjector::*act)(std::size_t)) {
    State& state = states_[fault];
    const std::uint64_t order = hash_words(state.order, ActStep, ++state.acts);
    world_.at(world_.now() + in, order, [this, fault, act] {
        if (states_[fault].phase != Phase::Over) (this->*act)(fault);
    });
}

void FaultInjector::end_time(std::size_t fault) {
    const Phase phase = states_[fault].phase;
    if (phase == Phase::Active)
        end(fault);
    else if (phase == Phase::Seeking || phase == Phase::Lurking)
        miss(fault);
}

void FaultInjector::end(std::size_t fault) {
    State& state = states_[fault];
    undo(fault);
    state.phase = Phase::Over;
    --active_;
    ++tally_[static_cast<std::size_t>(plan_[fault].kind)].ended;
    world_.emit(state.target.value_or(ProcessId()), FaultEnded{static_cast<std::uint32_t>(fault)});
}

void FaultInjector::miss(std::size_t fault) {
    State& state = states_[fault];
    if (state.phase == Phase::Seeking) --seeking_;
    if (state.phase == Phase::Armed) watch(fault, false);
    if (state.phase == Phase::Lurking) stop_lurking(fault);
    state.phase = Phase::Over;
    ++tally_[static_cast<std::size_t>(plan_[fault].kind)].missed;
    world_.emit(ProcessId(), FaultMissed{static_cast<std::uint32_t>(fault)});
}

bool FaultInjector::quiet() const {
    return active_ == 0 && world_.restarts_pending() == 0;
}

void FaultInjector::heal() {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        if (states_[i].phase == Phase::Active)
            end(i);
        else if (states_[i].phase != Phase::Over)
            miss(i);
    }
    LOCKSTEP_ASSERT(active_ == 0 && seeking_ == 0, "{} faults on, {} seeking after healing",
                    active_, seeking_);
}

}  // namespace lockstep::sim
