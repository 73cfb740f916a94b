#pragma once

#include "harness/judge.hpp"
#include "harness/tally.hpp"
#include "harness/text.hpp"

#include <string>
#include <vector>

namespace lockstep::harness {

/// Who asks for a run: what to say after `lockstep run` to have it again.
struct Repeat {
    std::string scenario;           ///< its name in the catalogue, or its path
    std::vector<std::string> sets;  ///< KEY=VALUE, as given
    bool without_config = false;    ///< a lockstep.toml that lies there would change the run
};
/// "lockstep run chaos --seed 4711 --set resource.fencing=none"
std::string repeat_command(const Repeat& repeat, std::uint64_t seed);

/// What one run came to: verdicts with evidence, marks, faults, numbers. Lines are broken to stay
/// within `width` columns; 0: they are not.
std::string verdict_text(const Outcome& outcome, const Demands& demands, const Paint& paint,
                         std::size_t width = 0);

}  // namespace lockstep::harness
