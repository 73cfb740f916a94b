#include "harness/lease/plot.hpp"

#include "harness/lease/page.hpp"

#include <algorithm>

namespace lockstep::lease {
namespace {

/// Whether a plot of losses against takeovers has more than one thing in it.
bool worth_comparing(const Sweep& sweep) {
    if (!sweep.axes.empty()) return true;
    if (sweep.marked.empty() && !sweep.now) return false;
    const auto loses = [](const SettingResult& r) { return r.figures.losses.value > 0; };
    return std::ranges::any_of(sweep.results, loses) || std::ranges::any_of(sweep.marked, loses);
}

}  // namespace

std::vector<Drawing> drawings(const Sweep& sweep, const Told& told) {
    std::vector<Drawing> all;
    if (sweep.results.empty()) return all;
    if (sweep.axes.size() == 2) {
        all.push_back(map_drawing(sweep, told, "losses"));
        all.push_back(map_drawing(sweep, told, "crash takeover p99"));
    }
    if (!sweep.axes.empty()) {
        all.push_back(losses_drawing(sweep, told));
        all.push_back(takeover_drawing(sweep, told));
    }
    if (worth_comparing(sweep)) all.push_back(front_drawing(sweep, told));
    for (const char* input : {"pauses", "outages"})
        if (auto drawing = lengths_drawing(sweep, told, input)) all.push_back(std::move(*drawing));
    return all;
}

std::vector<Plot> plots(const Sweep& sweep, const Told& told) {
    std::vector<Plot> all;
    for (const Drawing& drawing : drawings(sweep, told))
        all.push_back({drawing.name, drawing.title,
                       svg_of(drawing.canvas, drawing.width, drawing.height, drawing.title, true)});
    return all;
}

}  // namespace lockstep::lease
