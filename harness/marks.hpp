#pragma once

#include "core/base/flat_map.hpp"
#include "scenarios/world/recorder.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::harness {

/// States worth reaching. A scenario requires those that its story is about; a batch of runs in
/// which a required mark was never reached says nothing about that story, and fails.
enum class Mark : std::uint8_t {
    WriteAccepted,
    StaleWriteRefused,
    StaleReadRefused,
    StaleWriteAccepted,
    LostUpdate,
    UnreportedWriteRecovered,
    SessionExpired,
    ExpiredWhileBelieved,
    GrantedAfterExpiry,
    WaiterQueued,
    WaiterGranted,
    WaitTimedOut,
    RenewalRetried,
    DeadlinePassedWhileHolding,
    DeadlinePassedWhilePaused,
    ToldOfLoss,
    WriteAfterExpiry,
    SessionReopened,
    LeaderElected,
    LeaderChanged,
    TwoLeaders,
    LeaderCrashed,
    QuorumLost,
    DiskHung,
    HolderCrashed,
    ServerRestarted,
    PowerLost,
    GrantToldByNextLeader,
    LogTruncated,
    TailLost,
    TornTailCut,
    LogCompacted,
    SnapshotInstalled,
    HoldEnded,
    LockDelayed,
    GrantedAfterDelay,
    LeaseInherited,
    ExpiredFromCheckpoint,
    CheckpointCleared,
    LimitMet,
    TurnedAwayBusy,
    RenewalAtDeposedLeader,
    WaiterLeft,
    WaiterDied,
    CancelCrossedGrant,
    CancelOvertook,
    LongQueue,
    AnswerRepeated,
    WriteAfterRelease,
    RowConflict,
    CallRepeated,
    StorageFailed,
    DiskWasFull,
    ConnectionReset,
    AllServersDown,
    ClockRateBroken,
    DiskDishonest,
    WorkerStalled,
    LockProbed,
};
inline constexpr std::size_t mark_count = static_cast<std::size_t>(Mark::LockProbed) + 1;

/// As scenarios and output spell it (`stale-write-refused`), and what it means in a line.
std::string_view to_string(Mark mark);
std::string_view meaning(Mark mark);
/// Whether a mark of that name exists.
bool is_mark(std::string_view name);

/// Counts how often a run reached each mark, from its events alone.
class Marks final : public world::Observer {
public:
    /// Processes 1 to `servers` are the servers; `probe` is the client that asks at the end.
    explicit Marks(std::size_t servers, sim::ProcessId probe = {})
        : servers_(servers), probe_(probe) {}

    void on_event(const world::Stamp& stamp, const events::Event& event) override;
    void on_world_event(const world::Stamp& stamp, const sim::WorldEvent& event) override;

    /// The fresh client of the end has had each of so many locks.
    bool probed_all(std::size_t locks) const { return count(Mark::LockProbed) >= locks; }
    std::uint64_t count(Mark mark) const { return counts_[static_cast<std::size_t>(mark)]; }

private:
    struct Resource {
        FencingToken highest;
        std::uint64_t version = 0;
    };
    struct Holding {
        SessionId session;
        FencingToken token;
        Term granted_in;       ///< the highest term that had a leader when the grant was applied
        bool expired = false;  ///< the session ended by expiry while it held
        LogIndex delay_ended;
    };
    struct Waiter {
        LockId lock;
        SessionId session;
        RequestSeq seq;
        bool operator==(const Waiter&) const = default;
    };
    struct Client {
        bool paused = false;
        /// Its sessions, and whether a renewal was sent since the deadline last moved.
        FlatMap<SessionId, bool> sessions;
        std::size_t ended = 0;  ///< sessions for which no other was opened yet
        FlatMap<LockId, SessionId> believes;
        std::vector<FencingToken> released;  ///< oldest first
    };

    /// The last releases of a client, by token.
    static constexpr std::size_t released_kept = 16;

    void waiters_leave(SessionId session);
    void session_gone(sim::ProcessId client, SessionId session);
    void hit(Mark mark) { ++counts_[static_cast<std::size_t>(mark)]; }

    void on(const world::Stamp&, const auto&) {}  // a kind that reaches no mark
    void on(const world::Stamp& stamp, const events::WriteAccepted& e);
    void on(const world::Stamp& stamp, const events::WriteRecovered& e);
    void on(const world::Stamp& stamp, const events::WriteRejected& e);
    void on(const world::Stamp& stamp, const events::ReadRejected& e);
    void on(const world::Stamp& stamp, const events::Granted& e);
    void on(const world::Stamp& stamp, const events::Queued& e);
    void on(const world::Stamp& stamp, const events::Released& e);
    void on(const world::Stamp& stamp, const events::Cancelled& e);
    void on(const world::Stamp& stamp, const events::SessionEnded& e);
    void on(const world::Stamp& stamp, const events::AcquireReturned& e);
    void on(const world::Stamp& stamp, const events::GrantTold& e);
    void on(const world::Stamp& stamp, const events::LossTold& e);
    void on(const world::Stamp& stamp, const events::ReleaseCalled& e);
    void on(const world::Stamp& stamp, const events::CloseCalled& e);
    void on(const world::Stamp& stamp, const events::SessionOverTold& e);
    void on(const world::Stamp& stamp, const events::SessionTold& e);
    void on(const world::Stamp& stamp, const events::RenewalSent& e);
    void on(const world::Stamp& stamp, const events::DeadlineMoved& e);
    void on(const world::Stamp& stamp, const events::WriteSent& e);
    void on(const world::Stamp& stamp, const events::BecameLeader& e);
    void on(const world::Stamp& stamp, const events::SteppedDown& e);
    void on(const world::Stamp& stamp, const events::Appended& e);
    void on(const world::Stamp& stamp, const events::Recovered& e);
    void on(const world::Stamp& stamp, const events::Truncated& e);
    void on(const world::Stamp& stamp, const events::TornTailCut& e);
    void on(const world::Stamp& stamp, const events::Compacted& e);
    void on(const world::Stamp& stamp, const events::SnapshotInstalled& e);
    void on(const world::Stamp& stamp, const events::HoldEnded& e);
    void on(const world::Stamp& stamp, const events::DelayStarted& e);
    void on(const world::Stamp& stamp, const events::DelayEnded& e);
    void on(const world::Stamp& stamp, const events::LeaseInherited& e);
    void on(const world::Stamp& stamp, const events::CheckpointCleared& e);
    void on(const world::Stamp& stamp, const events::LimitMet& e);
    void on(const world::Stamp& stamp, const events::RenewalReceived& e);
    void on(const world::Stamp& stamp, const events::Answered& e);
    void on(const world::Stamp& stamp, const events::StorageFailed& e);
    void on(const world::Stamp& stamp, const events::CallAccepted& e);
    void on(const world::Stamp& stamp, const sim::ProcessStarted& e);
    void on(const world::Stamp& stamp, const sim::ProcessStopped& e);
    void on(const world::Stamp& stamp, const sim::Paused& e);
    void on(const world::Stamp& stamp, const sim::Resumed& e);
    void on(const world::Stamp& stamp, const sim::DeadlinePassed& e);
    void on(const world::Stamp& stamp, const sim::LinkWasReset& e);
    void on(const world::Stamp& stamp, const sim::AssumptionBroken& e);

    const std::size_t servers_;
    const sim::ProcessId probe_;
    std::size_t servers_up_ = 0;
    FlatMap<SessionId, bool> inherited_;
    /// The last requests that were answered, to notice repeats.
    static constexpr std::size_t answered_kept = 64;
    std::array<std::pair<SessionId, RequestSeq>, answered_kept> answered_{};
    std::size_t answers_ = 0;
    std::array<std::uint64_t, mark_count> counts_{};
    FlatMap<sim::ProcessId, LogIndex> log_ends_;  ///< in memory
    FlatMap<sim::ProcessId, Resource> resources_;
    FlatMap<sim::ProcessId, Client> clients_;
    FlatMap<LockId, Holding> locks_;
    FlatMap<sim::ProcessId, Term> leaders_;  ///< that have not stepped down, as far as was reported
    Term highest_term_;
    std::vector<Waiter> waiters_;
    /// The latest grants whose sessions expired; a write under an older one is not noticed.
    static constexpr std::size_t expired_kept = 64;
    std::vector<FencingToken> expired_;
};

}  // namespace lockstep::harness
