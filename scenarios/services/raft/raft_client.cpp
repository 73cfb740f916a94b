#include "scenarios/services/raft/raft_client.hpp"

#include "core/base/assert.hpp"
#include "scenarios/world/payloads.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::services {

RaftClient::RaftClient(sim::Process& process, world::Recorder& recorder, world::ClientSlot slot,
                       client::Config config)
    : process_(process),
      recorder_(recorder),
      slot_(slot),
      client_(std::move(config), Prng(process.prng().next())) {}

void RaftClient::open() {
    while (!session_) {
        client_.open(process_.now(), effects_);
        pump();
        while (!session_ && client_.opening()) process_.wait(changed_);
    }
}

bool RaftClient::has_session() const {
    return session_;
}

world::Acquired RaftClient::acquire(LockId lock, Duration wait_max) {
    if (!session_) return {events::AcquireOutcome::SessionOver, FencingToken()};
    const RequestSeq seq = client_.acquire(lock, wait_max, process_.now(), effects_);
    acquires_[seq] = std::nullopt;
    pump();
    while (!acquires_.find(seq)->has_value()) process_.wait(changed_);
    const world::Acquired result = **acquires_.find(seq);
    acquires_.erase(seq);
    return result;
}

bool RaftClient::may_act(LockId lock) {
    const FencingToken* token = held_.find(lock);
    if (token == nullptr) return false;
    const bool yes = client_.may_act(lock, *token, process_.now(), effects_);
    pump();
    return yes;
}

void RaftClient::release(LockId lock, Duration patience) {
    const FencingToken* token = held_.find(lock);
    if (token == nullptr) return;  // lost meanwhile, as the application was told
    // The deadline may have passed unnoticed since the last step; the client then says so.
    step(client::Tick{});
    token = held_.find(lock);
    if (token == nullptr) return;
    const FencingToken released = *token;
    held_.erase(lock);
    const RequestSeq seq = client_.release(lock, released, process_.now(), effects_);
    releases_[seq] = false;
    pump();
    const LocalTime give_up = process_.now() + patience;
    while (releases_.contains(seq) && !*releases_.find(seq) && session_)
        if (!process_.wait_until(changed_, give_up)) break;
    releases_.erase(seq);
}

void RaftClient::close() {
    if (!session_) return;
    step(client::Tick{});
    if (!session_) return;
    session_ = false;
    held_.clear();
    client_.close(process_.now(), effects_);
    pump();
}

bool RaftClient::on_message(sim::Envelope& message) {
    if (!message.payload.holds<wire::Reply>()) return false;
    wire::Reply& reply = message.payload.get<wire::Reply>();
    if (!client_.concerns(message.from, reply)) return false;
    step(client::Receive{message.from, std::move(reply)});
    return true;
}

void RaftClient::on_timer(sim::TimerId) {
    step(client::Tick{});
}

void RaftClient::on_reset(sim::ProcessId peer) {
    step(client::LinkReset{peer});
}

void RaftClient::step(client::Input&& input) {
    client_.step(std::move(input), process_.now(), effects_);
    pump();
}

void RaftClient::pump() {
    for (const auto& event : effects_.events) {
        recorder_.emit(process_.id(), event);
        watch(event);
    }
    for (auto& send : effects_.send)
        process_.send(send.to, sim::Payload::make(std::move(send.request)));
    const bool told = !effects_.notices.empty();
    for (const auto& notice : effects_.notices)
        std::visit([this](const auto& n) { on(n); }, notice);
    effects_.clear();
    process_.set_timer(slot_.first_timer(), client_.wake_at());
    if (told) changed_.notify_all();
}

// True time is not the client's to know: the world says when a deadline passed, paused or not.
void RaftClient::watch(const events::Event& event) {
    if (const auto* told = std::get_if<events::SessionTold>(&event)) {
        process_.watch_deadline(told->session.value, told->deadline);
    } else if (const auto* moved = std::get_if<events::DeadlineMoved>(&event)) {
        process_.watch_deadline(moved->session.value, moved->deadline);
    } else if (const auto* grant = std::get_if<events::GrantTold>(&event)) {
        const LocalTime until = client_.hold_deadline(grant->lock, grant->token);
        if (until == LocalTime::never()) return;
        holds_.push_back(events::grant_deadline_key(grant->lock, grant->token));
        process_.watch_deadline(holds_.back(), until);
    } else if (const auto* released = std::get_if<events::ReleaseCalled>(&event)) {
        forget_hold(events::grant_deadline_key(released->lock, released->token));
    } else if (const auto* lost = std::get_if<events::LossTold>(&event)) {
        forget_hold(events::grant_deadline_key(lost->lock, lost->token));
    } else if (std::holds_alternative<events::CloseCalled>(event)) {
        while (!holds_.empty()) forget_hold(holds_.back());
    }
}

void RaftClient::forget_hold(std::uint64_t key) {
    const auto hold = std::ranges::find(holds_, key);
    if (hold == holds_.end()) return;
    holds_.erase(hold);
    process_.watch_deadline(key, LocalTime::never());
}

void RaftClient::on(const client::SessionReady&) {
    session_ = true;
}

void RaftClient::on(const client::AcquireDone& notice) {
    const world::Acquired result{notice.outcome, notice.token};
    if (result.granted()) held_[notice.lock] = notice.token;
    if (auto* waiting = acquires_.find(notice.seq)) *waiting = result;
}

void RaftClient::on(const client::ReleaseDone& notice) {
    if (auto* answered = releases_.find(notice.seq)) *answered = true;
}

void RaftClient::on(const client::Lost& notice) {
    const FencingToken* token = held_.find(notice.lock);
    if (token != nullptr && *token == notice.token) held_.erase(notice.lock);
    tell_lost(notice.lock, notice.token, notice.reason);
}

void RaftClient::on(const client::SessionLost&) {
    session_ = false;
    held_.clear();
}

}  // namespace lockstep::services
