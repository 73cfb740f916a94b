#include "harness/services.hpp"
#include "harness/shrink/shrink.hpp"
#include "harness/shrink/simpler.hpp"
#include "properties/rapid/scenarios.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rapid.hpp"

#include <algorithm>

namespace lockstep::scenario {

void showValue(const Scenario& scenario, std::ostream& out) {
    out << scenario.cluster.servers << " servers, " << scenario.cluster.clients << " clients, "
        << scenario.faults.size() << " faults";
}

}  // namespace lockstep::scenario

namespace lockstep::test::shrinking {
namespace {

using harness::Fingerprint;
using scenario::Scenario;

bool fails(const Scenario& scenario, std::uint64_t seed, const Fingerprint& why) {
    const auto found = harness::fingerprints(harness::run(scenario, seed));
    return std::find(found.begin(), found.end(), why) != found.end();
}

}  // namespace

TEST_CASE("shrink: what is simpler is another scenario that can be run, and the chain ends") {
    check_property("simpler scenarios", [] {
        Scenario at = *rapid::scenarios();
        at = scenario::pinned(at, harness::resolve(at, *rc::gen::arbitrary<std::uint64_t>()));
        // Whichever candidate is taken, there are no more some day.
        for (int taken = 0;; ++taken) {
            RC_ASSERT(taken < 5'000);
            const auto candidates = harness::simpler(at);
            for (const auto& candidate : candidates) {
                RC_ASSERT(!(candidate.scenario == at));
                RC_ASSERT(!scenario::check(candidate.scenario).has_value());
            }
            if (candidates.empty()) return;
            at = candidates[*rc::gen::inRange<std::size_t>(0, candidates.size())].scenario;
        }
    });
}

TEST_CASE("shrink: the result fails for the same reason, and nothing can be taken away from it") {
    check_property("shrunk scenarios", [] {
        Scenario scenario = *rapid::scenarios();
        // No service answers so quickly: there is something to shrink.
        scenario.run.slack = milliseconds(1);
        const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1'000);
        const auto found = harness::fingerprints(harness::run(scenario, seed));
        RC_PRE(!found.empty());
        const Fingerprint why = found.front();
        harness::ShrinkOptions options;
        options.budget = std::chrono::milliseconds(0);
        const auto shrunk = harness::shrink(scenario, seed, why, options);
        RC_ASSERT(shrunk.minimal);
        RC_ASSERT(fails(shrunk.scenario, shrunk.seed, why));
        RC_ASSERT(shrunk.after.faults <= shrunk.before.faults);
        for (const auto& candidate : harness::simpler(shrunk.scenario))
            if (candidate.removal) RC_ASSERT(!fails(candidate.scenario, shrunk.seed, why));
        const auto again = harness::shrink(scenario, seed, why, options);
        RC_ASSERT(again.scenario == shrunk.scenario);
        RC_ASSERT(again.seed == shrunk.seed);
    });
}

}  // namespace lockstep::test::shrinking
