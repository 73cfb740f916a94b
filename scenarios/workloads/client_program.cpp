#include "scenarios/workloads/client_program.hpp"

#include <utility>

namespace lockstep::workloads {

ClientProgram::ClientProgram(sim::Process& process, world::Recorder& recorder,
                             std::unique_ptr<world::LockClient> locks,
                             std::unique_ptr<Workload> workload, const scenario::Resolved& settings,
                             const Resources& guarded, const bool& stopping)
    : locks_(std::move(locks)),
      resources_(process, recorder),
      workload_(std::move(workload)),
      worker_{
          process, *locks_, resources_, settings, guarded, stopping, Prng(process.prng().next())} {}

void ClientProgram::start(sim::Process& process) {
    process.spawn("worker", [this] { workload_->run(worker_); });
}

void ClientProgram::on_message(sim::Process&, sim::Envelope& message) {
    if (!resources_.on_message(message)) locks_->on_message(message);
}

void ClientProgram::on_timer(sim::Process&, sim::TimerId timer) {
    locks_->on_timer(timer);
}

void ClientProgram::on_reset(sim::Process&, sim::ProcessId peer) {
    resources_.on_reset(peer);
    locks_->on_reset(peer);
}

}  // namespace lockstep::workloads
