#include "scenarios/world/recorder.hpp"

#include "core/base/assert.hpp"

namespace lockstep::world {
namespace {

// Kinds of the simulator follow those of the core, so that the two never share a number.
constexpr std::uint64_t world_kinds_from = 0x100;

template <class Variant>
std::uint64_t fold_fields(std::uint64_t kind, sim::ProcessId process, const Variant& event) {
    std::uint64_t hash = lockstep::fold(kind, process.value);
    std::visit(
        [&hash](const auto& e) {
            e.visit([&hash](const char*, const auto& field) {
                hash = lockstep::fold(hash, events::word_of(field));
            });
        },
        event);
    return hash;
}

}  // namespace

void Recorder::emit(sim::ProcessId process, const events::Event& event) {
    LOCKSTEP_ASSERT(world_ != nullptr, "event of process {} before the world", process.value);
    world_->fold(fold_fields(event.index(), process, event));
    const Stamp at = stamp(world_->now(), process);
    count(at.at);
    for (Observer* observer : observers_) observer->on_event(at, event);
}

/// A program that goes round in circles without ever waiting takes no step: no budget of steps ends
/// it.
void Recorder::count(sim::SimTime now) {
    if (now != instant_) {
        instant_ = now;
        before_ = ordinal_;
    }
    LOCKSTEP_ASSERT(ordinal_ - before_ <= events_per_instant, "{} events in the instant {} ns",
                    ordinal_ - before_, now.ns);
}

void Recorder::on_world_event(sim::SimTime at, sim::ProcessId process,
                              const sim::WorldEvent& event) {
    LOCKSTEP_ASSERT(world_ != nullptr, "event of process {} before the world", process.value);
    world_->fold(fold_fields(world_kinds_from + event.index(), process, event));
    const Stamp stamped = stamp(at, process);
    for (Observer* observer : observers_) observer->on_world_event(stamped, event);
}

void Recorder::on_point(sim::SimTime, sim::ProcessId process, std::uint32_t point) {
    emit(process, events::PointReached{point});
}

void Recorder::on_message(sim::SimTime at, const sim::Envelope& message, sim::SimTime arrives,
                          const char* dropped) {
    for (Observer* observer : observers_) observer->on_message(at, message, arrives, dropped);
}

void Recorder::on_message_taken(sim::SimTime at, const sim::Envelope& message) {
    for (Observer* observer : observers_) observer->on_message_taken(at, message);
}

void Recorder::on_disk(sim::SimTime, sim::ProcessId process, std::uint32_t operation) {
    for (Observer* observer : observers_) observer->on_disk(process, operation);
}

void Recorder::note(sim::ProcessId process, const std::string& text) {
    if (!keeps_notes_) return;
    LOCKSTEP_ASSERT(world_ != nullptr, "note of process {} before the world", process.value);
    for (Observer* observer : observers_) observer->on_note(world_->now(), process, text);
}

}  // namespace lockstep::world
