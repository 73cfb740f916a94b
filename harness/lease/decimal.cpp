#include "harness/lease/decimal.hpp"

#include <cstddef>

namespace lockstep::lease {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

// Not every standard library reads these from characters yet.
std::optional<double> take_decimal(std::string_view& text) {
    double digits = 0;
    double scale = 1;
    std::size_t at = 0;
    while (at < text.size() && is_digit(text[at])) digits = digits * 10 + (text[at++] - '0');
    if (at == 0) return std::nullopt;
    if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1]))
        for (++at; at < text.size() && is_digit(text[at]); ++at) {
            digits = digits * 10 + (text[at] - '0');
            scale *= 10;
        }
    text.remove_prefix(at);
    return digits / scale;
}

}  // namespace lockstep::lease
