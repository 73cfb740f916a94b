#include "harness/run.hpp"

#include "harness/services.hpp"
#include "harness/simulation.hpp"

#include <exception>

namespace lockstep::harness {

Outcome run(const scenario::Scenario& scenario, std::uint64_t seed, const RunOptions& options) {
    Outcome outcome;
    outcome.seed = seed;
    Simulation simulation(harness::resolve(scenario, seed), options);
    try {
        simulation.run();
    } catch (const std::exception& failure) {
        // An assertion of ours, or whatever a guest's code threw: the run ends here, and says so.
        outcome.end = End::Crashed;
        outcome.end_detail = failure.what();
    }
    simulation.report(outcome);
    return outcome;
}

}  // namespace lockstep::harness
