#pragma once

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/resource/store.hpp"
#include "sim/fault.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What is run, as data: cluster, lease settings, workload, faults, expectations. TOML on disk
/// (docs/scenario-reference.md), a value in memory. With a seed it decides every bit of a run.
namespace lockstep::scenario {

/// A value that each seed draws from [min, max], both included; a plain number if they are equal.
struct DurationRange {
    Duration min;
    Duration max;
    bool operator==(const DurationRange&) const = default;
};

using Fencing = resource::Fencing;
enum class LinkChoice : std::uint8_t { Datagram, Ordered, Drawn };
enum class Switch : std::uint8_t { Off, On, Drawn };
enum class WorkloadKind : std::uint8_t {
    Counter,
    Election,
    Append,
    Cron,
    Payments,
    ManyLocks,
    Herd,
    Drain,
};
/// What a lock guards: a store that fences (core/resource/store.hpp), an endpoint that knows calls
/// by their idempotency keys, or a row that is updated on condition of its version.
enum class ResourceKind : std::uint8_t { Store, Endpoint, Row };
/// Whether everything heals before a quiet period, at whose end liveness is demanded. Unlimited
/// runs end with their faults and are judged on safety alone.
enum class Budget : std::uint8_t { Recoverable, Unlimited };

struct Cluster {
    std::uint32_t servers = 3;
    std::uint32_t clients = 2;
    std::uint32_t locks = 1;     ///< each guards one resource
    std::uint32_t sessions = 1;  ///< of each client, each with a worker of its own
    std::uint32_t zones = 0;     ///< over which servers are spread, in turn; 0: no zones
    bool operator==(const Cluster&) const = default;
};

struct Lease {
    DurationRange ttl{seconds(12), seconds(12)};
    std::optional<Duration> renew_every;  ///< a third of the TTL, if absent
    Ppm drift_bound{10'000};
    Duration margin = milliseconds(50);
    std::optional<Duration>
        checkpoint_every;  ///< write remaining TTLs into the log; off, if absent
    std::optional<Duration>
        lock_delay;                    ///< after an expiry, before the next grant; none, if absent
    std::optional<Duration> hold_max;  ///< of one grant; without end, if absent
    bool operator==(const Lease&) const = default;
};

/// A replica draws each of its election timeouts from [min, max]; the bounds are drawn per seed.
struct RaftSettings {
    DurationRange election_min{seconds(1), seconds(1)};
    DurationRange election_max{seconds(2), seconds(2)};
    Duration heartbeat = milliseconds(100);
    std::uint64_t snapshot_every = 2'000;  ///< entries
    std::uint64_t append_entries = 64;     ///< that one append carries at most
    bool operator==(const RaftSettings&) const = default;
};

/// Beyond these a server refuses (core/lock/table.hpp, core/server/server.hpp).
struct ServerLimits {
    std::uint64_t sessions = 10'000;
    std::uint64_t locks_per_session = 1'000;     ///< held and waited for
    std::uint64_t requests_per_session = 1'000;  ///< answers kept for one session
    std::uint64_t waiters = 10'000;              ///< of one lock
    std::uint64_t pending = 4'096;               ///< requests that one leader has not answered yet
    bool operator==(const ServerLimits&) const = default;
};

struct Resource {
    ResourceKind kind = ResourceKind::Store;
    Fencing fencing = Fencing::Fenced;
    bool operator==(const Resource&) const = default;
};

struct NetworkSettings {
    LinkChoice server_links = LinkChoice::Ordered;            ///< between servers
    LinkChoice client_links = LinkChoice::Ordered;            ///< all others
    DurationRange delay{microseconds(200), milliseconds(2)};  ///< of each message, uniform
    Ppm tail_chance{0};
    Duration tail;  ///< mean of the exponential tail
    Ppm loss{0};
    Ppm duplicate{0};
    Ppm reorder{0};
    Duration connection_timeout = seconds(5);
    bool operator==(const NetworkSettings&) const = default;
};

struct DiskSettings {
    DurationRange sync{microseconds(200), milliseconds(2)};  ///< of each sync, uniform
    bool operator==(const DiskSettings&) const = default;
};

/// counter: acquire, read the resource, hold, write back one more, release, think.
/// election: acquire and keep; write every `period` while holding.
/// append: as counter, but each turn writes `writes` times, each on the write before.
/// cron: a fleet runs the job of each tick (every `period`) once, under the lock; keyed by the
/// tick. payments: each turn is a payment with an idempotency key, repeated until its outcome is
/// known. many_locks: each turn takes one of all locks, drawn, or two, in order. herd: all ask for
/// one lock at the same time (every `period`), hold it shortly, and ask again. drain: as counter,
/// but a stop that comes while it holds (every `stop_every`) is graceful: the
///     lock is released at once, and the work goes on for `drain` after that.
struct Workload {
    WorkloadKind kind = WorkloadKind::Counter;
    DurationRange think{milliseconds(500), seconds(2)};        ///< drawn anew at each turn
    DurationRange hold{milliseconds(100), milliseconds(500)};  ///< between read and write, likewise
    Duration wait_max = Duration::max();                       ///< Duration::max(): without end
    Duration period = seconds(1);       ///< election: between writes; cron: of the ticks
    std::uint32_t writes = 3;           ///< append: of one turn
    Duration drain = seconds(3);        ///< drain: what is still done after the release
    Duration stop_every = seconds(10);  ///< drain: how often each worker is asked to stop
    bool operator==(const Workload&) const = default;
};

struct RunSettings {
    Duration faults_for = seconds(60);  ///< no fault begins or lasts beyond this
    std::optional<Duration> quiet;      ///< after that; absent: as long as the bounds demand
    Duration slack = seconds(1);
    Budget budget = Budget::Recoverable;
    Switch wire_codec = Switch::Off;
    bool operator==(const RunSettings&) const = default;
};

/// Faults drawn from the seed, on top of the written ones.
struct Swarm {
    std::vector<sim::FaultKind> kinds;  ///< empty: all
    /// Some seeds may freeze clocks, which breaks clock-rate and clock-runs and lets the properties
    /// that need them off.
    bool break_clocks = false;
    /// Some seeds have disks that rot or lie, which breaks disk-honest.
    bool break_disks = false;
    bool operator==(const Swarm&) const = default;
};

/// A property that this scenario is there to see violated.
struct Expectation {
    std::string violated;    ///< the property's id
    std::string when_key;    ///< only if this key of the scenario ...
    std::string when_value;  ///< ... has this value; always, if both are empty
    bool operator==(const Expectation&) const = default;
};

/// The table [repro]: how this very scenario failed, when it did. Changes nothing of a run.
struct ReproNote {
    std::uint64_t seed = 1;
    std::uint64_t plan_epoch = 0;
    std::string fingerprint;  ///< "BELIEF-1/..."
    std::string digest;       ///< sixteen hex digits
    std::string content;      ///< likewise: of all other values of the scenario, to see an edit
    std::string build;        ///< likewise: the program that the digest is of
    std::string version;      ///< of the program that wrote it
    bool operator==(const ReproNote&) const = default;
};

struct Scenario {
    std::string name;
    std::string story;  ///< the comment at the top of the file
    std::string service = "raft";
    /// For a service that is not ours: what it asks for, by name, as it is written.
    std::vector<std::pair<std::string, std::string>> service_settings;
    Cluster cluster;
    Lease lease;
    RaftSettings raft;
    ServerLimits limits;
    Resource resource;
    NetworkSettings network;
    DiskSettings disk;
    Workload workload;
    RunSettings run;
    sim::FaultPlan faults;
    std::optional<Swarm> swarm;
    std::vector<Expectation> expect;
    std::vector<std::string> required_marks;
    /// Least share of runs in which a property must have had something to check.
    std::vector<std::pair<std::string, Ppm>> minimum_share;
    std::optional<ReproNote> repro;

    bool operator==(const Scenario&) const = default;
};

/// Limits of what a scenario may ask for; beyond them a run is no longer a test but a bill.
namespace limits {
inline constexpr std::uint32_t servers = 9;
inline constexpr std::uint32_t clients = 26;
inline constexpr std::uint32_t locks = 256;
inline constexpr std::uint32_t sessions = 200;  ///< of one client
inline constexpr std::uint32_t zones = 9;
inline constexpr std::size_t faults = 1'000;
inline constexpr Duration longest = seconds(7 * 24 * 3600);
}  // namespace limits

/// Places in the programs of the workloads at which a fault can be aimed; a point's number is its
/// position here. Every workload passes all of them in each turn: the election's writes are its
/// periodic work.
inline constexpr std::array<const char*, 6> point_names{"before-acquire", "after-grant",
                                                        "before-read",    "before-write",
                                                        "after-write",    "before-release"};
/// The number of the point of that name; nothing if there is none.
std::optional<std::uint32_t> point_number(std::string_view name);

/// Names of processes and locks, in the order in which processes are added to the world: servers
/// n1, n2, ...; clients worker-a, worker-b, ...; resources store (or store-1, store-2, ... if there
/// are several locks; `endpoint` or `row` if that is what they are); locks job (or job-1, job-2,
/// ...).
std::vector<std::string> server_names(const Scenario& scenario);
std::vector<std::string> client_names(const Scenario& scenario);
std::vector<std::string> resource_names(const Scenario& scenario);
std::vector<std::string> lock_names(const Scenario& scenario);

/// Groups that a fault can be aimed at, if its kind acts on groups; with zones also `zone-1`, ...
inline constexpr std::array<const char*, 3> group_names{"servers", "clients", "resources"};
/// The servers of each zone: they are spread over the zones in turn.
std::vector<std::vector<std::string>> zone_members(const Scenario& scenario);

/// Roles that a fault can be aimed at.
inline constexpr std::array<const char*, 3> role_names{"leader", "holder", "next-waiter"};
/// Aims that the seed turns into the name of one process before the run.
inline constexpr std::array<const char*, 3> drawn_aims{"any-server", "any-client", "any-resource"};
/// Kinds of messages that a fault can be aimed at, by who sends them to whom.
inline constexpr std::array<const char*, 6> raft_messages{
    "vote-request", "vote-reply", "append", "append-reply", "snapshot", "snapshot-reply"};
inline constexpr std::array<const char*, 9> client_requests{
    "open", "keep-alive", "close", "acquire", "cancel", "release", "write", "read", "call"};
/// What a disk is asked to do, for triggers; they are met when it is done.
inline constexpr std::array<const char*, 5> disk_operations{"append", "sync", "rename", "sync-dir",
                                                            "truncate"};
inline constexpr std::array<const char*, 11> client_replies{
    "not-leader",    "open-reply",   "keep-alive-reply", "close-reply",
    "acquire-reply", "cancel-reply", "release-reply",    "write-reply",
    "read-reply",    "busy",         "call-reply"};
/// All of them, in that order.
std::vector<std::string> message_names();

/// The shortest quiet period in which everything that is demanded after healing can be demanded,
/// whatever a seed draws: LIVE-1's bound (10 election timeouts) + TTL / (1 - drift bound) + a
/// renewal interval + the longest finite wait + lock delay + slack.
Duration shortest_quiet(const Scenario& scenario);

/// What is wrong with the values, seen together. `key` names the culprit (`cluster.servers`,
/// `fault[2].aim`), for which the reader of a file knows the line.
struct Objection {
    std::string key;
    std::string message;  ///< what was found and what is allowed
};
std::optional<Objection> check(const Scenario& scenario);

}  // namespace lockstep::scenario
