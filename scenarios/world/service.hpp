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

/// Which of its process's clients one is, from 0.
struct ClientSlot {
    std::uint32_t index = 0;
    sim::TimerId first_timer() const { return index * LockClient::timers; }
};

/// A lock service under test: how to start its servers, how to talk to it, and which of its events
/// mean which role. Ours (`raft`) is one of these, and a user's own is another; faults, workloads,
/// properties and stories work with either. GuestService is the base for one's own
/// (docs/bring-your-own.md).
///
/// One is made for each run, and must depend on nothing but its settings: no static state, no real
/// clock, no addresses as order. Code with threads, sockets or files of its own cannot run here, as
/// all IO goes through sim::Process; a history of it can be checked (docs/history-format.md).
class Service : public Observer {
public:
    /// The code of server number `index` (from 0), in a new life. Its disk outlives its lives.
    virtual std::unique_ptr<sim::Program> make_server(sim::Process& process, std::size_t index) = 0;

    /// A client's end, for one life of the process. A process may have several, each with a session
    /// of its own: they are told apart by their slots.
    virtual std::unique_ptr<LockClient> make_client(sim::Process& process, ClientSlot slot) = 0;

    /// Who has the role now: `leader`, `holder` (of any lock, the latest grant first) or
    /// `next-waiter`. From events alone; nothing if nobody has it.
    virtual std::optional<sim::ProcessId> who_is(std::string_view role) const = 0;
};

}  // namespace lockstep::world
