// What each kind of fault does to the world, and how it is taken back.
#include "core/base/assert.hpp"
#include "sim/disk.hpp"
#include "sim/fault_injector.hpp"
#include "sim/network.hpp"
#include "sim/world.hpp"

#include <algorithm>

namespace lockstep::sim {

void FaultInjector::apply(std::size_t fault) {
    const Fault& what = plan_[fault];
    const State& state = states_[fault];
    const ProcessId target = *state.target;
    switch (what.kind) {
        case FaultKind::Pause:
            if (what.clock == ClockMode::Frozen)
                broken(Assumption::ClockRuns, world_.process(target).kind(), target);
            world_.pause(target, what.clock);
            break;
        case FaultKind::StallFiber:
            world_.pause_strand(target, what.strand);
            break;
        case FaultKind::Cut:
        case FaultKind::Loss:
        case FaultKind::Delay:
        case FaultKind::Duplicate:
        case FaultKind::Reorder:
            links(fault, true);
            break;
        case FaultKind::ClockDrift:
            drift(target, what.ppm);
            break;
        case FaultKind::ClockStep:
            world_.step_wall(target, what.amount);
            break;
        case FaultKind::ClockFreeze:
            freeze(target, true);
            break;
        case FaultKind::CrashKill:
            crash(target, CrashKind::Kill);
            break;
        case FaultKind::CrashPower:
            crash(target, CrashKind::Power);
            break;
        case FaultKind::DiskStall:
            world_.process(target).disk().stall();
            break;
        case FaultKind::DropMessage:
            links(fault, true);
            break;
    }
}

void FaultInjector::undo(std::size_t fault) {
    const Fault& what = plan_[fault];
    const State& state = states_[fault];
    const ProcessId target = *state.target;
    switch (what.kind) {
        case FaultKind::Pause:
            world_.resume(target);
            break;
        case FaultKind::StallFiber:
            world_.resume_strand(target, what.strand);
            break;
        case FaultKind::Cut:
        case FaultKind::Loss:
        case FaultKind::Delay:
        case FaultKind::Duplicate:
        case FaultKind::Reorder:
            links(fault, false);
            break;
        case FaultKind::ClockDrift:
            drift(target, -what.ppm);
            break;
        case FaultKind::ClockStep:
            world_.step_wall(target, -what.amount);
            break;
        case FaultKind::ClockFreeze:
            freeze(target, false);
            break;
        case FaultKind::CrashKill:
        case FaultKind::CrashPower:
            restart(target);
            break;
        case FaultKind::DiskStall:
            world_.process(target).disk().unstall();
            break;
        case FaultKind::DropMessage:
            world_.network().forget_drop(fault);
            break;
    }
}

void FaultInjector::links(std::size_t fault, bool on) {
    Network& network = world_.network();
    const Fault& what = plan_[fault];
    const State& state = states_[fault];
    const ProcessId target = *state.target;
    const auto one = [&](ProcessId from, ProcessId to) {
        if (what.kind == FaultKind::DropMessage)
            network.drop_next(static_cast<std::uint16_t>(state.message), from, to, fault,
                              [this, fault] { message_dropped(fault); });
        else if (what.kind != FaultKind::Cut)
            trouble(what, from, to, on ? 1 : -1);
        else if (on)
            network.cut(from, to);
        else
            network.heal(from, to);
    };
    // The next message to or from anybody is one message, not one a peer.
    if (what.kind == FaultKind::DropMessage && what.peers.empty()) {
        if (what.direction == Direction::In)
            one(ProcessId(), target);
        else
            one(target, ProcessId());
        return;
    }
    for (const ProcessId peer : state.peers) {
        if (what.direction != Direction::In) one(target, peer);
        if (what.direction != Direction::Out) one(peer, target);
    }
}

void FaultInjector::trouble(const Fault& fault, ProcessId from, ProcessId to, std::int64_t sign) {
    const auto share = [&](FaultKind kind) { return fault.kind == kind ? sign * fault.ppm : 0; };
    const Duration delay = fault.kind == FaultKind::Delay ? fault.amount * sign : Duration{};
    world_.network().add_trouble(from, to, share(FaultKind::Loss), share(FaultKind::Duplicate),
                                 share(FaultKind::Reorder), delay);
}

void FaultInjector::crash(ProcessId p, CrashKind how) {
    ++loads_.at(p.value - 1).crashes;
    if (world_.up(p)) world_.crash(p, how);
    // Power may be lost after a kill, and takes what the page cache still had.
    else if (how == CrashKind::Power)
        world_.process(p).disk().on_crash(how);
}

void FaultInjector::restart(ProcessId p) {
    std::uint32_t& crashes = loads_.at(p.value - 1).crashes;
    LOCKSTEP_ASSERT(crashes > 0, "process {} restarts without a crash", p.value);
    if (--crashes == 0 && !world_.up(p)) world_.start(p);
}

void FaultInjector::drift(ProcessId p, std::int64_t ppm) {
    std::int64_t& sum = loads_.at(p.value - 1).drift_ppm;
    sum += ppm;
    world_.set_drift(p, sum);
    check_rates();
}

void FaultInjector::freeze(ProcessId p, bool on) {
    std::uint32_t& freezes = loads_.at(p.value - 1).freezes;
    if (on && freezes++ == 0) world_.freeze_clock(p);
    if (!on && --freezes == 0) world_.thaw_clock(p);
    check_rates();
}

void FaultInjector::check_rates() {
    constexpr std::int64_t true_rate = 1'000'000;
    const auto rate = [this](std::size_t i) {
        return loads_[i].freezes > 0 ? 0 : true_rate + loads_[i].drift_ppm;
    };
    std::int64_t slowest = true_rate;
    std::int64_t fastest = true_rate;
    for (std::size_t i = 0; i < loads_.size(); ++i) {
        slowest = std::min(slowest, rate(i));
        fastest = std::max(fastest, rate(i));
    }
    if (slowest * true_rate >= fastest * (true_rate - drift_bound_.value)) return;
    // To blame are those that leave the bound by themselves, held against true time. Where nobody
    // does, it is the two ends, which are too far from each other.
    const auto within = [this](std::int64_t slow, std::int64_t fast) {
        return slow * true_rate >= fast * (true_rate - drift_bound_.value);
    };
    const auto alone = [&](std::size_t i) {
        return !within(std::min(rate(i), true_rate), std::max(rate(i), true_rate));
    };
    bool any_alone = false;
    for (std::size_t i = 0; i < loads_.size(); ++i) any_alone = any_alone || alone(i);
    for (std::size_t i = 0; i < loads_.size(); ++i) {
        const bool extreme = rate(i) != true_rate && (rate(i) == slowest || rate(i) == fastest);
        if (any_alone ? !alone(i) : !extreme) continue;
        const ProcessId p(static_cast<std::uint32_t>(i + 1));
        broken(Assumption::ClockRate, world_.process(p).kind(), p);
    }
}

void FaultInjector::broken(Assumption assumption, ProcessKind kind, ProcessId by) {
    bool& said =
        broken_.at(static_cast<std::size_t>(assumption)).at(static_cast<std::size_t>(kind));
    if (said) return;
    said = true;
    world_.emit(by, AssumptionBroken{assumption, kind});
}

}  // namespace lockstep::sim
