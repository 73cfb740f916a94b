#pragma once

#include "core/base/result.hpp"
#include "harness/lease/report.hpp"

#include <string>

namespace lockstep::cli {

/// Prints the answer as settings of another system, with what comes of these, simulated again as
/// they are rounded. Of the settings that meet all wants the cheapest is taken that still does so
/// when rounded. False: there is none, or there was nothing to recommend.
Result<bool> lease_emit(const std::string& system, const lease::SweepPlan& plan,
                        const lease::Sweep& sweep, const lease::Told& told,
                        const lease::Prices& prices);

}  // namespace lockstep::cli
