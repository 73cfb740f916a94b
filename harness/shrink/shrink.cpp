#include "harness/shrink/shrink.hpp"

#include "harness/services.hpp"
#include "harness/shrink/candidates.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::harness {
namespace {

using Clock = std::chrono::steady_clock;
using properties::Verdict;
using Stage = void (*)(Candidates&);

/// How much later than in the scenario that it comes from a candidate may fail.
constexpr Duration patience = seconds(2);
/// Seeds that the last candidates are tried with, when their own luck does not do.
constexpr std::uint64_t other_luck = 60;
/// A run of so many times the steps of the first one, and so many more, fails for another reason.
constexpr std::uint64_t most_longer = 4;
constexpr std::uint64_t free_steps = 1'000'000;

constexpr std::array<Stage, 6> stages{without_faults,        without_members,
                                      with_shorter_horizon,  with_simpler_faults,
                                      with_plainer_settings, with_simpler_numbers};
/// What is tried with other luck, too: the numbers would only follow their seeds.
constexpr std::array<Stage, 2> lucky_stages{without_faults, without_members};

/// When the run failed for that reason; nothing if it did not.
std::optional<sim::SimTime> failed_at(const Outcome& outcome, const Fingerprint& why) {
    if (outcome.end == End::OutOfTime) return std::nullopt;
    const bool ended_badly = outcome.end == End::Stuck || outcome.end == End::Crashed;
    if (ended_badly != !why.property) return std::nullopt;
    if (ended_badly) {
        if (fingerprints(outcome).front() != why) return std::nullopt;
        return sim::SimTime{} + outcome.simulated;
    }
    for (const auto& report : outcome.reports)
        if (report.id == *why.property && report.verdict == Verdict::Violated && report.first &&
            fingerprint_of(outcome, *report.first) == why)
            return report.first->at;
    return std::nullopt;
}

Duration since_start(sim::SimTime at) {
    return at - sim::SimTime{};
}

ScenarioSize size_of(const Scenario& scenario, std::size_t faults, sim::SimTime failed) {
    return {faults, scenario.cluster.servers, scenario.cluster.clients, scenario.cluster.locks,
            since_start(failed)};
}

/// The first whole unit after it.
Duration rounded_up(Duration d, Duration unit) {
    return unit * (d.ns / unit.ns + 1);
}

class Shrinker {
public:
    Shrinker(const Fingerprint& why, const ShrinkOptions& options)
        : why_(why), options_(options), begun_(Clock::now()) {}

    Shrunk shrink(const Scenario& scenario, std::uint64_t seed);

private:
    bool over() const {
        return (options_.budget.count() > 0 && elapsed() >= options_.budget) ||
               (options_.stop && options_.stop());
    }
    std::chrono::milliseconds elapsed() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun_);
    }
    Outcome run(const Scenario& scenario, std::uint64_t seed, bool to_its_end);
    bool take(const Scenario& scenario, std::uint64_t seed, bool to_its_end = false);
    void tell();
    void cut_to_failure();
    void descend();
    bool draw_other_luck();
    bool one_removal_still_fails();
    void forget_other_expectations();

    const Fingerprint why_;
    const ShrinkOptions& options_;
    const Clock::time_point begun_;
    Scenario current_;
    std::uint64_t seed_ = 0;
    sim::SimTime failed_;           ///< current_, with that seed
    bool seen_on_the_way_ = false;  ///< the failure is there before the run has ended
    std::uint64_t step_limit_ = 0;
    std::uint64_t tried_ = 0;
    std::uint64_t taken_ = 0;
};

Outcome Shrinker::run(const Scenario& scenario, std::uint64_t seed, bool to_its_end) {
    ++tried_;
    RunOptions run_options;
    run_options.step_limit = step_limit_;
    if (!to_its_end && seen_on_the_way_) run_options.until = failed_ + patience;
    run_options.stop = [this] { return over(); };
    return harness::run(scenario, seed, run_options);
}

/// Goes on from the candidate, if it fails for the same reason.
bool Shrinker::take(const Scenario& scenario, std::uint64_t seed, bool to_its_end) {
    const auto failed = failed_at(run(scenario, seed, to_its_end), why_);
    if (failed) {
        ++taken_;
        current_ = scenario;
        seed_ = seed;
        failed_ = *failed;
    }
    tell();
    return failed.has_value();
}

void Shrinker::tell() {
    if (options_.on_progress)
        options_.on_progress(
            {tried_, taken_, size_of(current_, current_.faults.size(), failed_), elapsed()});
}

/// What comes after the failure is no part of it: without a quiet period if the property is judged
/// then, too.
void Shrinker::cut_to_failure() {
    seen_on_the_way_ = true;  // until the contrary is seen
    const Duration at = since_start(failed_);
    seen_on_the_way_ = failed_at(run(current_, seed_, false), why_).has_value();
    Scenario unlimited = current_;
    unlimited.run.budget = scenario::Budget::Unlimited;
    unlimited.run.quiet.reset();
    Scenario recoverable = current_;
    recoverable.run.quiet.reset();
    std::vector<Scenario> cuts;
    for (const Scenario& scenario : {unlimited, recoverable})
        for (const Duration unit : {seconds(1), milliseconds(1)})
            cuts.push_back(with_horizon(scenario, rounded_up(at, unit)));
    // Of a failure that comes after all faults: those that end last may be what it needs.
    for (const Scenario& scenario : {unlimited, recoverable}) cuts.push_back(scenario);
    for (const Scenario& cut : cuts) {
        if (over()) return;
        if (cut == current_ || scenario::check(cut)) continue;
        if (take(cut, seed_)) return;
    }
}

/// Until nothing that is simpler fails for the same reason.
void Shrinker::descend() {
    for (bool any = true; any && !over();) {
        any = false;
        for (const Stage stage : stages) {
            std::size_t next = 0;
            for (bool again = true; again && !over();) {
                again = false;
                // On from the place where the last one was taken: what was refused before it will
                // most likely be refused again, and is asked once more in the next pass.
                const Scenario from = current_;
                Candidates candidates(from);
                stage(candidates);
                const auto list = candidates.take();
                for (; next < list.size() && !over(); ++next) {
                    if (!take(list[next].scenario, seed_)) continue;
                    any = again = true;
                    break;
                }
            }
        }
    }
}

/// Whether something can be left out under another seed.
bool Shrinker::draw_other_luck() {
    const Scenario from = current_;
    for (const Stage stage : lucky_stages) {
        Candidates candidates(from);
        stage(candidates);
        for (const Candidate& candidate : candidates.take())
            for (std::uint64_t seed = 1; seed <= other_luck && !over(); ++seed)
                if (seed != seed_ && take(candidate.scenario, seed)) return true;
    }
    return false;
}

/// Looked at to the end of each run, whenever it fails. Goes on from what still fails.
bool Shrinker::one_removal_still_fails() {
    const Scenario from = current_;
    for (const Candidate& candidate : simpler(from)) {
        if (!candidate.removal) continue;
        if (over()) return false;
        if (take(candidate.scenario, seed_, true)) return true;
    }
    return false;
}

/// What was to be violated besides is violated no longer, and nobody should wait for it.
void Shrinker::forget_other_expectations() {
    const Outcome outcome = run(current_, seed_, true);
    Scenario fewer = current_;
    std::erase_if(fewer.expect, [&](const scenario::Expectation& expected) {
        return std::none_of(outcome.reports.begin(), outcome.reports.end(), [&](const auto& r) {
            return properties::code_of(r.id) == expected.violated && r.verdict == Verdict::Violated;
        });
    });
    if (fewer != current_) take(fewer, seed_, true);
}

Shrunk Shrinker::shrink(const Scenario& scenario, std::uint64_t seed) {
    Shrunk result;
    result.fingerprint = why_;
    const auto resolved = harness::resolve(scenario, seed);
    current_ = scenario::pinned(scenario, resolved);
    current_.repro.reset();
    // A condition on a value that is then made smaller would be met no longer.
    current_.expect.clear();
    for (const std::string& code : resolved.expected_violations)
        current_.expect.push_back({code, {}, {}});
    seed_ = seed;
    Outcome outcome = run(current_, seed, true);
    const auto failed = failed_at(outcome, why_);
    failed_ = failed.value_or(sim::SimTime{} + outcome.simulated);
    result.before = size_of(current_, current_.faults.size(), failed_);
    if (failed) {
        if (why_.property) step_limit_ = outcome.steps * most_longer + free_steps;
        cut_to_failure();
        do {
            descend();
        } while (!over() && (draw_other_luck() || one_removal_still_fails()));
        result.minimal = !over();
        forget_other_expectations();
        RunOptions plain;
        outcome = harness::run(current_, seed_, plain);
    }
    result.scenario = current_;
    result.seed = seed_;
    result.outcome = std::move(outcome);
    result.after = size_of(current_, current_.faults.size(), failed_);
    result.tried = tried_;
    result.elapsed = elapsed();
    return result;
}

}  // namespace

Shrunk shrink(const scenario::Scenario& scenario, std::uint64_t seed, const Fingerprint& why,
              const ShrinkOptions& options) {
    return Shrinker(why, options).shrink(scenario, seed);
}

}  // namespace lockstep::harness
