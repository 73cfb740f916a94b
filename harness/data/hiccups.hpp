#pragma once

#include "harness/data/hdr_histogram.hpp"

#include <cstdint>
#include <vector>

namespace lockstep::data {

/// The stops behind the samples of one interval of jHiccup. It wakes every `resolution` and records
/// how late it was; a wait of many resolutions also stands for those who would have come meanwhile,
/// so that it adds samples of L - r, L - 2r, ... down to r (HdrHistogram's
/// recordValueWithExpectedInterval). So each bucket is as full as there were stops that reached
/// it: what ended in a bucket is by how much that number falls from there to the next.
///
/// `samples` ascending; lengths come out to the width of a bucket, or 16 resolutions.
std::vector<HdrCount> stops_behind(const std::vector<HdrCount>& samples, std::int64_t resolution);

}  // namespace lockstep::data
