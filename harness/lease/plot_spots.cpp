#include "harness/lease/plot_spots.hpp"

#include "harness/lease/plot_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::lease {

std::string_view role_name(Role role) {
    switch (role) {
        case Role::Chosen:
            return "chosen";
        case Role::Nearest:
            return "nearest";
        case Role::Knee:
            return "knee";
        case Role::Now:
            return "now";
        case Role::Known:
            return "default";
    }
    return "";
}

std::optional<Pick> pick(const Sweep& sweep, const Told& told) {
    if (told.checked && !told.checked->consistent) return std::nullopt;
    if (told.wants.empty()) {
        const auto bend = knee(sweep, front(sweep));
        return bend ? std::optional(Pick{*bend, Role::Knee}) : std::nullopt;
    }
    const std::size_t position = told.answer.chosen.value_or(told.answer.nearest);
    if (position >= sweep.results.size()) return std::nullopt;
    return Pick{position, told.answer.chosen ? Role::Chosen : Role::Nearest};
}

std::vector<const SettingResult*> known_defaults(const Sweep& sweep) {
    std::vector<const SettingResult*> all;
    for (const SettingResult& known : sweep.marked)
        if (std::ranges::find(sweep.results, known.setting, &SettingResult::setting) ==
            sweep.results.end())
            all.push_back(&known);
    return all;
}

std::vector<Spot> spots(const Sweep& sweep, const Told& told) {
    std::vector<Spot> all;
    if (const auto picked = pick(sweep, told))
        all.push_back(
            {&sweep.results[picked->position], picked->role, std::string(role_name(picked->role))});
    if (sweep.now) all.push_back({&*sweep.now, Role::Now, "now"});
    for (const SettingResult* known : known_defaults(sweep))
        all.push_back({known, Role::Known, known->setting.name});
    return all;
}

Duration parameter(const Setting& setting, std::string_view axis) {
    if (axis == "renew") return setting.renew_every;
    if (axis == "deadline") return setting.stands_down_after();
    if (axis == "lock-delay") return setting.lock_delay;
    return setting.lease;
}

std::string main_axis(const Sweep& sweep) {
    const auto& axes = sweep.axes;
    if (axes.empty() || std::ranges::find(axes, "lease") != axes.end()) return "lease";
    return axes.front();
}

std::string other_axis(const Sweep& sweep) {
    if (sweep.axes.size() < 2) return "";
    return sweep.axes[0] == main_axis(sweep) ? sweep.axes[1] : sweep.axes[0];
}

std::string spot_title(const SettingResult& result) {
    const Figures& f = result.figures;
    return fmt::format(
        "{}: {} losses a month (simulation {}, data {}), crash takeover p99 {} (simulation {}, "
        "data {})",
        setting_text(result.setting), number_text(f.losses.value),
        interval_text(f.losses.simulation), interval_text(f.losses.data),
        seconds_text(f.crash_p99.value), interval_text(f.crash_p99.simulation),
        interval_text(f.crash_p99.data));
}

}  // namespace lockstep::lease
