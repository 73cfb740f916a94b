#include "harness/judge.hpp"

#include "harness/marks.hpp"
#include "harness/services.hpp"
#include "scenarios/scenario_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::harness {
namespace {

using properties::PropertyId;
using properties::Verdict;

std::string all_codes() {
    std::string all;
    for (const PropertyId p : properties::all_properties())
        fmt::format_to(std::back_inserter(all), "{}{}", all.empty() ? "" : ", ",
                       properties::code_of(p));
    return all;
}

}  // namespace

bool Demands::expects(PropertyId id) const {
    return std::find(violated.begin(), violated.end(), id) != violated.end();
}

std::optional<scenario::Objection> check_names(const scenario::Scenario& scenario) {
    const auto no_property = [](std::string key, const std::string& code) {
        return scenario::Objection{
            std::move(key), fmt::format("found \"{}\"; the properties are {}", code, all_codes())};
    };
    // Also those whose condition is not met now: a misspelt one should not wait for its day.
    for (std::size_t i = 0; i < scenario.expect.size(); ++i)
        if (const auto& code = scenario.expect[i].violated; !properties::property_of(code))
            return no_property(fmt::format("expect[{}].violated", i + 1), code);
    for (const auto& [code, share] : scenario.minimum_share)
        if (!properties::property_of(code)) return no_property("properties." + code, code);
    for (const auto& mark : scenario.required_marks) {
        if (is_mark(mark)) continue;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < mark_count; ++i)
            names.emplace_back(to_string(static_cast<Mark>(i)));
        return scenario::Objection{
            "marks.required",
            fmt::format("found \"{}\" (did you mean {}?); `lockstep list marks` names all", mark,
                        scenario::nearest(mark, names))};
    }
    return std::nullopt;
}

Result<Demands> demands_of(const scenario::Scenario& scenario, std::uint64_t seed) {
    if (const auto objection = check_names(scenario))
        return Error{
            fmt::format("scenario {}: {}: {}", scenario.name, objection->key, objection->message),
            {}};
    Demands demands;
    const auto known = [](const std::string& code) { return *properties::property_of(code); };
    for (const auto& code : harness::resolve(scenario, seed).expected_violations)
        if (!demands.expects(known(code))) demands.violated.push_back(known(code));
    for (const auto& [code, share] : scenario.minimum_share)
        demands.minimum_share.emplace_back(known(code), share);
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
