#pragma once

#include "core/events/event.hpp"
#include "sim/world.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::world {

/// When and where something happened. `ordinal` counts the events of a run from 1.
struct Stamp {
    sim::SimTime at;
    sim::ProcessId process;
    std::uint64_t ordinal = 0;
};

/// Hears every event of a run, in order: properties, marks, the resolver of roles, a log.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_event(const Stamp& stamp, const events::Event& event) = 0;
    virtual void on_world_event(const Stamp& stamp, const sim::WorldEvent& event) = 0;
    /// A message was sent; heard only while messages are traced. `dropped` says why it will not
    /// arrive, or is null.
    virtual void on_message(sim::SimTime /*at*/, const sim::Envelope& /*message*/,
                            sim::SimTime /*arrives*/, const char* /*dropped*/) {}
    /// A program was handed the message; likewise.
    virtual void on_message_taken(sim::SimTime /*at*/, const sim::Envelope& /*message*/) {}
    /// A disk has done something; heard only while disks are traced.
    virtual void on_disk(sim::ProcessId /*process*/, std::uint32_t /*operation*/) {}
    /// What a service says about itself, for people (Reporter::note); heard only by those that keep
    /// it.
    virtual void on_note(sim::SimTime /*at*/, sim::ProcessId /*process*/,
                         const std::string& /*text*/) {}
};

/// The one stream of a run. Stamps true time and process on each event, folds it into the digest as
/// 64-bit words, and hands it on. Keeps nothing itself.
class Recorder final : public sim::Listener {
public:
    Recorder() = default;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Must be called before the first event; the world must outlive the recorder's use.
    void attach(sim::World& world) { world_ = &world; }
    /// Observers hear each event in the order in which they were added.
    void add(Observer& observer) { observers_.push_back(&observer); }

    void emit(sim::ProcessId process, const events::Event& event);

    /// Notes are for a log that people read: no event, and no part of the digest. Nothing of a run
    /// may depend on whether they are kept.
    void keep_notes(bool keep) { keeps_notes_ = keep; }
    bool keeps_notes() const { return keeps_notes_; }
    void note(sim::ProcessId process, const std::string& text);

    void on_world_event(sim::SimTime at, sim::ProcessId process,
                        const sim::WorldEvent& event) override;
    void on_point(sim::SimTime at, sim::ProcessId process, std::uint32_t point) override;
    void on_message(sim::SimTime at, const sim::Envelope& message, sim::SimTime arrives,
                    const char* dropped) override;
    void on_message_taken(sim::SimTime at, const sim::Envelope& message) override;
    void on_disk(sim::SimTime at, sim::ProcessId process, std::uint32_t operation) override;

    std::uint64_t events() const { return ordinal_; }

private:
    static constexpr std::uint64_t events_per_instant = 1'000'000;

    Stamp stamp(sim::SimTime at, sim::ProcessId process) { return {at, process, ++ordinal_}; }
    void count(sim::SimTime now);

    sim::World* world_ = nullptr;
    std::vector<Observer*> observers_;
    std::uint64_t ordinal_ = 0;
    sim::SimTime instant_;
    std::uint64_t before_ = 0;  ///< events before this instant
    bool keeps_notes_ = false;
};

}  // namespace lockstep::world
