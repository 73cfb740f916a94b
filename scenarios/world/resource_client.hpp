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

/// Reads and writes a protected resource, blocking, from a fiber. A request without an answer is
/// sent again as it was, so that the resource sees a repeat; after `patience` its outcome is
/// unknown. One request at a time.
class ResourceClient {
public:
    ResourceClient(sim::Process& process, Recorder& recorder);
    ResourceClient(const ResourceClient&) = delete;
    ResourceClient& operator=(const ResourceClient&) = delete;

    ReadResult read(sim::ProcessId resource, LockId lock, FencingToken token, Duration patience);
    /// `n` grows within the grant. Reports WriteSent for each sending, and WriteTold.
    WriteResult write(sim::ProcessId resource, LockId lock, FencingToken token, std::uint64_t n,
                      std::uint64_t read_version, std::uint64_t value, Duration patience);

    /// Takes the message if it is an answer of a resource.
    bool on_message(sim::Envelope& message);
    void on_reset(sim::ProcessId peer);

private:
    static constexpr Duration resend_after = milliseconds(500);

    std::uint64_t next_op();
    /// Waits for the answer to `op_`, calling `send` at once and whenever it is time again.
    template <class Send>
    bool exchange(Duration patience, Send&& send);

    sim::Process& process_;
    Recorder& recorder_;
    sim::Condition answered_;
    std::uint64_t ops_ = 0;
    std::uint64_t op_ = 0;  ///< of the request that waits; zero if none does
    sim::ProcessId resource_;
    bool has_answer_ = false;
    bool resend_ = false;
    wire::ResourceReply answer_;
};

}  // namespace lockstep::world
