// To be deleted when harness/repro has an implementation.
#include "harness/explore_store.hpp"
#include "harness/repro/repro.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>

namespace lockstep::harness {

Repro make_repro(const scenario::Scenario& pinned, const Outcome& outcome, const Fingerprint& why) {
    return {pinned, outcome.seed, scenario::plan_epoch, why, outcome.digest, build_id(), ""};
}

std::string to_toml(const Repro& repro) {
    return scenario::to_toml(repro.scenario) +
           fmt::format(
               "\n[repro]\nseed = {}\nplan_epoch = {}\nfingerprint = \"{}\"\ndigest = "
               "\"{:016x}\"\nbuild = \"{}\"\nversion = \"{}\"\n",
               repro.seed, repro.plan_epoch, to_string(repro.fingerprint), repro.digest,
               repro.build, repro.version);
}

Result<Repro> load_repro(const std::string& path) {
    return Error{"repros cannot be read yet", path};
}

Replay replay(const Repro& repro, const RunOptions& options) {
    Replay replayed;
    replayed.outcome = run(repro.scenario, repro.seed, options);
    replayed.found = fingerprints(replayed.outcome);
    if (!replayed.found.empty()) replayed.result = Replay::Result::FailsOtherwise;
    for (const auto& why : replayed.found)
        if (why == repro.fingerprint) replayed.result = Replay::Result::FailsAgain;
    return replayed;
}

}  // namespace lockstep::harness
