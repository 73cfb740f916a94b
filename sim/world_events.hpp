#pragma once

#include "sim/types.hpp"

#include <cstdint>
#include <type_traits>
#include <variant>

/// What the simulator itself reports. The process is in the stamp of the record; fields are named
/// by `visit`, as in core/events.
namespace lockstep::sim {

struct ProcessStarted {
    static constexpr const char* name = "process-started";
    std::uint32_t life;  ///< from 1
    void visit(auto&& f) const { f("life", life); }
};
struct ProcessStopped {
    static constexpr const char* name = "process-stopped";
    CrashKind how;
    void visit(auto&& f) const { f("how", how); }
};
/// `strand`: 0 is the whole process; else 1 + the strand's number (the callbacks are strand 0).
struct Paused {
    static constexpr const char* name = "paused";
    ClockMode clock;
    std::uint32_t strand;
    void visit(auto&& f) const {
        f("clock", clock);
        f("strand", strand);
    }
};
struct Resumed {
    static constexpr const char* name = "resumed";
    std::uint32_t strand;
    void visit(auto&& f) const { f("strand", strand); }
};
/// The true instant at which the process's monotonic clock reached a watched deadline, paused or
/// not.
struct DeadlinePassed {
    static constexpr const char* name = "deadline-passed";
    std::uint64_t key;
    void visit(auto&& f) const { f("key", key); }
};
struct LinkWasReset {
    static constexpr const char* name = "link-reset";
    ProcessId peer;
    void visit(auto&& f) const { f("peer", peer); }
};
/// `fault` is the position in the plan; the process of the stamp is what the aim resolved to.
struct FaultStarted {
    static constexpr const char* name = "fault-started";
    std::uint32_t fault;
    void visit(auto&& f) const { f("fault", fault); }
};
struct FaultEnded {
    static constexpr const char* name = "fault-ended";
    std::uint32_t fault;
    void visit(auto&& f) const { f("fault", fault); }
};
/// Nobody had the role until the fault's end.
struct FaultMissed {
    static constexpr const char* name = "fault-missed";
    std::uint32_t fault;
    void visit(auto&& f) const { f("fault", fault); }
};
enum class Assumption : std::uint8_t {
    DiskHonest,
    ClockRate,
    ClockRuns,
    MajorityLives,
    WritesArriveInLease
};
/// From here on the assumption does not hold for processes of this kind.
struct AssumptionBroken {
    static constexpr const char* name = "assumption-broken";
    Assumption assumption;
    ProcessKind kind;
    void visit(auto&& f) const {
        f("assumption", assumption);
        f("kind", kind);
    }
};
/// All faults ended, processes up, rates nominal, held connections drained: the quiet period
/// begins.
struct Healed {
    static constexpr const char* name = "healed";
    void visit(auto&&) const {}
};
/// The workload was told to stop; what it holds it will release.
struct Stopping {
    static constexpr const char* name = "stopping";
    void visit(auto&&) const {}
};

/// Between the process and the peer, in this direction, messages are cut, lost, delayed or
/// reordered by a fault (`on`), or are no more. Nested troubles are told as one.
struct LinkTroubled {
    static constexpr const char* name = "link-troubled";
    ProcessId peer;
    bool on;
    bool cut;  ///< nothing comes through at all
    void visit(auto&& f) const {
        f("peer", peer);
        f("on", on);
        f("cut", cut);
    }
};
/// A fault of the process's disk is on, or is over.
struct DiskTroubled {
    static constexpr const char* name = "disk-troubled";
    bool on;
    void visit(auto&& f) const { f("on", on); }
};
/// All workers have stopped, or had the time to: a fresh client asks for every lock.
struct Probing {
    static constexpr const char* name = "probing";
    void visit(auto&&) const {}
};

using WorldEvent =
    std::variant<ProcessStarted, ProcessStopped, Paused, Resumed, DeadlinePassed, LinkWasReset,
                 FaultStarted, FaultEnded, FaultMissed, AssumptionBroken, Healed, Stopping,
                 LinkTroubled, DiskTroubled, Probing>;
static_assert(std::is_trivially_copyable_v<WorldEvent>);

}  // namespace lockstep::sim
