#pragma once

#include "core/base/result.hpp"
#include "core/base/time.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::lease {

/// One choice of what a team can choose. Names in brackets are those of Kubernetes.
struct Setting {
    std::string name;                          ///< of a preset; else empty
    Duration lease = seconds(12);              ///< TTL of a session [leaseDuration]
    Duration renew_every = seconds(4);         ///< [retryPeriod]
    Duration deadline{};                       ///< see stands_down_after() [renewDeadline]
    Duration retry_every = milliseconds(500);  ///< a request without an answer is sent again
    Duration lock_delay{};                     ///< after an expiry, not after a release
    Ppm drift_bound{200};                      ///< of clock rates, which the client allows for
    Duration margin = milliseconds(50);
    /// How much earlier than `renew_every` a renewal may go, in hundredths.
    std::int64_t jitter_percent = 10;
    /// An attempt at the deadline itself is still made, and its answer counts if it comes so soon.
    Duration deadline_grace{};
    /// Waiters look this often whether the lock is free; zero: the service tells them.
    Duration poll_every{};
    /// How much later than `poll_every` a look may come, in hundredths.
    std::int64_t poll_jitter_percent = 0;
    /// Waiters count the lease themselves, from the look at which they saw the last renewal.
    bool waiters_count_lease = false;
    /// The service ends a session so much after its lease.
    Duration expires_late{};
    /// A renewal is a write: its answer waits for the service's disk.
    bool renewals_write = false;
    /// After a failover or an outage of the service every session has its full TTL anew; else
    /// sessions end when they would have.
    bool failover_extends = true;

    /// From the sending of the last renewal that was answered, on the client's own clock: the
    /// deadline if one is set, else lease x (1 - drift bound) - margin.
    Duration stands_down_after() const {
        return deadline.ns > 0 ? deadline : shrink(lease, drift_bound) - margin;
    }
    /// So long it acts, at most.
    Duration believes_for() const { return stands_down_after() + deadline_grace; }
    bool operator==(const Setting&) const = default;
};

/// Why that cannot be a setting: "renewals every 30 s, but ...". Empty if it can.
std::string why_not(const Setting& setting);

/// The default settings of a known system: its numbers, not its protocol.
struct Preset {
    std::string_view name;
    std::string_view what;  ///< which numbers, and where they are documented
    Setting setting;
    bool is_default = true;  ///< what one has who chooses nothing; to be marked beside every sweep
};
const std::vector<Preset>& presets();
const Preset* preset(std::string_view name);

/// A choice of lengths for one parameter, as it is written: "15s", "2s..120s", "lease/3",
/// "lease*0.8", "lease-30s", "lease+5s".
struct Choice {
    enum class Kind { Unset, Fixed, Range, Share, Scaled, Less, More } kind = Kind::Unset;
    Duration low;   ///< Fixed, Less, More: the length; Scaled: for a lease of `high`
    Duration high;  ///< Range, Scaled
    Ppm share;      ///< Share, of the lease

    bool is_range() const { return kind == Kind::Range; }
    /// The lengths: one, or `points` of a range, at equal ratios, rounded to three digits.
    std::vector<Duration> values(Duration lease, std::size_t points) const;
};
/// In proportion to the lease, as it is in `base`: `length` for its lease.
Choice scaled(Duration length, const Setting& base);
Result<Choice> parse_choice(std::string_view option, std::string_view text);
/// "15s", "250ms", "2m", "1h", "7d", "2w", "1y", "1.5s".
Result<Duration> parse_length(std::string_view option, std::string_view text);

/// What is to be swept: at most two of these are ranges.
struct Choices {
    Setting base;  ///< all that is not said here
    Choice lease;
    Choice renew;
    Choice deadline;
    Choice lock_delay;
    std::size_t points =
        20;  ///< of one range; of two, as many each as make about this many pairs that can be
};
/// The settings, in ascending order; those that cannot be are left out.
Result<std::vector<Setting>> settings_of(const Choices& choices);

}  // namespace lockstep::lease
