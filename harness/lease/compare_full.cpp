#include "core/base/prng.hpp"
#include "harness/lease/compare_support.hpp"
#include "harness/lease/full.hpp"
#include "harness/lease/model.hpp"
#include "harness/lease/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep::lease {
namespace {

/// A value and its standard error.
struct Estimate {
    double value = 0;
    double error = 0;
};

Estimate share(double hits, double all) {
    const double p = hits / all;
    // Of none, or all, the error is that of the next one.
    const double q = std::clamp(p, 1 / (all + 1), all / (all + 1));
    return {p, std::sqrt(q * (1 - q) / all)};
}

Estimate mean_of(const std::vector<double>& values) {
    const Interval interval = mean_interval(values);
    const double m = mean(values);
    return {m, (interval.high - m) / 1.96};
}

Compared row(std::string what, Estimate full, Estimate ours) {
    const double half = z999 * std::hypot(full.error, ours.error);
    return {std::move(what), full.value, ours.value, {ours.value - half, ours.value + half}};
}

struct Summary {
    Estimate losses;
    Estimate taken_over;
    Estimate takeover;
    Estimate double_belief;
    Estimate without_holder;
};

Summary summary(const Tally& tally) {
    Counts sum;
    std::vector<double> belief;
    std::vector<double> dark;
    for (const Bin& bin : tally.bins) {
        sum.losses += bin.counts.losses;
        sum.taken_over += bin.counts.taken_over;
        belief.push_back(in_seconds(bin.double_belief) / in_seconds(tally.bin));
        dark.push_back(in_seconds(bin.without_holder) / in_seconds(tally.bin));
    }
    std::vector<double> takes;
    for (const Takeover& takeover : tally.crashes) takes.push_back(in_seconds(takeover.takes));
    double stops = 0;
    for (const auto n : tally.happened[static_cast<std::size_t>(Harm::Kind::Pause)]) stops += n;
    Summary made;
    if (stops > 0) {
        made.losses = share(static_cast<double>(sum.losses), stops);
        made.taken_over = share(static_cast<double>(sum.taken_over), stops);
    }
    made.takeover = mean_of(takes);
    made.double_belief = mean_of(belief);
    made.without_holder = mean_of(dark);
    return made;
}

}  // namespace

Comparison compare_fidelities(std::uint64_t seed, Duration span) {
    Comparison made{"The whole cluster, and the service reduced to its leases",
                    "three servers that run Raft, two clients, a store, simulated in full",
                    "",
                    {}};
    const Duration hour = seconds(3'600);
    const auto go_on = [] { return true; };
    const data::Series failovers = measure_failovers(seed, 100);
    for (const std::int64_t s : {9, 12}) {
        const Setting setting = plain(seconds(s), 10);
        Conditions stops;
        stops.pauses = apart({seconds(10)}, seconds(60), seconds(180), span, seed);
        const Summary full = summary(simulate_full(setting, stops, seed, span, go_on));
        const Summary ours = summary(simulate(setting, stops, seed, span, hour));
        const auto add = [&](const char* what, Estimate Summary::* figure) {
            made.rows.push_back(
                row(fmt::format("lease {} s: {}", s, what), full.*figure, ours.*figure));
        };
        add("losses by a stop of 10 s", &Summary::losses);
        add("takeovers by a stop of 10 s", &Summary::taken_over);
        add("share of time of double belief", &Summary::double_belief);
        add("share of time without a holder", &Summary::without_holder);

        Conditions crashes;
        crashes.crashes = apart({seconds(20)}, seconds(60), seconds(180), span, seed);
        const Summary full_crash = summary(simulate_full(setting, crashes, seed, span, go_on));
        const Summary our_crash = summary(simulate(setting, crashes, seed, span, hour));
        made.rows.push_back(row(fmt::format("lease {} s: s from a crash to the next", s),
                                full_crash.takeover, our_crash.takeover));

        // Leaders fall so often that most takeovers meet some of that, and begin anew.
        Conditions killed = crashes;
        killed.failovers = apart({seconds(5)}, seconds(20), seconds(40), span, seed + 1);
        Conditions down = crashes;
        down.failovers = killed.failovers;
        Prng prng(seed);
        for (data::Point& point : down.failovers.series.points)
            point.length = failovers.points[prng.below(failovers.points.size())].length;
        made.rows.push_back(row(fmt::format("lease {} s: the same, while leaders fall", s),
                                summary(simulate_full(setting, killed, seed, span, go_on)).takeover,
                                summary(simulate(setting, down, seed, span, hour)).takeover));
    }
    return made;
}

}  // namespace lockstep::lease
