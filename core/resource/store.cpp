#include "core/resource/store.hpp"

#include "core/base/assert.hpp"

#include <utility>

namespace lockstep::resource {

void Store::step(Input&& input, Effects& effects) {
    if (const auto* request = std::get_if<Request>(&input))
        std::visit([&](const auto& r) { decide(request->from, r, effects); }, request->request);
    else
        release(std::get<Persisted>(input).id, effects);
}

void Store::decide(NodeId from, const wire::Write& write, Effects& effects) {
    if (repeats(write)) {
        say(from, wire::WriteReply{write.op, true, record_.version, record_.token},
            events::WriteRepeated{write.token, write.n, write.op}, effects);
        return;
    }
    if (!admits(write)) {
        say(from, wire::WriteReply{write.op, false, record_.version, record_.token},
            events::WriteRejected{write.token, write.n, write.op, record_.token, record_.n},
            effects);
        return;
    }
    const std::uint64_t prior = record_.version;
    record_ = Record{write.value, prior + 1, write.token, write.n, write.op, write.read_version};
    persist(effects);
    say(from, wire::WriteReply{write.op, true, record_.version, record_.token},
        events::WriteAccepted{write.token, write.n, write.op, write.read_version, prior,
                              record_.version},
        effects);
}

void Store::decide(NodeId from, const wire::Read& read, Effects& effects) {
    const FencingToken held = record_.token;
    if (mode_ == Fencing::Fenced && read.token < held) {
        say(from, wire::ReadReply{read.op, false, 0, 0, held},
            events::ReadRejected{read.token, held}, effects);
        return;
    }
    if (mode_ == Fencing::Fenced && read.token > held) {
        record_.token = read.token;
        record_.n = 0;
        persist(effects);
    }
    say(from, wire::ReadReply{read.op, true, record_.value, record_.version, record_.token},
        events::ReadAccepted{read.token, held, record_.version}, effects);
}

/// The last accepted write again: a copy, or a retry whose answer was lost.
bool Store::repeats(const wire::Write& write) const {
    return write.n != 0 && write.token == record_.token && write.n == record_.n &&
           write.op == record_.op;
}

bool Store::admits(const wire::Write& write) const {
    if (mode_ == Fencing::None) return true;
    if (write.token != record_.token) return write.token > record_.token;
    return write.n > record_.n;
}

void Store::persist(Effects& effects) {
    effects.persist.push_back(Persist{++persisted_, record_});
}

/// What is answered rests on the record as it now is, a refusal's held token included.
void Store::say(NodeId to, wire::ResourceReply reply, const events::Event& event,
                Effects& effects) {
    if (persisted_ == durable_) {
        LOCKSTEP_ASSERT(withheld_.empty(), "withheld={} durable={}", withheld_.size(), durable_);
        effects.events.push_back(event);
        effects.replies.push_back(Reply{to, std::move(reply)});
        return;
    }
    withheld_.push_back(Withheld{persisted_, Reply{to, std::move(reply)}, event});
}

void Store::release(std::uint64_t durable, Effects& effects) {
    LOCKSTEP_ASSERT(durable >= durable_ && durable <= persisted_, "durable={} was={} asked={}",
                    durable, durable_, persisted_);
    durable_ = durable;
    for (; !withheld_.empty() && withheld_.front().needs <= durable_; withheld_.pop_front()) {
        effects.events.push_back(withheld_.front().event);
        effects.replies.push_back(std::move(withheld_.front().reply));
    }
}

}  // namespace lockstep::resource
