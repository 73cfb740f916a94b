#include "properties/property.hpp"

#include "core/base/assert.hpp"

#include <array>

namespace lockstep::properties {
namespace {

using sim::ProcessKind;

constexpr Need server_disks{Assumption::DiskHonest, ProcessKind::Server};
constexpr Need resource_disks{Assumption::DiskHonest, ProcessKind::Resource};
constexpr Need server_rates{Assumption::ClockRate, ProcessKind::Server};
constexpr Need client_rates{Assumption::ClockRate, ProcessKind::Client};
constexpr Need client_clocks_run{Assumption::ClockRuns, ProcessKind::Client};
constexpr Need majority{Assumption::MajorityLives, ProcessKind::Server};

template <class... Needs>
constexpr Description make(PropertyId id, std::string_view code, std::string_view name,
                           std::string_view promise, Needs... needs) {
    static_assert(sizeof...(needs) <= 4);
    return {id, code, name, promise, {needs...}, sizeof...(needs)};
}

constexpr std::array<Description, property_count> descriptions{
    make(PropertyId::Raft1, "RAFT-1", "ElectionSafety", "at most one leader a term", server_disks),
    make(PropertyId::Raft2, "RAFT-2", "LeaderAppendOnly",
         "a leader never truncates or overwrites its own log", server_disks),
    make(PropertyId::Raft3, "RAFT-3", "LogMatching", "same index and term: same log up to there",
         server_disks),
    make(PropertyId::Raft4, "RAFT-4", "LeaderCompleteness",
         "what was committed in a term is in the log of every leader of a higher term",
         server_disks),
    make(PropertyId::Raft5, "RAFT-5", "StateMachineSafety",
         "same index applied: same state, on every server, in every life", server_disks),
    make(PropertyId::Raft6, "RAFT-6", "OneVotePerTerm",
         "one candidate a term and server, over all lives of the server", server_disks),
    make(PropertyId::Lock1, "LOCK-1", "SingleHolder",
         "in applied order, a lock is granted only when it is free", server_disks),
    make(PropertyId::Lock2, "LOCK-2", "TokenIncreases", "tokens of a lock strictly increase",
         server_disks),
    make(PropertyId::Lock3, "LOCK-3", "NoEarlyExpiry",
         "no expiry before TTL x (1 - drift bound) after the last renewal that was answered",
         server_rates, server_disks),
    make(PropertyId::Lock4, "LOCK-4", "Fifo", "grants follow the order of the requests in the log",
         server_disks),
    make(PropertyId::Lock5, "LOCK-5", "NoOrphan",
         "no queue keeps who left, and no grant outlives a client that gave up by more than the "
         "bounds",
         majority, server_disks, server_rates, client_rates),
    make(PropertyId::Lock6, "LOCK-6", "RetriesAreIdempotent",
         "a request takes effect at most once, and its answers are equal", server_disks),
    make(PropertyId::Grant1, "GRANT-1", "NoLostGrant",
         "a grant that a client was told was applied, and stands until its end was applied",
         server_disks),
    make(PropertyId::Act1, "ACT-1", "ActsInTime",
         "no leave to act from the deadline on, and the application is told in time"),
    make(PropertyId::Keep1, "KEEP-1", "OverIsOver",
         "a client hears that its session is over only after its end was applied", server_disks),
    make(PropertyId::Fence1, "FENCE-1", "NoStaleWrite",
         "a resource says yes to nothing lower than what it said yes to before", resource_disks),
    make(PropertyId::Fence2, "FENCE-2", "NoLostUpdate",
         "an acknowledged update is in the history once, on the version that it read",
         resource_disks),
    make(PropertyId::Belief1, "BELIEF-1", "TruthfulDeadline",
         "at no true time do two clients believe that they hold one lock", server_rates,
         client_rates, client_clocks_run, server_disks),
    make(PropertyId::Wake1, "WAKE-1", "OneWake",
         "a lock that comes free with a live waiter is granted at that very index, and its session "
         "alone is told",
         server_disks),
    make(PropertyId::Quorum1, "QUORUM-1", "MinorityIsSilent",
         "what is answered is durable on a quorum, and a leader that was replaced renews nothing",
         server_disks),
    make(PropertyId::Avail1, "AVAIL-1", "MajorityServes",
         "a majority that is up, connected and steady serves, whatever the minority does",
         majority),
    make(PropertyId::Live1, "LIVE-1", "LeaderReturns",
         "after healing there is a leader within 10 election timeouts", majority, server_disks),
    make(PropertyId::Live2, "LIVE-2", "WaitersServed",
         "after healing, who was granted is told, and every bounded wait ends", majority,
         server_disks),
    make(PropertyId::Live3, "LIVE-3", "DeadHolderFreed",
         "after healing, the lock of a dead holder is free within the bounds", majority,
         server_disks, server_rates),
    make(PropertyId::Live4, "LIVE-4", "NothingStuck",
         "at the end, a fresh client can acquire every lock", majority, server_disks),
    make(PropertyId::Lin1, "LIN-1", "Linearizable",
         "calls and answers of each lock have a sequential explanation", server_disks),
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < descriptions.size(); ++i)
        if (static_cast<std::size_t>(descriptions[i].id) != i) return false;
    return true;
}
static_assert(in_order(), "descriptions are found by their id");

template <class E, std::size_t N>
std::string_view pick(E value, const std::array<std::string_view, N>& texts) {
    const auto i = static_cast<std::size_t>(value);
    return i < N ? texts[i] : "?";
}

}  // namespace

const Description& describe(PropertyId id) {
    const auto i = static_cast<std::size_t>(id);
    LOCKSTEP_ASSERT(i < descriptions.size(), "property={}", i);
    return descriptions[i];
}

std::array<PropertyId, property_count> all_properties() {
    std::array<PropertyId, property_count> ids{};
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = descriptions[i].id;
    return ids;
}

std::optional<PropertyId> property_of(std::string_view code) {
    for (const Description& description : descriptions)
        if (description.code == code) return description.id;
    return std::nullopt;
}

std::string_view to_string(Verdict v) {
    return pick(v, std::array<std::string_view, 4>{"held", "violated", "excused", "idle"});
}
std::string_view to_string(Assumption v) {
    return pick(v, std::array<std::string_view, 5>{"disk-honest", "clock-rate", "clock-runs",
                                                   "majority-lives", "writes-arrive-in-lease"});
}
std::string_view to_string(sim::ProcessKind v) {
    return pick(v, std::array<std::string_view, 3>{"server", "client", "resource"});
}

}  // namespace lockstep::properties
