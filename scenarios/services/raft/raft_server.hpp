#pragma once

#include "core/base/codec.hpp"
#include "core/server/server.hpp"
#include "scenarios/services/raft/raft_service.hpp"
#include "sim/disk.hpp"

#include <deque>
#include <optional>

namespace lockstep::services {

/// Drives one lock server: its steps against disk, network and timers of a simulated process.
class RaftServer final : public sim::Program {
public:
    RaftServer(sim::Process& process, world::Recorder& recorder, FirstApplier& applier,
               server::Config config);

    void start(sim::Process& process) override;
    void on_message(sim::Process& process, sim::Envelope& message) override;
    void on_timer(sim::Process& process, sim::TimerId timer) override;
    void on_reset(sim::Process& process, sim::ProcessId peer) override;

private:
    void begin(raft::Stored stored);
    void step(server::Input&& input);
    void pump();
    void report();
    void write();
    void write_rewrite();
    void sync();
    void on_rewritten();
    void durable(PersistId id);
    void storage_failed(bool full);

    sim::Process& process_;
    world::Recorder& recorder_;
    FirstApplier& applier_;
    server::Config config_;
    std::optional<server::Server> server_;  ///< none while the disk is read, or if it was refused
    server::Effects effects_;

    // The disk loop: requests are written in order, one sync at a time makes all written ones
    // durable; a rewrite of the file waits for nothing and holds back what comes after it.
    struct Job {
        PersistId id;
        bool rewrite;
        std::vector<std::byte> bytes;
    };
    std::deque<Job> held_;  ///< behind a rewrite that is not done
    Writer encoded_;
    PersistId written_;
    PersistId durable_;
    bool syncing_ = false;
    bool rewriting_ = false;
    bool failed_ = false;  ///< the disk did; this life is over
};

}  // namespace lockstep::services
