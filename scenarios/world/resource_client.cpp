#include "scenarios/world/resource_client.hpp"

#include "core/base/assert.hpp"
#include "scenarios/world/payloads.hpp"

#include <algorithm>

namespace lockstep::world {

using events::WriteOutcome;

ResourceClient::ResourceClient(sim::Process& process, Recorder& recorder)
    : process_(process), recorder_(recorder) {}

// The client's node in the high half and its life above the counter in the low half: an operation's
// id is never used twice, and says whose it is.
std::uint64_t ResourceClient::next_op() {
    constexpr unsigned life_shift = 24;
    LOCKSTEP_ASSERT(process_.life() < (1U << (32 - life_shift)), "life {}", process_.life());
    LOCKSTEP_ASSERT(ops_ + 1 < (1ULL << life_shift), "operations {}", ops_);
    return (std::uint64_t{process_.id().value} << 32) |
           (std::uint64_t{process_.life()} << life_shift) | ++ops_;
}

template <class Send>
bool ResourceClient::exchange(Duration patience, Send&& send) {
    has_answer_ = false;
    const LocalTime give_up = process_.now() + patience;
    while (!has_answer_ && process_.now() < give_up) {
        send();
        resend_ = false;
        const LocalTime again = std::min(give_up, process_.now() + resend_after);
        while (!has_answer_ && !resend_)
            if (!process_.wait_until(answered_, again)) break;
    }
    op_ = 0;
    return has_answer_;
}

ReadResult ResourceClient::read(sim::ProcessId resource, LockId lock, FencingToken token,
                                Duration patience) {
    op_ = next_op();
    resource_ = resource;
    const wire::Read request{lock, token, op_};
    const bool told = exchange(patience, [&] {
        process_.send(resource, sim::Payload::make(wire::ResourceRequest(request)));
    });
    const auto* reply = told ? std::get_if<wire::ReadReply>(&answer_) : nullptr;
    if (reply == nullptr) return {WriteOutcome::Unknown};
    if (!reply->accepted) return {WriteOutcome::Rejected};
    return {WriteOutcome::Accepted, reply->value, reply->version};
}

WriteResult ResourceClient::write(sim::ProcessId resource, LockId lock, FencingToken token,
                                  std::uint64_t n, std::uint64_t read_version, std::uint64_t value,
                                  Duration patience) {
    const std::uint64_t op = op_ = next_op();
    resource_ = resource;
    const wire::Write request{lock, token, n, op, read_version, value};
    const bool told = exchange(patience, [&] {
        recorder_.emit(process_.id(), events::WriteSent{resource, token, n, op, read_version});
        process_.send(resource, sim::Payload::make(wire::ResourceRequest(request)));
    });
    const auto* reply = told ? std::get_if<wire::WriteReply>(&answer_) : nullptr;
    WriteResult result{WriteOutcome::Unknown};
    if (reply != nullptr)
        result = {reply->accepted ? WriteOutcome::Accepted : WriteOutcome::Rejected,
                  reply->version};
    recorder_.emit(process_.id(), events::WriteTold{resource, op, result.version, result.outcome});
    return result;
}

bool ResourceClient::on_message(sim::Envelope& message) {
    if (!message.payload.holds<wire::ResourceReply>()) return false;
    const auto& reply = message.payload.get<wire::ResourceReply>();
    const std::uint64_t op = std::visit([](const auto& r) { return r.op; }, reply);
    if (op != op_ || op_ == 0) return true;  // late, for a request that was given up
    answer_ = reply;
    has_answer_ = true;
    answered_.notify_all();
    return true;
}

void ResourceClient::on_reset(sim::ProcessId peer) {
    if (op_ == 0 || peer != resource_) return;
    resend_ = true;
    answered_.notify_all();
}

}  // namespace lockstep::world
