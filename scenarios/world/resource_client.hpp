#pragma once

#include "core/events/event.hpp"
#include "core/wire/messages.hpp"
#include "scenarios/world/recorder.hpp"
#include "sim/process.hpp"

#include <cstdint>

namespace lockstep::world {

struct ReadResult {
    events::WriteOutcome outcome;  ///< Accepted, Rejected (fenced off), Unknown (no answer in time)
    std::uint64_t value = 0;
    std::uint64_t version = 0;
};

struct WriteResult {
    events::WriteOutcome outcome;
    std::uint64_t version = 0;  ///< after the write, if accepted
};

struct CallResult {
    /// Accepted: one call of that key took effect, perhaps an earlier one. Rejected: the endpoint
    /// does not know the key any more, so that what became of earlier calls is unknown for good.
    events::WriteOutcome outcome;
    bool first = false;       ///< this very call took effect
    std::uint64_t value = 0;  ///< of the call that took effect, if accepted
};

/// Numbers the operations of one life of a process, whichever of its workers begins them: an
/// operation's id has the process in its high half and the life (8 bits) above a counter (24) in
/// its low half. It is never used twice, and says whose it is.
class Operations {
public:
    std::uint64_t next(const sim::Process& process);

private:
    std::uint64_t last_ = 0;
};

/// Reads, writes and calls a protected resource, blocking, from a fiber. A request without an
/// answer is sent again as it was, so that the resource sees a repeat; after `patience` its outcome
/// is unknown. One request at a time: each worker of a process has a client of its own, and all of
/// them number their operations together.
class ResourceClient {
public:
    ResourceClient(sim::Process& process, Recorder& recorder, Operations& operations);
    ResourceClient(const ResourceClient&) = delete;
    ResourceClient& operator=(const ResourceClient&) = delete;

    ReadResult read(sim::ProcessId resource, LockId lock, FencingToken token, Duration patience);
    /// `n` grows within the grant. Reports WriteSent for each sending, and WriteTold.
    WriteResult write(sim::ProcessId resource, LockId lock, FencingToken token, std::uint64_t n,
                      std::uint64_t read_version, std::uint64_t value, Duration patience);

    /// Calls an endpoint once; who repeats the call after an unknown outcome gives the same key.
    /// Reports CallSent for each sending, and CallTold.
    CallResult call(sim::ProcessId resource, LockId lock, FencingToken token, std::uint64_t key,
                    std::uint64_t value, Duration patience);

    /// True if the message is the answer that this client waits for. Whatever else comes from a
    /// resource is another client's, or late: nobody waits for it any more.
    bool on_message(sim::Envelope& message);
    void on_reset(sim::ProcessId peer);

private:
    static constexpr Duration resend_after = milliseconds(500);

    std::uint64_t begin(sim::ProcessId resource);
    /// Waits for the answer to `op_`, calling `send` at once and whenever it is time again.
    template <class Send>
    bool exchange(Duration patience, Send&& send);

    sim::Process& process_;
    Recorder& recorder_;
    Operations& operations_;
    sim::Condition answered_;
    std::uint64_t op_ = 0;  ///< of the request that waits; zero if none does
    sim::ProcessId resource_;
    bool has_answer_ = false;
    bool resend_ = false;
    wire::ResourceReply answer_;
};

}  // namespace lockstep::world
