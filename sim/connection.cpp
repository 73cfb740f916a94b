// Ordered links: connections as TCP has them.
#include "core/base/assert.hpp"
#include "sim/network.hpp"
#include "sim/purpose.hpp"
#include "sim/world.hpp"

#include <algorithm>

namespace lockstep::sim {

void Network::hold(InFlight& message) {
    if (!message.held) ++held_;
    message.held = true;
}

/// What the cut held is lost with every further retransmission, and keeps back what was sent after
/// it and is still under way.
void Network::keep_behind(Link& link) {
    bool behind = false;
    for (std::uint32_t slot = link.first; slot != Link::none; slot = messages_[slot].next) {
        InFlight& message = messages_[slot];
        behind = behind || message.sequence == 0;
        if (!behind) continue;
        message.sequence = 0;
        hold(message);
    }
}

/// A cut has healed: what it holds sets out again, in order, and pushes what follows behind it.
void Network::send_again(Link& link) {
    if (link.starved) {
        keep_behind(link);
        return;
    }
    SimTime last = world_.now_;
    std::uint64_t ordinal = 0;
    bool moved = false;
    for (std::uint32_t slot = link.first; slot != Link::none; slot = messages_[slot].next) {
        InFlight& message = messages_[slot];
        const bool waits = message.sequence == 0;
        if (waits) {
            const std::uint64_t luck =
                world_.luck(purpose("again"), link.word(),
                            static_cast<std::uint64_t>(world_.now_.ns), ordinal++);
            message.arrives = world_.now_ + delay(link, luck);
        }
        message.arrives = std::max(message.arrives, last);
        last = message.arrives;
        moved = moved || waits;
        if (moved) queue(link, slot, 0);
    }
    link.last_arrival = std::max(link.last_arrival, last);
}

bool Network::loses_all(const Link& link, const Envelope& message) const {
    return link.loss_ppm + trouble_of(link, message.payload.kind()).loss_ppm >= 1'000'000;
}

/// Less is lost than before: the next retransmission of what was given up may pass.
void Network::revive(Link& link) {
    if (!link.starved) return;
    if (link.first != Link::none && loses_all(link, messages_[link.first].envelope)) return;
    link.starved = false;
    refresh(link);
    if (link.cuts == 0) send_again(link);
}

// Timeouts.

/// Data or its acknowledgements do not pass.
bool Network::stuck(const Link& over) {
    return over.cuts > 0 || over.starved || back(over).cuts > 0 ||
           world_.processes_[over.to.value - 1]->frozen_;
}

SimTime Network::oldest_unacked(const Link& link) const {
    if (link.first == Link::none) return link.delivered_unacked;
    return std::min(link.delivered_unacked, messages_[link.first].envelope.sent);
}

/// Sees to it that a connection that is stuck with unacknowledged data ends in time.
void Network::watch(Link& link) {
    const SimTime oldest = oldest_unacked(link);
    if (!stuck(link) || oldest == SimTime::never()) return;
    if (world_.processes_[link.from.value - 1]->frozen_) return;  // it will be looked at again
    const SimTime due = std::max(oldest + link.model.connection_timeout, world_.now_);
    if (link.timeout_queued <= due) return;
    link.timeout_queued = due;
    link.timeout_sequence = world_.push(due, StepKind::LinkTimeout,
                                        (link.from.value << 16) | link.to.value, link.word(), 0);
}

/// Something changed that concerns this link or the one the other way. What was delivered is
/// acknowledged when that is possible again.
void Network::refresh(Link& link) {
    for (Link* const each : {&link, &back(link)}) {
        const Link& answers = back(*each);
        const Process& receiver = *world_.processes_[each->to.value - 1];
        if (answers.cuts == 0 && !receiver.frozen_) each->delivered_unacked = SimTime::never();
        each->plain = !stuck(*each) && each->holes == 0 && receiver.up() && !each->notice.pending &&
                      !answers.notice.pending;
    }
}

void Network::refresh_all(ProcessId p) {
    for (std::uint32_t q = 1; q <= count_; ++q) refresh(link(ProcessId(q), p));
}

void Network::timeout(const QueueEntry& entry) {
    Link& over = link(ProcessId(entry.slot >> 16), ProcessId(entry.slot & 0xffff));
    if (over.timeout_sequence != entry.sequence) return;
    over.timeout_queued = SimTime::never();
    over.timeout_sequence = 0;
    // A kernel that stands still gives nothing up; it will when it goes on.
    if (!stuck(over) || world_.processes_[over.from.value - 1]->frozen_) return;
    const SimTime oldest = oldest_unacked(over);
    if (oldest == SimTime::never()) return;
    if (oldest + over.model.connection_timeout > entry.time) {
        watch(over);
        return;
    }
    world_.begin_step(entry, over.from, over.to.value);
    reset_connection(over.from, over.to);
}

void Network::on_freeze(ProcessId p) {
    refresh_all(p);
    for (std::uint32_t q = 1; q <= count_; ++q) watch(link(ProcessId(q), p));
}

void Network::on_thaw(ProcessId p) {
    refresh_all(p);
    for (std::uint32_t q = 1; q <= count_; ++q) watch(link(p, ProcessId(q)));
}

// Resets.

void Network::lose_in_flight(Link& link) {
    for (std::uint32_t slot = link.first; slot != Link::none;) {
        const std::uint32_t next = messages_[slot].next;
        release(slot);
        slot = next;
    }
    link.first = Link::none;
    link.last = Link::none;
    link.delivered_unacked = SimTime::never();
    link.last_arrival = world_.now_;
    link.starved = false;
    link.open = false;
}

void Network::break_connection(Link& one, Link& other) {
    lose_in_flight(one);
    lose_in_flight(other);
    ++one.epoch;
    other.epoch = one.epoch;
    refresh(one);
}

void Network::reset_connection(ProcessId a, ProcessId b) {
    Link& there = link(a, b);
    Link& here = link(b, a);
    if (!there.open && !here.open) return;
    break_connection(there, here);
    tell(there, world_.now_, world_.now_);
    if (a != b) tell(here, world_.now_, world_.now_);
}

/// `link.to` will hear that its connection with `link.from` is gone: at that time if no cut is in
/// the way then, at the latest time in any case.
void Network::tell(Link& link, SimTime at, SimTime latest) {
    if (!world_.processes_[link.to.value - 1]->up()) return;
    link.notice.latest = link.notice.pending ? std::min(link.notice.latest, latest) : latest;
    link.notice.pending = true;
    link.notice.waits = false;
    link.notice.sequence = world_.push(at, StepKind::ResetNotice,
                                       (link.from.value << 16) | link.to.value, link.word(), 0);
    refresh(link);
}

void Network::tell_after_delay(Link& link) {
    const std::uint64_t luck =
        world_.luck(purpose("reset"), link.word(), static_cast<std::uint64_t>(world_.now_.ns), 0);
    tell(link, world_.now_ + delay(link, luck), world_.now_ + link.model.connection_timeout);
}

void Network::notice(const QueueEntry& entry) {
    Link& over = link(ProcessId(entry.slot >> 16), ProcessId(entry.slot & 0xffff));
    if (!over.notice.pending || over.notice.sequence != entry.sequence) return;
    if (over.cuts > 0 && entry.time < over.notice.latest) {
        over.notice.waits = true;
        over.notice.sequence =
            world_.push(over.notice.latest, entry.kind, entry.slot, over.word(), 0);
        return;
    }
    world_.begin_step(entry, over.to, over.from.value);
    give_notice(over);
}

void Network::give_notice(Link& link) {
    link.notice = ResetNotice();
    refresh(link);
    world_.emit(link.to, LinkWasReset{link.from});
    world_.processes_[link.to.value - 1]->was_reset(link.from);
}

void Network::on_start(ProcessId p) {
    refresh_all(p);
}

void Network::on_crash(ProcessId p) {
    for (std::uint32_t q = 1; q <= count_; ++q) {
        Link& to_peer = link(p, ProcessId(q));
        Link& from_peer = link(ProcessId(q), p);
        from_peer.notice = ResetNotice();
        if (!to_peer.open && !from_peer.open) continue;
        break_connection(to_peer, from_peer);
        if (q != p.value) tell_after_delay(to_peer);
    }
    refresh_all(p);
}

}  // namespace lockstep::sim
