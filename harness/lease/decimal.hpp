#pragma once

#include <optional>
#include <string_view>

namespace lockstep::lease {

/// Takes a number such as "15" or "0.25" from the front of the text: digits, and a point with more
/// of them. Without a sign, exponent or locale. Nothing, and the text as it was, if there is none.
std::optional<double> take_decimal(std::string_view& text);

}  // namespace lockstep::lease
