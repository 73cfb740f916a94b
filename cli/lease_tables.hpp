#pragma once

#include "harness/lease/report.hpp"
#include "harness/text.hpp"

#include <string>

namespace lockstep::cli {

/// Two tables, a row a setting, those of known systems and today's among them: what decides, with
/// both intervals; and what else a setting costs.
std::string lease_tables(const lease::Sweep& sweep, const lease::Told& told,
                         const harness::Paint& paint);

}  // namespace lockstep::cli
