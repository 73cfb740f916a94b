#pragma once

#include "core/base/result.hpp"
#include "harness/lease/report.hpp"

#include <string>

namespace lockstep::cli {

struct LeaseSettings {
    std::string text;  ///< to be shown
    /// Whether there are settings in it; else none that meets the wants still does so when
    /// rounded, or there was nothing to recommend.
    bool found = false;
};
/// The answer as settings of another system, with what comes of these, simulated again as they are
/// rounded. Of the settings that meet all wants the cheapest is taken that then still does so.
Result<LeaseSettings> lease_emit(const std::string& system, const lease::SweepPlan& plan,
                                 const lease::Sweep& sweep, const lease::Told& told,
                                 const lease::Prices& prices);

}  // namespace lockstep::cli
