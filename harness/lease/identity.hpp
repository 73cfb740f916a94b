#pragma once

#include "harness/lease/sweep.hpp"

#include <cstdint>

namespace lockstep::lease {

/// A hash of all that decides what comes of a plan: settings, lengths and times of the world, span,
/// seed and fidelity; of which shard it is, and how many work at it, does not count. Raised by hand
/// (`model_epoch`) when the model itself changes its meaning.
std::uint64_t identity_of(const SweepPlan& plan);

}  // namespace lockstep::lease
