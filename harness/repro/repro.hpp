#pragma once

#include "core/base/result.hpp"
#include "harness/repro/fingerprint.hpp"
#include "harness/run.hpp"
#include "scenarios/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
    std::uint64_t content = 0;  ///< repro_content() of the scenario that the digest is of
    std::string build;          ///< build_id() of the program that the digest is of
    std::string version;        ///< of the program that wrote it
};

/// A hash of all values that decide a run, and of no others: name, story and [repro] are none.
std::uint64_t repro_content(const scenario::Scenario& scenario);
/// Of the program that writes a repro.
std::string own_version();

/// The repro of a failing run of a scenario that is pinned already.
Repro make_repro(const scenario::Scenario& pinned, const Outcome& outcome, const Fingerprint& why);
/// As a file, the story as a comment at its top.
std::string to_toml(const Repro& repro);
/// An error has file and line, and says what to do: a file without [repro], cut off, of a newer
/// version, of another plan epoch with drawn values left in it.
Result<Repro> load_repro(const std::string& path);

/// Whether it is kept to be seen failing, as its [[expect]] says, not to be seen held.
bool is_foretold(const Repro& repro);

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
    bool edited = false;              ///< a value is another than when the digest was taken
    std::vector<std::string> missed;  ///< labels of the faults that missed, if nothing was violated
    /// Under the same build, with the text of the repro unchanged, another digest: the harness is
    /// not to be trusted.
    bool untrustworthy = false;
};
/// Violations that [[expect]] foretells count only if the fingerprint is of one of them.
Replay replay(const Repro& repro, const RunOptions& options = {});

/// Where a run and the events of another one part.
struct EventDifference {
    std::uint64_t line = 0;  ///< of the file; the first that differs
    std::string ours;        ///< empty: our run has no more events
    std::string theirs;      ///< empty: the file has no more
};
/// The first event that is another one in the file, as `lockstep run --events` writes it; nothing
/// if they are the same. Messages and notes are passed over. `outcome` has a log. An error says
/// what is wrong with the file: no events, or those of another scenario.
Result<std::optional<EventDifference>> compare_events(const Outcome& outcome,
                                                      const scenario::Scenario& scenario,
                                                      const std::string& path);

}  // namespace lockstep::harness
