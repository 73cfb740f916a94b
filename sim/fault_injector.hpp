#pragma once

#include "sim/fault.hpp"
#include "sim/network.hpp"
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

/// What became of the faults that have a trigger.
struct TriggerTally {
    std::uint64_t waited = 0;  ///< their earliest start came
    std::uint64_t met = 0;
};

/// Carries a plan out against a world. A fault starts at its time, or when its trigger is met; its
/// aim is resolved then. If nobody has the role, it waits for somebody until its end (until healing
/// if its kind does not last), and is missed if none came; it is also missed if its peers turn out
/// to be nobody, or a disk has nothing that could rot. A fault that waits for its prey
/// (drop-message, crash-at-sync) starts when it has caught it, and is missed if its end or healing
/// comes first. Faults of all kinds may overlap: effects of a kind add up, and end when the last
/// one ends (a process that was crashed twice is restarted by the later end).
///
/// Everything is done in a step of its own, never inside the callback that met the trigger; only a
/// pause or stall triggered by a point takes hold at the very point.
///
/// Reports FaultStarted, FaultEnded, FaultMissed (of a fault of a whole group by no process: what
/// it does to each is told by ProcessStopped, LinkTroubled, ...), LinkTroubled, DiskTroubled and
/// AssumptionBroken through the world. A link on which one message is lost by a fault, or whose
/// connection a fault resets, is troubled and well again at that instant. A frozen
/// pause breaks clock-runs for its kind of process. clock-rate breaks when the slowest clock's rate
/// over the fastest's, true time included, falls below 1 - bound, for the kinds of those two.
class FaultInjector {
public:
    /// The number that on_event, on_point, on_message and on_disk will be called with, by the name
    /// in the plan; for a message kind also the number that Network::drop_next takes.
    using Numbers = std::function<std::optional<std::uint32_t>(Trigger::On, std::string_view)>;

    /// Names of the members of groups other than `servers`, `clients` and `resources`.
    using Groups = std::map<std::string, std::vector<std::string>, std::less<>>;

    /// All processes must have been added to the world. Asserts that the plan's names exist, and
    /// that kinds that act on a group are aimed at one, and no others are.
    FaultInjector(World& world, FaultPlan plan, Ppm drift_bound, const RoleResolver& roles,
                  const Numbers& numbers, Groups groups = {});
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
    void on_disk(ProcessId process, std::uint32_t operation) {
        if (wanted(Trigger::On::Disk, operation)) met(Trigger::On::Disk, process, operation);
    }
    // Whether a trigger of this plan waits for them: they are worth tracing only then.
    bool wants_messages() const { return wants(Trigger::On::Message); }
    bool wants_disks() const { return wants(Trigger::On::Disk); }
    /// Somebody may have got a role. Cheap when no fault waits for one.
    void roles_changed();

    /// Ends every fault that is on and misses those that are still to come. From the main stack, in
    /// a step of its own.
    void heal();
    /// No fault is on, and no process that failed is still to be started anew.
    bool quiet() const;

    const FaultPlan& plan() const { return plan_; }
    const std::array<FaultTally, fault_kinds>& tally() const { return tally_; }
    /// How many faults found somebody, by role.
    const std::map<std::string, std::uint64_t>& hits_by_role() const { return hits_by_role_; }
    const TriggerTally& triggers() const { return triggers_; }
    /// Whom the fault hit; nothing if it found nobody yet, or hits a group.
    std::optional<ProcessId> target(std::size_t fault) const { return states_[fault].target; }

private:
    enum class Phase : std::uint8_t {
        Coming,
        Armed,  ///< waits for its trigger
        Triggered,
        Seeking,  ///< waits for somebody to have the role
        Lurking,  ///< waits for its prey
        Active,
        Over
    };
    struct State {
        Phase phase = Phase::Coming;
        std::uint32_t seen = 0;           ///< times that the trigger was met
        std::uint64_t order = 0;          ///< of its steps
        std::uint32_t number = 0;         ///< of what the trigger waits for
        std::uint32_t message = 0;        ///< of the kind that it concerns
        std::optional<ProcessId> met_at;  ///< where the trigger was met
        std::optional<ProcessId> target;
        std::vector<ProcessId> peers;  ///< as they were resolved at the start; or the group
        Duration until;                ///< since the beginning of the run
        // Of faults that act more than once.
        std::uint64_t acts = 0;
        bool out = false;             ///< down, or moved, at present
        std::vector<ProcessId> back;  ///< Swizzle: in the order of their coming back
        std::vector<ProcessId> off;   ///< Swizzle: who is cut off
    };

    bool wanted(Trigger::On on, std::uint32_t number) const {
        const auto& numbers = watched_[static_cast<std::size_t>(on)];
        return number < numbers.size() && numbers[number] > 0;
    }
    bool wants(Trigger::On on) const;
    void met(Trigger::On on, ProcessId process, std::uint32_t number);
    void triggered(std::size_t fault, ProcessId process, bool at_point);
    void watch(std::size_t fault, bool on);
    void start_time(std::size_t fault);
    void seek(std::size_t fault);
    void retry();
    void end_time(std::size_t fault);
    bool try_start(std::size_t fault);
    void start(std::size_t fault);
    bool ends_by_time(std::size_t fault) const;
    bool harmless(std::size_t fault) const;
    void lurk(std::size_t fault);
    void stop_lurking(std::size_t fault);
    void pounce(std::size_t fault);
    void schedule(std::size_t fault, Duration in, void (FaultInjector::*act)(std::size_t));
    void end(std::size_t fault);
    void miss(std::size_t fault);

    std::optional<ProcessId> find(std::string_view name) const;
    std::optional<ProcessId> who(const Aim& aim, const State& state) const;
    std::vector<ProcessId> members(std::string_view group) const;
    std::vector<ProcessId> peers_of(const Fault& fault, ProcessId target) const;

    void apply(std::size_t fault);
    void undo(std::size_t fault);
    void pause(ProcessId p, ClockMode clock);
    void disk(std::size_t fault, bool on);
    // On links (fault_links.cpp).
    void links(std::size_t fault, bool on);
    void link(std::size_t fault, ProcessId from, ProcessId to, bool on);
    static Network::Trouble trouble_of(const Fault& fault);
    void message_dropped(std::size_t fault, ProcessId from, ProcessId to);
    void swizzle(std::size_t fault);
    void swizzle_one(std::size_t fault);
    void cut_off(ProcessId p, bool on);
    void tell_link(ProcessId from, ProcessId to);
    void blip(ProcessId from, ProcessId to);
    void tell_disk(ProcessId p);
    // On lives.
    void crash(ProcessId p, CrashKind how);
    void loop_down(std::size_t fault);
    void loop_up(std::size_t fault);
    // On clocks.
    void strobe(std::size_t fault);
    void drift(ProcessId p, std::int64_t ppm);
    void freeze(ProcessId p, bool on);
    void check_rates();
    void broken(Assumption assumption, ProcessKind kind, ProcessId by);

    /// What the faults that are on do to one process together.
    struct Load {
        std::int64_t drift_ppm = 0;
        std::uint32_t freezes = 0;
        bool disk_troubled = false;  ///< as it was told
    };

    World& world_;
    const FaultPlan plan_;
    const Ppm drift_bound_;
    const RoleResolver& roles_;
    std::vector<State> states_;
    const Groups groups_;
    std::vector<Load> loads_;            ///< by process, from 0
    std::vector<Network::Health> told_;  ///< by sender and receiver, from 0
    std::array<std::vector<std::uint32_t>, 4>
        watched_;  ///< by Trigger::On and number: how many wait
    std::size_t active_ = 0;
    std::size_t seeking_ = 0;
    bool retry_due_ = false;
    bool armed_ = false;
    std::array<FaultTally, fault_kinds> tally_{};
    TriggerTally triggers_;
    std::map<std::string, std::uint64_t> hits_by_role_;
    std::array<std::array<bool, 3>, 5> broken_{};  ///< by assumption and kind of process
};

}  // namespace lockstep::sim
