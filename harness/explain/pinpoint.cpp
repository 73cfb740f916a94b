#include "harness/explain/pinpoint.hpp"

#include "core/base/hash.hpp"
#include "core/base/prng.hpp"
#include "harness/services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lockstep::harness {
namespace {

/// How many more instants are looked at between the two at which the chance rises most.
constexpr std::uint64_t finer = 8;

/// The scenario as it might have gone from an instant on: the faults that had not struck by then
/// strike at other times.
class OtherLuck {
public:
    OtherLuck(const scenario::Scenario& scenario, const scenario::Resolved& settings,
              const Outcome& outcome, sim::SimTime violated)
        : pinned_(scenario::pinned(scenario, settings)),
          strikes_(pinned_.faults.size()),
          violated_(violated),
          latest_(sim::SimTime{} + settings.faults_for) {
        sim::SimTime last{};
        for (const LoggedEvent& logged : outcome.log) {
            const auto* world = std::get_if<sim::WorldEvent>(&logged.what);
            const auto* started = world ? std::get_if<sim::FaultStarted>(world) : nullptr;
            if (started == nullptr || logged.at > violated) continue;
            if (started->fault >= strikes_.size() || strikes_[started->fault]) continue;
            const std::size_t victim = logged.process.value;
            strikes_[started->fault] =
                Strike{logged.at, victim == 0 || victim > outcome.process_names.size()
                                      ? std::string()
                                      : outcome.process_names[victim - 1]};
            last = logged.at;
        }
        // A fault that strikes late must have the time to do what it did.
        until_ = violated + (violated - last) + settings.slack;
    }

    /// When a run has had the time to fail.
    sim::SimTime until() const { return until_; }

    scenario::Scenario from(sim::SimTime instant, std::uint64_t number) const {
        scenario::Scenario other = pinned_;
        for (std::size_t i = 0; i < strikes_.size(); ++i) {
            if (!strikes_[i] || strikes_[i]->at < instant) continue;
            sim::Fault& fault = other.faults[i];
            // Of a fault that waits for something, `start` is the earliest.
            const sim::SimTime earliest =
                fault.trigger ? std::max(instant, sim::SimTime{} + fault.start) : instant;
            const sim::SimTime end = std::min(violated_, latest_ - fault.duration);
            const Duration room = std::max(end - earliest, Duration{});
            Prng draw(hash_words(number, i));
            fault.start = earliest - sim::SimTime{} + draw.between(Duration{}, room);
            fault.trigger.reset();
            if (fault.aim.by == sim::Aim::By::Trigger)
                fault.aim = {sim::Aim::By::Process, strikes_[i]->victim};
        }
        return other;
    }

private:
    struct Strike {
        sim::SimTime at;
        std::string victim;
    };
    scenario::Scenario pinned_;
    std::vector<std::optional<Strike>> strikes_;  ///< of each fault of the plan
    sim::SimTime violated_;
    sim::SimTime latest_;
    sim::SimTime until_;
};

class Prober {
public:
    Prober(const OtherLuck& luck, std::uint64_t seed, const properties::Violation& violation,
           const PinpointPlan& plan, const std::function<void(const ExploreProgress&)>& on_progress)
        : luck_(luck), seed_(seed), violation_(violation), plan_(plan), on_progress_(on_progress) {}

    /// False if it was interrupted.
    bool look_from(const std::vector<sim::SimTime>& instants, std::uint64_t expected_after,
                   std::vector<FailureChance>& chances) {
        std::vector<FailureChance> counted;
        for (const sim::SimTime from : instants) counted.push_back({from, 0, 0});
        ExplorePlan explore_plan;
        explore_plan.subjects = instants.size();
        explore_plan.seeds = plan_.runs;
        explore_plan.jobs = plan_.jobs;
        const std::uint64_t before = done_;
        const std::uint64_t total = before + instants.size() * plan_.runs + expected_after;
        const auto run_seed = [&](std::size_t subject, std::uint64_t number) {
            RunOptions options;
            options.until = luck_.until();
            // The same salts at each instant: what differs is where they begin.
            options.reseeds = {{instants[subject], spread(number)}};
            return run(luck_.from(instants[subject], number), seed_, options);
        };
        const auto on_outcome = [&](std::size_t subject, const Outcome& outcome) {
            FailureChance& chance = counted[subject];
            ++chance.runs;
            if (fails(outcome)) ++chance.failed;
        };
        const auto on_progress = [&](const ExploreProgress& progress) {
            ExploreProgress all = progress;
            all.done += before;
            all.total = total;
            all.resumed += before;
            if (on_progress_) on_progress_(all);
        };
        const Exploration exploration = explore(explore_plan, run_seed, on_outcome, on_progress);
        done_ += exploration.done;
        std::erase_if(counted, [](const FailureChance& chance) { return chance.runs == 0; });
        chances.insert(chances.end(), counted.begin(), counted.end());
        std::sort(chances.begin(), chances.end(),
                  [](const auto& a, const auto& b) { return a.from < b.from; });
        return !exploration.interrupted;
    }

private:
    bool fails(const Outcome& outcome) const {
        for (const auto& report : outcome.reports)
            if (report.id == violation_.id && report.first)
                return report.first->excused_by.has_value() == violation_.excused_by.has_value();
        return false;
    }

    const OtherLuck& luck_;
    std::uint64_t seed_;
    const properties::Violation& violation_;
    const PinpointPlan& plan_;
    const std::function<void(const ExploreProgress&)>& on_progress_;
    std::uint64_t done_ = 0;
};

/// So many instants from one to the other, both included, each once.
std::vector<sim::SimTime> spaced(sim::SimTime from, sim::SimTime to, std::uint64_t count) {
    std::vector<sim::SimTime> instants;
    const auto steps = static_cast<std::int64_t>(std::max<std::uint64_t>(count, 2) - 1);
    for (std::int64_t i = 0; i <= steps; ++i) {
        const auto part = static_cast<__int128>((to - from).ns) * i / steps;
        instants.push_back(from + Duration{static_cast<std::int64_t>(part)});
    }
    instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
    return instants;
}

/// By how much more often it failed than at the instant before, in per mille.
std::int64_t rise(const std::vector<FailureChance>& chances, std::size_t i) {
    const auto share = [](const FailureChance& chance) {
        return chance.runs == 0 ? std::int64_t{0}
                                : static_cast<std::int64_t>(chance.failed * 1'000 / chance.runs);
    };
    return share(chances[i]) - share(chances[i - 1]);
}

/// Zero if there is none.
std::size_t largest_rise(const std::vector<FailureChance>& chances) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < chances.size(); ++i)
        if (rise(chances, i) > (best == 0 ? 0 : rise(chances, best))) best = i;
    return best;
}

bool told_apart(const FailureChance& a, const FailureChance& b) {
    return interval_95(a.failed, a.runs).second < interval_95(b.failed, b.runs).first;
}

/// What of the story lies between the instants, the decisive step before all; or else what comes
/// next.
std::optional<ExplainedStep> step_between(const Explanation& explanation, sim::SimTime after,
                                          sim::SimTime to) {
    const ExplainedStep* found = nullptr;
    for (const ExplainedStep& step : explanation.story) {
        if (step.at <= after || step.at > to) continue;
        if (found == nullptr || step.decisive || !found->decisive) found = &step;
    }
    if (found == nullptr)
        for (const ExplainedStep& step : explanation.story)
            if (found == nullptr && step.at > to) found = &step;
    return found != nullptr ? std::optional(*found) : std::nullopt;
}

}  // namespace

std::pair<std::uint64_t, std::uint64_t> interval_95(std::uint64_t failed, std::uint64_t runs) {
    if (runs == 0) return {0, 1'000};
    const double z = 1.959964;
    const auto n = static_cast<double>(runs);
    const double p = static_cast<double>(failed) / n;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    const auto least = std::clamp(std::floor((centre - half) * 1'000 + 1e-6), 0.0, 1'000.0);
    const auto most = std::clamp(std::ceil((centre + half) * 1'000 - 1e-6), 0.0, 1'000.0);
    return {static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)};
}

Pinpoint pinpoint(const scenario::Scenario& scenario, const Outcome& outcome,
                  const properties::Violation& violation, const PinpointPlan& plan,
                  const std::function<void(const ExploreProgress&)>& on_progress) {
    const auto settings = harness::resolve(scenario, outcome.seed);
    Pinpoint out;
    out.violation = violation;
    out.explanation = explain(outcome, settings, violation);
    const OtherLuck luck(scenario, settings, outcome, violation.at);
    Prober prober(luck, outcome.seed, violation, plan, on_progress);
    out.interrupted = !prober.look_from(spaced(sim::SimTime{}, violation.at, plan.points),
                                        finer * plan.runs, out.chances);
    if (out.interrupted) return out;
    std::size_t jump = largest_rise(out.chances);
    if (jump == 0) return out;
    const sim::SimTime before = out.chances[jump - 1].from;
    const sim::SimTime after = out.chances[jump].from;
    auto between = spaced(before, after, finer + 2);
    std::erase_if(between, [&](sim::SimTime t) { return t == before || t == after; });
    if (!between.empty()) out.interrupted = !prober.look_from(between, 0, out.chances);
    jump = largest_rise(out.chances);
    // What rises little by little is told apart over a longer way.
    const bool sure = told_apart(out.chances[jump - 1], out.chances[jump]) ||
                      told_apart(out.chances.front(), out.chances.back());
    if (!sure) return out;
    out.jump = jump;
    out.happened =
        step_between(out.explanation, out.chances[jump - 1].from, out.chances[jump].from);
    return out;
}

}  // namespace lockstep::harness
