#pragma once

#include "core/base/result.hpp"
#include "harness/repro/fingerprint.hpp"
#include "harness/run.hpp"
#include "scenarios/scenario.hpp"

#include <cstdint>
#include <string>

namespace lockstep::harness {

/// A failure that can be had again: a scenario with its plan of faults written out (see
/// scenario::pinned), and the table [repro], which says with which seed it failed, how, and what
/// the digest was (docs/repro.md). Editing one by hand is natural: nothing but the digest ceases to
/// be true.
struct Repro {
    scenario::Scenario scenario;  ///< with `scenario.repro`
    std::uint64_t seed = 1;
    std::uint32_t plan_epoch = 0;
    Fingerprint fingerprint;
    std::uint64_t digest = 0;
    std::string build;    ///< build_id() of the program that the digest is of
    std::string version;  ///< of the program that wrote it
};

/// The repro of a failing run of a scenario that is pinned already.
Repro make_repro(const scenario::Scenario& pinned, const Outcome& outcome, const Fingerprint& why);
/// As a file, the story as a comment at its top.
std::string to_toml(const Repro& repro);
/// An error has file and line, and says what to do: a file without [repro], cut off, of a newer
/// version, of another plan epoch with drawn values left in it.
Result<Repro> load_repro(const std::string& path);

/// What became of a repro when it was run again.
struct Replay {
    enum class Result : std::uint8_t {
        FailsAgain,         ///< with its fingerprint
        FailsOtherwise,     ///< something else is violated: `found`
        Held,               ///< nothing is, and every aimed fault found its target
        NoLongerExercises,  ///< nothing is, but a fault missed its target, or no trigger was met
    };
    Result result = Result::Held;
    Outcome outcome;
    std::vector<Fingerprint> found;
    bool same_build = false;
    bool same_digest = false;
    std::vector<std::string> missed;  ///< labels of the faults that missed
    /// Under the same build, with the text of the repro unchanged, another digest: the harness is
    /// not to be trusted.
    bool untrustworthy = false;
};
Replay replay(const Repro& repro, const RunOptions& options = {});

}  // namespace lockstep::harness
