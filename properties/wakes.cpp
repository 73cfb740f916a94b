#include "properties/wakes.hpp"

#include <algorithm>

namespace lockstep::properties {

void Wakes::on(const Stamp& stamp, const events::Granted& e) {
    reached(stamp, LogIndex(e.token.value));
    Lock& lock = locks_[e.lock];
    const Request request{e.session, e.seq};
    if (lock.owed) {
        paid(e.lock, lock);
        lock.woken = request;
        lock.woken_token = e.token;
    }
    std::erase(lock.queue, request);
    lock.holder = request;
    lock.token = e.token;
}

void Wakes::on(const Stamp& stamp, const events::Queued& e) {
    reached(stamp, e.index);
    std::vector<Request>& queue = locks_[e.lock].queue;
    const Request request{e.session, e.seq};
    if (std::find(queue.begin(), queue.end(), request) == queue.end()) queue.push_back(request);
}

void Wakes::on(const Stamp& stamp, const events::Released& e) {
    reached(stamp, e.index);
    Lock& lock = locks_[e.lock];
    if (lock.holder.session == e.session && lock.token == e.token)
        freed(stamp, e.lock, lock, e.index);
}

void Wakes::on(const Stamp& stamp, const events::Cancelled& e) {
    reached(stamp, e.index);
    Lock& lock = locks_[e.lock];
    const Request request{e.session, e.seq};
    if (e.effect == events::CancelEffect::LeftQueue) std::erase(lock.queue, request);
    if (e.effect == events::CancelEffect::ReleasedGrant && lock.holder == request)
        freed(stamp, e.lock, lock, e.index);
}

/// First its waits leave all queues, then its locks come free.
void Wakes::on(const Stamp& stamp, const events::SessionEnded& e) {
    reached(stamp, e.index);
    locks_.for_each_item([&](LockId id, Lock& lock) {
        std::erase_if(lock.queue, [&](const Request& r) { return r.session == e.session; });
        if (lock.holder.session == e.session) freed(stamp, id, lock, e.index);
    });
}

void Wakes::on(const Stamp& stamp, const events::HoldEnded& e) {
    reached(stamp, e.index);
    Lock& lock = locks_[e.lock];
    if (lock.holder.session == e.session && lock.token == e.token)
        freed(stamp, e.lock, lock, e.index);
}

void Wakes::on(const Stamp& stamp, const events::DelayStarted& e) {
    reached(stamp, e.index);
    Lock& lock = locks_[e.lock];
    if (lock.owed) paid(e.lock, lock);
}

void Wakes::on(const Stamp& stamp, const events::DelayEnded& e) {
    reached(stamp, e.index);
    freed(stamp, e.lock, locks_[e.lock], e.index);
}

void Wakes::freed(const Stamp&, LockId id, Lock& lock, LogIndex index) {
    lock.holder = {};
    if (lock.queue.empty() || lock.owed) return;
    lock.owed = true;
    owed_.push_back(id);
    owed_at_ = index;
    context_.ledger.checked(PropertyId::Wake1);
}

void Wakes::paid(LockId id, Lock& lock) {
    lock.owed = false;
    std::erase(owed_, id);
}

void Wakes::missed(const Stamp& stamp) {
    for (const LockId id : owed_) {
        Lock& lock = locks_[id];
        lock.owed = false;
        if (lock.queue.empty()) continue;
        const Request first = lock.queue.front();
        context_.ledger.object(PropertyId::Wake1, stamp, [&] {
            return fmt::format(
                "lock {} came free at index {} and was granted to nobody there, though {} waited "
                "for it with its request {}",
                context_.name(id), owed_at_.value, context_.whose(first.session), first.seq.value);
        });
    }
    owed_.clear();
}

void Wakes::on(const Stamp& stamp, const events::Answered& e) {
    if (e.status != events::AnswerStatus::Granted || !e.token) return;
    const Lock& lock = locks_[e.lock];
    if (e.token != lock.woken_token) return;
    context_.ledger.checked(PropertyId::Wake1);
    if (lock.woken == Request{e.session, e.seq}) return;
    context_.ledger.object(PropertyId::Wake1, stamp, [&] {
        return fmt::format(
            "server {} told {} that its request {} was granted lock {} with token {}, which is the "
            "grant of {}",
            context_.name(stamp.process), context_.whose(e.session), e.seq.value,
            context_.name(e.lock), e.token.value, context_.whose(lock.woken.session));
    });
}

void Wakes::finish(const Stamp& stamp) {
    if (!owed_.empty()) missed(stamp);
}

}  // namespace lockstep::properties
