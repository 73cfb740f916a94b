// What faults do to links, and what is told of it.
#include "core/base/prng.hpp"
#include "sim/fault_injector.hpp"
#include "sim/purpose.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {
namespace {

void mix(std::vector<ProcessId>& order, Prng& luck) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[luck.below(i)]);
}

}  // namespace

/// The links between the target and the peers, as the direction has it.
void FaultInjector::links(std::size_t fault, bool on) {
    const Fault& what = plan_[fault];
    const State& state = states_[fault];
    const ProcessId target = *state.target;
    // The next message to or from anybody is one message, not one a peer.
    if (what.kind == FaultKind::DropMessage && what.peers.empty()) {
        if (what.direction == Direction::In)
            link(fault, ProcessId(), target, on);
        else
            link(fault, target, ProcessId(), on);
        return;
    }
    if (!on && !what.message.empty()) world_.network().forget_trouble(fault);
    for (const ProcessId peer : state.peers) {
        if (what.direction != Direction::In) link(fault, target, peer, on);
        if (what.direction != Direction::Out) link(fault, peer, target, on);
    }
}

void FaultInjector::link(std::size_t fault, ProcessId from, ProcessId to, bool on) {
    Network& network = world_.network();
    const Fault& what = plan_[fault];
    const auto message = static_cast<std::uint16_t>(states_[fault].message);
    switch (what.kind) {
        case FaultKind::DropMessage:
            network.drop_next(message, from, to, fault, [this, fault](ProcessId a, ProcessId b) {
                message_dropped(fault, a, b);
            });
            return;
        case FaultKind::Reset:  // of the connection, which is one for both directions
            network.reset_connection(from, to);
            blip(from, to);
            return;
        case FaultKind::Cut:
            if (on)
                network.cut(from, to);
            else
                network.heal(from, to);
            break;
        case FaultKind::BlackHole:
            if (on)
                network.open_hole(from, to);
            else
                network.close_hole(from, to);
            break;
        default:
            if (what.message.empty())
                network.add_trouble(from, to, trouble_of(what), on ? 1 : -1);
            else if (on)
                network.add_trouble_of(message, from, to, trouble_of(what), fault);
            break;
    }
    tell_link(from, to);
}

Network::Trouble FaultInjector::trouble_of(const Fault& fault) {
    const auto share = [&](FaultKind kind) { return fault.kind == kind ? fault.ppm : 0; };
    return {share(FaultKind::Loss), share(FaultKind::Duplicate), share(FaultKind::Reorder),
            fault.kind == FaultKind::Delay ? fault.amount : Duration{}};
}

void FaultInjector::message_dropped(std::size_t fault, ProcessId from, ProcessId to) {
    pounce(fault);
    blip(from, to);
}

// Swizzles. The duration has as many equal parts as it takes for each member to leave in the first
// half, one after the other, and to come back in the second, the last at the very end.

void FaultInjector::swizzle(std::size_t fault) {
    State& state = states_[fault];
    Prng luck(world_.luck(purpose("fault/swizzle"), state.order, 0, 0));
    mix(state.peers, luck);
    state.back = state.peers;
    do {
        mix(state.back, luck);
    } while (state.back.size() > 1 && state.back == state.peers);
    swizzle_one(fault);
}

/// One more leaves or, once all have left, comes back.
void FaultInjector::swizzle_one(std::size_t fault) {
    State& state = states_[fault];
    const std::size_t all = state.peers.size();
    const std::uint64_t turn = state.acts;
    if (turn < all) {
        cut_off(state.peers[turn], true);
        state.off.push_back(state.peers[turn]);
    } else if (turn > all) {
        const ProcessId back = state.back[turn - all - 1];
        std::erase(state.off, back);
        cut_off(back, false);
    }
    const Duration part = plan_[fault].duration / static_cast<std::int64_t>(2 * all);
    if (turn + 1 < 2 * all) schedule(fault, part, &FaultInjector::swizzle_one);
}

/// From everybody else, both ways.
void FaultInjector::cut_off(ProcessId p, bool on) {
    Network& network = world_.network();
    for (std::uint32_t q = 1; q <= loads_.size(); ++q) {
        const ProcessId other(q);
        if (other == p) continue;
        for (const auto& [from, to] : {std::pair(p, other), std::pair(other, p)}) {
            if (on)
                network.cut(from, to);
            else
                network.heal(from, to);
            tell_link(from, to);
        }
    }
}

// What is told.

void FaultInjector::tell_link(ProcessId from, ProcessId to) {
    using Health = Network::Health;
    const std::size_t place = (from.value - 1) * loads_.size() + (to.value - 1);
    const Health health = world_.network().health(from, to);
    if (std::exchange(told_.at(place), health) == health) return;
    world_.emit(from, LinkTroubled{to, health != Health::Good, health == Health::Cut});
}

/// Trouble that is over at once.
void FaultInjector::blip(ProcessId from, ProcessId to) {
    const std::size_t place = (from.value - 1) * loads_.size() + (to.value - 1);
    if (told_.at(place) != Network::Health::Good) return;
    world_.emit(from, LinkTroubled{to, true, false});
    world_.emit(from, LinkTroubled{to, false, false});
}

}  // namespace lockstep::sim
