#pragma once

#include "scenarios/workloads/workload.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::workloads {

/// Makes a lock client for the slot, for one life of the process.
using LockClients =
    std::function<std::unique_ptr<world::LockClient>(sim::Process&, world::ClientSlot)>;
using Workloads = std::function<std::unique_ptr<Workload>()>;

/// What the clients of a run are made of. Outlives them.
struct ClientPlan {
    LockClients locks;
    Workloads workloads;
    std::uint32_t sessions = 1;  ///< workers of the process, each with a lock client of its own
};

/// A client process: some workers, each a fiber with a lock client and a resource client of its
/// own, whose callbacks are the process's. The fibers are strands 1, 2, ... in the order of the
/// workers.
class ClientProgram final : public sim::Program {
public:
    ClientProgram(sim::Process& process, world::Recorder& recorder, const ClientPlan& plan,
                  const scenario::Resolved& settings, const Resources& guarded,
                  const bool& stopping);

    void start(sim::Process& process) override;
    void on_message(sim::Process& process, sim::Envelope& message) override;
    void on_timer(sim::Process& process, sim::TimerId timer) override;
    void on_reset(sim::Process& process, sim::ProcessId peer) override;

private:
    struct Post {
        Post(std::uint32_t slot, sim::Process& process, world::Recorder& recorder,
             world::Operations& operations, const ClientPlan& plan,
             const scenario::Resolved& settings, const Resources& guarded, const bool& stopping);

        const std::string name;
        std::unique_ptr<world::LockClient> locks;
        world::ResourceClient resources;
        std::unique_ptr<Workload> workload;
        Worker worker;
    };

    world::Operations operations_;
    std::vector<std::unique_ptr<Post>> posts_;  ///< by slot
};

}  // namespace lockstep::workloads
