#include "core/base/prng.hpp"
#include "harness/lease/compare_support.hpp"
#include "harness/lease/figures.hpp"
#include "harness/lease/model.hpp"
#include "harness/lease/statistics.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

constexpr Duration hour = seconds(3'600);
constexpr Duration day = seconds(86'400);

struct Share {
    double losses = 0;
    double stops = 0;
};

/// Of one stop of the trace, or of all of them.
Share lost(const Setting& setting, const Conditions& world, std::uint64_t seed, Duration span,
           std::size_t index = SIZE_MAX) {
    const Tally tally = simulate(setting, world, seed, span, hour);
    Share share;
    for (const Loss& loss : tally.losses)
        if (index == SIZE_MAX || (loss.kind == Harm::Kind::Pause && loss.index == index))
            share.losses += 1;
    const auto& happened = tally.happened[static_cast<std::size_t>(Harm::Kind::Pause)];
    for (std::size_t i = 0; i < happened.size(); ++i)
        if (index == SIZE_MAX || i == index) share.stops += happened[i];
    return share;
}

Compared row(std::string what, double known, const Share& share) {
    return {std::move(what), known, share.losses / share.stops,
            share_interval(share.losses, share.stops)};
}

}  // namespace

Setting plain(Duration lease, std::int64_t jitter_percent) {
    Setting setting;
    setting.lease = lease;
    setting.renew_every = lease / 3;
    setting.jitter_percent = jitter_percent;
    return setting;
}

Source apart(const std::vector<Duration>& lengths, Duration low, Duration high, Duration span,
             std::uint64_t seed) {
    Prng prng(seed);
    Source source;
    Duration at{};
    while (at < span) {
        const Duration gap = prng.between(low, high);
        const std::uint64_t which = prng.below(lengths.size());
        const auto line = static_cast<std::uint32_t>(source.series.points.size() + 1);
        at += gap;
        source.series.points.push_back({at, lengths[which], 0, line});
        at += lengths[which];
    }
    source.series.timed = true;
    source.series.observed = at + low;
    return source;
}

Interval share_interval(double hits, double all) {
    const double z = z999;
    const double p = hits / all;
    const double denominator = 1 + z * z / all;
    const double centre = (p + z * z / (2 * all)) / denominator;
    const double half = z * std::sqrt(p * (1 - p) / all + z * z / (4 * all * all)) / denominator;
    // At the ends rounding must not leave them out.
    return {hits > 0 ? std::max(0.0, centre - half) : 0, hits < all ? centre + half : 1};
}

bool Comparison::agrees() const {
    return std::ranges::all_of(rows, [](const Compared& row) { return row.agrees(); });
}

double loss_chance(Duration stop, Duration deadline, Duration renew_every) {
    const double room = in_seconds(stop + renew_every - deadline);
    return std::clamp(room / in_seconds(renew_every), 0.0, 1.0);
}

Comparison compare_closed_form(std::uint64_t seed) {
    Comparison made{"A stop of length P at a random phase of renewals every T/3",
                    "1 for P >= T, (P + T/3 - T) / (T/3) between, 0 for T >= 1.5 P",
                    "chance that it costs the lease",
                    {}};
    const Duration stop = seconds(10);
    Conditions world;
    world.pauses = apart({stop}, seconds(60), seconds(180), day * 10, seed);
    // So that only the phase decides: neither margin nor drift bound.
    const auto exact = [](Duration lease) {
        Setting setting = plain(lease, 0);
        setting.deadline = lease;
        return setting;
    };
    for (const std::int64_t tenths : {80, 95, 105, 110, 115, 120, 130, 140, 145, 155}) {
        const Setting setting = exact(milliseconds(tenths * 100));
        made.rows.push_back(row(fmt::format("P = 10 s, T = {}", harness::span_text(setting.lease)),
                                loss_chance(stop, setting.lease, setting.lease / 3),
                                lost(setting, world, seed, day * 10)));
        made.rows.back().lease_s = in_seconds(setting.lease);
    }
    made.name = "closed-form";
    for (std::int64_t tenths = 75; tenths <= 160; ++tenths) {
        const Duration lease = milliseconds(tenths * 100);
        made.curve.emplace_back(in_seconds(lease), loss_chance(stop, lease, lease / 3));
    }
    std::vector<Duration> lengths;
    for (std::int64_t ms = 500; ms <= 20'000; ms += 500) lengths.push_back(milliseconds(ms));
    world.pauses = apart(lengths, seconds(60), seconds(180), day * 10, seed);
    for (const std::int64_t s : {6, 12, 24}) {
        const Setting setting = exact(seconds(s));
        double known = 0;
        for (const data::Point& point : world.pauses.series.points)
            known += loss_chance(point.length, setting.lease, setting.lease / 3);
        known /= static_cast<double>(world.pauses.series.points.size());
        made.rows.push_back(row(fmt::format("P from 0.5 to 20 s, T = {} s", s), known,
                                lost(setting, world, seed, day * 10)));
    }
    return made;
}

Comparison compare_takeover(std::uint64_t seed) {
    Comparison made{"From a crash of the holder to the next",
                    "the lease, less the age of the last renewal, plus the round trip",
                    "seconds",
                    {}};
    Conditions world;
    world.round_trip.shortest = world.round_trip.longest = milliseconds(20);
    for (const std::int64_t s : {6, 15, 60}) {
        const Setting setting = plain(seconds(s), 10);
        const Tally tally = simulate(setting, world, seed, day * 60, hour);
        std::vector<double> takes;
        for (const Takeover& takeover : tally.crashes) takes.push_back(in_seconds(takeover.takes));
        std::ranges::sort(takes);
        // The age of the last renewal at a random time, renewals being 0.9 to 1 of r apart: the
        // mean of the squares of the gaps over twice the mean of the gaps.
        const double r = in_seconds(setting.renew_every);
        const double age = (0.81 + 0.9 + 1) / 3 / (2 * 0.95) * r;
        const Interval at95 = mean_interval(takes);
        const double m = mean(takes);
        const double half = (at95.high - m) * z999 / 1.96;
        const auto lease = static_cast<double>(s);
        made.rows.push_back(
            {fmt::format("T = {} s: mean", s), lease - age + 0.02, m, {m - half, m + half}});
        // Among n of them some come within this of the extremes.
        const double near = r * 7 / static_cast<double>(takes.size());
        made.rows.push_back({fmt::format("T = {} s: shortest", s),
                             lease - r + 0.02,
                             takes.front(),
                             {takes.front() - std::sqrt(near * r), takes.front() + 1e-6}});
        made.rows.push_back({fmt::format("T = {} s: longest", s),
                             lease + 0.02,
                             takes.back(),
                             {takes.back() - 1e-6, takes.back() + near}});
    }
    return made;
}

Comparison compare_longest_stop(const data::Series& pauses, const std::vector<Duration>& leases,
                                std::uint64_t seed, std::int64_t times) {
    const auto longest = std::ranges::max_element(pauses.points, {}, &data::Point::length);
    const auto index = static_cast<std::size_t>(longest - pauses.points.begin());
    Comparison made{
        fmt::format("The stop of {:.2f} s in {:.2f} h", in_seconds(longest->length),
                    in_seconds(pauses.observed) / 3'600),
        "the closed form, with the deadline (drift bound and margin) and jitter that there are",
        "chance that it costs the lease",
        {}};
    Conditions world;
    world.pauses.series = pauses;
    // Gaps between renewals are 0.9 to 1 of r: at a random time the last one is older than x with a
    // chance of (mean of the gaps beyond x) / (mean of the gaps).
    const auto known = [&](const Setting& setting) {
        const double r = in_seconds(setting.renew_every);
        const double x = in_seconds(setting.stands_down_after() - longest->length) / r;
        const double beyond = x <= 0    ? 0.95
                              : x < 0.9 ? 0.95 - x
                              : x < 1   ? (1 - x) * (1 - x) / 0.2
                                        : 0;
        return beyond / 0.95;
    };
    for (const Duration lease : leases) {
        const Setting setting = plain(lease, 10);
        made.rows.push_back(row(fmt::format("T = {}", harness::span_text(lease)), known(setting),
                                lost(setting, world, seed, pauses.observed * times, index)));
        made.rows.back().lease_s = in_seconds(lease);
    }
    made.name = fmt::format("stop-of-{:.0f}s", in_seconds(longest->length));
    for (std::int64_t percent = 80; percent <= 190; ++percent) {
        const Setting setting = plain(longest->length * percent / 100, 10);
        made.curve.emplace_back(in_seconds(setting.lease), known(setting));
    }
    return made;
}

}  // namespace lockstep::lease
