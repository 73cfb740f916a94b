#include "scenarios/world/resource_client.hpp"

#include "core/base/assert.hpp"
#include "scenarios/world/payloads.hpp"

#include <algorithm>

namespace lockstep::world {

using events::WriteOutcome;

std::uint64_t Operations::next(const sim::Process& process) {
    constexpr unsigned life_shift = 24;
    LOCKSTEP_ASSERT(process.life() < (1U << (32 - life_shift)), "life {}", process.life());
    LOCKSTEP_ASSERT(last_ + 1 < (1ULL << life_shift), "operations {}", last_);
    return (std::uint64_t{process.id().value} << 32) |
           (std::uint64_t{process.life()} << life_shift) | ++last_;
}

ResourceClient::ResourceClient(sim::Process& process, Recorder& recorder, Operations& operations)
    : process_(process), recorder_(recorder), operations_(operations) {}

std::uint64_t ResourceClient::begin(sim::ProcessId resource) {
    resource_ = resource;
    op_ = operations_.next(process_);
    return op_;
}

template <class Send>
bool ResourceClient::exchange(Duration patience, Send&& send) {
    has_answer_ = false;
    const LocalTime give_up = process_.now() + patience;
    while (!has_answer_ && process_.now() < give_up) {
        send();
        resend_ = false;
        LocalTime again = std::min(give_up, process_.now() + resend_after);
        while (!has_answer_ && process_.wait_until(answered_, again)) {
            // Not at once: a resource that is down resets whatever is sent to it.
            if (resend_) again = std::min(again, process_.now() + resend_after / 10);
            resend_ = false;
        }
    }
    op_ = 0;
    return has_answer_;
}

ReadResult ResourceClient::read(sim::ProcessId resource, LockId lock, FencingToken token,
                                Duration patience) {
    const wire::Read request{lock, token, begin(resource)};
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
    const std::uint64_t op = begin(resource);
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

CallResult ResourceClient::call(sim::ProcessId resource, LockId lock, FencingToken token,
                                std::uint64_t key, std::uint64_t value, Duration patience) {
    const std::uint64_t op = begin(resource);
    const wire::Call request{lock, token, key, op, value};
    const bool told = exchange(patience, [&] {
        recorder_.emit(process_.id(), events::CallSent{resource, key, op, token});
        process_.send(resource, sim::Payload::make(wire::ResourceRequest(request)));
    });
    const auto* reply = told ? std::get_if<wire::CallReply>(&answer_) : nullptr;
    CallResult result{WriteOutcome::Unknown};
    if (reply != nullptr)
        result = {reply->accepted ? WriteOutcome::Accepted : WriteOutcome::Rejected, reply->first,
                  reply->value};
    recorder_.emit(process_.id(), events::CallTold{resource, key, op, result.outcome});
    return result;
}

bool ResourceClient::on_message(sim::Envelope& message) {
    if (!message.payload.holds<wire::ResourceReply>()) return false;
    const auto& reply = message.payload.get<wire::ResourceReply>();
    const std::uint64_t op = std::visit([](const auto& r) { return r.op; }, reply);
    if (op != op_ || op_ == 0) return false;
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
