#pragma once

#include "sim/fault_injector.hpp"
#include "sim/world.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
// The world's pool of stacks.
#include "sim/fiber.hpp"

/// A world of processes that do nothing, to do things to.
namespace lockstep::test {

class Idle final : public sim::Program {
public:
    void start(sim::Process&) override {}
    void on_message(sim::Process&, sim::Envelope&) override {}
    void on_timer(sim::Process&, sim::TimerId) override {}
};

class Log final : public sim::Listener {
public:
    struct Line {
        sim::SimTime at;
        sim::ProcessId process;
        sim::WorldEvent event;
    };
    std::vector<Line> lines;

    void on_world_event(sim::SimTime at, sim::ProcessId process,
                        const sim::WorldEvent& event) override {
        lines.push_back({at, process, event});
    }
    void on_point(sim::SimTime, sim::ProcessId, std::uint32_t) override {}
    void on_disk(sim::SimTime at, sim::ProcessId process, std::uint32_t operation) override {
        disk_operations.push_back(operation);
        if (at_disk) at_disk(at, process, operation);
    }
    std::vector<std::uint32_t> disk_operations;
    std::function<void(sim::SimTime, sim::ProcessId, std::uint32_t)> at_disk;

    template <class E>
    std::vector<Line> all() const {
        std::vector<Line> found;
        for (const Line& line : lines)
            if (std::holds_alternative<E>(line.event)) found.push_back(line);
        return found;
    }
};

/// Roles as a test sets them.
class Roles final : public sim::RoleResolver {
public:
    std::map<std::string, sim::ProcessId, std::less<>> who;
    std::optional<sim::ProcessId> resolve(std::string_view role) const override {
        const auto found = who.find(role);
        if (found == who.end()) return std::nullopt;
        return found->second;
    }
};

inline std::unique_ptr<sim::Program> idle(sim::Process&) {
    return std::make_unique<Idle>();
}

/// n1 to n3 are 1 to 3, a and b are 4 and 5, store is 6.
struct Rig {
    sim::StackPool stacks;
    Log log;
    sim::World world;
    Roles roles;

    explicit Rig(std::uint64_t seed = 1) : world(seed, stacks, log) {
        for (const char* name : {"n1", "n2", "n3"})
            world.add_process(name, sim::ProcessKind::Server, idle);
        for (const char* name : {"a", "b"}) world.add_process(name, sim::ProcessKind::Client, idle);
        world.add_process("store", sim::ProcessKind::Resource, idle);
        for (std::uint32_t p = 1; p <= 6; ++p) world.start(sim::ProcessId(p));
    }
    static std::optional<std::uint32_t> number(sim::Trigger::On, std::string_view name) {
        return name == "seven" ? 7u : 3u;
    }
    void run_to(Duration since_start) { world.run_until(sim::SimTime{} + since_start); }
};

}  // namespace lockstep::test
