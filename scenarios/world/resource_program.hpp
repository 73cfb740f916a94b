#pragma once

#include "core/base/codec.hpp"
#include "core/resource/machine.hpp"
#include "scenarios/world/recorder.hpp"
#include "sim/process.hpp"

#include <cstdint>
#include <optional>

namespace lockstep::world {

/// A protected resource as a process: one of the state machines of core/resource over a disk and a
/// network. A disk that fails, or is full, ends the process: what it would answer then, nobody
/// could rely on.
///
/// The file is written anew when it has grown too long: a moment at which all is durable and said
/// is waited for, the new file written, synced and renamed into place, and nothing is appended to
/// it before the rename is durable. Thus each of the files that a crash can leave tells the same.
class ResourceProgram final : public sim::Program {
public:
    struct Settings {
        resource::Kind kind = resource::Kind::Store;
        resource::Fencing fencing = resource::Fencing::Fenced;
        /// The file is written anew beyond this, or twice what it was after the last time.
        std::uint64_t file_bytes = 64 * 1024;
    };

    ResourceProgram(sim::Process& process, Recorder& recorder, const Settings& settings);

    void start(sim::Process& process) override;
    void on_message(sim::Process& process, sim::Envelope& message) override;
    void on_timer(sim::Process&, sim::TimerId) override {}

private:
    void begin(resource::Recovered&& recovered);
    void pump();
    void sync();
    void synced(std::uint64_t covers);
    bool append(std::string_view file, std::span<const std::byte> bytes);
    bool too_long() const;
    void rewrite();
    void renamed();
    void rewritten();
    void fail(bool full);

    sim::Process& process_;
    Recorder& recorder_;
    const Settings settings_;
    std::optional<resource::Machine> machine_;  ///< none while the file is read, or has failed
    resource::Effects effects_;
    Writer encoded_;
    Writer held_;                 ///< entries behind a rewrite that is not done
    std::uint64_t written_ = 0;   ///< the last Persist that was appended, or is held
    std::uint64_t shortest_ = 0;  ///< the file's size after it was last written anew
    bool syncing_ = false;
    bool rewriting_ = false;
};

}  // namespace lockstep::world
