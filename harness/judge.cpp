#include "harness/judge.hpp"

#include "harness/marks.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {
namespace {

using properties::PropertyId;
using properties::Verdict;

Result<PropertyId> known(const scenario::Scenario& scenario, const std::string& code) {
    const auto id = properties::property_of(code);
    if (id) return *id;
    std::string all;
    for (const PropertyId p : properties::all_properties())
        fmt::format_to(std::back_inserter(all), "{}{}", all.empty() ? "" : ", ",
                       properties::code_of(p));
    Error error;
    error.message = fmt::format("scenario {}: no property is called '{}'; there are {}",
                                scenario.name, code, all);
    return error;
}

}  // namespace

bool Demands::expects(PropertyId id) const {
    return std::find(violated.begin(), violated.end(), id) != violated.end();
}

Result<Demands> demands_of(const scenario::Scenario& scenario, std::uint64_t seed) {
    Demands demands;
    // Also those whose condition is not met now: a misspelt one should not wait for its day.
    for (const auto& expectation : scenario.expect) {
        const auto id = known(scenario, expectation.violated);
        if (!id) return id.error();
    }
    for (const auto& code : scenario::resolve(scenario, seed).expected_violations) {
        const auto id = known(scenario, code);
        if (!id) return id.error();
        if (!demands.expects(id.value())) demands.violated.push_back(id.value());
    }
    for (const auto& [code, share] : scenario.minimum_share) {
        const auto id = known(scenario, code);
        if (!id) return id.error();
        demands.minimum_share.emplace_back(id.value(), share);
    }
    for (const auto& mark : scenario.required_marks) {
        if (is_mark(mark)) continue;
        Error error;
        error.message = fmt::format("scenario {}: no mark is called '{}' (lockstep list names all)",
                                    scenario.name, mark);
        return error;
    }
    demands.required_marks = scenario.required_marks;
    return demands;
}

Judgement judge(const Demands& demands, const Outcome& outcome) {
    Judgement judgement;
    judgement.ended_badly = outcome.end != End::Finished;
    for (const auto& report : outcome.reports) {
        if (report.verdict != Verdict::Violated) continue;
        auto& list = demands.expects(report.id) ? judgement.as_foretold : judgement.unexpected;
        list.push_back(report.id);
    }
    return judgement;
}

}  // namespace lockstep::harness
