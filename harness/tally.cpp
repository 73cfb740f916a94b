#include "harness/tally.hpp"

#include "core/base/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::harness {

using properties::PropertyId;
using properties::Verdict;

namespace {

/// A share is demanded of a batch that is large enough to show it.
constexpr std::uint64_t runs_enough = 100;

std::size_t index_of(PropertyId id) {
    return static_cast<std::size_t>(id);
}

}  // namespace

PropertyTally& PropertyTally::operator+=(const PropertyTally& other) {
    held += other.held;
    violated += other.violated;
    excused += other.excused;
    idle += other.idle;
    judged += other.judged;
    checks += other.checks;
    for (const auto& [assumption, runs] : other.excused_by) excused_by[assumption] += runs;
    return *this;
}

FaultTally& FaultTally::operator+=(const FaultTally& other) {
    planned += other.planned;
    started += other.started;
    missed += other.missed;
    runs += other.runs;
    return *this;
}

Tally::Tally(std::string scenario, Demands demands)
    : scenario_(std::move(scenario)), demands_(std::move(demands)) {
    for (const auto& mark : demands_.required_marks) marks_[mark].required = true;
}

void Tally::add(const Outcome& outcome) {
    ++runs_;
    steps_ += outcome.steps;
    simulated_ += outcome.simulated;
    digest_ = fold(digest_, outcome.digest);
    for (const auto& mark : outcome.marks) {
        MarkTally& tally = marks_[mark.mark];
        tally.times += mark.reached;
        if (mark.reached > 0) ++tally.runs;
    }
    for (const auto& fault : outcome.faults)
        faults_[fault.kind] +=
            FaultTally{fault.planned, fault.started, fault.missed, fault.started > 0 ? 1U : 0U};
    for (const auto& role : outcome.roles) roles_[role.role] += role.hits;
    triggers_.waited += outcome.triggers.waited;
    triggers_.met += outcome.triggers.met;
    for (const auto& report : outcome.reports) {
        PropertyTally one;
        one.checks = report.checks;
        one.judged = report.verdict != Verdict::Idle && !report.excusable ? 1 : 0;
        switch (report.verdict) {
            case Verdict::Held:
                one.held = 1;
                break;
            case Verdict::Violated:
                one.violated = 1;
                break;
            case Verdict::Excused:
                one.excused = 1;
                if (report.first && report.first->excused_by)
                    one.excused_by[need_text(*report.first->excused_by)] = 1;
                break;
            case Verdict::Idle:
                one.idle = 1;
                break;
        }
        properties_[index_of(report.id)] += one;
    }
    const Judgement judgement = judge(demands_, outcome);
    if (!judgement.as_foretold.empty()) ++foretold_runs_;
    if (judgement.as_expected()) return;
    ++failed_;
    if (failures_.size() == failures_kept) return;
    Failure failure{outcome.seed, outcome.digest, outcome.end, outcome.end_detail, {}};
    for (const auto& report : outcome.reports) {
        const auto& list = judgement.unexpected;
        if (std::find(list.begin(), list.end(), report.id) != list.end())
            failure.violated.push_back(report);
    }
    failures_.push_back(std::move(failure));
}

std::uint64_t Tally::marks_required() const {
    return demands_.required_marks.size();
}

std::uint64_t Tally::marks_reached() const {
    return static_cast<std::uint64_t>(
        std::count_if(demands_.required_marks.begin(), demands_.required_marks.end(),
                      [&](const std::string& mark) { return marks_.at(mark).runs > 0; }));
}

std::vector<std::string> Tally::doubts() const {
    std::vector<std::string> doubts;
    if (runs_ == 0) return doubts;
    for (const auto& mark : demands_.required_marks)
        if (marks_.at(mark).runs == 0)
            doubts.push_back(fmt::format("required mark '{}' was never reached", mark));
    for (const PropertyId id : demands_.violated)
        if (properties_[index_of(id)].violated == 0)
            doubts.push_back(fmt::format("{} was expected to be violated and never was",
                                         properties::code_of(id)));
    for (const auto& [kind, fault] : faults_)
        if (fault.planned >= enough_to_see && fault.started == 0)
            doubts.push_back(
                fmt::format("fault {} was planned {} times and never fired", kind, fault.planned));
    for (const auto& [id, share] : demands_.minimum_share) {
        if (runs_ < runs_enough) break;
        const PropertyTally& tally = properties_[index_of(id)];
        const std::uint64_t judged = tally.judged;
        // judged / runs < share, without a fraction.
        if (static_cast<unsigned __int128>(judged) * 1'000'000 <
            static_cast<unsigned __int128>(runs_) * static_cast<std::uint64_t>(share.value))
            doubts.push_back(
                fmt::format("{} was judged in {} of {} runs only; at least {}.{:02}% is demanded",
                            properties::code_of(id), judged, runs_, share.value / 10'000,
                            share.value % 10'000 / 100));
    }
    return doubts;
}

std::string need_text(const properties::Need& need) {
    return fmt::format("{}({})", properties::to_string(need.assumption),
                       properties::to_string(need.kind));
}

}  // namespace lockstep::harness
