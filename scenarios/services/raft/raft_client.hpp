#pragma once

#include "core/client/client.hpp"
#include "scenarios/world/lock_client.hpp"
#include "scenarios/world/recorder.hpp"
#include "scenarios/world/service.hpp"

#include <optional>
#include <vector>

namespace lockstep::services {

/// Drives core/client in a simulated process and gives it a blocking face. The session keeper runs
/// in the process's callbacks; a worker's calls run in its fiber.
class RaftClient final : public world::LockClient {
public:
    RaftClient(sim::Process& process, world::Recorder& recorder, world::ClientSlot slot,
               client::Config config);

    void open() override;
    bool has_session() const override;
    world::Acquired acquire(LockId lock, Duration wait_max) override;
    bool may_act(LockId lock) override;
    void release(LockId lock, Duration patience) override;
    void close() override;

    bool on_message(sim::Envelope& message) override;
    void on_timer(sim::TimerId timer) override;
    void on_reset(sim::ProcessId peer) override;

private:
    void step(client::Input&& input);
    void pump();
    void watch(const events::Event& event);
    void forget_hold(std::uint64_t key);
    void on(const client::SessionReady& notice);
    void on(const client::AcquireDone& notice);
    void on(const client::ReleaseDone& notice);
    void on(const client::Lost& notice);
    void on(const client::SessionLost& notice);

    sim::Process& process_;
    world::Recorder& recorder_;
    const world::ClientSlot slot_;
    client::Client client_;
    client::Effects effects_;
    sim::Condition changed_;
    bool session_ = false;
    FlatMap<LockId, FencingToken> held_;
    std::vector<std::uint64_t> holds_;  ///< keys of the grants whose deadlines the world watches
    FlatMap<RequestSeq, std::optional<world::Acquired>> acquires_;  ///< that a fiber waits for
    FlatMap<RequestSeq, bool> releases_;  ///< likewise; true when answered
};

}  // namespace lockstep::services
