#include "harness/lease/plot_text.hpp"

#include "harness/lease/report.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep::lease {
namespace {

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// In hundredths of the font's size.
int width_of(char c) {
    if (continues(c)) return 0;
    if (std::string_view("ijl.,:;'|!").find(c) != std::string_view::npos) return 30;
    if (std::string_view("frt()/- I").find(c) != std::string_view::npos) return 40;
    if (std::string_view("mwMW%").find(c) != std::string_view::npos) return 90;
    return c >= 'A' && c <= 'Z' ? 70 : 59;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : harness::printable(text)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string length_text(Duration d) {
    return fmt::format("{:.4g}", static_cast<double>(d.ns) / 1e9);
}

std::string long_span(Duration d) {
    const double hours = static_cast<double>(d.ns) / 3'600e9;
    return hours < 48 ? fmt::format("{:.3g} h", hours) : fmt::format("{:.4g} days", hours / 24);
}

std::string interval_text(const Interval& interval) {
    if (!std::isfinite(interval.high)) return fmt::format("over {}", number_text(interval.low));
    const std::string low = number_text(interval.low);
    const std::string high = number_text(interval.high);
    return low == high ? low : fmt::format("{} to {}", low, high);
}

double text_width(std::string_view text, double size) {
    int hundredths = 0;
    for (const char c : text) hundredths += width_of(c);
    return hundredths * size / 100;
}

std::string shortened(std::string_view text, std::size_t characters) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (!continues(text[i])) starts.push_back(i);
    if (starts.size() <= characters || characters < 3) return std::string(text);
    const std::size_t head = (characters - 1) / 2;
    const std::size_t tail = characters - 1 - head;
    return fmt::format("{}\u2026{}", text.substr(0, starts[head]),
                       text.substr(starts[starts.size() - tail]));
}

}  // namespace lockstep::lease
