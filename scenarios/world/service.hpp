#pragma once

#include "core/events/event.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/world/lock_client.hpp"
#include "scenarios/world/recorder.hpp"
#include "sim/world.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::world {

/// A lock service under test: how to start its servers, how to talk to it, and which of its events
/// mean which role. Ours (`raft`) is one of these, and a user's own is another; faults, workloads,
/// properties and stories work with either.
///
/// Code with its own threads, sockets or clock cannot run here: all IO goes through sim::Process.
class Service : public Observer {
public:
    /// The code of server number `index` (from 0), in a new life. Its disk outlives its lives.
    virtual std::unique_ptr<sim::Program> make_server(sim::Process& process, std::size_t index) = 0;

    /// A client's end, for one life of the process.
    virtual std::unique_ptr<LockClient> make_client(sim::Process& process) = 0;

    /// Who has the role now: `leader`, `holder` (of any lock, the latest grant first) or
    /// `next-waiter`. From events alone; nothing if nobody has it.
    virtual std::optional<sim::ProcessId> who_is(std::string_view role) const = 0;
};

}  // namespace lockstep::world
