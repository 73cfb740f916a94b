#pragma once

#include "core/resource/types.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace lockstep::resource {

/// What a resource has decided and may not say yet: every answer waits until all that was to be
/// made durable before it is.
class Withheld {
public:
    void persist(const Entry& entry, Effects& effects);
    /// Says it at once if everything is durable. What is answered rests on the state as it now is,
    /// a refusal included. `event` may be absent: then nothing is reported with the reply.
    void say(NodeId to, wire::ResourceReply reply, const std::optional<events::Event>& event,
             Effects& effects);
    /// Asserts that the disk answers for what it was asked, in order.
    void release(std::uint64_t durable, Effects& effects);

private:
    struct Answer {
        std::uint64_t needs;
        Reply reply;
        std::optional<events::Event> event;
    };

    std::uint64_t persisted_ = 0;  ///< the last Persist that was asked for
    std::uint64_t durable_ = 0;
    std::deque<Answer> answers_;  ///< in the order of their decisions
};

}  // namespace lockstep::resource
