#pragma once

#include "harness/lease/plot_canvas.hpp"
#include "harness/lease/plot_labels.hpp"
#include "harness/lease/plot_scale.hpp"
#include "harness/lease/plot_spots.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::lease {

/// The size of all plots but maps, in units of which a text has 14: on a phone, where a plot is as
/// wide as the screen, that is 10 pixels.
constexpr double plot_width = 480;
constexpr double plot_height = 372;
constexpr Box plot_area{46, 52, 468, 318};
/// Zero is so far from the edge that a mark there is whole.
constexpr double zero_lift = 8;
constexpr double zero_band = 22;

struct Frame {
    Box area = plot_area;
    Scale x;
    Scale y;
    Place at(double x_value, double y_value) const { return {x.at(x_value), y.at(y_value)}; }
};

/// As far as eyes go.
bool same_place(Place a, Place b);

void draw_axes(Canvas& canvas, const Frame& frame, std::string_view x_title,
               std::string_view y_title);

/// Above the area, what a line or a mark means, from left to right.
class Legend {
public:
    explicit Legend(Canvas& canvas) : canvas_(canvas) {}
    enum class Sign { Bar, Whisker, Dot, SmallDot, Tick, Dashes, Line, Diamond };
    void add(Sign sign, std::string_view text);

private:
    void draw(Sign sign);

    Canvas& canvas_;
    double x_ = 2;
};

void draw_diamond(Canvas& canvas, Place at, std::string_view style);
/// An interval: a thin line with ends, and an arrow if there is no end above; `values` in the
/// frame's y.
void draw_whisker(Canvas& canvas, const Frame& frame, double x, const Interval& interval);
/// An interval as a bar, at least so high that it is seen.
void draw_bar(Canvas& canvas, const Frame& frame, double x, const Interval& interval);

/// A spot and where it is in a plot.
struct Placed {
    Spot spot;
    Place at;
};
/// Draws their marks, and gives labels to them, one to those that lie on each other.
void draw_spots(Canvas& canvas, Labels& labels, const std::vector<Placed>& placed);
/// A dashed line and its text at the bound of each want on the metric that the axis can show.
void draw_wants(Canvas& canvas, Labels& labels, const Frame& frame, const Told& told,
                std::string_view metric);

}  // namespace lockstep::lease
