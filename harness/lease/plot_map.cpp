#include "harness/lease/plot.hpp"
#include "harness/lease/plot_frame.hpp"
#include "harness/lease/plot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

constexpr double left = 64;
constexpr double top = 52;
constexpr double least_column = 44;
constexpr double least_row = 26;
constexpr double below = 54;
constexpr int shades = 6;

std::vector<Duration> values_of(const Sweep& sweep, const std::string& axis) {
    std::vector<Duration> values;
    for (const SettingResult& result : sweep.results)
        values.push_back(parameter(result.setting, axis));
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

double place_of(const std::vector<Duration>& values, Duration value) {
    return static_cast<double>(std::ranges::lower_bound(values, value) - values.begin());
}

std::string name_of(const std::string& axis) {
    if (axis == "renew") return "renewed every, s";
    if (axis == "deadline") return "stands down after, s";
    return axis == "lease" ? "lease, s" : "lock delay, s";
}

class Map {
public:
    Map(const Sweep& sweep, const Told& told, const Metric& metric, Drawing& out)
        : sweep_(sweep),
          told_(told),
          metric_(metric),
          canvas_(out.canvas),
          across_(values_of(sweep, main_axis(sweep))),
          up_(values_of(sweep, other_axis(sweep))) {
        const auto columns = static_cast<double>(across_.size());
        const auto rows = static_cast<double>(up_.size());
        column_ = std::max(least_column, (plot_width - left - 12) / columns);
        row_ = std::max(least_row, (plot_height - top - below) / rows);
        out.width = left + column_ * columns + 12;
        out.height = top + row_ * rows + below;
        for (const SettingResult& result : sweep.results) values_.take(value(result));
    }

    void draw() {
        const double bottom = top + row_ * static_cast<double>(up_.size());
        for (std::size_t i = 0; i < across_.size(); ++i)
            for (std::size_t j = 0; j < up_.size(); ++j)
                canvas_.rect(corner(static_cast<double>(i), static_cast<double>(j)), column_, row_,
                             "empty");
        for (std::size_t i = 0; i < across_.size(); ++i)
            canvas_.text({left + (static_cast<double>(i) + 0.5) * column_, bottom + 18},
                         length_text(across_[i]), "tick mid");
        for (std::size_t j = 0; j < up_.size(); ++j)
            canvas_.text({left - 6, corner(0, static_cast<double>(j)).y + row_ / 2 + 5},
                         length_text(up_[j]), "tick end");
        canvas_.text(
            {(left + column_ * static_cast<double>(across_.size()) + left) / 2, bottom + 40},
            name_of(main_axis(sweep_)), "title mid");
        canvas_.text(
            {2, 16},
            fmt::format("{}, {}", metric_.name, metric_.unit == "s" ? "seconds" : metric_.unit),
            "title");
        canvas_.text({2, 38}, "\u2191 " + name_of(other_axis(sweep_)), "tick");
        for (const SettingResult& result : sweep_.results) draw_cell(result);
        draw_pick();
    }

private:
    double value(const SettingResult& result) const {
        return (result.figures.*(metric_.figure)).value;
    }
    Place corner(double column, double row) const {
        return {left + column * column_, top + (static_cast<double>(up_.size()) - 1 - row) * row_};
    }
    Place corner_of(const Setting& setting) const {
        return corner(place_of(across_, parameter(setting, main_axis(sweep_))),
                      place_of(up_, parameter(setting, other_axis(sweep_))));
    }
    /// By decades: equal steps are equal ratios.
    int shade(double value) const {
        if (!(value > 0)) return 0;
        const double range = std::log(values_.high / values_.low);
        const double share = range > 0 ? std::log(value / values_.low) / range : 0;
        return 1 + std::min(shades - 2, static_cast<int>(share * (shades - 1)));
    }
    void draw_cell(const SettingResult& result) {
        const Place at = corner_of(result.setting);
        canvas_.open("setting", spot_title(result));
        canvas_.rect({at.x + 0.5, at.y + 0.5}, column_ - 1, row_ - 1,
                     fmt::format("heat{}", shade(value(result))));
        canvas_.text({at.x + column_ / 2, at.y + row_ / 2 + (named(result) ? -2 : 5)},
                     number_text(value(result)),
                     fmt::format("cell mid on{}", shade(value(result))));
        canvas_.close();
    }
    /// Whether there is room to say in its cell why it is outlined.
    bool named(const SettingResult& result) const {
        const auto picked = pick(sweep_, told_);
        return row_ >= 40 && picked && &result == &sweep_.results[picked->position];
    }
    void draw_pick() {
        const auto picked = pick(sweep_, told_);
        if (!picked) return;
        const Place at = corner_of(sweep_.results[picked->position].setting);
        canvas_.rect({at.x + 1, at.y + 1}, column_ - 2, row_ - 2, "pick-halo");
        canvas_.rect({at.x + 1, at.y + 1}, column_ - 2, row_ - 2, "pick");
        if (named(sweep_.results[picked->position]))
            canvas_.text({at.x + column_ / 2, at.y + row_ / 2 + 16}, role_name(picked->role),
                         fmt::format("cell mid strong on{}",
                                     shade(value(sweep_.results[picked->position]))));
    }

    const Sweep& sweep_;
    const Told& told_;
    const Metric& metric_;
    Canvas& canvas_;
    std::vector<Duration> across_;
    std::vector<Duration> up_;
    double column_ = least_column;
    double row_ = least_row;
    Extent values_;
};

}  // namespace

Drawing map_drawing(const Sweep& sweep, const Told& told, const std::string& metric) {
    const auto found = std::ranges::find(metrics(), metric, &Metric::name);
    const bool losses = metric == "losses";
    Drawing out{losses ? "map-losses" : "map-takeover",
                losses ? "Losses a month over both" : "Crash takeover p99 over both",
                "",
                0,
                0,
                {}};
    Map(sweep, told, *found, out).draw();
    out.caption =
        "Each cell is a setting, and the stronger its colour, the more; what is empty cannot be.";
    if (const auto picked = pick(sweep, told))
        out.caption += fmt::format(" The outlined one is the {}.",
                                   picked->role == Role::Knee
                                       ? std::string("knee")
                                       : fmt::format("{} setting", role_name(picked->role)));
    return out;
}

}  // namespace lockstep::lease
