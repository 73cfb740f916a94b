#include "harness/data/hiccups.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::data {
namespace {

/// Buckets put together until each is so wide that a sample of a stop more or less makes no other
/// stop of it; short ones, of which there are many, may be miscounted by one.
std::vector<HdrCount> widened(const std::vector<HdrCount>& samples, std::int64_t resolution) {
    std::vector<HdrCount> bins;
    HdrCount bin{};
    for (const HdrCount& sample : samples) {
        bin.up_to = sample.up_to;
        bin.count += sample.count;
        if (bin.up_to - bin.from < (bin.from < 64 * resolution ? 4 : 16) * resolution) continue;
        bins.push_back(bin);
        bin = {sample.up_to, sample.up_to, 0};
    }
    if (bin.count > 0) bins.push_back(bin);
    return bins;
}

}  // namespace

std::vector<HdrCount> stops_behind(const std::vector<HdrCount>& samples, std::int64_t resolution) {
    std::vector<HdrCount> stops;
    std::uint64_t reached = 0;  // by stops that are longer
    const auto bins = widened(samples, resolution);
    for (auto bin = bins.rbegin(); bin != bins.rend(); ++bin) {
        const auto width = static_cast<double>(std::max(bin->up_to - bin->from, resolution));
        const double each = width / static_cast<double>(resolution);
        auto now = static_cast<std::uint64_t>(std::llround(static_cast<double>(bin->count) / each));
        // The lowest has those, too, that were late by less than a resolution; the highest is not
        // filled to its end.
        if (bin->from == 0) now = bin->count - std::min(bin->count, 3 * reached);
        if (bin == bins.rbegin()) now = std::max<std::uint64_t>(now, 1);
        if (now > reached) stops.push_back({bin->from, bin->up_to, now - reached});
        reached = std::max(reached, now);
    }
    std::ranges::reverse(stops);
    return stops;
}

}  // namespace lockstep::data
