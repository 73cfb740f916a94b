#pragma once

#include "core/events/event.hpp"
#include "properties/property.hpp"
#include "scenarios/scenario.hpp"
#include "sim/world_events.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::harness {

/// What became of the planned faults of one kind. A fault that waits for somebody to have the role
/// it is aimed at, and waits in vain, is missed.
struct FaultCount {
    std::string kind;
    std::uint64_t planned = 0;
    std::uint64_t started = 0;
    std::uint64_t missed = 0;
};

/// How often one run reached a state that is worth reaching.
struct MarkCount {
    std::string mark;
    std::uint64_t reached = 0;
};

/// How many faults that were aimed at a role found somebody who had it.
struct RoleCount {
    std::string role;
    std::uint64_t hits = 0;
};

/// Triggers of faults: for how many something was waited, and how many were met.
struct TriggerCount {
    std::uint64_t waited = 0;
    std::uint64_t met = 0;
};

/// How a run ended. `Stuck`: a budget of steps was used up. `Crashed`: an assertion of ours failed,
/// or the process that ran it was ended by a signal. `OutOfTime`: RunOptions::stop said so, and
/// nothing is known of the rest; never so in an exploration. `Cut`: RunOptions::until said so.
enum class End : std::uint8_t { Finished, Stuck, Crashed, OutOfTime, Cut };

/// A message was sent, as the simulator printed it; or a note that the service made about itself
/// (world::Reporter::note), of which there is only the text.
struct MessageLine {
    std::string text;
    bool is_note = false;
    std::uint64_t number = 0;  ///< of the message in this run, from 1; duplicates share one
    sim::ProcessId to = {};
    std::string kind = {};     ///< "acquire-reply"
    std::string dropped = {};  ///< why it was lost at once; empty if it was not
    /// When it is to arrive, if nothing happens to it; never if it is held by a cut, or dropped.
    sim::SimTime arrives = sim::SimTime::never();
};

/// The process was handed the message of that number. One that nobody is ever handed was lost.
struct MessageTaken {
    std::uint64_t number = 0;  ///< zero if its sending was not seen
    sim::ProcessId from = {};
};

/// One record of a run: the true time, the process it concerns (0: the world), and what happened.
/// Events of both kinds, and they alone, count for Violation::ordinal: the first of them is 1.
struct LoggedEvent {
    sim::SimTime at;
    sim::ProcessId process;
    std::variant<events::Event, sim::WorldEvent, MessageLine, MessageTaken> what;
};

/// All that is known of one run. A pure function of scenario, seed and plan epoch, but for the
/// log, which is kept only when asked for, and the checkpoints, likewise.
struct Outcome {
    std::uint64_t seed = 0;
    End end = End::Finished;
    std::string end_detail;  ///< which budget, which assertion, which signal
    std::uint64_t digest = 0;
    std::uint64_t steps = 0;
    std::uint64_t events = 0;
    std::uint64_t messages = 0;
    Duration simulated;
    std::vector<properties::Report> reports;
    std::vector<MarkCount> marks;
    std::vector<FaultCount> faults;
    std::vector<RoleCount> roles;  ///< of faults that were aimed at one, ordered by name
    TriggerCount triggers;
    std::vector<std::uint64_t> checkpoints;  ///< the running digest, every 4,096 steps
    std::vector<LoggedEvent> log;
    std::vector<std::string> process_names;       ///< of process 1, 2, ...
    std::vector<sim::ProcessKind> process_kinds;  ///< likewise
    std::vector<std::string> lock_names;          ///< of lock 1, 2, ...
    std::vector<std::string> point_names;         ///< of point 0, 1, ...
    std::vector<std::string>
        resolved_lines;  ///< what the seed drew where the scenario left a choice
};

/// From that instant on the run has other luck: whatever is drawn later than the plan of faults.
struct Reseed {
    sim::SimTime when;
    std::uint64_t salt = 0;
};

struct RunOptions {
    bool keep_log = false;
    bool keep_messages = false;  ///< only with keep_log
    int wire_codec =
        -1;  ///< 1: messages go through the wire codec, 0: never, -1: as the scenario says
    bool checkpoints = false;
    std::uint64_t step_limit = 0;  ///< of the whole run; 0: the simulator's own
    /// End the run there, as it then is: what the properties demand at the end of a run is not
    /// asked. Absent: run to the end.
    std::optional<sim::SimTime> until = std::nullopt;
    std::vector<Reseed> reseeds = {};
    /// Asked after every simulated second whether to go on no longer. Changes nothing of what comes
    /// before. Absent: never.
    std::function<bool()> stop = nullptr;
};

/// Runs one (scenario, seed) to its end. A broken assertion becomes the outcome `Crashed`; only a
/// signal escapes.
Outcome run(const scenario::Scenario& scenario, std::uint64_t seed, const RunOptions& options = {});

}  // namespace lockstep::harness
