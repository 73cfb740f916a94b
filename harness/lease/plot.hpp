#pragma once

#include "harness/lease/plot_canvas.hpp"
#include "harness/lease/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lockstep::lease {

/// A plot before it is an SVG.
struct Drawing {
    std::string name;  ///< of a file
    std::string title;
    std::string caption;  ///< how to read it, a sentence
    double width = 0;
    double height = 0;
    Canvas canvas;
};

/// All that make sense of the sweep, in the order of the page.
std::vector<Drawing> drawings(const Sweep& sweep, const Told& told);

/// Against the parameter that was swept; of two, the lease if it is one of them.
Drawing losses_drawing(const Sweep& sweep, const Told& told);
Drawing takeover_drawing(const Sweep& sweep, const Told& told);
/// Losses against takeovers.
Drawing front_drawing(const Sweep& sweep, const Told& told);
/// How long the stops or outages of a log were. Absent if they were not measured.
std::optional<Drawing> lengths_drawing(const Sweep& sweep, const Told& told,
                                       const std::string& input);
/// A figure over both parameters that were swept.
Drawing map_drawing(const Sweep& sweep, const Told& told, const std::string& metric);

}  // namespace lockstep::lease
