#pragma once

#include "sim/fault.hpp"
#include "sim/world_events.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::sim {

class World;

/// Knows who has a role at this moment; a service answers from its events alone.
class RoleResolver {
public:
    virtual ~RoleResolver() = default;
    /// Nothing if nobody has it.
    virtual std::optional<ProcessId> resolve(std::string_view role) const = 0;
};

/// What became of the faults of one kind.
struct FaultTally {
    std::uint64_t planned = 0;
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
    std::uint64_t missed = 0;
};

/// Carries a plan out against a world. A fault starts at its time, or when its trigger is met; its
/// aim is resolved then. If nobody has the role, it waits for somebody until its end, and is missed
/// if none came. Faults of a kind may overlap: their effects add up, and end when the last one ends
/// (a process that was crashed twice is restarted by the later end).
///
/// Everything is done in a step of its own, never inside the callback that met the trigger; only a
/// pause or stall triggered by a point takes hold at the very point.
///
/// Reports FaultStarted, FaultEnded, FaultMissed and AssumptionBroken through the world. A frozen
/// pause breaks clock-runs for its kind of process. clock-rate breaks when the slowest clock's rate
/// over the fastest's, true time included, falls below 1 - bound, for the kinds of those two.
class FaultInjector {
public:
    /// The number that on_event, on_point and on_message will be called with, by the name in the
    /// plan; for a message kind also the number that Network::drop_next takes.
    using Numbers = std::function<std::optional<std::uint32_t>(Trigger::On, std::string_view)>;

    /// All processes must have been added to the world. Asserts that the plan's names exist.
    FaultInjector(World& world, FaultPlan plan, Ppm drift_bound, const RoleResolver& roles,
                  const Numbers& numbers);
    FaultInjector(const FaultInjector&) = delete;
    FaultInjector& operator=(const FaultInjector&) = delete;

    /// Puts the plan on the world's agenda. Once, before the run.
    void arm();

    // To be told what happens, so that triggers are met. Cheap when no trigger waits for it.
    void on_event(ProcessId process, std::uint32_t kind) {
        if (wanted(Trigger::On::Event, kind)) met(Trigger::On::Event, process, kind);
    }
    void on_point(ProcessId process, std::uint32_t point) {
        if (wanted(Trigger::On::Point, point)) met(Trigger::On::Point, process, point);
    }
    void on_message(ProcessId from, std::uint32_t kind) {
        if (wanted(Trigger::On::Message, kind)) met(Trigger::On::Message, from, kind);
    }
    /// Whether a trigger of this plan waits for messages, which are worth tracing only then.
    bool wants_messages() const {
        return !watched_[static_cast<std::size_t>(Trigger::On::Message)].empty();
    }
    /// Somebody may have got a role. Cheap when no fault waits for one.
    void roles_changed();

    /// Ends every fault that is on and misses those that are still to come. From the main stack, in
    /// a step of its own.
    void heal();
    /// No fault is on.
    bool quiet() const { return active_ == 0; }

    const FaultPlan& plan() const { return plan_; }
    const std::array<FaultTally, fault_kinds>& tally() const { return tally_; }
    /// How many faults found somebody, by role.
    const std::map<std::string, std::uint64_t>& hits_by_role() const { return hits_by_role_; }
    /// Whom the fault hit; nothing if it has not started.
    std::optional<ProcessId> target(std::size_t fault) const { return states_[fault].target; }

private:
    enum class Phase : std::uint8_t { Coming, Armed, Triggered, Seeking, Active, Over };
    struct State {
        Phase phase = Phase::Coming;
        std::uint32_t seen = 0;           ///< times that the trigger was met
        std::uint64_t order = 0;          ///< of its steps
        std::uint32_t number = 0;         ///< of what the trigger waits for
        std::uint32_t message = 0;        ///< DropMessage
        std::optional<ProcessId> met_at;  ///< where the trigger was met
        std::optional<ProcessId> target;
        std::vector<ProcessId> peers;  ///< as they were resolved at the start
        Duration until;                ///< since the beginning of the run
    };

    bool wanted(Trigger::On on, std::uint32_t number) const {
        const auto& numbers = watched_[static_cast<std::size_t>(on)];
        return number < numbers.size() && numbers[number] > 0;
    }
    void met(Trigger::On on, ProcessId process, std::uint32_t number);
    void triggered(std::size_t fault, ProcessId process, bool at_point);
    void watch(std::size_t fault, bool on);
    void start_time(std::size_t fault);
    void seek(std::size_t fault);
    void retry();
    void end_time(std::size_t fault);
    bool try_start(std::size_t fault);
    void start(std::size_t fault, ProcessId target);
    void fired(std::size_t fault);
    void message_dropped(std::size_t fault);
    void end(std::size_t fault);
    void miss(std::size_t fault);

    std::optional<ProcessId> find(std::string_view name) const;
    std::optional<ProcessId> who(const Aim& aim, const State& state) const;
    std::vector<ProcessId> peers_of(const Fault& fault, ProcessId target) const;

    void apply(std::size_t fault);
    void undo(std::size_t fault);
    void links(std::size_t fault, bool on);
    void trouble(const Fault& fault, ProcessId from, ProcessId to, std::int64_t sign);
    void crash(ProcessId p, CrashKind how);
    void restart(ProcessId p);
    void drift(ProcessId p, std::int64_t ppm);
    void freeze(ProcessId p, bool on);
    void check_rates();
    void broken(Assumption assumption, ProcessKind kind, ProcessId by);

    /// What the faults that are on do to one process together.
    struct Load {
        std::int64_t drift_ppm = 0;
        std::uint32_t freezes = 0;
        std::uint32_t crashes = 0;
    };

    World& world_;
    const FaultPlan plan_;
    const Ppm drift_bound_;
    const RoleResolver& roles_;
    std::vector<State> states_;
    std::vector<Load> loads_;  ///< by process, from 0
    std::array<std::vector<std::uint32_t>, 3>
        watched_;  ///< by Trigger::On and number: how many wait
    std::size_t active_ = 0;
    std::size_t seeking_ = 0;
    bool retry_due_ = false;
    bool armed_ = false;
    std::array<FaultTally, fault_kinds> tally_{};
    std::map<std::string, std::uint64_t> hits_by_role_;
    std::array<std::array<bool, 3>, 5> broken_{};  ///< by assumption and kind of process
};

}  // namespace lockstep::sim
