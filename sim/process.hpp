#pragma once

#include "core/base/prng.hpp"
#include "sim/clock.hpp"
#include "sim/envelope.hpp"
#include "sim/event_queue.hpp"
#include "sim/types.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::sim {

class Process;
class World;
class Disk;
struct InFlight;
struct Strand;

/// The code of a process in one life of it. Its callbacks run to completion; a program that wants
/// straight code spawns fibers. Destroyed at a crash (fibers first, unwound by FiberKilled).
class Program {
public:
    virtual ~Program() = default;
    virtual void start(Process& process) = 0;
    virtual void on_message(Process& process, Envelope& message) = 0;
    virtual void on_timer(Process& process, TimerId timer) = 0;
    /// The connection with the peer is gone: what was sent and not answered has an unknown outcome.
    virtual void on_reset(Process&, ProcessId /*peer*/) {}
};

/// For fibers of one process to wait on. Woken fibers run in the order in which they began to wait.
class Condition {
public:
    Condition() = default;
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    /// Each fiber that waits goes on in a step of its own at this very instant.
    void notify_all();

private:
    friend class Process;
    void add(Strand& strand);
    void remove(Strand& strand);

    Strand* first_ = nullptr;
    Strand* last_ = nullptr;
};

/// A deadline on a process's monotonic clock and its entry in the queue, which may be too early:
/// then it is queued anew when its time has come.
struct ClockTimer {
    LocalTime at = LocalTime::never();
    SimTime queued = SimTime::never();
    /// The entry is early enough for this and all later.
    LocalTime queued_for = LocalTime::never();
    std::uint64_t sequence = 0;
};

/// What a program may do to the world. Valid while the world is; what it asks for ends with its
/// life.
///
/// A process consists of strands: its callbacks are strand 0, its fibers are 1, 2, ... in the order
/// of their spawning. While a strand is stopped (by a pause of the process or of the strand), what
/// it would do waits, and runs in steps of its own when it goes on: timers in the order of their
/// deadlines, messages of one link in the order of their arrival, all interleaved as the seed has
/// it.
class Process {
public:
    Process(World& world, ProcessId id, std::string name, ProcessKind kind);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    ProcessId id() const { return id_; }
    ProcessKind kind() const { return kind_; }
    const std::string& name() const { return name_; }
    std::uint32_t life() const { return life_; }  ///< from 1; zero before the first
    LocalTime now() const;          ///< monotonic, starts at some boot offset drawn from the seed
    WallTime wall() const;          ///< drifts, is stepped; right within 100 ms at first
    SimTime true_now() const;       ///< for drivers that report; programs must not look
    Prng& prng() { return prng_; }  ///< seeded by (seed, process, life)

    void send(ProcessId to, Payload&& payload);
    /// Re-arms; later re-arming costs no heap operation. Timers are numbered densely, below 65'536.
    void set_timer(TimerId timer, LocalTime at);
    void cancel_timer(TimerId timer);
    Disk& disk() { return *disk_; }
    /// Asks the world to emit DeadlinePassed{key} at the true instant at which this process's clock
    /// reads `at`; a later call for the same key moves it; `never()` takes it away. Ends with the
    /// life.
    void watch_deadline(std::uint64_t key, LocalTime at);

    /// The fiber begins in a step of its own at this very instant. Fewer than 65'536 in a life.
    void spawn(const char* name, std::function<void()> body);
    /// The process cannot go on, because its disk failed, say. Nothing of it runs once its callback
    /// ends (or its fiber waits): it is killed in a step of its own at this very instant, and
    /// started anew after World::restart_delay, unless it is up or held down by then.
    void fail();
    // From a fiber of this process only. All of these return at once while an exception unwinds the
    // fiber's stack, and throw FiberKilled at a crash.
    void sleep(Duration on_own_clock);
    void wait(Condition& condition);
    bool wait_until(Condition& condition, LocalTime deadline);  ///< false: the deadline came first
    void yield();  ///< lets everything else that is due now go first
    /// A named place at which a fault may be aimed: tells the world's listener, and stops there if
    /// the strand is stopped by then. In a callback, what stops it takes hold when the callback
    /// ends.
    void point(std::uint32_t point);

private:
    friend class Condition;
    friend class Network;
    friend class World;

    /// Something for a strand to do.
    struct Item {
        enum class What : std::uint8_t { Message, Reset, Io, Timer, Fiber } what;
        std::uint32_t slot;      ///< message, peer, operation, timer or strand
        std::uint32_t link = 0;  ///< whom a message or reset is from
        /// Of timers, and of fibers that wait for the clock.
        LocalTime deadline = LocalTime::never();
    };
    struct WatchedDeadline {
        std::uint64_t key = 0;
        bool used = false;
        ClockTimer timer;
    };
    struct Alarm {
        ClockTimer timer;
        LocalTime waiting = LocalTime::never();  ///< fell due, and lies in the backlog
    };

    // Lives.
    void boot(SimTime at);
    void begin(std::unique_ptr<Program> program);
    std::exception_ptr end();
    bool up() const { return alive_ && !dying_; }

    // Steps, called by the world.
    void alarm_due(const QueueEntry& entry);
    void fiber_timer_due(const QueueEntry& entry);
    void fiber_due(const QueueEntry& entry);
    void deadline_due(const QueueEntry& entry);
    void io_due(const QueueEntry& entry);
    void backlog_due(const QueueEntry& entry);
    void arrived(InFlight& message, std::uint32_t slot);
    void take(std::uint32_t slot);  ///< take_now, out of line
    void take_now(InFlight& message, std::uint32_t slot);
    void was_reset(ProcessId peer);

    // Stalls (process_stall.cpp).
    void pause(ClockMode clock);
    void resume();
    void pause_strand(std::uint32_t strand);
    void resume_strand(std::uint32_t strand);
    bool stopped(std::uint32_t strand) const {
        if (halts_ == 0) return false;
        return failing_ || pauses_ > 0 || (strand < stalls_.size() && stalls_[strand] > 0);
    }
    void do_or_wait(const Item& item);
    void put_off(const Item& item);
    void perform(const Item& item);
    bool valid(const Item& item) const;
    void drop(const Item& item);
    void go_on();
    void interleave();
    std::size_t next_waiting() const;
    static std::uint32_t strand_of(const Item& item) {
        return item.what == Item::What::Fiber ? item.slot : 0;
    }

    // Time.
    /// Numbers of timers, strands and watched deadlines share a queue entry's slot with the
    /// process.
    static constexpr std::uint32_t max_number = 0xffff;
    std::uint32_t slot_of(std::uint32_t number) const { return (id_.value << 16) | number; }
    void queue(ClockTimer& timer, StepKind kind, std::uint32_t number);
    void requeue(ClockTimer& timer, StepKind kind, std::uint32_t number);
    void arm(ClockTimer& timer, LocalTime at, StepKind kind, std::uint32_t number) {
        timer.at = at;
        if (at < timer.queued_for) queue(timer, kind, number);
    }
    std::optional<LocalTime> take_due(ClockTimer& timer, const QueueEntry& entry);
    void clock_changed();
    void add_alarms(TimerId timer);

    // Fibers (process_fibers.cpp).
    Strand& current();
    void block(Strand& strand);
    bool block_on(Condition* condition, LocalTime deadline);
    void wake(Strand& strand);
    void wake_at_tie(Strand& strand, std::uint64_t tie);
    void run(Strand& strand);  ///< enter, out of line
    void enter(Strand& strand);

    World& world_;
    const ProcessId id_;
    const ProcessKind kind_;
    const std::string name_;
    std::uint32_t life_ = 0;
    MonotonicClock clock_;
    WallClock wall_;
    Prng prng_;
    std::unique_ptr<Disk> disk_;
    std::unique_ptr<Program> program_;
    bool alive_ = false;
    bool dying_ = false;        ///< its fibers are being unwound
    bool failing_ = false;      ///< it said so, and will be killed
    bool start_waits_ = false;  ///< the program was not started yet: its strand is stopped

    std::vector<Alarm> alarms_;  ///< by timer
    std::vector<WatchedDeadline> watched_;
    std::vector<std::unique_ptr<Strand>> strands_;  ///< from strand 1 on

    std::uint32_t holds_ = 0;  ///< it may not be started
    std::uint32_t halts_ = 0;  ///< pauses, stalls of strands and a failure together
    std::uint32_t pauses_ = 0;
    bool frozen_ = false;                ///< by a pause
    std::vector<std::uint32_t> stalls_;  ///< by strand
    std::deque<Item> backlog_;
    bool going_on_ = false;  ///< a step that takes from the backlog is queued
    std::uint64_t going_on_sequence_ = 0;
};

}  // namespace lockstep::sim
