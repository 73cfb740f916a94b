#include "scenarios/workloads/client_program.hpp"

#include "scenarios/world/payloads.hpp"

#include <fmt/format.h>

namespace lockstep::workloads {

ClientProgram::Post::Post(std::uint32_t slot, sim::Process& process, world::Recorder& recorder,
                          world::Operations& operations, const ClientPlan& plan,
                          const scenario::Resolved& settings, const Resources& guarded,
                          const bool& stopping)
    : name(slot == 0 ? "worker" : fmt::format("worker-{}", slot + 1)),
      locks(plan.locks(process, world::ClientSlot{slot})),
      resources(process, recorder, operations),
      workload(plan.workloads()),
      worker{process, *locks,   resources, settings,
             guarded, stopping, slot,      Prng(process.prng().next())} {}

ClientProgram::ClientProgram(sim::Process& process, world::Recorder& recorder,
                             const ClientPlan& plan, const scenario::Resolved& settings,
                             const Resources& guarded, const bool& stopping) {
    posts_.reserve(plan.sessions);
    for (std::uint32_t slot = 0; slot < plan.sessions; ++slot)
        posts_.push_back(std::make_unique<Post>(slot, process, recorder, operations_, plan,
                                                settings, guarded, stopping));
}

void ClientProgram::start(sim::Process& process) {
    for (const auto& post : posts_)
        process.spawn(post->name.c_str(),
                      [post = post.get()] { post->workload->run(post->worker); });
}

void ClientProgram::on_message(sim::Process&, sim::Envelope& message) {
    if (message.payload.holds<wire::ResourceReply>()) {
        for (const auto& post : posts_)
            if (post->resources.on_message(message)) return;
        return;  // late, for a request that was given up
    }
    for (const auto& post : posts_)
        if (post->locks->on_message(message)) return;
}

void ClientProgram::on_timer(sim::Process&, sim::TimerId timer) {
    const auto slot = timer / world::LockClient::timers;
    if (slot < posts_.size()) posts_[slot]->locks->on_timer(timer);
}

void ClientProgram::on_reset(sim::Process&, sim::ProcessId peer) {
    for (const auto& post : posts_) {
        post->resources.on_reset(peer);
        post->locks->on_reset(peer);
    }
}

}  // namespace lockstep::workloads
