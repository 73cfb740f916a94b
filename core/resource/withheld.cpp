#include "core/resource/withheld.hpp"

#include "core/base/assert.hpp"

#include <utility>

namespace lockstep::resource {

void Withheld::persist(const Entry& entry, Effects& effects) {
    effects.persist.push_back(Persist{++persisted_, entry});
}

void Withheld::say(NodeId to, wire::ResourceReply reply, const std::optional<events::Event>& event,
                   Effects& effects) {
    if (persisted_ == durable_) {
        LOCKSTEP_ASSERT(answers_.empty(), "withheld={} durable={}", answers_.size(), durable_);
        if (event) effects.events.push_back(*event);
        effects.replies.push_back(Reply{to, std::move(reply)});
        return;
    }
    answers_.push_back(Answer{persisted_, Reply{to, std::move(reply)}, event});
}

void Withheld::release(std::uint64_t durable, Effects& effects) {
    LOCKSTEP_ASSERT(durable >= durable_ && durable <= persisted_, "durable={} was={} asked={}",
                    durable, durable_, persisted_);
    durable_ = durable;
    for (; !answers_.empty() && answers_.front().needs <= durable_; answers_.pop_front()) {
        if (answers_.front().event) effects.events.push_back(*answers_.front().event);
        effects.replies.push_back(std::move(answers_.front().reply));
    }
}

}  // namespace lockstep::resource
