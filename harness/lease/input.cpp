#include "harness/lease/input.hpp"

#include "harness/data/read.hpp"
#include "harness/data/tally.hpp"
#include "harness/data/words.hpp"
#include "harness/lease/report.hpp"
#include "harness/lease/sweep.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

std::string short_span(Duration d) {
    return seconds_text(static_cast<double>(d.ns) / 1e9);
}

std::string observed_text(Duration observed) {
    if (observed.ns <= 0) return "";
    if (observed < seconds(3'600)) return " in " + harness::long_span_text(observed);
    const double hours = static_cast<double>(observed.ns) / 3'600e9;
    return hours < 48 ? fmt::format(" in {:.3g} h", hours)
                      : fmt::format(" in {:.0f} days", hours / 24);
}

/// Counts up to 10^(n/4) ns, from the shortest to the longest.
std::vector<data::Bucket> decades(const data::Tally& tally) {
    std::vector<data::Bucket> buckets;
    Duration above{};
    for (int quarter = 12; above < tally.longest().length; ++quarter) {
        const Duration up_to{std::llround(std::pow(10.0, quarter / 4.0))};
        const std::uint64_t longer = above.ns == 0 ? tally.count() : tally.longer_than(above);
        const std::uint64_t count = longer - tally.longer_than(up_to);
        if (count > 0 || !buckets.empty()) buckets.push_back({above, up_to, count});
        above = up_to;
    }
    return buckets;
}

void measure(Input& input, const data::Series& series) {
    input.measured = true;
    input.observed = series.observed;
    std::string quantiles;
    if (!series.points.empty()) {
        const data::Tally tally = data::tally_of(series);
        input.count = tally.count();
        input.longest = tally.longest().length;
        input.longest_where = place_of(series, tally.longest());
        input.lengths = decades(tally);
        for (const auto& [share, name] : {std::pair{500'000, "p50"}, {990'000, "p99"}})
            if (const auto value = tally.quantile(static_cast<std::uint64_t>(share)))
                quantiles += fmt::format(", {} {}", name, short_span(*value));
    } else {
        for (const data::Bucket& bucket : series.buckets) {
            input.count += bucket.count;
            if (bucket.count == 0) continue;
            input.longest = bucket.up_to == Duration::max() ? bucket.above : bucket.up_to;
        }
        input.lengths = series.buckets;
    }
    input.about = fmt::format("{}{}{}, longest {}", harness::grouped(input.count),
                              observed_text(series.observed), quantiles, short_span(input.longest));
}

}  // namespace

std::string place_of(const data::Series& series, const data::Point& point) {
    std::string text;
    if (point.file < series.files.size())
        text = fmt::format("{}:{}", harness::printable(series.files[point.file]), point.line);
    else
        text = fmt::format("line {}", point.line);
    if (!series.timed) return text;
    if (const auto wall = data::wall_time_at(series, point.at))
        return text + ", " + data::wall_time_text(*wall);
    return text + fmt::format(", {} after the first line", harness::long_span_text(point.at));
}

std::vector<Input> inputs_of(const Conditions& world) {
    std::vector<Input> inputs;
    for (const auto& [source, name] : {std::pair{&world.pauses, "pauses"},
                                       {&world.round_trip, "round trips"},
                                       {&world.disk, "disk"},
                                       {&world.outages, "outages"},
                                       {&world.partitions, "partitions"},
                                       {&world.failovers, "failovers"},
                                       {&world.crashes, "crashes"},
                                       {&world.deploys, "deploys"}}) {
        if (!source->any()) continue;
        Input& input = inputs.emplace_back();
        input.name = name;
        input.said = source->said;
        if (source->from_series() && !source->rate_assumed)
            measure(input, source->series);
        else
            input.about = source->rate_assumed ? "assumed, with lengths as simulated" : "assumed";
    }
    return inputs;
}

}  // namespace lockstep::lease
