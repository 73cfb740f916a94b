#pragma once

#include <string_view>

namespace lockstep::lease {

/// Colours by name, for light and dark; of a page and of an SVG that stands for itself.
std::string_view palette();
/// The rules of drawings.
std::string_view plot_style();
/// The rules of the page around them.
std::string_view page_style();

}  // namespace lockstep::lease
