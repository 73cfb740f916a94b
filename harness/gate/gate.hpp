#pragma once

#include "harness/batch.hpp"
#include "harness/gate/known.hpp"
#include "harness/gate/minimums.hpp"
#include "harness/repro/fingerprint.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

/// The gate of CI: what it found, and what that comes to. The runs are made by gate_runs.hpp.
namespace lockstep::harness {

/// Where a failure was met: in the corpus, whose seeds are the same for every change, or among
/// fresh seeds, which nobody has run before.
enum class GateStage : std::uint8_t { Corpus, Fresh };
std::string_view to_string(GateStage stage);

enum class Standing : std::uint8_t {
    Blocks,
    PreExisting,  ///< the baseline fails, too
    Known,        ///< known.toml lets it pass
    Expired,      ///< known.toml let it pass until a day that is over: blocks
};
/// "blocks", "pre-existing", "known", "known, but expired"
std::string_view to_string(Standing standing);
inline bool blocks(Standing standing) {
    return standing == Standing::Blocks || standing == Standing::Expired;
}

/// Whether another build of the program fails at the same seed.
struct BaselineAnswer {
    enum class Verdict : std::uint8_t { NotAsked, Held, FailsToo, FailsOtherwise, CouldNotTell };
    Verdict verdict = Verdict::NotAsked;
    std::string detail;  ///< what else is violated there, or why it could not be told
};
std::string baseline_words(const BaselineAnswer& answer);
struct GateFailure;
/// "LIN-1, LOCK-2"
std::string also_text(const GateFailure& failure);

/// Runs that failed for the same reason.
struct GateFailure {
    GateStage stage = GateStage::Corpus;
    std::size_t subject = 0;
    std::uint64_t seed = 0;  ///< the first of them
    std::uint64_t runs = 1;
    std::uint64_t of_runs = 0;  ///< of that scenario, in that stage
    Fingerprint why;
    /// What else such runs violated that is neither expected nor known: told here alone.
    std::vector<properties::PropertyId> also;
    std::int64_t at_ns = 0;
    std::string evidence;
    Standing standing = Standing::Blocks;
    std::string known;  ///< link, owner and day, if it is known
    BaselineAnswer baseline;
    std::string again;    ///< the command
    std::string repro;    ///< a file, if one was written
    std::string report;   ///< the failure report, if there is one
    std::string trouble;  ///< why there is no repro
};

/// A repro of the regressions that was replayed.
struct GateRegression {
    enum class Result : std::uint8_t {
        Held,
        Fails,
        FailsOtherwise,
        NoLongerExercises,
        Untrustworthy
    };
    std::string file;
    std::string scenario;
    Result result = Result::Held;
    Fingerprint was;
    std::vector<Fingerprint> found;
    std::vector<std::string> missed;  ///< faults that missed their targets
    std::string evidence;
    Standing standing = Standing::Blocks;
    std::string known;
    std::string again;
};
std::string_view to_string(GateRegression::Result result);
bool failed(const GateRegression& regression);

/// A run that came out differently when it was run again.
struct Differing {
    std::size_t subject = 0;
    std::uint64_t seed = 0;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
};

struct GateReport {
    std::string base;  ///< the text that fresh seeds come from
    std::uint64_t fresh_from = 0;
    std::uint64_t corpus_seeds = 0;
    std::uint64_t fresh_seeds = 0;
    std::uint64_t min_seeds = 0;  ///< fresh ones of each scenario
    bool pr = false;
    std::vector<GateRegression> regressions;
    std::string regressions_note;  ///< why there are none
    Batch corpus;
    Batch fresh;
    Batch all;  ///< the runs of both
    std::vector<GateFailure> failures;
    /// Of the failing runs of `failures`, those whose reason was not looked at, for there were too
    /// many: they are counted with the failures of the same properties.
    std::uint64_t not_looked_at = 0;
    std::vector<Minimum> minimums;
    std::uint64_t sampled = 0;    ///< runs that were to be run twice
    std::uint64_t ran_twice = 0;  ///< that were
    std::vector<Differing> differing;
    bool interrupted = false;
    std::chrono::milliseconds elapsed{0};
    std::chrono::milliseconds budget{0};
};

/// Why the gate did not see enough to tell; empty if it did.
std::vector<std::string> too_little(const GateReport& report);
/// Why the harness is not to be trusted; empty if it is.
std::vector<std::string> gate_doubts(const GateReport& report);
/// What cannot be demanded of so few runs, for it comes too rarely.
std::vector<const Minimum*> not_demanded(const GateReport& report);
ExitCode exit_code(const GateReport& report);

/// The first of the fresh seeds: 48 bits of the XXH3 of the text, so that a person can type it and
/// every reader of JSON holds it.
std::uint64_t seed_of(std::string_view base);

/// Decides which failures block. A failure that is known and not expired passes; one that the
/// baseline has, too, passes if it is of a fresh seed and the gate is that of a change (`pr`).
void set_standings(GateReport& report, const std::vector<KnownFailure>& known, Day today);

/// For terminals.
std::string gate_text(const GateReport& report, const Paint& paint, std::size_t width = 0);
/// For $GITHUB_STEP_SUMMARY and the like.
std::string gate_markdown(const GateReport& report);
/// Lines that GitHub Actions shows beside the code: "::error title=...::...".
std::string gate_annotations(const GateReport& report);
std::string gate_junit(const GateReport& report);
struct Provenance;
std::string gate_json(const GateReport& report, const Provenance& provenance);

}  // namespace lockstep::harness
