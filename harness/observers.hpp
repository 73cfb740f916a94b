#pragma once

#include "harness/simulation.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// Who listens to a run.
namespace lockstep::harness {

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
        const std::string printed = message.payload.print();
        MessageLine line{
            fmt::format("{} -> {} {} ({})", name(message.from), name(message.to), printed, fate)};
        line.number = ++messages_;
        // The same link may carry the same twice in one instant: whoever takes it cannot tell.
        if (dropped == nullptr) sent_.insert_or_assign(key(message, printed), line.number);
        line.to = message.to;
        line.kind = printed.substr(0, printed.find(' '));
        if (dropped != nullptr) line.dropped = dropped;
        line.arrives = arrives;
        events.push_back({at, message.from, std::move(line)});
    }
    void on_message_taken(sim::SimTime at, const sim::Envelope& message) override {
        const auto sent = sent_.find(key(message, message.payload.print()));
        const std::uint64_t number = sent == sent_.end() ? 0 : sent->second;
        events.push_back({at, message.to, MessageTaken{number, message.from}});
    }
    void on_note(sim::SimTime at, sim::ProcessId process, const std::string& text) override {
        events.push_back({at, process, MessageLine{text, true}});
    }
    std::vector<LoggedEvent> events;

private:
    /// Link, time of sending, text: simulated messages have no numbers of their own, which would
    /// make all of them larger.
    using Key = std::tuple<sim::ProcessId, sim::ProcessId, sim::SimTime, std::string>;
    static Key key(const sim::Envelope& message, const std::string& printed) {
        return {message.from, message.to, message.sent, printed};
    }
    const std::string& name(sim::ProcessId p) const { return world_.process(p).name(); }
    const sim::World& world_;
    std::uint64_t messages_ = 0;
    std::map<Key, std::uint64_t> sent_;
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
    void on_disk(sim::ProcessId process, std::uint32_t operation) override {
        injector_.on_disk(process, operation);
    }

private:
    sim::FaultInjector& injector_;
};

}  // namespace lockstep::harness
