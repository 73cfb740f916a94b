#include "sim/world.hpp"

#include "core/base/assert.hpp"
#include "sim/disk.hpp"
#include "sim/fiber.hpp"
#include "sim/purpose.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {

World::World(std::uint64_t seed, StackPool& stacks, Listener& listener, Limits limits)
    : seed_(seed),
      stacks_(stacks),
      listener_(listener),
      limits_(limits),
      digest_(hash_words(seed, purpose("digest"))),
      luck_seed_(hash_words(seed, purpose("luck"))),
      network_(*this) {}

World::~World() {
    for (const auto& process : processes_) process->end();
}

ProcessId World::add_process(std::string name, ProcessKind kind, Factory factory) {
    const ProcessId id(static_cast<std::uint32_t>(processes_.size() + 1));
    LOCKSTEP_ASSERT(id.value <= 0xffff, "{} processes", id.value);
    processes_.push_back(std::make_unique<Process>(*this, id, std::move(name), kind));
    factories_.push_back(std::move(factory));
    network_.add_process();
    return id;
}

Process& World::process(ProcessId p) {
    LOCKSTEP_ASSERT(p && p.value <= processes_.size(), "process={} of={}", p.value,
                    processes_.size());
    return *processes_[p.value - 1];
}

const Process& World::process(ProcessId p) const {
    LOCKSTEP_ASSERT(p && p.value <= processes_.size(), "process={} of={}", p.value,
                    processes_.size());
    return *processes_[p.value - 1];
}

// The loop.

/// An entry whose owner no longer wants it is no step: time does not pass for it.
[[gnu::always_inline]] inline void World::step(const QueueEntry& entry) {
    const auto owner = [this, &entry]() -> Process& { return *processes_[(entry.slot >> 16) - 1]; };
    switch (entry.kind) {
        case StepKind::Message:
            network_.arrive(entry);
            break;
        case StepKind::Fiber:
            owner().fiber_due(entry);
            break;
        case StepKind::Timer:
            owner().alarm_due(entry);
            break;
        case StepKind::FiberTimer:
            owner().fiber_timer_due(entry);
            break;
        case StepKind::Deadline:
            owner().deadline_due(entry);
            break;
        case StepKind::Io:
            process(ios_[entry.slot].process).io_due(entry);
            break;
        case StepKind::Backlog:
            process(ProcessId(entry.slot)).backlog_due(entry);
            break;
        case StepKind::LinkTimeout:
            network_.timeout(entry);
            break;
        case StepKind::ResetNotice:
            network_.notice(entry);
            break;
        case StepKind::Control: {
            begin_step(entry, ProcessId(), 0);
            const std::function<void()> call = std::move(calls_[entry.slot]);
            calls_[entry.slot] = nullptr;
            calls_.give_back(entry.slot);
            call();
            break;
        }
        case StepKind::Held:
            break;
    }
}

RunEnd World::run_until(SimTime end) {
    LOCKSTEP_ASSERT(end >= now_, "end={} now={}", end.ns, now_.ns);
    require_main_stack("run_until");
    stopped_ = false;
    QueueEntry entry;
    while (queue_.take(end, entry)) {
        step(entry);
        if (stopped_) return RunEnd::Stopped;
        if (steps_ - steps_before_ > limits_.steps_per_instant) return RunEnd::StuckInInstant;
        if (steps_ > limits_.steps) return RunEnd::StuckInRun;
    }
    if (end > now_ && end != SimTime::never()) advance(end);
    return RunEnd::ReachedEnd;
}

void World::keep_checkpoint() {
    if (steps_ % checkpoint_every == 0) checkpoints_.push_back(digest_);
}

void World::require_main_stack(const char* what) const {
    LOCKSTEP_ASSERT(running_ == nullptr && calling_ == nullptr, "{} from within a program", what);
}

void World::at(SimTime when, std::uint64_t order, std::function<void()> call) {
    LOCKSTEP_ASSERT(when >= now_, "when={} now={}", when.ns, now_.ns);
    const std::uint32_t slot = calls_.take();
    calls_[slot] = std::move(call);
    push(when, StepKind::Control, slot, 0, order);
}

void World::schedule_io(ProcessId p, Duration takes, std::uint64_t order,
                        std::function<void()> done) {
    LOCKSTEP_ASSERT(takes >= Duration{}, "takes={}", takes.ns);
    const Process& owner = process(p);
    if (!owner.up()) return;
    const std::uint32_t slot = ios_.take();
    ios_[slot] = {p, owner.life_, std::move(done)};
    push(now_ + takes, StepKind::Io, slot, p.value, order);
}

// Lives, stalls, clocks.

void World::start(ProcessId p) {
    require_main_stack("start");
    Process& starting = process(p);
    LOCKSTEP_ASSERT(!starting.up(), "process {} is up", starting.name());
    starting.boot(now_);
    network_.on_start(p);
    std::unique_ptr<Program> program = factories_[p.value - 1](starting);
    emit(p, ProcessStarted{starting.life()});
    starting.begin(std::move(program));
}

void World::crash(ProcessId p, CrashKind how) {
    require_main_stack("crash");
    Process& crashing = process(p);
    LOCKSTEP_ASSERT(crashing.up(), "process {} is down", crashing.name());
    const std::exception_ptr thrown = crashing.end();
    network_.on_crash(p);
    crashing.disk().on_crash(how);
    tell_broken_promise(crashing);
    emit(p, ProcessStopped{how});
    if (thrown) std::rethrow_exception(thrown);
}

void World::lose_power(ProcessId p) {
    Process& down = process(p);
    LOCKSTEP_ASSERT(!down.up(), "process {} is up", down.name());
    down.disk().on_crash(CrashKind::Power);
    tell_broken_promise(down);
}

/// A disk that lied has been found out: told before the process can stumble over it.
void World::tell_broken_promise(Process& process) {
    if (process.disk().took_confirmed())
        emit(process.id(), AssumptionBroken{Assumption::DiskHonest, process.kind()});
}

void World::hold_down(ProcessId p) {
    ++process(p).holds_;
}

void World::let_up(ProcessId p) {
    std::uint32_t& holds = process(p).holds_;
    LOCKSTEP_ASSERT(holds > 0, "process {} is not held down", p.value);
    if (--holds == 0 && !up(p)) start(p);
}

void World::failed(const Process& process) {
    ++restarts_pending_;
    const ProcessId p = process.id();
    const std::uint32_t life = process.life();
    const auto order = [p, life](std::uint64_t what) { return hash_words(what, p.value, life); };
    at(now_, order(purpose("fail")), [this, p, life, order] {
        if (up(p) && this->process(p).life() == life) crash(p, CrashKind::Kill);
        at(now_ + restart_delay, order(purpose("restart")), [this, p, life] {
            --restarts_pending_;
            const Process& it = this->process(p);
            if (!it.up() && it.life() == life && it.holds_ == 0) start(p);
        });
    });
}

void World::pause(ProcessId p, ClockMode clock) {
    process(p).pause(clock);
}
void World::resume(ProcessId p) {
    process(p).resume();
}
void World::pause_strand(ProcessId p, std::uint32_t strand) {
    process(p).pause_strand(strand);
}
void World::resume_strand(ProcessId p, std::uint32_t strand) {
    process(p).resume_strand(strand);
}

void World::set_drift(ProcessId p, std::int64_t ppm) {
    Process& drifting = process(p);
    drifting.clock_.set_drift(now_, ppm);
    drifting.wall_.set_drift(now_, ppm);
    drifting.clock_changed();
}

void World::step_wall(ProcessId p, Duration by) {
    process(p).wall_.step(by);
}

void World::freeze_clock(ProcessId p) {
    process(p).clock_.freeze(now_);
}

void World::thaw_clock(ProcessId p) {
    process(p).clock_.thaw(now_);
    process(p).clock_changed();
}

// Luck.

void World::reseed_from(SimTime when, std::uint64_t salt) {
    LOCKSTEP_ASSERT(when >= now_, "when={} now={}", when.ns, now_.ns);
    const auto after = std::find_if(reseeds_.begin(), reseeds_.end(),
                                    [when](const Reseed& other) { return other.when > when; });
    reseeds_.insert(after, {when, salt});
    apply_reseeds(now_);
}

void World::apply_reseeds(SimTime until) {
    while (!reseeds_.empty() && reseeds_.front().when <= until) {
        luck_seed_ = hash_words(luck_seed_, purpose("reseed"), reseeds_.front().salt);
        reseeds_.erase(reseeds_.begin());
        for (const auto& process : processes_)
            process->prng_ = Prng(luck(purpose("life"), process->id_.value, process->life_, 0));
    }
}

}  // namespace lockstep::sim
