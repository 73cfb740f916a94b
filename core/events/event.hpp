#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "core/events/raft_events.hpp"
#include "core/events/resource_events.hpp"

#include <string_view>
#include <type_traits>
#include <variant>

namespace lockstep::events {

/// Everything that servers, clients and resources report. The order is part of the digest: new
/// kinds go to the end.
using Event =
    std::variant<BecameLeader, SteppedDown, VoteCast, Recovered, StorageRefused, Appended,
                 Truncated, CommitAdvanced, Applied, Compacted, SnapshotInstalled, SessionOpened,
                 Granted, Queued, Refused, Released, Cancelled, SessionEnded, ExpiryProposed,
                 RenewalAnswered, Answered, OpenSent, RenewalSent, SessionTold, DeadlineMoved,
                 AcquireCalled, AcquireReturned, GrantTold, MayActAsked, LossTold, CancelSent,
                 ReleaseCalled, ReleaseReturned, CloseCalled, SessionOverTold, PointReached,
                 WriteAccepted, WriteRepeated, WriteRejected, ReadAccepted, ReadRejected, WriteSent,
                 WriteTold, TornTailCut, WriteRecovered, HoldEnded, DelayStarted, DelayEnded,
                 LeasesCheckpointed, CheckpointCleared, LeaseInherited, RenewalReceived, LimitMet,
                 LogDurable, StorageFailed, CallAccepted, CallSent, CallTold, CallRecovered>;

static_assert(std::is_trivially_copyable_v<Event>);
static_assert(sizeof(Event) <= 64, "56 bytes of fields at most, and the kind");

inline constexpr std::size_t event_kinds = std::variant_size_v<Event>;

/// The kind's name, as scenarios and output spell it.
std::string_view kind_name(std::size_t kind);
/// The kind of that name, or `event_kinds` if there is none.
std::size_t kind_of(std::string_view name);

/// How an enumerator is printed: `deadline-passed`.
std::string_view to_string(StepDownReason);
std::string_view to_string(EndReason);
std::string_view to_string(CancelEffect);
std::string_view to_string(RefusalReason);
std::string_view to_string(Limit);
std::string_view to_string(Operation);
std::string_view to_string(AnswerStatus);
std::string_view to_string(AcquireOutcome);
std::string_view to_string(LossReason);
std::string_view to_string(WriteOutcome);

/// A field as the 64-bit word that the digest folds.
template <class T>
constexpr std::uint64_t word_of(const T& field) {
    if constexpr (requires { field.value; })
        return static_cast<std::uint64_t>(field.value);
    else if constexpr (requires { field.ns; })
        return static_cast<std::uint64_t>(field.ns);
    else
        return static_cast<std::uint64_t>(field);
}

}  // namespace lockstep::events
