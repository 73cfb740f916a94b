#include "properties/probe.hpp"

#include <algorithm>

namespace lockstep::properties {

/// It may ask anew, with another session: what counts is when it first did.
void Probe::asked(const Stamp& stamp, LockId id) {
    Lock& lock = locks_[id];
    if (lock.wanted) return;
    lock.wanted = true;
    lock.asked = stamp.at;
}

void Probe::granted(const Stamp& stamp, LockId id, sim::ProcessId client) {
    Lock& lock = locks_[id];
    if (client != context_.setup.probe) {
        lock.moved = stamp.at;
        return;
    }
    if (!lock.wanted || lock.granted) return;
    lock.granted = true;
    if (context_.setup.recoverable) context_.ledger.checked(PropertyId::Live4);
}

void Probe::finish(const Stamp& stamp) {
    if (!context_.setup.recoverable) return;
    locks_.for_each_item([&](LockId id, const Lock& lock) {
        if (!lock.wanted || lock.granted) return;
        // As of when a lock that is free would have been told to its waiter (LIVE-2).
        const Setup& setup = context_.setup;
        const Duration patience = setup.live1_bound() + setup.renew_every + setup.slack;
        if (lock.moved > lock.asked && stamp.at < later(lock.moved, patience)) return;
        const sim::SimTime due = later(std::max(lock.asked, lock.moved), patience);
        context_.ledger.checked(PropertyId::Live4);
        context_.ledger.object(
            PropertyId::Live4, {std::min(due, stamp.at), setup.probe, stamp.ordinal}, [&] {
                return fmt::format(
                    "the fresh client {} asked for lock {} at {} and was not granted it until the "
                    "end, at {}",
                    context_.name(context_.setup.probe), context_.name(id), say(lock.asked),
                    say(stamp.at));
            });
    });
}

}  // namespace lockstep::properties
