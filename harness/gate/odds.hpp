#pragma once

#include <cstdint>

/// Chances of counts, for minimums that a healthy build misses almost never, and for what so many
/// runs say of a rate (docs/ci.md has the arithmetic). No verdict on a run depends on them.
namespace lockstep::harness {

/// The chance that fewer than `least` of n independent runs hit, of which each does with chance p.
double binomial_below(std::uint64_t n, double p, std::uint64_t least);
/// The same of a number of hits that is spread as Poisson's law has it.
double poisson_below(double mean, std::uint64_t least);

/// The largest minimum that is missed with at most this chance; 0: none can be demanded.
std::uint64_t least_of_binomial(std::uint64_t n, double p, double chance);
/// Of a sum of independent hits with chances of any kind that add up to `mean`. Below the mean less
/// one, such a sum's lower tail is no heavier than Poisson's (Anderson and Samuels, 1967), so none
/// above that is given.
std::uint64_t least_of_sum(double mean, double chance);

/// Clopper and Pearson's bounds of a rate of which `hits` of n were seen: the rate is above the
/// upper one, or below the lower one, with a chance of at most `doubt` each. With no hits and 5%
/// the upper one is near 3/n, the rule of three.
double rate_at_most(std::uint64_t hits, std::uint64_t n, double doubt);
double rate_at_least(std::uint64_t hits, std::uint64_t n, double doubt);

}  // namespace lockstep::harness
