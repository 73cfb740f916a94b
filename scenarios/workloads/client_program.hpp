#pragma once

#include "scenarios/workloads/workload.hpp"

#include <memory>
#include <optional>

namespace lockstep::workloads {

/// A client process: a lock client and a resource client, whose callbacks are the process's, and
/// one worker fiber that uses both.
class ClientProgram final : public sim::Program {
public:
    ClientProgram(sim::Process& process, world::Recorder& recorder,
                  std::unique_ptr<world::LockClient> locks, std::unique_ptr<Workload> workload,
                  const scenario::Resolved& settings, const Resources& guarded,
                  const bool& stopping);

    void start(sim::Process& process) override;
    void on_message(sim::Process& process, sim::Envelope& message) override;
    void on_timer(sim::Process& process, sim::TimerId timer) override;
    void on_reset(sim::Process& process, sim::ProcessId peer) override;

private:
    std::unique_ptr<world::LockClient> locks_;
    world::ResourceClient resources_;
    std::unique_ptr<Workload> workload_;
    Worker worker_;
};

}  // namespace lockstep::workloads
