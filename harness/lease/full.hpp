#pragma once

#include "harness/lease/sweep.hpp"
#include "harness/lease/tally.hpp"

#include <cstdint>
#include <functional>
#include <string>

/// The fidelity `full`: three servers of the lock service, two clients of which each wants the lock
/// for ever, a fenced store, and the checkers of all properties.
namespace lockstep::lease {

/// Why the whole cluster cannot run that; empty if it can. It has its own client's retries and
/// jitter, waiters that are told, and no outages but faults of its own.
std::string why_not_full(const Setting& setting, const Conditions& conditions);

/// As `simulate`, in runs of an hour each, whose first seconds, until somebody has the lock, do not
/// count. The stops come at the same times as there; one that would go on beyond its run is left
/// out. Takeovers are those after real crashes alone. `go_on` is asked after each run. Throws
/// std::runtime_error if a run does not finish, or breaks a promise.
Tally simulate_full(const Setting& setting, const Conditions& conditions, std::uint64_t seed,
                    Duration span, const std::function<bool()>& go_on);

/// How long nobody leads after the leader was killed, until another has applied an entry of its own
/// term: what a failover is as an outage. As many as asked for, about.
data::Series measure_failovers(std::uint64_t seed, std::size_t count);

}  // namespace lockstep::lease
