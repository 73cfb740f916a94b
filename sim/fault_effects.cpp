// What each kind of fault does to the world, and how it is taken back.
#include "core/base/assert.hpp"
#include "sim/disk.hpp"
#include "sim/fault_injector.hpp"
#include "sim/purpose.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {

void FaultInjector::apply(std::size_t fault) {
    const Fault& what = plan_[fault];
    const ProcessId target = states_[fault].target.value_or(ProcessId());
    switch (what.kind) {
        case FaultKind::Pause:
            pause(target, what.clock);
            break;
        case FaultKind::StallFiber:
            world_.pause_strand(target, what.strand);
            break;
        case FaultKind::Cut:
        case FaultKind::BlackHole:
        case FaultKind::Loss:
        case FaultKind::Delay:
        case FaultKind::Duplicate:
        case FaultKind::Reorder:
        case FaultKind::Reset:
            links(fault, true);
            break;
        case FaultKind::Swizzle:
            swizzle(fault);
            break;
        case FaultKind::ClockDrift:
            drift(target, what.ppm);
            break;
        case FaultKind::ClockStep:
            world_.step_wall(target, what.amount);
            break;
        case FaultKind::ClockStrobe:
            strobe(fault);
            break;
        case FaultKind::ClockFreeze:
            freeze(target, true);
            break;
        case FaultKind::CrashKill:
            crash(target, CrashKind::Kill);
            break;
        case FaultKind::CrashPower:
        case FaultKind::CrashAtSync:
            crash(target, CrashKind::Power);
            break;
        case FaultKind::CrashLoop:
            loop_down(fault);
            break;
        case FaultKind::RestartAll:
        case FaultKind::ZoneLoss:
            for (const ProcessId member : states_[fault].peers) crash(member, CrashKind::Power);
            break;
        case FaultKind::DiskStall:
        case FaultKind::DiskSlow:
        case FaultKind::DiskError:
        case FaultKind::DiskFull:
        case FaultKind::DiskRot:
        case FaultKind::DiskLies:
            disk(fault, true);
            break;
        case FaultKind::DropMessage:
            break;  // the loss of the message was all
    }
}

void FaultInjector::undo(std::size_t fault) {
    const Fault& what = plan_[fault];
    State& state = states_[fault];
    const ProcessId target = state.target.value_or(ProcessId());
    switch (what.kind) {
        case FaultKind::Pause:
            world_.resume(target);
            break;
        case FaultKind::StallFiber:
            world_.resume_strand(target, what.strand);
            break;
        case FaultKind::Cut:
        case FaultKind::BlackHole:
        case FaultKind::Loss:
        case FaultKind::Delay:
        case FaultKind::Duplicate:
        case FaultKind::Reorder:
            links(fault, false);
            break;
        case FaultKind::Swizzle:
            for (const ProcessId member : std::exchange(state.off, {})) cut_off(member, false);
            break;
        case FaultKind::ClockDrift:
            drift(target, -what.ppm);
            break;
        case FaultKind::ClockStep:
            world_.step_wall(target, -what.amount);
            break;
        case FaultKind::ClockStrobe:
            if (std::exchange(state.out, false)) world_.step_wall(target, -what.amount);
            break;
        case FaultKind::ClockFreeze:
            freeze(target, false);
            break;
        case FaultKind::CrashKill:
        case FaultKind::CrashPower:
        case FaultKind::CrashAtSync:
            world_.let_up(target);
            break;
        case FaultKind::CrashLoop:
            loop_up(fault);
            break;
        case FaultKind::RestartAll:
        case FaultKind::ZoneLoss:
            for (const ProcessId member : state.peers) world_.let_up(member);
            break;
        case FaultKind::DiskStall:
        case FaultKind::DiskSlow:
        case FaultKind::DiskError:
        case FaultKind::DiskFull:
        case FaultKind::DiskLies:
            disk(fault, false);
            break;
        case FaultKind::Reset:
        case FaultKind::DiskRot:
        case FaultKind::DropMessage:
            break;  // done is done
    }
}

void FaultInjector::pause(ProcessId p, ClockMode clock) {
    if (clock == ClockMode::Frozen) broken(Assumption::ClockRuns, world_.process(p).kind(), p);
    world_.pause(p, clock);
}

void FaultInjector::disk(std::size_t fault, bool on) {
    const Fault& what = plan_[fault];
    const ProcessId target = *states_[fault].target;
    Disk& disk = world_.process(target).disk();
    if (what.kind == FaultKind::DiskStall && on) disk.stall();
    if (what.kind == FaultKind::DiskStall && !on) disk.unstall();
    if (what.kind == FaultKind::DiskSlow) disk.slow(on ? what.amount : -what.amount);
    if (what.kind == FaultKind::DiskError) disk.fail(on);
    if (what.kind == FaultKind::DiskFull) disk.fill(on);
    if (what.kind == FaultKind::DiskLies) disk.lie(on);
    if (what.kind == FaultKind::DiskRot) {
        Prng luck(world_.luck(purpose("fault/rot"), states_[fault].order, 0, 0));
        LOCKSTEP_ASSERT(disk.rot(luck), "nothing on the disk of {} can rot", target.value);
        broken(Assumption::DiskHonest, world_.process(target).kind(), target);
    }
    tell_disk(target);
}

void FaultInjector::tell_disk(ProcessId p) {
    const bool troubled = world_.process(p).disk().troubled();
    bool& told = loads_.at(p.value - 1).disk_troubled;
    if (std::exchange(told, troubled) != troubled) world_.emit(p, DiskTroubled{troubled});
}

// Lives.

void FaultInjector::crash(ProcessId p, CrashKind how) {
    world_.hold_down(p);
    if (world_.up(p)) world_.crash(p, how);
    // Power may be lost after a kill, and takes what the page cache still had.
    else if (how == CrashKind::Power)
        world_.lose_power(p);
}

void FaultInjector::loop_down(std::size_t fault) {
    const Fault& what = plan_[fault];
    State& state = states_[fault];
    if (!std::exchange(state.out, true)) crash(*state.target, CrashKind::Kill);
    // What would come after the end is not worth a step.
    const Duration left = SimTime{} + state.until - world_.now();
    if (what.amount < left) schedule(fault, what.amount, &FaultInjector::loop_up);
    if (what.period < left) schedule(fault, what.period, &FaultInjector::loop_down);
}

void FaultInjector::loop_up(std::size_t fault) {
    State& state = states_[fault];
    if (std::exchange(state.out, false)) world_.let_up(*state.target);
}

// Clocks.

void FaultInjector::strobe(std::size_t fault) {
    const Fault& what = plan_[fault];
    State& state = states_[fault];
    world_.step_wall(*state.target, state.out ? -what.amount : what.amount);
    state.out = !state.out;
    if (what.period < SimTime{} + state.until - world_.now())
        schedule(fault, what.period, &FaultInjector::strobe);
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
