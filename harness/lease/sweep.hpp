#pragma once

#include "core/base/result.hpp"
#include "harness/data/series.hpp"
#include "harness/lease/input.hpp"
#include "harness/lease/setting.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// The lease-length explorer: what each choice of lease, renewal and deadline costs, in a world
/// that behaves as the logs say.
namespace lockstep::lease {

/// Something that happens so often and takes so long: from a log, or as somebody says.
struct Source {
    data::Series series;  ///< used if it has points or buckets
    double per_day = 0;   ///< else so often
    Duration shortest{};  ///< and so long, at equal chances of all lengths in between
    Duration longest{};
    /// The lengths of the series were measured, but how often they come is as somebody says.
    bool rate_assumed = false;
    std::string said;  ///< as it was written: files, or "2/month x 5s..90s"

    bool from_series() const { return !series.points.empty() || !series.buckets.empty(); }
    /// Whether it ever happens.
    bool happens() const { return from_series() || per_day > 0; }
    /// Whether it has lengths, at least.
    bool any() const { return from_series() || per_day > 0 || longest.ns > 0; }
};

/// The world around the lock service, as it was measured or as it is assumed.
struct Conditions {
    Source pauses;      ///< of whoever holds the lock: nothing of the process runs
    Source round_trip;  ///< holder to service and back; without: 0.4 to 4 ms
    Source disk;        ///< syncs of the service's disk; without: none
    Source outages;     ///< nobody reaches the service
    Source partitions;  ///< the holder alone does not reach it: another may take over
    Source failovers;   ///< the service changes its leader: an outage, as a rule a short one
    Source crashes;     ///< of holders; a length is the time until the process is back
    Source deploys;     ///< graceful releases; likewise
    Ppm drift{0};       ///< by so much the holder's clock is slower than the service's
    /// The holder's work: it asks whether it may act, works so long, writes, and begins again.
    Duration work = milliseconds(100);
};

enum class Fidelity : std::uint8_t {
    Lease,  ///< the service is reduced to its lease behaviour: months
    Full,   ///< the whole cluster: hours
};

struct SweepPlan {
    std::vector<Setting> settings;
    /// The defaults of known systems, to be marked beside them, and never recommended.
    std::vector<Setting> marked;
    std::optional<Setting> now;     ///< today's
    std::vector<std::string> axes;  ///< what differs between the settings: "lease", "renew", ...
    Conditions world;
    Duration span = seconds(90 * 86'400);  ///< simulated, of each setting
    std::uint64_t seed = 1;
    Fidelity fidelity = Fidelity::Lease;
    unsigned jobs = 1;        ///< changes no result
    std::uint64_t shard = 0;  ///< of settings, marked and now, in a row: each `shards`th alone
    std::uint64_t shards = 1;
    /// Wall time, after which a setting ends at its next simulated bin of an hour at most; zero:
    /// none.
    std::chrono::milliseconds budget{0};
    /// Asked after each bin, from any thread: whether to end here, as if the budget were used up.
    std::function<bool()> stop = nullptr;
    /// The share of the work that is done; called from the calling thread. May be empty.
    std::function<void(double done)> progress = nullptr;
};

struct Interval {
    double low = 0;
    double high = 0;  ///< infinity: nothing is known
    bool operator==(const Interval&) const = default;
};

/// One number and how well it is known, twice, each with 95% confidence.
///
/// `simulation`: how far luck may have moved it, were the logs the whole truth. It shrinks as the
/// span grows.
///
/// `data`: how far the truth may be from what the logs saw. No simulation shrinks it. Equal to the
/// value where nothing that was measured bears on it (rates that somebody assumes have none), and
/// of figures that are no counts where the log is not one of pauses: these alone are drawn anew.
struct Figure {
    double value = 0;
    Interval simulation;
    Interval data;
    double assumed = 0;  ///< of counts, what comes of sources that nobody measured
};

/// The price of a setting. Months have 30 days, years 365.
struct Figures {
    /// The holder lost its lease though it lived, a month: of these, in `stood_down` its own
    /// deadline passed, in `taken_over` the session expired and another became holder. One loss may
    /// count in both.
    Figure losses;
    Figure stood_down;
    Figure taken_over;
    /// Writes that were begun in good faith and came after another had the lock, a month.
    Figure refused_writes;
    /// Seconds a year in which another had the lock and the old holder had not been told: what
    /// would have happened without fencing.
    Figure double_belief;
    /// Seconds from a crash of the holder until another was told that it holds.
    Figure crash_mean;
    Figure crash_p50;
    Figure crash_p99;
    Figure crash_worst;  ///< the interval below it is what was seen; nothing bounds it above
    /// Seconds from the call of a release until another was told that it holds.
    Figure release_p50;
    Figure release_p99;
    Figure release_worst;
    /// Share of time in which nobody who ran and might act had the lock.
    Figure without_holder;
    /// Renewals a second of 1,000 sessions.
    Figure renewals;
    /// Seconds that a failover of the service adds to the time from a crash to the next holder, if
    /// it comes in that time.
    Figure failover_adds;

    // Of the settings alone.
    /// The holder's clock may run slower than the service's by this factor: lease / deadline.
    double skew_ratio = 1;
    /// lease - deadline: how much the clocks may drift apart within one lease.
    Duration skew;
    /// An outage up to this long costs no lease, whenever it comes.
    Duration outage_borne;
};

/// Something that cost leases.
struct Harm {
    enum class Kind : std::uint8_t { Pause, Outage, Partition, Failover, RoundTrip } kind;
    std::string where;         ///< "gc.log:812, 2026-03-01 12:00:00"; empty: in no log
    Duration length;           ///< of an assumed source, the shortest that cost one
    std::uint64_t times = 0;   ///< it happened in the simulated span
    std::uint64_t losses = 0;  ///< in which it cost the lease
};

/// All losses by things of one kind.
struct Cause {
    Harm::Kind kind = Harm::Kind::Pause;
    Duration shortest;  ///< that cost a lease
    std::uint64_t losses = 0;
};

struct Counts {
    std::uint64_t losses = 0;
    std::uint64_t stood_down = 0;
    std::uint64_t taken_over = 0;
    std::uint64_t refused_writes = 0;
    std::uint64_t crashes = 0;
    std::uint64_t releases = 0;
    std::uint64_t renewals = 0;
    bool operator==(const Counts&) const = default;
};

struct SettingResult {
    Setting setting;
    std::uint64_t position = 0;  ///< in the plan: settings, marked, now
    Duration simulated;          ///< less than the span if the budget ended it
    Counts counts;               ///< in the simulated time
    Figures figures;
    std::vector<Harm> harms;    ///< the ten that cost the most, worst first
    std::vector<Cause> causes;  ///< of all losses, by kind, worst first
    std::uint64_t steps = 0;
    std::uint64_t digest = 0;
};

/// What came of a plan, or of a shard of it.
struct Sweep {
    std::vector<SettingResult> results;  ///< of the plan's settings, in their order
    std::vector<SettingResult> marked;
    std::optional<SettingResult> now;
    bool whole = true;  ///< false: the budget ended some early

    // Of the plan.
    std::vector<std::string> axes;
    std::vector<Input> inputs;  ///< what was read or assumed, a source each
    /// Of the logs of what costs leases, the shortest; zero: all of it is assumed.
    Duration observed;
    double crashes_a_month = 0;
    Duration span;
    std::uint64_t seed = 1;
    Fidelity fidelity = Fidelity::Lease;
    std::uint64_t shard = 0;
    std::uint64_t shards = 1;
    std::uint64_t total = 0;     ///< settings, marked and now of all shards
    std::uint64_t identity = 0;  ///< equal for shards of one plan, whatever build ran them
};

/// 90 days; but so long, up to 1,000 days, that each stop of a log happens three times: a stop that
/// never happened, or that luck survived, would weigh nothing.
Duration default_span(const Conditions& world);

/// Runs them all. An error if the plan makes no sense: no setting, a series that does not say for
/// how long it was observed, ...
Result<Sweep> sweep(const SweepPlan& plan);

}  // namespace lockstep::lease
