#pragma once

#include "core/base/codec.hpp"
#include "core/resource/store.hpp"
#include "scenarios/world/recorder.hpp"
#include "sim/process.hpp"

#include <deque>

namespace lockstep::world {

/// A protected resource as a process: the store's state machine over a disk and a network.
class ResourceProgram final : public sim::Program {
public:
    ResourceProgram(sim::Process& process, Recorder& recorder, resource::Fencing mode);

    void start(sim::Process& process) override;
    void on_message(sim::Process& process, sim::Envelope& message) override;
    void on_timer(sim::Process&, sim::TimerId) override {}

private:
    void pump();
    void sync();

    sim::Process& process_;
    Recorder& recorder_;
    resource::Store store_;
    resource::Effects effects_;
    Writer encoded_;
    std::uint64_t written_ = 0;  ///< the last record appended to the file
    bool syncing_ = false;
};

}  // namespace lockstep::world
