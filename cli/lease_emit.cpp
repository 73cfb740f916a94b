#include "cli/lease_emit.hpp"

#include "harness/lease/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace lockstep::cli {
namespace {

/// Positions of what may be emitted, the best first.
std::vector<std::size_t> candidates(const lease::Sweep& sweep, const lease::Told& told) {
    if (told.checked && !told.checked->consistent) return {};
    std::vector<std::size_t> found;
    if (told.wants.empty()) {
        const auto best = lease::front(sweep);
        const auto bend = lease::knee(sweep, best);
        if (bend) found.push_back(*bend);
        if (best.size() == 1) found.push_back(best.front());
        return found;
    }
    for (std::size_t i = 0; i < sweep.results.size(); ++i)
        if (std::ranges::all_of(told.answer.judged[i], [](const lease::Judged& judged) {
                return judged.met == lease::Met::Yes;
            }))
            found.push_back(i);
    std::ranges::stable_sort(found, {}, [&](std::size_t i) { return told.answer.costs[i]; });
    constexpr std::size_t most = 5;
    if (found.size() > most) found.resize(most);
    return found;
}

struct Tried {
    lease::Emitted emitted;
    lease::Sweep sweep;
    lease::Told told;
    bool meets_all = false;
};

Result<Tried> try_one(const std::string& system, const lease::Setting& setting,
                      const lease::SweepPlan& plan, const lease::Told& told,
                      const lease::Prices& prices) {
    auto emitted = lease::emit(system, setting);
    if (!emitted) return emitted.error();
    lease::SweepPlan again = plan;
    again.settings = {emitted.value().setting};
    again.marked.clear();
    again.now.reset();
    auto sweep = lease::sweep(again);
    if (!sweep) return sweep.error();
    Tried tried{std::move(emitted).value(), std::move(sweep).value(), told};
    tried.told.answer = lease::answer(tried.sweep, told.wants, prices);
    tried.meets_all = told.wants.empty() || tried.told.answer.chosen;
    return tried;
}

}  // namespace

Result<LeaseSettings> lease_emit(const std::string& system, const lease::SweepPlan& plan,
                                 const lease::Sweep& sweep, const lease::Told& told,
                                 const lease::Prices& prices) {
    const auto found = candidates(sweep, told);
    if (found.empty())
        return LeaseSettings{
            fmt::format("Nothing is recommended, so there are no settings for {}.\n", system)};
    LeaseSettings out{fmt::format("For {}, as rounded, and simulated again:\n", system)};
    for (const std::size_t i : found) {
        auto tried = try_one(system, sweep.results[i].setting, plan, told, prices);
        if (!tried) return tried.error();
        const Tried& one = tried.value();
        out.text += lease::setting_answer_text(one.sweep, one.told, 0);
        out.found = one.meets_all;
        if (!out.found) continue;
        out.text += "\n" + one.emitted.text;
        for (const std::string& note : one.emitted.notes) out.text += "# " + note + "\n";
        return out;
    }
    out.text +=
        "Rounding loses what was wanted: none of these will do. A longer --span tells more.\n";
    return out;
}

}  // namespace lockstep::cli
