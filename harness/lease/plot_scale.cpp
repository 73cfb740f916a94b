#include "harness/lease/plot_scale.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

/// What of a decade has a tick, from the finest to the coarsest.
const std::vector<std::vector<double>>& steps() {
    static const std::vector<std::vector<double>> all{{1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9},
                                                      {1, 1.5, 2, 3, 4, 5, 7},
                                                      {1, 2, 3, 5},
                                                      {1, 2, 5},
                                                      {1, 3},
                                                      {1}};
    return all;
}

std::vector<double> ticks_of(double low, double high, const std::vector<double>& of_decade) {
    std::vector<double> ticks;
    for (double power = std::floor(std::log10(low)); power <= std::log10(high) + 1; ++power)
        for (const double step : of_decade) {
            const double value = step * std::pow(10, power);
            if (value >= low * 0.999 && value <= high * 1.001) ticks.push_back(value);
        }
    return ticks;
}

}  // namespace

Scale Scale::of(double low, double high, double from, double to) {
    return with_zero(low, high, from, to, 0);
}

Scale Scale::with_zero(double low, double high, double from, double to, double band) {
    Scale scale;
    scale.low_ = low;
    scale.high_ = std::max(high, low * 1.001);
    scale.from_ = from;
    scale.to_ = to;
    scale.band_ = to > from ? band : -band;
    return scale;
}

Scale Scale::linear(double low, double high, double from, double to) {
    Scale scale = of(low, high, from, to);
    scale.high_ = high;
    scale.linear_ = true;
    return scale;
}

double Scale::at(double value) const {
    if (linear_) {
        const double share = std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
        return from_ + share * (to_ - from_);
    }
    if (!(value > 0)) return from_;
    if (value < low_) return from_ + band_ * value / low_;
    if (value >= high_) return to_;
    const double share = std::log(value / low_) / std::log(high_ / low_);
    return from_ + band_ + share * (to_ - from_ - band_);
}

std::vector<double> Scale::ticks(std::size_t most) const {
    std::vector<double> ticks;
    if (linear_) {
        double step =
            std::pow(10, std::floor(std::log10((high_ - low_) / static_cast<double>(most))));
        for (const double factor : {2.0, 2.5, 2.0})
            if ((high_ - low_) / step > static_cast<double>(most)) step *= factor;
        for (double n = std::ceil(low_ / step - 1e-9); n * step <= high_ + 1e-9 * step; ++n)
            ticks.push_back(n == 0 ? 0 : n * step);
        return ticks;
    }
    for (const auto& of_decade : steps()) {
        ticks = ticks_of(low_, high_, of_decade);
        if (ticks.size() <= most) break;
    }
    if (ticks.size() > most) {
        // So many decades that not each has one.
        const std::size_t stride = (ticks.size() + most - 1) / most;
        std::vector<double> some;
        for (std::size_t i = 0; i < ticks.size(); i += stride) some.push_back(ticks[i]);
        ticks = some;
    }
    if (zero()) ticks.insert(ticks.begin(), 0.0);
    return ticks;
}

void Extent::take(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    low = empty() ? value : std::min(low, value);
    high = std::max(high, value);
}

void Extent::widen(double least_ratio, double pad) {
    if (empty()) low = high = 1;
    if (high / low < least_ratio) {
        const double middle = std::sqrt(high * low);
        low = middle / std::sqrt(least_ratio);
        high = middle * std::sqrt(least_ratio);
    }
    low /= pad;
    high *= pad;
}

void Extent::round() {
    const auto down = [](double value) {
        const double decade = std::pow(10, std::floor(std::log10(value) + 1e-9));
        const double step = value / decade * (1 + 1e-9);
        return decade * (step >= 5 ? 5 : step >= 2 ? 2 : 1);
    };
    if (empty()) low = high = 1;
    low = down(low);
    const double below = down(high);
    if (high > below * 1.001) {
        const double decade = std::pow(10, std::floor(std::log10(below) + 1e-9));
        const double step = below / decade;
        high = decade * (step > 4 ? 10 : step > 1.5 ? 5 : 2);
    }
}

std::string tick_text(double value) {
    if (value >= 10'000) {
        const bool millions = value >= 1e6;
        return fmt::format("{:.4g}{}", value / (millions ? 1e6 : 1e3), millions ? "M" : "k");
    }
    if (value >= 1'000) return harness::grouped(static_cast<std::uint64_t>(std::llround(value)));
    return fmt::format("{:.4g}", value);
}

}  // namespace lockstep::lease
