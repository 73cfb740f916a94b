#pragma once

#include "harness/lease/sweep.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// What the explorer comes to, held against what is known from elsewhere.
namespace lockstep::lease {

/// `interval` has 99.9%, so that a table of many rows agrees as a whole.
struct Compared {
    std::string what;
    double known = 0;
    double ours = 0;
    Interval interval;
    double lease_s = 0;  ///< where it is on the axis of the comparison's plot; 0: nowhere
    bool agrees() const { return interval.low <= known && known <= interval.high; }
};

struct Comparison {
    std::string title;
    std::string source;  ///< of what is known
    std::string unit;
    std::vector<Compared> rows;
    std::string name = "";  ///< of the file of its plot; empty: it has none
    /// What is known, between the rows, too: lease in seconds, and chance.
    std::vector<std::pair<double, double>> curve = {};
    bool agrees() const;
};

/// An SVG that stands for itself: what is known as a line, ours with its intervals. Of one with a
/// name.
std::string comparison_svg(const Comparison& comparison);

/// The chance that a stop of length P costs a lease T that is renewed every T/3: 1 from P = T on,
/// (P + T/3 - T) / (T/3) before, 0 below 2/3 T. Of a lease that is stood down from after D and
/// renewed every r: (P + r - D) / r.
double loss_chance(Duration stop, Duration deadline, Duration renew_every);

/// Stops of one length at ten leases, and stops of many lengths.
Comparison compare_closed_form(std::uint64_t seed);
/// From a crash to the next holder: the lease, less the age of the last renewal, plus a round trip.
Comparison compare_takeover(std::uint64_t seed);
/// Renewals a second of 1,000 sessions, and the load of Gray and Cheriton (1989).
Comparison compare_traffic(std::uint64_t seed);
/// The longest stop of a trace: how often it costs the lease, of so many times that it comes.
Comparison compare_longest_stop(const data::Series& pauses, const std::vector<Duration>& leases,
                                std::uint64_t seed, std::int64_t times = 400);
/// The whole cluster (as what is known) and the service reduced to its lease behaviour.
Comparison compare_fidelities(std::uint64_t seed, Duration span);
/// Kubernetes' rule for clock skew, and what OpenShift chose by its own reckoning.
Comparison compare_kubernetes(std::uint64_t seed);

}  // namespace lockstep::lease
