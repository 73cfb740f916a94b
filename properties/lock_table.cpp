#include "properties/lock_table.hpp"

#include <algorithm>

namespace lockstep::properties {

void LockTable::on(const Stamp& stamp, const events::Granted& e) {
    Lock& lock = locks_[e.lock];
    free_is_granted(stamp, e, lock);
    token_grows(stamp, e, lock);
    first_in_queue(stamp, e, lock);
    lock.holder = {e.session, e.seq};
    lock.delayed = false;
    lock.token = e.token;
    lock.last_token = std::max(lock.last_token, e.token);
}

void LockTable::on(const Stamp&, const events::Queued& e) {
    std::vector<Request>& queue = locks_[e.lock].queue;
    const Request request{e.session, e.seq};
    // A request keeps the place of its first application.
    if (std::find(queue.begin(), queue.end(), request) == queue.end()) queue.push_back(request);
}

void LockTable::on(const Stamp&, const events::Released& e) {
    Lock& lock = locks_[e.lock];
    if (lock.holder.session == e.session && lock.token == e.token) lock.holder = {};
}

void LockTable::on(const Stamp&, const events::Cancelled& e) {
    Lock& lock = locks_[e.lock];
    const Request request{e.session, e.seq};
    if (e.effect == events::CancelEffect::LeftQueue) std::erase(lock.queue, request);
    if (e.effect == events::CancelEffect::ReleasedGrant && lock.holder == request) lock.holder = {};
}

void LockTable::on(const Stamp&, const events::SessionEnded& e) {
    locks_.for_each([&](Lock& lock) {
        std::erase_if(lock.queue, [&](const Request& r) { return r.session == e.session; });
        if (lock.holder.session == e.session) lock.holder = {};
    });
}

void LockTable::on(const Stamp&, const events::HoldEnded& e) {
    Lock& lock = locks_[e.lock];
    if (lock.holder.session == e.session && lock.token == e.token) lock.holder = {};
}

void LockTable::on(const Stamp&, const events::DelayStarted& e) {
    locks_[e.lock].delayed = true;
}

void LockTable::on(const Stamp&, const events::DelayEnded& e) {
    locks_[e.lock].delayed = false;
}

void LockTable::free_is_granted(const Stamp& stamp, const events::Granted& e, const Lock& lock) {
    context_.ledger.checked(PropertyId::Lock1);
    if (!lock.holder.session && !lock.delayed) return;
    context_.ledger.object(PropertyId::Lock1, stamp, [&] {
        if (!lock.holder.session)
            return fmt::format("lock {} was granted to {} with token {} before its delay had ended",
                               context_.name(e.lock), context_.whose(e.session), e.token.value);
        return fmt::format("lock {} was granted to {} with token {} while {} held it with token {}",
                           context_.name(e.lock), context_.whose(e.session), e.token.value,
                           context_.whose(lock.holder.session), lock.token.value);
    });
}

void LockTable::token_grows(const Stamp& stamp, const events::Granted& e, const Lock& lock) {
    context_.ledger.checked(PropertyId::Lock2);
    if (e.token > lock.last_token) return;
    context_.ledger.object(PropertyId::Lock2, stamp, [&] {
        return fmt::format("lock {} was granted to {} with token {}, after token {} had been given",
                           context_.name(e.lock), context_.whose(e.session), e.token.value,
                           lock.last_token.value);
    });
}

void LockTable::first_in_queue(const Stamp& stamp, const events::Granted& e, Lock& lock) {
    if (lock.queue.empty()) return;
    context_.ledger.checked(PropertyId::Lock4);
    const Request granted{e.session, e.seq};
    const Request first = lock.queue.front();
    if (first == granted) [[likely]] {
        lock.queue.erase(lock.queue.begin());
        return;
    }
    context_.ledger.object(PropertyId::Lock4, stamp, [&] {
        return fmt::format(
            "lock {} was granted to {} for its request {}, ahead of {}, whose "
            "request {} was first in the queue",
            context_.name(e.lock), context_.whose(e.session), e.seq.value,
            context_.whose(first.session), first.seq.value);
    });
    std::erase(lock.queue, granted);
}

}  // namespace lockstep::properties
