#include "core/resource/row.hpp"

namespace lockstep::resource {

void Row::step(Input&& input, Effects& effects) {
    if (const auto* request = std::get_if<Request>(&input))
        std::visit([&](const auto& r) { decide(request->from, r, effects); }, request->request);
    else
        withheld_.release(std::get<Persisted>(input).id, effects);
}

// A row holds no token, and says so: zero.
void Row::decide(NodeId from, const wire::Write& write, Effects& effects) {
    if (record_.version > 0 && write.op == record_.op) {
        withheld_.say(from, wire::WriteReply{write.op, true, record_.version, FencingToken()},
                      events::WriteRepeated{write.token, write.n, write.op}, effects);
        return;
    }
    if (write.read_version != record_.version) {
        withheld_.say(from, wire::WriteReply{write.op, false, record_.version, FencingToken()},
                      events::WriteRejected{write.token, write.n, write.op, FencingToken(), 0},
                      effects);
        return;
    }
    const std::uint64_t prior = record_.version;
    record_ = Record{write.value, prior + 1, write.token, write.n, write.op, write.read_version};
    withheld_.persist(record_, effects);
    withheld_.say(from, wire::WriteReply{write.op, true, record_.version, FencingToken()},
                  events::WriteAccepted{write.token, write.n, write.op, write.read_version, prior,
                                        record_.version},
                  effects);
}

void Row::decide(NodeId from, const wire::Read& read, Effects& effects) {
    withheld_.say(from,
                  wire::ReadReply{read.op, true, record_.value, record_.version, FencingToken()},
                  events::ReadAccepted{read.token, FencingToken(), record_.version}, effects);
}

void Row::decide(NodeId from, const wire::Call& call, Effects& effects) {
    effects.replies.push_back(Reply{from, wire::CallReply{call.op, call.key, false, false, 0}});
}

}  // namespace lockstep::resource
