#include "harness/gate/gate_runs.hpp"

#include "core/base/hash.hpp"
#include "harness/determinism.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace lockstep::harness {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds watchdog{600'000};

struct SampledRun {
    std::size_t subject = 0;
    std::uint64_t seed = 0;
    std::uint64_t digest = 0;
    std::uint64_t draw = 0;
};

/// Picks runs by a hash, at least one of each scenario.
class Sampler {
public:
    Sampler(std::size_t subjects, std::uint64_t share_ppm) : share_(share_ppm), lowest_(subjects) {}

    void offer(std::size_t subject, const Outcome& outcome) {
        if (share_ == 0 || outcome.end == End::Crashed) return;
        const std::uint64_t draw = hash_words(outcome.seed, subject) % 1'000'000;
        const SampledRun run{subject, outcome.seed, outcome.digest, draw};
        if (draw < share_) picked_.push_back(run);
        auto& lowest = lowest_[subject];
        if (!lowest || draw < lowest->draw) lowest = run;
    }
    std::vector<SampledRun> picked() const {
        auto all = picked_;
        for (const auto& lowest : lowest_)
            if (lowest && lowest->draw >= share_) all.push_back(*lowest);
        return all;
    }

private:
    std::uint64_t share_;
    std::vector<SampledRun> picked_;
    std::vector<std::optional<SampledRun>> lowest_;
};

class GateRunner {
public:
    GateRunner(const GatePlan& plan, Clock::time_point begin, const GateProgress& on_progress)
        : plan_(plan),
          begin_(begin),
          on_progress_(on_progress),
          sampler_(plan.scenarios.size(), plan.twice_ppm) {}

    Result<GateReport> go() {
        report_.base = plan_.base;
        report_.fresh_from = seed_of(plan_.base);
        report_.corpus_seeds = plan_.corpus;
        report_.fresh_seeds = plan_.seeds;
        report_.min_seeds = plan_.min_seeds;
        report_.pr = plan_.pr;
        report_.budget = plan_.budget;
        for (Batch* batch : {&report_.corpus, &report_.fresh, &report_.all})
            if (const auto error = begin_batch(*batch)) return *error;
        if (plan_.corpus > 0) explore_stage("corpus", report_.corpus, 1, plan_.corpus, share(92));
        if (plan_.seeds > 0 && !report_.corpus.exploration.interrupted)
            explore_stage("fresh seeds", report_.fresh, report_.fresh_from, plan_.seeds, share(92));
        report_.interrupted =
            report_.corpus.exploration.interrupted || report_.fresh.exploration.interrupted;
        if (!report_.interrupted) run_twice();
        report_.elapsed = elapsed();
        return std::move(report_);
    }

private:
    milliseconds elapsed() const {
        return std::chrono::duration_cast<milliseconds>(Clock::now() - begin_);
    }
    /// What is left of so many hundredths of the budget; never zero, which would be no limit.
    milliseconds share(int percent) const {
        if (plan_.budget.count() == 0) return milliseconds(0);
        return std::max(plan_.budget * percent / 100 - elapsed(), milliseconds(1));
    }

    std::optional<Error> begin_batch(Batch& batch) const {
        for (const auto& scenario : plan_.scenarios) {
            auto demands = demands_of(scenario, 1);
            if (!demands) return demands.error();
            batch.tallies.emplace_back(scenario.name, std::move(demands).value());
        }
        batch.repeats = plan_.repeats;
        batch.whole_catalogue = plan_.whole_catalogue;
        return std::nullopt;
    }

    void explore_stage(const std::string& name, Batch& batch, std::uint64_t first,
                       std::uint64_t seeds, milliseconds budget) {
        ExplorePlan plan;
        plan.subjects = plan_.scenarios.size();
        plan.first_seed = first;
        plan.seeds = seeds;
        plan.jobs = plan_.jobs;
        plan.budget = budget;
        plan.watchdog = watchdog;
        batch.exploration = explore(
            plan,
            [&](std::size_t subject, std::uint64_t seed) {
                return run(plan_.scenarios[subject], seed);
            },
            [&](std::size_t subject, const Outcome& outcome) {
                batch.tallies[subject].add(outcome);
                report_.all.tallies[subject].add(outcome);
                sampler_.offer(subject, outcome);
            },
            [&](const ExploreProgress& progress) {
                if (on_progress_) on_progress_(name, progress);
            });
        Exploration& all = report_.all.exploration;
        all.done += batch.exploration.done;
        all.total += batch.exploration.total;
        for (const GivenUp& seed : batch.exploration.given_up) all.given_up.push_back(seed);
        all.elapsed += batch.exploration.elapsed;
        all.out_of_time = all.out_of_time || batch.exploration.out_of_time;
    }

    /// In other workers, in another order, and over heap noise.
    void run_twice() {
        auto sample = sampler_.picked();
        report_.sampled = sample.size();
        if (sample.empty()) return;
        std::reverse(sample.begin(), sample.end());
        ExplorePlan plan;
        plan.subjects = sample.size();
        plan.seeds = 1;
        plan.jobs = plan_.jobs;
        plan.budget = share(100);
        plan.watchdog = watchdog;
        explore(
            plan,
            [&](std::size_t subject, std::uint64_t seed) {
                const SampledRun& again = sample[subject];
                const HeapNoise noise(hash_words(again.seed, subject));
                Outcome outcome = run(plan_.scenarios[again.subject], again.seed);
                outcome.seed = seed;
                return outcome;
            },
            [&](std::size_t subject, const Outcome& outcome) {
                const SampledRun& first = sample[subject];
                ++report_.ran_twice;
                if (outcome.digest != first.digest)
                    report_.differing.push_back(
                        {first.subject, first.seed, first.digest, outcome.digest});
            },
            [&](const ExploreProgress& progress) {
                if (on_progress_) on_progress_("second runs", progress);
            });
    }

    const GatePlan& plan_;
    const Clock::time_point begin_;
    const GateProgress& on_progress_;
    Sampler sampler_;
    GateReport report_;
};

/// Sorts the failing runs of one stage by their reasons.
class Reasons {
public:
    Reasons(const GatePlan& plan, const std::vector<KnownFailure>& known, GateReport& report)
        : plan_(plan), known_(known), report_(report) {}

    void sort(GateStage stage, const Batch& batch) {
        for (std::size_t subject = 0; subject < batch.tallies.size(); ++subject) {
            const Tally& tally = batch.tallies[subject];
            const std::size_t first = report_.failures.size();
            for (const Failure& failure : tally.failures()) {
                GateFailure one = looked_at(subject, failure);
                one.stage = stage;
                one.of_runs = tally.runs();
                add(std::move(one), first);
            }
            const std::uint64_t beyond = tally.failed() - tally.failures().size();
            report_.not_looked_at += beyond;
            if (beyond > 0) report_.failures[first].runs += beyond;
        }
    }

private:
    GateFailure looked_at(std::size_t subject, const Failure& failure) const {
        GateFailure one;
        one.subject = subject;
        one.seed = failure.seed;
        one.again = repeat_command(plan_.repeats[subject], failure.seed);
        if (failure.end == End::Crashed || failure.end == End::Stuck) {
            // A signal would take this process down as well.
            Outcome outcome;
            outcome.end = failure.end;
            outcome.end_detail = failure.end_detail;
            one.why = fingerprints(outcome).front();
            one.evidence = failure.end_detail;
            return one;
        }
        const Outcome outcome = run(plan_.scenarios[subject], failure.seed);
        const auto report_of = [&](const Fingerprint& why) {
            return std::find_if(failure.violated.begin(), failure.violated.end(),
                                [&](const auto& r) { return why.property == r.id; });
        };
        auto found = fingerprints(outcome);
        std::erase_if(found, [&](const Fingerprint& why) {  // what is expected
            return report_of(why) == failure.violated.end();
        });
        auto reason = reason_of(found, known_);
        const bool chosen = reason.has_value();
        if (chosen) {
            one.why = reason->why;
            one.also = std::move(reason->also);
            if (const auto report = report_of(one.why); report->first) {
                one.at_ns = report->first->at.ns;
                one.evidence = report->first->evidence;
            }
        }
        // It came out otherwise now, which the second runs tell of.
        if (!chosen && !failure.violated.empty()) {
            const auto& report = failure.violated.front();
            one.why = {report.id, "not-again"};
            if (report.first) one.evidence = report.first->evidence;
        }
        return one;
    }

    void add(GateFailure one, std::size_t first) {
        const auto same =
            std::find_if(report_.failures.begin() + static_cast<std::ptrdiff_t>(first),
                         report_.failures.end(), [&](const GateFailure& other) {
                             // Of a change the baseline is asked about all that a run violates.
                             return other.why == one.why && (!plan_.pr || other.also == one.also);
                         });
        if (same == report_.failures.end()) {
            report_.failures.push_back(std::move(one));
            return;
        }
        ++same->runs;
        std::vector<properties::PropertyId> also;
        std::set_union(same->also.begin(), same->also.end(), one.also.begin(), one.also.end(),
                       std::back_inserter(also));
        same->also = std::move(also);
    }

    const GatePlan& plan_;
    const std::vector<KnownFailure>& known_;
    GateReport& report_;
};

}  // namespace

std::optional<Reason> reason_of(const std::vector<Fingerprint>& found,
                                const std::vector<KnownFailure>& known) {
    if (found.empty()) return std::nullopt;
    const auto is_new = [&](const Fingerprint& why) { return find_known(known, why) == nullptr; };
    const auto first = std::find_if(found.begin(), found.end(), is_new);
    if (first == found.end()) return Reason{found.front(), {}};
    Reason reason{*first, {}};
    for (const Fingerprint& why : found)
        if (why != *first && is_new(why) && why.property) reason.also.push_back(*why.property);
    std::sort(reason.also.begin(), reason.also.end());
    return reason;
}

Result<GateReport> run_corpus_and_fresh(const GatePlan& plan, Clock::time_point begin,
                                        const GateProgress& on_progress) {
    return GateRunner(plan, begin, on_progress).go();
}

void find_reasons(const GatePlan& plan, const std::vector<KnownFailure>& known,
                  GateReport& report) {
    Reasons reasons(plan, known, report);
    reasons.sort(GateStage::Corpus, report.corpus);
    reasons.sort(GateStage::Fresh, report.fresh);
}

}  // namespace lockstep::harness
