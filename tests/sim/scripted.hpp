#pragma once

#include "sim/fiber.hpp"
#include "sim/network.hpp"
#include "sim/process.hpp"
#include "sim/world.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::test {

/// A message that is a number; kind 7, or 8 for numbers from 1000 on.
struct Number {
    std::uint64_t value = 0;
};
/// Too large to be stored inline.
struct Large {
    std::vector<std::uint64_t> values;
    std::array<std::uint64_t, 16> ballast{};
};

}  // namespace lockstep::test

template <>
struct lockstep::sim::PayloadTraits<lockstep::test::Number> {
    static constexpr std::uint16_t kind = 7;
    static constexpr const char* name = "number";
    static std::uint16_t kind_of(const lockstep::test::Number& n) { return n.value < 1000 ? 7 : 8; }
    static void encode(const lockstep::test::Number& n, Writer& out) { out.varint(n.value); }
    static bool decode(Reader& in, lockstep::test::Number& n) {
        n.value = in.varint();
        return !in.failed();
    }
    static std::string print(const lockstep::test::Number& n) { return fmt::format("{}", n.value); }
};

template <>
struct lockstep::sim::PayloadTraits<lockstep::test::Large> {
    static constexpr std::uint16_t kind = 9;
    static constexpr const char* name = "large";
    static void encode(const lockstep::test::Large& l, Writer& out) {
        out.varint(l.values.size());
        for (const std::uint64_t v : l.values) out.u64(v);
        for (const std::uint64_t v : l.ballast) out.u64(v);
    }
    static bool decode(Reader& in, lockstep::test::Large& l) {
        l.values.resize(in.count());
        for (std::uint64_t& v : l.values) v = in.u64();
        for (std::uint64_t& v : l.ballast) v = in.u64();
        return !in.failed();
    }
    static std::string print(const lockstep::test::Large& l) {
        return fmt::format("{} values", l.values.size());
    }
};

namespace lockstep::test {

/// What a process does in a test. Whatever is not set does nothing.
struct Script {
    std::function<void(sim::Process&)> start;
    std::function<void(sim::Process&, sim::Envelope&)> on_message;
    std::function<void(sim::Process&, sim::TimerId)> on_timer;
    std::function<void(sim::Process&, sim::ProcessId)> on_reset;
};

class ScriptedProgram final : public sim::Program {
public:
    explicit ScriptedProgram(const Script& script) : script_(script) {}
    void start(sim::Process& process) override {
        if (script_.start) script_.start(process);
    }
    void on_message(sim::Process& process, sim::Envelope& message) override {
        if (script_.on_message) script_.on_message(process, message);
    }
    void on_timer(sim::Process& process, sim::TimerId timer) override {
        if (script_.on_timer) script_.on_timer(process, timer);
    }
    void on_reset(sim::Process& process, sim::ProcessId peer) override {
        if (script_.on_reset) script_.on_reset(process, peer);
    }

private:
    const Script& script_;
};

/// A world of scripted processes, with a log of what happened: "MICROSECONDS PROCESS WHAT".
class ScriptedWorld : public sim::Listener {
public:
    explicit ScriptedWorld(std::uint64_t seed = 1, sim::Limits limits = {})
        : world(seed, stacks, *this, limits) {}

    sim::ProcessId add(const char* name, Script script) {
        scripts_.push_back(std::make_unique<Script>(std::move(script)));
        return world.add_process(name, sim::ProcessKind::Client,
                                 [script = scripts_.back().get()](sim::Process&) {
                                     return std::make_unique<ScriptedProgram>(*script);
                                 });
    }
    /// Adds and starts one that logs messages, timers and resets.
    sim::ProcessId add_logger(const char* name) {
        Script script;
        script.on_message = [this](sim::Process& p, sim::Envelope& m) {
            log(p, fmt::format("got {}", m.payload.print()));
        };
        script.on_timer = [this](sim::Process& p, sim::TimerId t) {
            log(p, fmt::format("timer {}", t));
        };
        script.on_reset = [this](sim::Process& p, sim::ProcessId peer) {
            log(p, fmt::format("reset by {}", peer.value));
        };
        const sim::ProcessId id = add(name, std::move(script));
        world.start(id);
        return id;
    }
    void send(sim::ProcessId from, sim::ProcessId to, std::uint64_t value) {
        world.process(from).send(to, sim::Payload::make(Number{value}));
    }
    void log(sim::Process& process, const std::string& what) {
        entries.push_back({process.true_now(), process.name() + " " + what});
    }
    /// What was logged since the last call, without times.
    std::vector<std::string> said() {
        std::vector<std::string> lines;
        for (const Entry& entry : entries) lines.push_back(entry.what);
        entries.clear();
        return lines;
    }
    sim::RunEnd run_for(Duration span) { return world.run_until(world.now() + span); }

    void on_world_event(sim::SimTime at, sim::ProcessId process,
                        const sim::WorldEvent& event) override {
        events.push_back({at, process, event});
    }
    void on_point(sim::SimTime at, sim::ProcessId process, std::uint32_t point) override {
        if (at_point) at_point(at, process, point);
    }
    void on_message(sim::SimTime, const sim::Envelope& message, sim::SimTime arrives,
                    const char* dropped) override {
        traced.push_back(
            {message.from, message.payload.print(), arrives, dropped == nullptr ? "" : dropped});
    }
    template <class Event>
    std::size_t count() const {
        std::size_t n = 0;
        for (const auto& e : events) n += std::holds_alternative<Event>(e.event) ? 1 : 0;
        return n;
    }

    struct Entry {
        sim::SimTime at;
        std::string what;
    };
    struct Seen {
        sim::SimTime at;
        sim::ProcessId process;
        sim::WorldEvent event;
    };
    struct Traced {
        sim::ProcessId from;
        std::string what;
        sim::SimTime arrives;
        std::string dropped;
    };
    std::vector<Entry> entries;
    std::vector<Seen> events;
    std::vector<Traced> traced;
    std::function<void(sim::SimTime, sim::ProcessId, std::uint32_t)> at_point;
    sim::StackPool stacks;

private:
    std::vector<std::unique_ptr<Script>> scripts_;

public:
    sim::World world;  ///< last: its fibers refer to the rest while they unwind
};

using Lines = std::vector<std::string>;

}  // namespace lockstep::test
