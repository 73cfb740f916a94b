#pragma once

#include "harness/lease/sweep.hpp"

#include <cstdint>
#include <vector>

/// Intervals with 95% confidence. Floating point is for what is reported; nothing simulated depends
/// on it.
namespace lockstep::lease {

/// The share p of a gamma distribution of that shape and of scale 1 lies below it.
double gamma_quantile(double shape, double p);

/// Of the expected count, where so many were seen: exact (Garwood 1936). None seen: one-sided, at
/// most 3.0.
Interval poisson_interval(std::uint64_t count);

/// Counts of a second look, of `looks` times the length of a first that saw `count`: the middle 95%
/// (negative binomial, from Jeffreys' prior). `count` may be a fraction.
Interval predicted_counts(double count, double looks);

/// Of the expected sum of weights, where rare things come independently and each weighs what it
/// weighs (Fay and Feuer, "Confidence intervals for directly standardized rates", 1997).
/// `unseen` is the weight of one that could have come, and did not: the largest that is possible.
/// Nothing seen: one-sided, at most 3.0 x unseen.
Interval weighted_interval(double sum, double sum_of_squares, double unseen);

/// Of the mean of values that are nearly independent: 1.96 standard errors either way. Of fewer
/// than two values nothing is known.
Interval mean_interval(const std::vector<double>& values);

double mean(const std::vector<double>& values);
/// The least value that has at least the share p of them at or below it. Of none: zero.
double quantile(const std::vector<double>& sorted, double p);
/// By the order statistics at 1.96 standard errors of the rank.
Interval quantile_interval(const std::vector<double>& sorted, double p);

/// The middle 95% of the values.
Interval middle(std::vector<double> values);

}  // namespace lockstep::lease
