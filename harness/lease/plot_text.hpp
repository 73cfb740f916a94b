#pragma once

#include "core/base/time.hpp"
#include "harness/lease/sweep.hpp"

#include <string>
#include <string_view>

/// Text in pages and plots.
namespace lockstep::lease {

/// Text of unknown origin for HTML and SVG, in elements and in attributes: markup is text, and
/// control characters and bytes that are not UTF-8 are spelled out.
std::string escaped(std::string_view text);

/// Four digits of a length in seconds, without the unit.
std::string length_text(Duration d);
/// A length of time in hours or days: "25.8 h", "90 days".
std::string long_span(Duration d);
/// "27.0 to 35.0"; "over 27.0" if nothing bounds it above.
std::string interval_text(const Interval& interval);

/// About how wide the text is in a sans serif of that size, rather too much than too little.
double text_width(std::string_view text, double size);
/// At most so many characters; if there are more, an ellipsis stands for those in the middle.
std::string shortened(std::string_view text, std::size_t characters);

}  // namespace lockstep::lease
