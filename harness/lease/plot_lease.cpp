#include "harness/lease/plot.hpp"
#include "harness/lease/plot_frame.hpp"
#include "harness/lease/plot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace lockstep::lease {
namespace {

double seconds_of(Duration d) {
    return static_cast<double>(d.ns) / 1e9;
}

std::string axis_title(const std::string& axis) {
    if (axis == "lease") return "lease, s";
    if (axis == "renew") return "renewed every, s";
    if (axis == "deadline") return "holder stands down after, s";
    return "lock delay, s";
}

/// What both plots against a parameter share.
class AgainstParameter {
public:
    AgainstParameter(const Sweep& sweep, const Told& told, Figure Figures::* figure)
        : sweep_(sweep), spots_(spots(sweep, told)), axis_(main_axis(sweep)), figure_(figure) {}

    double x_of(const SettingResult& result) const {
        return seconds_of(parameter(result.setting, axis_));
    }
    /// `y` in: what has to be seen.
    void scale(Extent y) {
        Extent x;
        bool zero = false;
        const auto take = [&](const SettingResult& result) {
            x.take(x_of(result));
            zero = zero || x_of(result) <= 0;
        };
        for (const SettingResult& result : sweep_.results) take(result);
        for (const Spot& spot : spots_) take(*spot.result);
        x.widen(2, 1.12);
        y.round();
        frame_.x = Scale::with_zero(x.low, x.high, plot_area.left + (zero ? zero_lift : 0),
                                    plot_area.right, zero ? zero_band : 0);
        frame_.y =
            Scale::with_zero(y.low, y.high, plot_area.bottom - zero_lift, plot_area.top, zero_band);
    }
    /// Settings that differ in the main axis alone, in its order.
    std::vector<std::vector<const SettingResult*>> rows() const {
        std::map<std::int64_t, std::vector<const SettingResult*>> by_other;
        const std::string other = other_axis(sweep_);
        for (const SettingResult& result : sweep_.results)
            by_other[other.empty() ? 0 : parameter(result.setting, other).ns].push_back(&result);
        std::vector<std::vector<const SettingResult*>> all;
        for (auto& [value, row] : by_other) {
            std::ranges::stable_sort(
                row, {}, [this](const SettingResult* r) { return parameter(r->setting, axis_); });
            all.push_back(row);
        }
        return all;
    }
    std::vector<Place> line_of(const std::vector<const SettingResult*>& row,
                               Figure Figures::* figure) const {
        std::vector<Place> line;
        for (const SettingResult* result : row)
            line.push_back(frame_.at(x_of(*result), (result->figures.*figure).value));
        return line;
    }
    void draw_line(Canvas& canvas, Labels& labels, const std::vector<Place>& line,
                   std::string_view style) const {
        canvas.polyline(line, style);
        for (std::size_t i = 1; i < line.size(); ++i) labels.avoid_line(line[i - 1], line[i], 0.5);
    }
    /// A figure of a setting, with both of its intervals.
    void draw_figure(Canvas& canvas, Labels& labels, const SettingResult& result) const {
        const Figure& figure = result.figures.*figure_;
        const Place at = frame_.at(x_of(result), figure.value);
        canvas.open("setting", spot_title(result));
        draw_whisker(canvas, frame_, at.x, figure.data);
        draw_bar(canvas, frame_, at.x, figure.simulation);
        canvas.circle(at, 4, "dot");
        canvas.close();
        labels.avoid_line({at.x, frame_.y.at(figure.data.low)},
                          {at.x, frame_.y.at(figure.data.high)}, 0.2);
        labels.avoid_point(at, 5, 2);
    }
    /// Each line by the parameter that its settings have in common, at its right end.
    void name_lines(Labels& labels) const {
        const std::string other = other_axis(sweep_);
        if (other.empty()) return;
        struct End {
            Place at;
            std::vector<std::string> names;
        };
        std::vector<End> ends;
        for (const auto& row : rows()) {
            const Place at = line_of(row, figure_).back();
            auto end =
                std::ranges::find_if(ends, [at](const End& one) { return same_place(one.at, at); });
            if (end == ends.end()) end = ends.insert(end, {at, {}});
            end->names.push_back(length_text(parameter(row.back()->setting, other)));
        }
        for (const End& end : ends) {
            std::string text = end.names.front();
            if (end.names.size() == 2) text += ", " + end.names.back();
            if (end.names.size() > 2) text += " to " + end.names.back();
            labels.beside(end.at, 8, text + " s", "line-text");
        }
    }
    /// Dashes over dashes would be a line: rows that have nothing new are left out.
    void draw_dashes(Canvas& canvas, Labels& labels, Figure Figures::* figure) const {
        auto all = rows();
        std::ranges::stable_sort(all, std::greater{}, [](const auto& row) { return row.size(); });
        std::vector<Place> drawn;
        for (const auto& row : all) {
            const auto line = line_of(row, figure);
            const bool seen = std::ranges::all_of(line, [&drawn](Place at) {
                return std::ranges::any_of(drawn, [at](Place p) { return same_place(p, at); });
            });
            if (!seen) draw_line(canvas, labels, line, "graceful");
            drawn.insert(drawn.end(), line.begin(), line.end());
        }
    }
    void draw_marks(Canvas& canvas, Labels& labels) const {
        std::vector<Placed> placed;
        for (const Spot& spot : spots_)
            placed.push_back(
                {spot, frame_.at(x_of(*spot.result), (spot.result->figures.*figure_).value)});
        draw_range(canvas, placed);
        draw_spots(canvas, labels, placed);
    }

    const Sweep& sweep_;
    const std::vector<Spot> spots_;
    const std::string axis_;
    Figure Figures::* figure_;
    Frame frame_;

private:
    /// A system whose server allows a range of leases is marked at both of its ends.
    void draw_range(Canvas& canvas, const std::vector<Placed>& placed) const {
        if (axis_ != "lease") return;
        for (const Placed& least : placed)
            for (const Placed& most : placed)
                if (least.spot.role == Role::Known && most.spot.role == Role::Known &&
                    least.spot.label == most.spot.label + "-least")
                    canvas.line(least.at, most.at, "range");
    }
};

std::string lines_caption(const std::string& other) {
    const std::string_view same = other == "renew"      ? "renew as often"
                                  : other == "deadline" ? "stand down after the same time"
                                                        : "have the same lock delay";
    return fmt::format("A line joins settings that {}, which is written at its end.", same);
}

void take_figure(Extent& extent, const Figure& figure) {
    extent.take(figure.value);
    for (const Interval* interval : {&figure.simulation, &figure.data}) extent.take(interval->high);
}

}  // namespace

Drawing losses_drawing(const Sweep& sweep, const Told& told) {
    Drawing out{"losses", "Losses a month", "", plot_width, plot_height, {}};
    AgainstParameter plot(sweep, told, &Figures::losses);
    Extent y;
    for (const SettingResult& result : sweep.results) take_figure(y, result.figures.losses);
    for (const Spot& spot : plot.spots_) y.take(spot.result->figures.losses.value);
    for (const Want& want : told.wants)
        if (want.metric->name == "losses") y.take(want.at_most);
    // Below a hundredth nobody tells it from none.
    y.low = std::clamp(y.low, 0.01, 1.0);
    y.high = std::max(y.high, y.low * 10);
    plot.scale(y);
    Canvas& canvas = out.canvas;
    draw_axes(canvas, plot.frame_, axis_title(plot.axis_),
              "losses of the lock a month, though the holder lived");
    Legend legend(canvas);
    legend.add(Legend::Sign::Bar, "simulation 95%");
    legend.add(Legend::Sign::Whisker, "data 95%");
    if (!known_defaults(sweep).empty()) legend.add(Legend::Sign::Diamond, "default");
    Labels labels(plot_area);
    for (const auto& row : plot.rows())
        plot.draw_line(canvas, labels, plot.line_of(row, &Figures::losses), "series");
    for (const SettingResult& result : sweep.results) plot.draw_figure(canvas, labels, result);
    draw_wants(canvas, labels, plot.frame_, told, "losses");
    plot.draw_marks(canvas, labels);
    plot.name_lines(labels);
    labels.draw(canvas);
    out.caption =
        "Lower is better. The bar says how far luck may have moved it, the whisker how far the "
        "truth may be from what the log saw, an arrow that nothing bounds it; the shaded band goes "
        "down to none.";
    if (!other_axis(sweep).empty()) out.caption += " " + lines_caption(other_axis(sweep));
    return out;
}

Drawing takeover_drawing(const Sweep& sweep, const Told& told) {
    Drawing out{"takeover", "From a crash to the next holder", "", plot_width, plot_height, {}};
    AgainstParameter plot(sweep, told, &Figures::crash_p99);
    Extent y;
    const auto take = [&y](const SettingResult& result) {
        y.take(result.figures.crash_p50.value);
        y.take(result.figures.crash_p99.value);
        y.take(result.figures.crash_worst.value);
    };
    for (const SettingResult& result : sweep.results) take(result);
    for (const Spot& spot : plot.spots_) take(*spot.result);
    for (const Want& want : told.wants)
        if (want.metric->name == "crash takeover p99") y.take(want.at_most);
    plot.scale(y);
    Canvas& canvas = out.canvas;
    draw_axes(canvas, plot.frame_, axis_title(plot.axis_), "seconds until another holds the lock");
    Legend legend(canvas);
    legend.add(Legend::Sign::Line, "p99");
    legend.add(Legend::Sign::SmallDot, "p50");
    legend.add(Legend::Sign::Tick, "worst");
    legend.add(Legend::Sign::Dashes, "graceful p99");
    if (!known_defaults(sweep).empty()) legend.add(Legend::Sign::Diamond, "default");
    Labels labels(plot_area);
    plot.draw_dashes(canvas, labels, &Figures::release_p99);
    for (const auto& row : plot.rows()) {
        plot.draw_line(canvas, labels, plot.line_of(row, &Figures::crash_p50), "second");
        plot.draw_line(canvas, labels, plot.line_of(row, &Figures::crash_p99), "series");
    }
    for (const SettingResult& result : sweep.results) {
        const double x = plot.frame_.x.at(plot.x_of(result));
        const double worst = plot.frame_.y.at(result.figures.crash_worst.value);
        canvas.open("setting", fmt::format("{}: p50 {}, worst {}, graceful p99 {}",
                                           setting_text(result.setting),
                                           seconds_text(result.figures.crash_p50.value),
                                           seconds_text(result.figures.crash_worst.value),
                                           seconds_text(result.figures.release_p99.value)));
        canvas.line({x - 5, worst}, {x + 5, worst}, "worst");
        const double middle = plot.frame_.y.at(result.figures.crash_p50.value);
        draw_whisker(canvas, plot.frame_, x, result.figures.crash_p50.data);
        draw_bar(canvas, plot.frame_, x, result.figures.crash_p50.simulation);
        canvas.circle({x, middle}, 2.5, "dot2");
        canvas.close();
        labels.avoid_point({x, worst}, 4, 1);
        plot.draw_figure(canvas, labels, result);
    }
    draw_wants(canvas, labels, plot.frame_, told, "crash takeover p99");
    plot.draw_marks(canvas, labels);
    labels.draw(canvas);
    out.caption =
        "Lower is better. How long nobody holds the lock after its holder crashed, and, dashed, "
        "after it gave the lock back; marks are at their p99.";
    return out;
}

}  // namespace lockstep::lease
