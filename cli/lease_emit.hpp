#pragma once

#include "core/base/result.hpp"
#include "harness/lease/report.hpp"

#include <string>

namespace lockstep::cli {

struct LeaseSettings {
    std::string text;    ///< to be shown
    bool found = false;  ///< whether there are settings in it; else nothing was recommended
};
/// The recommended setting as settings of another system. An error if these are not what was
/// simulated: a sweep that is to be emitted tries what that system takes.
Result<LeaseSettings> lease_emit(const std::string& system, const lease::Sweep& sweep,
                                 const lease::Told& told);

}  // namespace lockstep::cli
