#pragma once

#include "harness/lease/report.hpp"

#include <string>
#include <vector>

namespace lockstep::lease {

/// The report as one HTML page that needs nothing else: answer, plots, tables, what was read, and
/// how to make it again.
std::string sweep_page(const Sweep& sweep, const Told& told);

/// One of its plots, as an SVG file that stands for itself.
struct Plot {
    std::string name;   ///< of a file: "losses", "takeover", "front", "stops", "map-losses"
    std::string title;  ///< "Losses a month"
    std::string svg;
};
/// Those that make sense of this sweep.
std::vector<Plot> plots(const Sweep& sweep, const Told& told);

}  // namespace lockstep::lease
