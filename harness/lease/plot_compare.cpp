#include "harness/lease/compare.hpp"
#include "harness/lease/plot_frame.hpp"

#include <fmt/format.h>

namespace lockstep::lease {

std::string comparison_svg(const Comparison& comparison) {
    Frame frame;
    const Box& area = frame.area;
    frame.x = Scale::linear(comparison.curve.front().first, comparison.curve.back().first,
                            area.left, area.right);
    frame.y = Scale::linear(0, 1, area.bottom, area.top + 8);
    Canvas canvas;
    draw_axes(canvas, frame, "lease, s", comparison.unit);
    Legend legend(canvas);
    legend.add(Legend::Sign::Dashes, "known");
    legend.add(Legend::Sign::Dot, "ours");
    legend.add(Legend::Sign::Whisker, "99.9%");
    std::vector<Place> line;
    for (const auto& [lease, chance] : comparison.curve) line.push_back(frame.at(lease, chance));
    canvas.polyline(line, "graceful");
    for (const Compared& row : comparison.rows) {
        if (row.lease_s <= 0) continue;
        const Place at = frame.at(row.lease_s, row.ours);
        canvas.open("setting",
                    fmt::format("{}: known {:.3f}, ours {:.3f} ({:.3f} to {:.3f})", row.what,
                                row.known, row.ours, row.interval.low, row.interval.high));
        draw_whisker(canvas, frame, at.x, row.interval);
        canvas.circle(at, 4, "dot");
        canvas.close();
    }
    return svg_of(canvas, plot_width, plot_height, comparison.title, true);
}

}  // namespace lockstep::lease
