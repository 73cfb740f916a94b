#include "core/resource/endpoint.hpp"

#include <algorithm>

namespace lockstep::resource {
namespace {

bool by_key(const TakenCall& call, std::uint64_t key) {
    return call.key < key;
}

}  // namespace

void Endpoint::step(Input&& input, Effects& effects) {
    if (const auto* request = std::get_if<Request>(&input))
        std::visit([&](const auto& r) { decide(request->from, r, effects); }, request->request);
    else
        withheld_.release(std::get<Persisted>(input).id, effects);
}

void Endpoint::decide(NodeId from, const wire::Write& write, Effects& effects) {
    effects.replies.push_back(Reply{from, wire::WriteReply{write.op, false, 0, FencingToken()}});
}

void Endpoint::decide(NodeId from, const wire::Read& read, Effects& effects) {
    effects.replies.push_back(Reply{from, wire::ReadReply{read.op, false, 0, 0, FencingToken()}});
}

void Endpoint::decide(NodeId from, const wire::Call& call, Effects& effects) {
    if (const TakenCall* taken = find(call.key)) {
        withheld_.say(from,
                      wire::CallReply{call.op, call.key, true, taken->op == call.op, taken->value},
                      events::CallAccepted{call.key, call.op, call.token, false}, effects);
        return;
    }
    if (too_old(call.key)) {
        withheld_.say(from, wire::CallReply{call.op, call.key, false, false, 0}, std::nullopt,
                      effects);
        return;
    }
    const TakenCall taken{call.key, call.op, call.value, call.token};
    remember(taken);
    withheld_.persist(taken, effects);
    withheld_.say(from, wire::CallReply{call.op, call.key, true, true, call.value},
                  events::CallAccepted{call.key, call.op, call.token, true}, effects);
}

const TakenCall* Endpoint::find(std::uint64_t key) const {
    const Calls* calls = series_.find(series_of(key));
    if (calls == nullptr) return nullptr;
    const auto it = std::lower_bound(calls->begin(), calls->end(), key, by_key);
    return it != calls->end() && it->key == key ? &*it : nullptr;
}

bool Endpoint::too_old(std::uint64_t key) const {
    const Calls* calls = series_.find(series_of(key));
    return calls != nullptr && !calls->empty() &&
           std::uint64_t{number_of(key)} + kept <= number_of(calls->back().key);
}

void Endpoint::remember(const TakenCall& call) {
    Calls& calls = series_[series_of(call.key)];
    const auto it = std::lower_bound(calls.begin(), calls.end(), call.key, by_key);
    if (it != calls.end() && it->key == call.key) return;
    calls.insert(it, call);
    const std::uint64_t highest = number_of(calls.back().key);
    std::erase_if(calls, [&](const TakenCall& c) {
        return std::uint64_t{number_of(c.key)} + kept <= highest;
    });
}

}  // namespace lockstep::resource
