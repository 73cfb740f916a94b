#pragma once

#include "harness/marks.hpp"
#include "harness/run.hpp"
#include "properties/suite.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/workloads/client_program.hpp"
#include "scenarios/world/recorder.hpp"
#include "scenarios/world/service.hpp"
#include "sim/fault_injector.hpp"
#include "sim/fiber.hpp"
#include "sim/world.hpp"

#include <memory>
#include <vector>

namespace lockstep::harness {

/// One run, put together: the world with its processes, the service under test, the plan of faults,
/// and everybody who listens. Lives on one thread, for one run.
class Simulation {
public:
    Simulation(scenario::Resolved settings, const RunOptions& options);
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    /// Runs to the end of the quiet period, and until the workers have stopped. Throws what the
    /// service or a worker throws; what `report` says then is how far it came.
    void run();
    /// Fills in what is known now.
    void report(Outcome& outcome) const;

private:
    class PropertyFeed;
    class Log;
    class Triggers;

    void add_processes();
    void set_links();
    void add_probe();
    bool probe();
    void start_all();
    void heal();
    void declare_healed();
    Duration longest_settling() const;
    bool advance(sim::SimTime to);
    properties::Setup setup() const;

    const scenario::Resolved settings_;
    const RunOptions options_;
    sim::StackPool stacks_;
    world::Recorder recorder_;
    sim::World world_;
    bool stopping_ = false;
    workloads::Resources guarded_;
    std::unique_ptr<world::Service> service_;
    workloads::ClientPlan clients_;
    workloads::ClientPlan prober_;
    std::unique_ptr<sim::RoleResolver> roles_;
    std::unique_ptr<sim::FaultInjector> injector_;
    std::unique_ptr<PropertyFeed> properties_;
    std::unique_ptr<Log> log_;
    std::unique_ptr<Triggers> triggers_;
    Marks marks_;
    bool healed_ = false;
    bool unsettled_ = false;
    bool out_of_time_ = false;
    bool cut_ = false;      ///< at RunOptions::until
    sim::SimTime settles_;  ///< what troubled links delayed has arrived by then
    sim::RunEnd end_ = sim::RunEnd::ReachedEnd;
};

}  // namespace lockstep::harness
