#include "harness/lease/figures.hpp"

#include "harness/lease/resampling.hpp"
#include "harness/lease/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace lockstep::lease {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double month = 30 * 86'400.0;  // seconds
constexpr double year = 365 * 86'400.0;

double in_seconds(Duration d) {
    return static_cast<double>(d.ns) / 1e9;
}

const Source* source_of(const Conditions& conditions, Harm::Kind kind) {
    switch (kind) {
        case Harm::Kind::Pause:
            return &conditions.pauses;
        case Harm::Kind::Outage:
            return &conditions.outages;
        case Harm::Kind::Partition:
            return &conditions.partitions;
        case Harm::Kind::Failover:
            return &conditions.failovers;
        case Harm::Kind::RoundTrip:
            return nullptr;
    }
    return nullptr;
}

bool measured(const Source* source) {
    return source != nullptr && source->from_series() && source->series.observed.ns > 0 &&
           !source->rate_assumed;
}

/// What one loss adds to a figure.
using Effect = double (*)(const Loss&);

/// See the header.
class Weights {
public:
    Weights(const Setting& setting, const Tally& tally, const Conditions& conditions, double unseen)
        : setting_(setting), tally_(tally), conditions_(conditions), unseen_(unseen) {}

    /// Of the rate a second; nothing measured: just the value.
    /// `with_lucky`: see add_lucky. `assumed_part`: what of the rate comes of sources that nobody
    /// measured.
    Interval interval(Effect effect, double value, double* assumed_part = nullptr,
                      bool with_lucky = false) const {
        double assumed = 0;
        double sum = 0;
        double squares = 0;
        double unseen = 0;
        for (std::size_t k = 0; k < harm_kinds; ++k) {
            const auto kind = static_cast<Harm::Kind>(k);
            const Source* source = source_of(conditions_, kind);
            std::map<std::uint32_t, double> by_index;
            for (const Loss& loss : tally_.losses)
                if (loss.kind == kind) by_index[loss.index] += effect(loss);
            if (!measured(source)) {
                for (const auto& [index, effects] : by_index) assumed += effects / span();
                continue;
            }
            const double observed = in_seconds(source->series.observed);
            double largest = unseen_;
            if (with_lucky) add_lucky(kind, source->series, by_index);
            const auto [s, q] = sums(k, source->series, by_index, largest);
            sum += s / observed;
            squares += q / (observed * observed);
            unseen = std::max(unseen, largest / observed);
        }
        if (assumed_part != nullptr) *assumed_part = assumed;
        if (unseen <= 0) return {value, value};
        const Interval weighted = weighted_interval(sum, squares, unseen);
        return {std::min(value, assumed + weighted.low), std::max(value, assumed + weighted.high)};
    }

private:
    double span() const { return in_seconds(tally_.bin) * static_cast<double>(tally_.bins.size()); }

    /// The sum of the weights over the time observed, and that of their squares.
    std::pair<double, double> sums(std::size_t kind, const data::Series& series,
                                   const std::map<std::uint32_t, double>& effects,
                                   double& largest) const {
        constexpr std::int64_t hour = 3'600'000'000'000;
        const auto& happened = tally_.happened[kind];
        const bool counted = series.points.empty();
        std::map<std::int64_t, double> clusters;
        double sum = 0;
        double squares = 0;
        for (const auto& [index, effect] : effects) {
            const double weight = effect / std::max(1U, happened[index]);
            largest = std::max(largest, weight);
            const double times = counted ? static_cast<double>(series.buckets[index].count) : 1;
            sum += weight * times;
            if (series.timed && !counted)
                clusters[series.points[index].at.ns / hour] += weight;
            else
                squares += weight * weight * times;
        }
        for (const auto& [at, weight] : clusters) {
            squares += weight * weight;
            largest = std::max(largest, weight);
        }
        const double share = counted ? 1 : not_all(series, happened);
        return {sum * share, squares * share};
    }

    /// What is long enough to cost a lease and happened a few times without doing so may have been
    /// lucky: of n times without, Laplace's rule of succession leaves a chance of 1 / (n + 2).
    void add_lucky(Harm::Kind kind, const data::Series& series,
                   std::map<std::uint32_t, double>& effects) const {
        const Duration borne = kind == Harm::Kind::Pause
                                   ? setting_.stands_down_after() - setting_.renew_every
                                   : outage_borne(setting_);
        const auto& happened = tally_.happened[static_cast<std::size_t>(kind)];
        for (std::size_t i = 0; i < series.points.size() && i < happened.size(); ++i) {
            const auto index = static_cast<std::uint32_t>(i);
            if (series.points[i].length <= borne || effects.contains(index)) continue;
            effects[index] = happened[i] == 0 ? 0.5 : happened[i] / (happened[i] + 2.0);
        }
    }

    /// In a short span not each of them happened; those that did stand for all.
    double not_all(const data::Series& series, const std::vector<std::uint32_t>& happened) const {
        if (series.timed) return std::max(1.0, in_seconds(series.observed) / span());
        const auto some = std::ranges::count_if(happened, [](std::uint32_t n) { return n > 0; });
        return static_cast<double>(series.points.size()) /
               static_cast<double>(std::max<std::ptrdiff_t>(some, 1));
    }

    const Setting& setting_;
    const Tally& tally_;
    const Conditions& conditions_;
    const double unseen_;
};

/// One value a bin to one a day, or as many bins as there are if there are few.
std::vector<double> by_day(const Tally& tally, const std::vector<double>& by_bin) {
    const auto per_day = static_cast<std::size_t>(86'400'000'000'000 / tally.bin.ns);
    const std::size_t block = by_bin.size() >= 4 * per_day ? per_day : 1;
    std::vector<double> days;
    for (std::size_t i = 0; i + block <= by_bin.size(); i += block) {
        double sum = 0;
        for (std::size_t k = i; k < i + block; ++k) sum += by_bin[k];
        days.push_back(sum / static_cast<double>(block));
    }
    return days;
}

template <class Of>
std::vector<double> each_bin(const Tally& tally, Of of) {
    std::vector<double> values;
    values.reserve(tally.bins.size());
    for (const Bin& bin : tally.bins) values.push_back(of(bin));
    return values;
}

Interval scaled(Interval interval, double by) {
    return {interval.low * by, interval.high * by};
}

/// Counted things a month.
Figure count_figure(const Tally& tally, const Weights& weights, std::uint64_t Counts::* counted,
                    Effect effect) {
    const auto values = each_bin(
        tally, [counted](const Bin& bin) { return static_cast<double>(bin.counts.*counted); });
    const double span = in_seconds(tally.bin) * static_cast<double>(values.size());
    std::uint64_t count = 0;
    for (const Bin& bin : tally.bins) count += bin.counts.*counted;
    const double rate = static_cast<double>(count) / span;
    // Few are of the kind of which batches say nothing.
    const Interval luck =
        count < 30 ? scaled(poisson_interval(count), 1 / span)
                   : scaled(mean_interval(by_day(tally, values)), 1 / in_seconds(tally.bin));
    double assumed = 0;
    // Of a holder that bore it nobody knows whether another would have taken over.
    const bool of_holder = counted == &Counts::losses || counted == &Counts::stood_down;
    const Interval data = weights.interval(effect, rate, &assumed, of_holder);
    return {rate * month, scaled(luck, month), scaled(data, month), assumed * month};
}

Figure belief_figure(const Tally& tally, const Weights& weights) {
    const auto values =
        each_bin(tally, [](const Bin& bin) { return in_seconds(bin.double_belief); });
    const double bin = in_seconds(tally.bin);
    const double rate = mean(values) / bin;
    Interval luck = scaled(mean_interval(by_day(tally, values)), 1 / bin);
    // As for counts: none seen bounds how often it comes, not how long it then takes.
    if (rate == 0) luck.high = unknown;
    const Interval data =
        weights.interval([](const Loss& loss) { return in_seconds(loss.double_belief); }, rate);
    return {rate * year, scaled(luck, year), scaled(data, year)};
}

/// The mean of what is measured in each bin.
Figure mean_figure(const Tally& tally, const Resampling& resampling,
                   const std::vector<double>& values, double by) {
    const double m = mean(values);
    const Interval data = resampling.measured() ? resampling.of_mean(values) : Interval{m, m};
    return {m * by, scaled(mean_interval(by_day(tally, values)), by), scaled(data, by)};
}

struct Quantiles {
    Figure mean, p50, p99, worst;
};

Quantiles quantiles(std::vector<Takeover> samples, const Resampling& resampling) {
    std::ranges::stable_sort(samples, {}, &Takeover::takes);
    std::vector<double> sorted;
    for (const Takeover& sample : samples) sorted.push_back(in_seconds(sample.takes));
    if (sorted.empty()) {
        const Figure nothing{0, {0, unknown}, {0, unknown}};
        return {nothing, nothing, nothing, nothing};
    }
    const auto at = [&](double p) {
        const double value = quantile(sorted, p);
        const Interval data =
            resampling.measured() ? resampling.of_quantile(samples, p) : Interval{value, value};
        return Figure{value, quantile_interval(sorted, p), data};
    };
    const double m = mean(sorted);
    Quantiles made{{m, mean_interval(sorted), {m, m}}, at(0.5), at(0.99), {}};
    const double worst = sorted.back();
    made.worst = {worst, {worst, unknown}, {worst, unknown}};
    return made;
}

std::vector<Harm> harms_of(const Tally& tally, const Conditions& conditions) {
    std::map<std::pair<Harm::Kind, std::uint32_t>, Harm> by_place;
    for (const Loss& loss : tally.losses) {
        const Source* source = source_of(conditions, loss.kind);
        const bool known = source != nullptr && source->from_series() && !source->rate_assumed;
        Harm& harm = by_place[{loss.kind, known ? loss.index : 0}];
        harm.kind = loss.kind;
        harm.length = harm.losses == 0 || loss.length < harm.length ? loss.length : harm.length;
        ++harm.losses;
        if (loss.kind != Harm::Kind::RoundTrip)
            harm.times = tally.happened[static_cast<std::size_t>(loss.kind)][loss.index];
        if (!known || source->series.points.empty()) continue;
        const data::Point& point = source->series.points[loss.index];
        harm.where = place_of(source->series, point);
        harm.length = point.length;
    }
    std::vector<Harm> harms;
    for (const auto& [place, harm] : by_place) harms.push_back(harm);
    std::ranges::stable_sort(harms, [](const Harm& a, const Harm& b) {
        return a.losses != b.losses ? a.losses > b.losses : a.length > b.length;
    });
    constexpr std::size_t most = 10;
    if (harms.size() > most) harms.resize(most);
    return harms;
}

std::vector<Cause> causes_of(const Tally& tally) {
    std::vector<Cause> causes;
    for (const Loss& loss : tally.losses) {
        auto it = std::ranges::find(causes, loss.kind, &Cause::kind);
        if (it == causes.end()) it = causes.insert(causes.end(), {loss.kind, loss.length, 0});
        it->shortest = std::min(it->shortest, loss.length);
        ++it->losses;
    }
    std::ranges::stable_sort(causes, std::greater<>(), &Cause::losses);
    return causes;
}

Counts total(const Tally& tally) {
    Counts sum;
    for (const Bin& bin : tally.bins) {
        sum.losses += bin.counts.losses;
        sum.stood_down += bin.counts.stood_down;
        sum.taken_over += bin.counts.taken_over;
        sum.refused_writes += bin.counts.refused_writes;
        sum.crashes += bin.counts.crashes;
        sum.releases += bin.counts.releases;
        sum.renewals += bin.counts.renewals;
    }
    return sum;
}

}  // namespace

/// Attempts go out at the renewal and then every retry; the last before the deadline is the last
/// that can save the lease. The worst outage begins just before the first of them, and must be over
/// before the last, which comes as early as jitter makes it.
Duration outage_borne(const Setting& setting) {
    const std::int64_t room = (setting.stands_down_after() - setting.renew_every).ns;
    const std::int64_t retry = setting.retry_every.ns;
    if (room <= 0) return {};
    // Without grace an attempt at the deadline itself comes too late, as its answer takes time.
    constexpr Duration answer = milliseconds(20);
    const std::int64_t late =
        setting.deadline_grace.ns > 0 ? setting.deadline_grace.ns / 2 : -answer.ns;
    const std::int64_t attempts = std::max<std::int64_t>(room + late, 0) / retry;
    const std::int64_t earliest = attempts * retry * (100 - setting.jitter_percent) / 100;
    return {std::max(earliest, room - retry)};
}

void fill_in(SettingResult& result, const Tally& tally, const Conditions& conditions,
             std::uint64_t seed) {
    const Setting& setting = result.setting;
    result.counts = total(tally);
    result.simulated = tally.bin * static_cast<std::int64_t>(tally.bins.size());
    result.harms = harms_of(tally, conditions);
    result.causes = causes_of(tally);
    result.steps = tally.steps;
    result.digest = tally.digest;

    const Resampling resampling(tally, conditions.pauses.series, seed);
    const Weights weights(setting, tally, conditions, 1);
    Figures& f = result.figures;
    f.losses = count_figure(tally, weights, &Counts::losses, [](const Loss&) { return 1.0; });
    f.stood_down = count_figure(tally, weights, &Counts::stood_down,
                                [](const Loss& loss) { return loss.stood_down ? 1.0 : 0.0; });
    f.taken_over = count_figure(tally, weights, &Counts::taken_over,
                                [](const Loss& loss) { return loss.taken_over ? 1.0 : 0.0; });
    f.refused_writes = count_figure(tally, weights, &Counts::refused_writes, [](const Loss& loss) {
        return static_cast<double>(loss.refused_writes);
    });
    // One stop that was not seen is taken to cost as much as one lease.
    f.double_belief =
        belief_figure(tally, Weights(setting, tally, conditions, in_seconds(setting.lease)));
    const Quantiles crashes = quantiles(tally.crashes, resampling);
    f.crash_mean = crashes.mean;
    f.crash_p50 = crashes.p50;
    f.crash_p99 = crashes.p99;
    f.crash_worst = crashes.worst;
    const Quantiles releases = quantiles(tally.releases, resampling);
    f.release_p50 = releases.p50;
    f.release_p99 = releases.p99;
    f.release_worst = releases.worst;
    f.failover_adds = quantiles(tally.failovers, resampling).mean;
    const double bin = in_seconds(tally.bin);
    f.without_holder = mean_figure(
        tally, resampling,
        each_bin(tally, [](const Bin& b) { return in_seconds(b.without_holder); }), 1 / bin);
    f.renewals = mean_figure(
        tally, resampling,
        each_bin(tally, [](const Bin& b) { return static_cast<double>(b.counts.renewals); }),
        1'000 / bin);
    f.skew_ratio = in_seconds(setting.lease) / in_seconds(setting.stands_down_after());
    f.skew = setting.lease - setting.stands_down_after();
    f.outage_borne = outage_borne(setting);
}

}  // namespace lockstep::lease
