#include "core/resource/store.hpp"

namespace lockstep::resource {

void Store::step(Input&& input, Effects& effects) {
    if (const auto* request = std::get_if<Request>(&input))
        std::visit([&](const auto& r) { decide(request->from, r, effects); }, request->request);
    else
        withheld_.release(std::get<Persisted>(input).id, effects);
}

void Store::decide(NodeId from, const wire::Write& write, Effects& effects) {
    if (repeats(write)) {
        withheld_.say(from, wire::WriteReply{write.op, true, record_.version, record_.token},
                      events::WriteRepeated{write.token, write.n, write.op}, effects);
        return;
    }
    if (!admits(write)) {
        withheld_.say(
            from, wire::WriteReply{write.op, false, record_.version, record_.token},
            events::WriteRejected{write.token, write.n, write.op, record_.token, record_.n},
            effects);
        return;
    }
    const std::uint64_t prior = record_.version;
    record_ = Record{write.value, prior + 1, write.token, write.n, write.op, write.read_version};
    withheld_.persist(record_, effects);
    withheld_.say(from, wire::WriteReply{write.op, true, record_.version, record_.token},
                  events::WriteAccepted{write.token, write.n, write.op, write.read_version, prior,
                                        record_.version},
                  effects);
}

void Store::decide(NodeId from, const wire::Read& read, Effects& effects) {
    const FencingToken held = record_.token;
    if (mode_ == Fencing::Fenced && read.token < held) {
        withheld_.say(from, wire::ReadReply{read.op, false, 0, 0, held},
                      events::ReadRejected{read.token, held}, effects);
        return;
    }
    if (mode_ == Fencing::Fenced && read.token > held) {
        record_.token = read.token;
        record_.n = 0;
        withheld_.persist(record_, effects);
    }
    withheld_.say(from,
                  wire::ReadReply{read.op, true, record_.value, record_.version, record_.token},
                  events::ReadAccepted{read.token, held, record_.version}, effects);
}

void Store::decide(NodeId from, const wire::Call& call, Effects& effects) {
    effects.replies.push_back(Reply{from, wire::CallReply{call.op, call.key, false, false, 0}});
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

}  // namespace lockstep::resource
