#include "harness/lease/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace lockstep::lease {
namespace {

constexpr double z = 1.959963984540054;
constexpr double unknown = std::numeric_limits<double>::infinity();

/// std::lgamma writes a global; this does not (Lanczos's series, g = 7).
double log_gamma(double x) {
    static constexpr double c[] = {
        0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
        771.32342877765313,   -176.61502916214059,   12.507343278686905,
        -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
    if (x < 0.5) return std::log(M_PI / std::sin(M_PI * x)) - log_gamma(1 - x);
    x -= 1;
    double sum = c[0];
    for (int i = 1; i < 9; ++i) sum += c[i] / (x + i);
    const double t = x + 7.5;
    return 0.5 * std::log(2 * M_PI) + (x + 0.5) * std::log(t) - t + std::log(sum);
}

/// The share of the distribution below x: a series where it converges fast, else the continued
/// fraction of the rest.
double gamma_below(double shape, double x) {
    if (x <= 0) return 0;
    const double scale = std::exp(shape * std::log(x) - x - log_gamma(shape));
    if (x < shape + 1) {
        double term = 1 / shape;
        double sum = term;
        for (int n = 1; n < 10'000 && term > sum * 1e-16; ++n) {
            term *= x / (shape + n);
            sum += term;
        }
        return sum * scale;
    }
    constexpr double tiny = 1e-300;
    double b = x + 1 - shape;
    double c = 1 / tiny;
    double d = 1 / b;
    double h = d;
    for (int n = 1; n < 10'000; ++n) {
        const double a = -n * (n - shape);
        b += 2;
        d = a * d + b;
        if (std::abs(d) < tiny) d = tiny;
        c = b + a / c;
        if (std::abs(c) < tiny) c = tiny;
        d = 1 / d;
        const double factor = d * c;
        h *= factor;
        if (std::abs(factor - 1) < 1e-15) break;
    }
    return 1 - scale * h;
}

}  // namespace

double gamma_quantile(double shape, double p) {
    double low = 0;
    double high = shape + 1;
    while (gamma_below(shape, high) < p) high *= 2;
    for (int i = 0; i < 100; ++i) {
        const double half = (low + high) / 2;
        (gamma_below(shape, half) < p ? low : high) = half;
    }
    return high;
}

Interval poisson_interval(std::uint64_t count) {
    if (count == 0) return {0, gamma_quantile(1, 0.95)};
    const auto n = static_cast<double>(count);
    return {gamma_quantile(n, 0.025), gamma_quantile(n + 1, 0.975)};
}

Interval weighted_interval(double sum, double sum_of_squares, double unseen) {
    if (sum <= 0) return {0, unseen * gamma_quantile(1, 0.95)};
    const double low_scale = sum_of_squares / sum;
    const double more = sum + unseen;
    const double more_squares = sum_of_squares + unseen * unseen;
    const double high_scale = more_squares / more;
    return {low_scale * gamma_quantile(sum / low_scale, 0.025),
            high_scale * gamma_quantile(more / high_scale, 0.975)};
}

double mean(const std::vector<double>& values) {
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Interval mean_interval(const std::vector<double>& values) {
    const double m = mean(values);
    if (values.size() < 2) return {0, unknown};
    double squares = 0;
    for (const double v : values) squares += (v - m) * (v - m);
    const auto n = static_cast<double>(values.size());
    const double error = z * std::sqrt(squares / (n - 1) / n);
    return {std::max(0.0, m - error), m + error};
}

double quantile(const std::vector<double>& sorted, double p) {
    if (sorted.empty()) return 0;
    const auto n = static_cast<double>(sorted.size());
    const double rank = std::ceil(p * n - 1e-9);
    return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
}

Interval quantile_interval(const std::vector<double>& sorted, double p) {
    if (sorted.empty()) return {0, unknown};
    const auto n = static_cast<double>(sorted.size());
    const double error = z * std::sqrt(n * p * (1 - p));
    const double low = std::floor(n * p - error);
    const double high = std::ceil(n * p + error) + 1;
    return {low < 1 ? 0 : sorted[static_cast<std::size_t>(low) - 1],
            high > n ? unknown : sorted[static_cast<std::size_t>(high) - 1]};
}

Interval middle(std::vector<double> values) {
    if (values.empty()) return {0, unknown};
    std::ranges::sort(values);
    return {quantile(values, 0.025), quantile(values, 0.975)};
}

Interval predicted_counts(double count, double looks) {
    const double shape = count + 0.5;
    const double expected = shape * looks;
    if (!std::isfinite(expected)) return {0, unknown};
    if (expected > 1'000 || shape > 500) {
        const double half = z * std::sqrt(expected * (1 + looks));
        return {std::max(0.0, std::floor(expected - half)), std::ceil(expected + half)};
    }
    const double more = looks / (1 + looks);
    double term = std::pow(1 - more, shape);  // of none
    double below = 0;
    Interval range{-1, 0};
    for (int n = 0; n < 1'000'000; ++n) {
        below += term;
        if (range.low < 0 && below > 0.025) range.low = n;
        range.high = n;
        if (below >= 0.975) break;
        term *= (shape + n) / (n + 1) * more;
    }
    range.low = std::max(range.low, 0.0);
    return range;
}

}  // namespace lockstep::lease
