#pragma once

#include "scenarios/scenario.hpp"

#include <rapidcheck.h>

#include <cstdint>
#include <string>

namespace lockstep::rapid {

/// A scenario of the catalogue's shape with drawn sizes, workload and a swarm of faults. What fails
/// is shrunk by harness::simpler: the one definition of what is simpler.
rc::Gen<scenario::Scenario> scenarios();

}  // namespace lockstep::rapid
