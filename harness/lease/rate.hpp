#pragma once

#include "core/base/result.hpp"
#include "harness/lease/sweep.hpp"

#include <string_view>

namespace lockstep::lease {

/// "2/month x 5s..90s", "1/weekx30s", "2/day": how often, and how long, as somebody says. A rate is
/// an hour, day, week, month (30 days) or year (365). Without a length each takes `otherwise`.
/// Without a rate ("5ms..20ms") it is a length alone, where a length is all that is asked.
Result<Source> parse_rate(std::string_view option, std::string_view text, Duration otherwise);

/// Whether the text is meant for parse_rate, not for a file: a number, then "/" and a unit of time
/// or a unit of length.
bool looks_like_rate(std::string_view text);

}  // namespace lockstep::lease
