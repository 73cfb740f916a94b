#pragma once

#include "scenarios/resolve.hpp"
#include "scenarios/world/lock_client.hpp"
#include "scenarios/world/resource_client.hpp"

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
    Prng prng;

    sim::ProcessId resource(LockId lock) const { return guarded.at(lock.value - 1); }
    void at(Point point) { process.point(static_cast<std::uint32_t>(point)); }
    /// Sleeps a span drawn from the range, on the process's own clock.
    void rest(const scenario::DurationRange& range);
    LockId draw_lock();
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

std::unique_ptr<Workload> make(scenario::WorkloadKind kind);

}  // namespace lockstep::workloads
