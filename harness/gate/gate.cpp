#include "harness/gate/gate.hpp"

#include "core/base/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace lockstep::harness {
namespace {

using Verdict = BaselineAnswer::Verdict;
using Replayed = GateRegression::Result;

std::string about(const KnownFailure& known) {
    return fmt::format("{}, {}, until {}", known.link, known.owner, day_text(known.expires));
}

Standing standing_of(const KnownFailure* known, Day today, bool may_pass) {
    if (known != nullptr) return known->expires < today ? Standing::Expired : Standing::Known;
    return may_pass ? Standing::PreExisting : Standing::Blocks;
}

std::uint64_t fewest_runs(const Batch& batch) {
    std::uint64_t fewest = UINT64_MAX;
    for (const Tally& tally : batch.tallies) fewest = std::min(fewest, tally.runs());
    return batch.tallies.empty() ? 0 : fewest;
}

}  // namespace

std::string_view to_string(GateStage stage) {
    return stage == GateStage::Corpus ? "corpus" : "fresh";
}

std::string_view to_string(Standing standing) {
    switch (standing) {
        case Standing::Blocks:
            return "blocks";
        case Standing::PreExisting:
            return "pre-existing";
        case Standing::Known:
            return "known";
        case Standing::Expired:
            return "known, but expired";
    }
    return "";
}

std::string_view to_string(GateRegression::Result result) {
    switch (result) {
        case Replayed::Held:
            return "held";
        case Replayed::Fails:
            return "fails again";
        case Replayed::FailsOtherwise:
            return "fails for another reason";
        case Replayed::NoLongerExercises:
            return "no longer exercises";
        case Replayed::Untrustworthy:
            return "another digest under the same program";
    }
    return "";
}

bool failed(const GateRegression& regression) {
    return regression.result == Replayed::Fails || regression.result == Replayed::FailsOtherwise;
}

std::string baseline_words(const BaselineAnswer& answer) {
    switch (answer.verdict) {
        case Verdict::NotAsked:
            return "";
        case Verdict::Held:
            return "new in this change: the baseline holds";
        case Verdict::FailsToo:
            return "pre-existing: the baseline fails, too";
        case Verdict::FailsOtherwise:
            return fmt::format("the baseline fails for another reason: {}", answer.detail);
        case Verdict::CouldNotTell:
            return fmt::format("the baseline could not tell: {}", answer.detail);
    }
    return "";
}

std::string also_text(const GateFailure& failure) {
    std::string list;
    for (const auto id : failure.also)
        list += (list.empty() ? "" : ", ") + std::string(properties::code_of(id));
    return list;
}

std::uint64_t seed_of(std::string_view base) {
    return hash_bytes(std::as_bytes(std::span(base))) >> 16;
}

void set_standings(GateReport& report, const std::vector<KnownFailure>& known, Day today) {
    for (GateFailure& failure : report.failures) {
        const KnownFailure* found = find_known(known, failure.why);
        const bool may_pass = report.pr && failure.stage == GateStage::Fresh &&
                              failure.baseline.verdict == Verdict::FailsToo;
        failure.standing = standing_of(found, today, may_pass);
        failure.known = found == nullptr ? "" : about(*found);
    }
    for (GateRegression& regression : report.regressions) {
        if (!failed(regression)) continue;
        // All that it fails for must be known.
        regression.standing = Standing::Blocks;
        for (const auto& why : regression.found) {
            const KnownFailure* found = find_known(known, why);
            regression.standing = standing_of(found, today, false);
            regression.known = found == nullptr ? "" : about(*found);
            if (blocks(regression.standing)) break;
        }
    }
}

std::vector<std::string> too_little(const GateReport& report) {
    std::vector<std::string> all;
    if (report.interrupted) all.emplace_back("interrupted before all had run");
    if (const auto runs = fewest_runs(report.corpus); runs < report.corpus_seeds)
        all.push_back(
            fmt::format("the corpus is not through: some scenario has had {} of its {} "
                        "seeds; give more --budget or --jobs",
                        runs, report.corpus_seeds));
    else if (const auto fresh = fewest_runs(report.fresh); fresh < report.min_seeds)
        all.push_back(
            fmt::format("some scenario has had {} fresh seeds; at least {} are demanded "
                        "(--min-seeds); give more --budget or --jobs",
                        fresh, report.min_seeds));
    for (const Batch* batch : {&report.corpus, &report.fresh})
        for (const GivenUp& seed : batch->exploration.given_up)
            all.push_back(fmt::format("{} seed {} gave no result for too long: {}",
                                      batch->tallies[seed.subject].scenario(), seed.seed,
                                      repeat_command(batch->repeats[seed.subject], seed.seed)));
    for (const GateRegression& regression : report.regressions)
        if (regression.result == Replayed::NoLongerExercises) {
            std::string missed;
            for (const auto& fault : regression.missed)
                missed += (missed.empty() ? "" : ", ") + fault;
            all.push_back(
                fmt::format("{} no longer exercises what it is about ({} met nobody); "
                            "mend it by hand, or take it out",
                            regression.file, missed.empty() ? "a fault" : missed));
        }
    if (report.sampled > 0 && report.ran_twice == 0)
        all.emplace_back("no time was left to run a sample twice");
    return all;
}

std::vector<std::string> gate_doubts(const GateReport& report) {
    std::vector<std::string> all;
    for (const Differing& run : report.differing)
        all.push_back(fmt::format(
            "{} seed {} came out differently when it was run again: {:016x}, "
            "then {:016x}",
            report.all.tallies[run.subject].scenario(), run.seed, run.first, run.second));
    for (const GateRegression& regression : report.regressions)
        if (regression.result == Replayed::Untrustworthy)
            all.push_back(fmt::format("{} has another digest under the program that wrote it",
                                      regression.file));
    for (const Minimum& minimum : report.minimums)
        if (!minimum.met()) all.push_back(missed_text(minimum));
    for (const auto& doubt : batch_doubts(report.all)) all.push_back("all scenarios: " + doubt);
    return all;
}

std::vector<const Minimum*> not_demanded(const GateReport& report) {
    std::vector<const Minimum*> all;
    for (const Minimum& minimum : report.minimums)
        if (minimum.least == 0) all.push_back(&minimum);
    return all;
}

ExitCode exit_code(const GateReport& report) {
    const bool failure =
        std::any_of(report.failures.begin(), report.failures.end(),
                    [](const GateFailure& one) { return blocks(one.standing); }) ||
        std::any_of(report.regressions.begin(), report.regressions.end(),
                    [](const GateRegression& one) { return failed(one) && blocks(one.standing); });
    if (failure) return ExitCode::Violated;
    if (!report.differing.empty()) return ExitCode::Untrustworthy;
    if (!too_little(report).empty()) return ExitCode::GaveUp;
    return gate_doubts(report).empty() ? ExitCode::AsExpected : ExitCode::Untrustworthy;
}

}  // namespace lockstep::harness
