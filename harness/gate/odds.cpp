#include "harness/gate/odds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace lockstep::harness {
namespace {

double log_choose(double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// The p between 0 and 1 at which a function that only falls comes down to `to`.
double where_falls_to(double to, const std::function<double(double)>& falling) {
    double low = 0;
    double high = 1;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (falling(middle) > to ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// The largest m for which below(m) is at most `chance`; `below` only grows.
std::uint64_t largest(std::uint64_t most, double chance,
                      const std::function<double(std::uint64_t)>& below) {
    std::uint64_t low = 0;
    while (low < most) {
        const std::uint64_t middle = low + (most - low + 1) / 2;
        if (below(middle) <= chance)
            low = middle;
        else
            most = middle - 1;
    }
    return low;
}

}  // namespace

double binomial_below(std::uint64_t n, double p, std::uint64_t least) {
    if (least == 0) return 0;
    if (least > n) return 1;
    if (p <= 0) return 1;
    if (p >= 1) return 0;
    const auto runs = static_cast<double>(n);
    double sum = 0;
    for (std::uint64_t i = 0; i < least; ++i) {
        const auto k = static_cast<double>(i);
        sum += std::exp(log_choose(runs, k) + k * std::log(p) + (runs - k) * std::log1p(-p));
    }
    return std::min(sum, 1.0);
}

double poisson_below(double mean, std::uint64_t least) {
    if (least == 0) return 0;
    if (mean <= 0) return 1;
    double sum = 0;
    for (std::uint64_t i = 0; i < least; ++i) {
        const auto k = static_cast<double>(i);
        sum += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
    }
    return std::min(sum, 1.0);
}

std::uint64_t least_of_binomial(std::uint64_t n, double p, double chance) {
    return largest(n, chance, [&](std::uint64_t m) { return binomial_below(n, p, m); });
}

std::uint64_t least_of_sum(double mean, double chance) {
    if (mean < 1) return 0;
    // Fewer than m is at most m - 1, which must be at most the mean less one.
    const auto most = static_cast<std::uint64_t>(std::floor(mean));
    return largest(most, chance, [&](std::uint64_t m) { return poisson_below(mean, m); });
}

double rate_at_most(std::uint64_t hits, std::uint64_t n, double doubt) {
    if (hits >= n) return 1;
    return where_falls_to(doubt, [&](double p) { return binomial_below(n, p, hits + 1); });
}

double rate_at_least(std::uint64_t hits, std::uint64_t n, double doubt) {
    if (hits == 0 || n == 0) return 0;
    return where_falls_to(1 - doubt, [&](double p) { return binomial_below(n, p, hits); });
}

}  // namespace lockstep::harness
