#pragma once

#include "scenarios/resolve.hpp"
#include "scenarios/world/lock_client.hpp"
#include "scenarios/world/resource_client.hpp"
#include "scenarios/world/service.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::workloads {

/// The places of a worker's program at which a fault can be aimed: the positions of
/// scenario::point_names.
enum class Point : std::uint32_t {
    BeforeAcquire,
    AfterGrant,
    BeforeRead,
    BeforeWrite,
    AfterWrite,
    BeforeRelease,
};
static_assert(static_cast<std::size_t>(Point::BeforeRelease) + 1 == scenario::point_names.size());

/// Which resource each lock guards; lock 1 guards the first.
using Resources = std::vector<sim::ProcessId>;

/// What a worker works with. Lives as long as its process's life.
struct Worker {
    sim::Process& process;
    world::LockClient& locks;
    world::ResourceClient& resources;
    const scenario::Resolved& settings;
    const Resources& guarded;
    const bool& stopping;  ///< set when the run asks workers to finish
    std::uint32_t slot;    ///< which of its process's workers it is, from 0
    Prng prng;

    sim::ProcessId resource(LockId lock) const { return guarded.at(lock.value - 1); }
    void at(Point point) { process.point(static_cast<std::uint32_t>(point)); }
    /// Sleeps a span drawn from the range, on the process's own clock.
    void rest(const scenario::DurationRange& range);
    LockId draw_lock();
    /// Blocks until there is a session.
    void have_session();
    /// Thinks, and sees to it that there is a session. False: it is time to stop.
    bool next_turn();
    /// Sleeps until the next multiple of the workload's period, by the process's own wall clock,
    /// and returns its number. A wall clock that jumps takes the numbers with it.
    std::uint64_t next_tick();
    /// Asks for the lock, at the points around it. A grant that comes when the worker is to stop is
    /// given up at once, and counts as none.
    world::Acquired acquire(LockId lock, Duration wait_max);
    /// The same, whether the worker is to stop or not.
    world::Acquired ask(LockId lock, Duration wait_max);
    void release(LockId lock);
    /// Reads under the lock.
    world::ReadResult read(LockId lock, FencingToken token);
    /// Writes one more than was read, as the grant's n-th write; `read` is then what was written.
    /// False unless that was accepted: what became of a write of unknown outcome nobody knows, so
    /// that nothing can be written upon it. Asking whether it may act comes before, and the two are
    /// two steps, which no client can make one: what lies between them is what fencing is for.
    bool write(LockId lock, FencingToken token, std::uint64_t n, world::ReadResult& read);
};

/// What one worker does with locks and resources: straight code that runs in a fiber of its process
/// and returns once it is told to stop and has given up what it held.
class Workload {
public:
    virtual ~Workload() = default;
    virtual void run(Worker& worker) = 0;
};

/// Read, think, write back, under the lock: a counter that must not lose an update.
std::unique_ptr<Workload> make_counter();
/// One holder for long, with periodic work while it may act; the others wait for their turn.
std::unique_ptr<Workload> make_election();
/// As the counter, but each turn writes several times, each on the write before.
std::unique_ptr<Workload> make_append();
/// A fleet of which, at each tick, somebody runs the job. The tick is the key.
std::unique_ptr<Workload> make_cron();
/// Each turn is a payment, called for under its key until its outcome is known.
std::unique_ptr<Workload> make_payments();
/// Each turn takes a lock of all, or two in order, and counts up what they guard.
std::unique_ptr<Workload> make_many_locks();
/// All ask for one lock at once, hold it for a little, and ask again at the next tick.
std::unique_ptr<Workload> make_herd();
/// As the counter, but now and then a worker is stopped in the middle, gives the lock up at once,
/// and finishes its work afterwards: the mistake that fencing is there to catch.
std::unique_ptr<Workload> make_drain();

/// What the fresh client at the end of a run does: takes every lock in turn and gives it up.
std::unique_ptr<Workload> make_probe();

std::unique_ptr<Workload> make(scenario::WorkloadKind kind);

}  // namespace lockstep::workloads
