// Fibers of a process, and the conditions that they wait on.
#include "core/base/assert.hpp"
#include "sim/process.hpp"
#include "sim/strand.hpp"
#include "sim/world.hpp"

#include <utility>

namespace lockstep::sim {

Condition::~Condition() {
    while (first_ != nullptr) remove(*first_);
}

void Condition::add(Strand& strand) {
    strand.waits_on = this;
    strand.previous = last_;
    strand.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &strand;
    last_ = &strand;
}

void Condition::remove(Strand& strand) {
    (strand.previous == nullptr ? first_ : strand.previous->next) = strand.next;
    (strand.next == nullptr ? last_ : strand.next->previous) = strand.previous;
    strand.waits_on = nullptr;
    strand.next = nullptr;
    strand.previous = nullptr;
}

/// Fibers of one process that are woken at one instant share a tie, so that they run in that order.
[[gnu::always_inline]] inline void Process::wake_at_tie(Strand& strand, std::uint64_t tie) {
    strand.wake_sequence =
        world_.queue_.push(world_.now_, tie, StepKind::Fiber, slot_of(strand.number));
}

void Process::wake(Strand& strand) {
    wake_at_tie(strand, world_.tie(world_.now_, StepKind::Fiber, id_.value, 0));
}

void Condition::notify_all() {
    while (first_ != nullptr) {
        Strand& strand = *first_;
        remove(strand);
        strand.timer.at = LocalTime::never();
        strand.timed_out = false;
        Process& process = strand.process;
        const World& world = process.world_;
        if (process.dying_) continue;
        process.wake_at_tie(strand, world.tie(world.now_, StepKind::Fiber, process.id_.value, 0));
    }
}

[[gnu::always_inline]] inline void Process::enter(Strand& strand) {
    LOCKSTEP_ASSERT(world_.running_ == nullptr, "fiber {} of process {} runs inside another",
                    strand.name, name_);
    const World::Running running(world_, strand);
    strand.fiber.resume();
}

void Process::run(Strand& strand) {
    enter(strand);
}

void Process::fiber_timer_due(const QueueEntry& entry) {
    const std::uint32_t number = entry.slot & max_number;
    if (number == 0 || number > strands_.size()) return;
    Strand& strand = *strands_[number - 1];
    const auto deadline = take_due(strand.timer, entry);
    if (!deadline) return;
    world_.begin_step(entry, id_, number);
    if (strand.waits_on != nullptr) strand.waits_on->remove(strand);
    strand.timed_out = true;
    do_or_wait({Item::What::Fiber, number, 0, *deadline});
}

void Process::fiber_due(const QueueEntry& entry) {
    const std::uint32_t number = entry.slot & max_number;
    if (number == 0 || number > strands_.size()) return;
    Strand& strand = *strands_[number - 1];
    if (strand.wake_sequence != entry.sequence) return;
    world_.begin_step(entry, id_, number);
    strand.wake_sequence = 0;
    if (stopped(number))
        put_off({Item::What::Fiber, number});
    else
        enter(strand);
}

[[gnu::always_inline]] inline Strand& Process::current() {
    Strand* const strand = world_.running_;
    LOCKSTEP_ASSERT(strand != nullptr && &strand->process == this,
                    "process {} blocks outside of its fibers", name_);
    return *strand;
}

/// Until something makes the strand go on.
void Process::block(Strand& strand) {
    strand.fiber.suspend();
}

bool Process::block_on(Condition* condition, LocalTime deadline) {
    Strand& strand = current();
    struct Waiting {
        Strand& strand;
        ~Waiting() {
            if (strand.waits_on != nullptr) strand.waits_on->remove(strand);
            strand.timer.at = LocalTime::never();
        }
    } const waiting{strand};
    strand.timed_out = true;  // unless it is notified
    if (condition != nullptr) condition->add(strand);
    arm(strand.timer, deadline, StepKind::FiberTimer, strand.number);
    block(strand);
    return !strand.timed_out;
}

void Process::sleep(Duration on_own_clock) {
    block_on(nullptr, now() + on_own_clock);
}

void Process::wait(Condition& condition) {
    block_on(&condition, LocalTime::never());
}

bool Process::wait_until(Condition& condition, LocalTime deadline) {
    return block_on(&condition, deadline);
}

void Process::yield() {
    Strand& strand = current();
    if (strand.fiber.unwinding()) return;
    wake_at_tie(strand, UINT64_MAX);
    block(strand);
}

}  // namespace lockstep::sim
