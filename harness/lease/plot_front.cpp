#include "harness/lease/plot.hpp"
#include "harness/lease/plot_frame.hpp"
#include "harness/lease/plot_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::lease {
namespace {

Frame frame_of(const Sweep& sweep, const std::vector<Spot>& marked) {
    Extent x;
    Extent y;
    const auto take = [&](const SettingResult& result) {
        x.take(result.figures.losses.value);
        y.take(result.figures.crash_p99.value);
    };
    for (const SettingResult& result : sweep.results) take(result);
    for (const Spot& spot : marked) take(*spot.result);
    x.low = std::max(x.low, 0.01);
    x.widen(4, 1.3);
    y.widen(2, 1.25);
    Frame frame;
    frame.x =
        Scale::with_zero(x.low, x.high, plot_area.left + zero_lift, plot_area.right, zero_band);
    frame.y = Scale::of(y.low, y.high, plot_area.bottom, plot_area.top);
    return frame;
}

}  // namespace

Drawing front_drawing(const Sweep& sweep, const Told& told) {
    Drawing out{"front", "What one costs of the other", "", plot_width, plot_height, {}};
    std::vector<Spot> marked = spots(sweep, told);
    const Frame frame = frame_of(sweep, marked);
    const auto place = [&frame](const SettingResult& result) {
        return frame.at(result.figures.losses.value, result.figures.crash_p99.value);
    };
    Canvas& canvas = out.canvas;
    draw_axes(canvas, frame, "losses a month", "crash takeover p99, s");
    Legend legend(canvas);
    legend.add(Legend::Sign::Dot, "a setting");
    legend.add(Legend::Sign::Line, "none is better in both");
    if (!known_defaults(sweep).empty()) legend.add(Legend::Sign::Diamond, "default");
    Labels labels(plot_area);
    std::vector<Place> line;
    for (const std::size_t i : front(sweep)) line.push_back(place(sweep.results[i]));
    canvas.polyline(line, "series");
    for (std::size_t i = 1; i < line.size(); ++i) labels.avoid_line(line[i - 1], line[i], 0.5);
    for (const SettingResult& result : sweep.results) {
        canvas.open("setting", spot_title(result));
        canvas.circle(place(result), 4, "dot");
        canvas.close();
        labels.avoid_point(place(result), 5, 2);
    }
    std::vector<Placed> placed;
    for (Spot& spot : marked) {
        if (spot.role != Role::Known && spot.role != Role::Now)
            spot.label += " " + setting_text(spot.result->setting);
        placed.push_back({spot, place(*spot.result)});
    }
    draw_spots(canvas, labels, placed);
    labels.draw(canvas);
    out.caption =
        "To the lower left is better. On the line less of the one costs more of the other; a dot "
        "off "
        "it is beaten by one on it that is no worse in either. Known defaults are beside the line: "
        "they behave otherwise.";
    return out;
}

}  // namespace lockstep::lease
