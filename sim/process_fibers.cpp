// Fibers of a process, and the conditions that they wait on.
#include <utility>

#include "core/base/assert.hpp"
#include "sim/process.hpp"
#include "sim/strand.hpp"
#include "sim/world.hpp"

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

void Condition::notify_all() {
    while (first_ != nullptr) {
        Strand& strand = *first_;
        remove(strand);
        strand.timer.at = LocalTime::never();
        strand.timed_out = false;
        strand.process.wake(strand, false);
    }
}

/// Fibers of one process that are woken at one instant share a tie, so that they run in that order.
void Process::wake(Strand& strand, bool last) {
    if (dying_) return;
    const SimTime now = world_.now_;
    const std::uint64_t tie = last ? UINT64_MAX : world_.tie(now, StepKind::Fiber, id_.value, 0);
    strand.wake_sequence = world_.queue_.push(now, tie, StepKind::Fiber, slot_of(strand.number));
}

void Process::run(Strand& strand) {
    LOCKSTEP_ASSERT(world_.running_ == nullptr, "fiber {} of process {} runs inside another",
                    strand.name, name_);
    const World::Running running(world_, strand);
    strand.fiber.resume();
}

Strand& Process::current() {
    Strand* const strand = world_.running_;
    LOCKSTEP_ASSERT(strand != nullptr && &strand->process == this,
                    "process {} blocks outside of its fibers", name_);
    return *strand;
}

/// Until something makes the strand go on.
void Process::block(Strand& strand) { strand.fiber.suspend(); }

bool Process::block_on(Condition* condition, LocalTime deadline) {
    Strand& strand = current();
    if (strand.fiber.unwinding()) return false;
    struct Waiting {
        Strand& strand;
        ~Waiting() {
            if (strand.waits_on != nullptr) strand.waits_on->remove(strand);
            strand.timer.at = LocalTime::never();
        }
    } const waiting{strand};
    strand.timed_out = false;
    if (condition != nullptr) condition->add(strand);
    arm(strand.timer, deadline, StepKind::FiberTimer, strand.number);
    block(strand);
    return !strand.timed_out;
}

void Process::sleep(Duration on_own_clock) { block_on(nullptr, now() + on_own_clock); }

void Process::wait(Condition& condition) { block_on(&condition, LocalTime::never()); }

bool Process::wait_until(Condition& condition, LocalTime deadline) {
    return block_on(&condition, deadline);
}

void Process::yield() {
    Strand& strand = current();
    if (strand.fiber.unwinding()) return;
    wake(strand, true);
    block(strand);
}

}  // namespace lockstep::sim
