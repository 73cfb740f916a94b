#pragma once

#include "harness/lease/sweep.hpp"
#include "harness/lease/tally.hpp"

namespace lockstep::lease {

/// Counts, figures and harms of what came of a setting.
///
/// How the data intervals come about. Of what is counted (losses and the like), each stop of a log
/// has a weight: the chance with which it costs a lease under this setting, as it came out of the
/// simulation. The expected count of a month is the sum of these weights over the time observed.
/// Stops that are rare come independently, so that the sum has the interval of Fay and Feuer for
/// weighted Poisson counts, in which one more stop, longer than any seen, weighs one: it would cost
/// the lease for sure. With nothing seen in T hours that leaves at most 3.0 / T. Stops of one hour
/// of a trace may belong together: they count as one, with the sum of their weights.
///
/// Of the other figures it is what the figure comes to if the blocks of the trace are drawn anew,
/// with repetition (block bootstrap); of samples without times, how much it varies over simulated
/// stretches that are as long as was observed.
void fill_in(SettingResult& result, const Tally& tally, const Conditions& conditions,
             std::uint64_t seed);

/// The longest outage of the service that costs no lease, whenever it comes, but for round trips.
Duration outage_borne(const Setting& setting);

}  // namespace lockstep::lease
