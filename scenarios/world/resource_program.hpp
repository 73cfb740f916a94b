#pragma once

#include "core/base/codec.hpp"
#include "core/resource/record_codec.hpp"
#include "core/resource/store.hpp"
#include "scenarios/world/recorder.hpp"
#include "sim/process.hpp"

#include <cstdint>
#include <optional>

namespace lockstep::world {

/// A protected resource as a process: the store's state machine over a disk and a network.
class ResourceProgram final : public sim::Program {
public:
    ResourceProgram(sim::Process& process, Recorder& recorder, resource::Fencing mode);

    void start(sim::Process& process) override;
    void on_message(sim::Process& process, sim::Envelope& message) override;
    void on_timer(sim::Process&, sim::TimerId) override {}

private:
    void begin(const resource::RecoveredRecord& recovered);
    void pump();
    void sync();

    sim::Process& process_;
    Recorder& recorder_;
    const resource::Fencing mode_;
    std::optional<resource::Store> store_;  ///< none while the file is read
    resource::Effects effects_;
    Writer encoded_;
    std::uint64_t written_ = 0;  ///< the last record appended to the file
    bool syncing_ = false;
};

}  // namespace lockstep::world
