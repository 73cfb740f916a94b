#pragma once

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
#include "sim/event_queue.hpp"
#include "sim/network.hpp"
#include "sim/process.hpp"
#include "sim/slab.hpp"
#include "sim/world_events.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::sim {

class StackPool;
enum class DiskOperation : std::uint32_t;

/// Hears everything that the simulator itself reports, in order.
class Listener {
public:
    virtual ~Listener() = default;
    virtual void on_world_event(SimTime at, ProcessId process, const WorldEvent& event) = 0;
    /// A program reached a point (see Process::point), before any stall there.
    virtual void on_point(SimTime at, ProcessId process, std::uint32_t point) = 0;
    /// Once for each message sent, and only when message tracing was asked for. `arrives` is never
    /// for one that is held by a cut or dropped; `dropped` says why, or is null.
    virtual void on_message(SimTime, const Envelope&, SimTime /*arrives*/,
                            const char* /*dropped*/) {}
    /// A program is handed the message; likewise. One that never is, is lost.
    virtual void on_message_taken(SimTime, const Envelope&) {}
    /// A disk has done what its process asked for (a DiskOperation; a failed sync has not), and
    /// only when that was asked for by World::trace_disks.
    virtual void on_disk(SimTime /*at*/, ProcessId, std::uint32_t /*operation*/) {}
};

enum class RunEnd : std::uint8_t { ReachedEnd, Stopped, StuckInInstant, StuckInRun };

struct Limits {
    std::uint64_t steps_per_instant = 100'000;
    std::uint64_t steps = 500'000'000;
};

/// One run of a simulated world: the queue of steps, the processes, the network, the digest.
///
/// All of it happens in `run_until`, on one thread. Its caller's stack is the main stack: steps,
/// callbacks and the calls of `at` run on it; programs' fibers switch to it and back. What a
/// program throws comes out of `run_until` (of `start`, if it throws there), after which the world
/// can be looked at and destroyed.
class World {
public:
    World(std::uint64_t seed, StackPool& stacks, Listener& listener, Limits limits = {});
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    using Factory = std::function<std::unique_ptr<Program>(Process&)>;
    /// Processes are numbered from 1 in the order of these calls. Not started yet.
    ProcessId add_process(std::string name, ProcessKind kind, Factory factory);

    SimTime now() const { return now_; }
    /// Runs steps until the time (events at that very time included), or until `stop` was called.
    RunEnd run_until(SimTime end);
    /// Ends the `run_until` that is running, after this step.
    void stop() { stopped_ = true; }
    /// Calls the function on the main stack at that true time, as a step of its own. `order` tells
    /// control events of the same instant apart and makes their tie stable.
    void at(SimTime when, std::uint64_t order, std::function<void()> call);
    /// Calls the function as a callback of the process, that long from now; never once this life of
    /// it has ended. While the callbacks are stopped, the call waits. `order` as for `at`.
    void schedule_io(ProcessId p, Duration takes, std::uint64_t order, std::function<void()> done);

    // Lives. From the main stack only, and not from within a callback.
    void start(ProcessId p);  ///< a new life
    void crash(ProcessId p, CrashKind how);
    bool up(ProcessId p) const { return process(p).up(); }
    /// One that is down loses power, too, and with it what a kill had left in the cache.
    void lose_power(ProcessId p);
    /// As long as it is held down, a process that failed is not started anew. Nests; the last
    /// let_up starts the process if it is down.
    void hold_down(ProcessId p);
    void let_up(ProcessId p);
    /// How long a process that failed (Process::fail) stays down.
    static constexpr Duration restart_delay = seconds(1);
    /// Processes that failed and were not started anew yet.
    std::uint64_t restarts_pending() const { return restarts_pending_; }

    // Stalls. They are of the process, not of its life: one that is started meanwhile does nothing
    // before it is resumed. A frozen pause keeps the clock frozen until the last resume.
    void pause(ProcessId p, ClockMode clock);  ///< nests: as many resumes are needed
    void resume(ProcessId p);
    void pause_strand(ProcessId p,
                      std::uint32_t strand);  ///< 0 = the callbacks, k = the k-th fiber spawned
    void resume_strand(ProcessId p, std::uint32_t strand);
    bool paused(ProcessId p) const { return process(p).pauses_ > 0; }

    // Clocks. All in fixed point.
    void set_drift(ProcessId p, std::int64_t ppm);  ///< of the monotonic and wall clock
    void step_wall(ProcessId p, Duration by);
    void freeze_clock(
        ProcessId p);  ///< the monotonic clock of a process that runs on stands still; nests
    void thaw_clock(ProcessId p);

    Network& network() { return network_; }
    const Network& network() const { return network_; }
    Process& process(ProcessId p);
    const Process& process(ProcessId p) const;
    std::size_t processes() const { return processes_.size(); }

    std::uint64_t seed() const { return seed_; }
    std::uint64_t steps() const { return steps_; }
    /// Every step is folded in by the loop; the recorder folds every event.
    void fold(std::uint64_t word) { digest_ = lockstep::fold(digest_, word); }
    std::uint64_t digest() const { return digest_; }
    /// Keeps the digest after every 4,096 steps, so that the first difference of two runs is found.
    void keep_checkpoints(bool on) { keep_checkpoints_ = on; }
    const std::vector<std::uint64_t>& checkpoints() const { return checkpoints_; }
    static constexpr std::uint64_t checkpoint_every = 4096;

    /// Luck: a hash of the seed and the words, re-salted from an instant on by reseed_from.
    std::uint64_t luck(std::uint64_t purpose, std::uint64_t a, std::uint64_t b,
                       std::uint64_t c) const {
        const std::uint64_t place = lockstep::fold(luck_seed_ ^ purpose, a);
        return lockstep::fold(place, b + c * 0x9fb21c651e98df25ULL);
    }
    /// Draws the luck anew from that instant on: of the network, of disks, of ties, and of the
    /// generators of lives that run then or begin later. Not before now.
    void reseed_from(SimTime when, std::uint64_t salt);

    /// Tells the listener.
    void emit(ProcessId p, const WorldEvent& event) { listener_.on_world_event(now_, p, event); }
    void trace_messages(bool on) { network_.traced_ = on; }
    void trace_disks(bool on) { disks_traced_ = on; }
    bool disks_traced() const { return disks_traced_; }
    void disk_done(ProcessId p, DiskOperation what) {
        listener_.on_disk(now_, p, static_cast<std::uint32_t>(what));
    }
    /// Payloads go through encode and decode at their sending. Changes no digest.
    void set_wire_codec(bool on) { network_.recode_ = on; }

private:
    friend class Condition;
    friend class Network;
    friend class Process;

    struct Io {
        ProcessId process;
        std::uint32_t life = 0;
        std::function<void()> done;
    };
    /// While a fiber runs.
    struct Running {
        Running(World& w, Strand& strand) : world(w) { world.running_ = &strand; }
        ~Running() { world.running_ = nullptr; }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        World& world;
    };
    /// While a callback runs.
    struct Calling {
        Calling(World& w, Process& process) : world(w) { world.calling_ = &process; }
        ~Calling() { world.calling_ = nullptr; }
        Calling(const Calling&) = delete;
        Calling& operator=(const Calling&) = delete;
        World& world;
    };
    struct Reseed {
        SimTime when;
        std::uint64_t salt;
    };

    void step(const QueueEntry& entry);
    /// The entry is no leftover: time passes, and the digest takes note.
    void begin_step(const QueueEntry& entry, ProcessId process, std::uint32_t detail) {
        if (entry.time != now_) advance(entry.time);
        ++steps_;
        const std::uint64_t what = (std::uint64_t{detail} << 32) |
                                   (std::uint64_t{process.value} << 8) |
                                   static_cast<std::uint64_t>(entry.kind);
        fold(what + static_cast<std::uint64_t>(entry.time.ns) * 0x9fb21c651e98df25ULL);
        if (keep_checkpoints_) keep_checkpoint();
    }
    void keep_checkpoint();
    void failed(const Process& process);
    void tell_broken_promise(Process& process);
    void advance(SimTime to) {
        LOCKSTEP_ASSERT(to > now_, "time goes from {} to {}", now_.ns, to.ns);
        now_ = to;
        steps_before_ = steps_;
        if (!reseeds_.empty()) apply_reseeds(to);
    }
    void apply_reseeds(SimTime until);
    /// Of use only among entries of one instant.
    std::uint64_t tie(SimTime t, StepKind kind, std::uint64_t source, std::uint64_t ordinal) const {
        const std::uint64_t place =
            source ^ (static_cast<std::uint64_t>(kind) << 56) ^ (ordinal * 0xff51afd7ed558ccdULL);
        return lockstep::fold(luck_seed_ + static_cast<std::uint64_t>(t.ns) * 0x9fb21c651e98df25ULL,
                              place);
    }
    std::uint64_t push(SimTime t, StepKind kind, std::uint32_t slot, std::uint64_t source,
                       std::uint64_t ordinal) {
        return queue_.push(t, tie(t, kind, source, ordinal), kind, slot);
    }
    void require_main_stack(const char* what) const;

    const std::uint64_t seed_;
    StackPool& stacks_;
    Listener& listener_;
    const Limits limits_;
    SimTime now_;
    std::uint64_t steps_ = 0;
    std::uint64_t steps_before_ = 0;  ///< this instant
    std::uint64_t digest_ = 0;
    std::uint64_t luck_seed_ = 0;
    bool stopped_ = false;
    bool keep_checkpoints_ = false;
    bool disks_traced_ = false;
    std::uint64_t restarts_pending_ = 0;
    std::vector<std::uint64_t> checkpoints_;
    std::vector<Reseed> reseeds_;  ///< to come, by time
    EventQueue queue_;
    Strand* running_ = nullptr;   ///< the fiber that runs now
    Process* calling_ = nullptr;  ///< the process of which a callback runs now
    Slab<std::function<void()>> calls_;
    Slab<Io> ios_;
    Network network_;
    std::vector<Factory> factories_;
    std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace lockstep::sim
