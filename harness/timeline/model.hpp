#pragma once

#include "harness/run.hpp"
#include "scenarios/resolve.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// What a log comes to when it is drawn: who held and believed what from when to when. Derived
/// once, for the page and for Perfetto alike. What a service does not report is simply absent.
namespace lockstep::harness::timeline {

using sim::ProcessId;
using sim::SimTime;

struct Span {
    SimTime from;
    SimTime to;
};

/// A client holds a lock, as it was told.
struct Belief {
    LockId lock;
    ProcessId client;
    SessionId session;
    FencingToken token;
    SimTime from;
    SimTime over;  ///< released, or the deadline passed, or the process died
    SimTime told;  ///< when it knew that; later than `over` if the deadline passed unnoticed
    const char* why = "";  ///< it ended; empty: it lasted to the end of the run
};

/// The service gave the lock to a session.
struct Grant {
    enum class End : std::uint8_t { Open, Released, Expired, Closed, HoldEnded, Cancelled };
    LockId lock;
    ProcessId client;  ///< none if nobody ever said whose session it was
    SessionId session;
    FencingToken token;
    SimTime from;
    SimTime to;
    End end = End::Open;
};

struct Wait {
    LockId lock;
    ProcessId client;
    SessionId session;
    RequestSeq seq;
    SimTime from;
    SimTime to;
};

/// Nobody gets the lock although nobody has it.
struct Delay {
    LockId lock;
    SimTime from;
    SimTime to;
};

/// A client believed that it held what the service had taken back (`other` is none), or what
/// another believed to hold as well.
struct Danger {
    LockId lock;
    ProcessId client;
    ProcessId other;
    SimTime from;
    SimTime to;
};

struct Role {
    enum class Kind : std::uint8_t { Follower, Candidate, Leader };
    ProcessId server;
    Kind kind = Kind::Follower;
    Term term;
    SimTime from;
    SimTime to;
};

struct Commit {
    ProcessId server;
    SimTime at;
    LogIndex index;
};

/// A process could not do as it liked.
struct Band {
    enum class Kind : std::uint8_t {
        Paused,
        PausedClockToo,
        StrandStalled,
        CallbacksStalled,
        Down,
        DownPower,
        LinkTrouble,
        LinkCut,
        DiskTrouble
    };
    ProcessId process;
    Kind kind = Kind::Paused;
    SimTime from;
    SimTime to;
};

struct FaultSpan {
    std::uint32_t fault = 0;  ///< its place in the plan
    bool missed = false;
    SimTime from;
    SimTime to;
    std::vector<ProcessId> hits;  ///< ascending
};

struct Write {
    enum class Fate : std::uint8_t {
        Accepted,
        Rejected,
        Stale,  ///< accepted, although the lock had been granted to somebody else by then
        Repeated,
        ReadAccepted,
        ReadRejected
    };
    ProcessId resource;
    ProcessId client;  ///< none if nobody said that it sent this
    Fate fate = Fate::Accepted;
    FencingToken token;
    std::uint64_t n = 0;  ///< of the write, among those of its client
    SimTime at;
};

struct Renewal {
    ProcessId client;
    SimTime sent;
    SimTime heard;  ///< the client, that its lease goes on; never if it heard nothing of this one
};

/// How far a process's clock has gone from true time since the first that is known of it in this
/// life.
struct ClockSample {
    ProcessId process;
    SimTime at;
    Duration offset;
};

struct Message {
    enum class Fate : std::uint8_t { Taken, Dropped, Lost, UnderWay };
    std::uint64_t number = 0;
    ProcessId from;
    ProcessId to;
    std::string_view kind;     ///< of the outcome's log
    std::string_view dropped;  ///< likewise
    SimTime sent;
    SimTime taken;  ///< or when it was to arrive; as `sent` if never
    Fate fate = Fate::Taken;
};

/// In each list by time (`from`, `at`, `sent`), then as in the log.
struct Model {
    SimTime end;
    SimTime healed = SimTime::never();  ///< when the faults were over
    std::vector<Belief> beliefs;
    std::vector<Grant> grants;
    std::vector<Wait> waits;
    std::vector<Delay> delays;
    std::vector<Danger> dangers;
    std::vector<Role> roles;
    std::vector<Commit> commits;
    std::vector<Band> bands;
    std::vector<FaultSpan> faults;
    std::vector<Write> writes;
    std::vector<Renewal> renewals;
    std::vector<ClockSample> clocks;
    std::vector<Message> messages;
};

/// Refers to the outcome, which must outlive it.
Model model_of(const Outcome& outcome, const scenario::Resolved& settings);

/// The place in `messages` of the message with that number; their size if there is none.
std::size_t message_of(const Model& model, std::uint64_t number);

}  // namespace lockstep::harness::timeline
