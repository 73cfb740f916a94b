#pragma once

#include "core/base/time.hpp"
#include "harness/data/series.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::lease {

struct Conditions;

/// What was read of one source, or is assumed of it: for reports.
struct Input {
    std::string name;   ///< "pauses", "round trips", "outages", ...
    std::string said;   ///< the files, or "2/month x 5s..90s"
    std::string about;  ///< "6,651 in 25.8 h, p50 559 us, p99 97.7 ms, longest 17.25 s"
    bool measured = false;
    std::uint64_t count = 0;    ///< if measured, as all below
    Duration observed;          ///< zero: the source does not say
    Duration longest;           ///< of a histogram, the upper end of its last bucket
    std::string longest_where;  ///< "gc.log:812, 2026-03-01 12:00:00"
    /// How the lengths are distributed, ascending; those of points at four a decade.
    std::vector<data::Bucket> lengths;
};

/// Of each source that there is.
std::vector<Input> inputs_of(const Conditions& world);

/// File, line and time of a point of the series.
std::string place_of(const data::Series& series, const data::Point& point);

}  // namespace lockstep::lease
