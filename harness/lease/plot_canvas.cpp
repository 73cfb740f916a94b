#include "harness/lease/plot_canvas.hpp"

#include "harness/lease/page_style.hpp"
#include "harness/lease/plot_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace lockstep::lease {
namespace {

/// A tenth of a unit is finer than anybody sees.
std::string number(double value) {
    const long long tenths = std::llround(value * 10);
    if (tenths % 10 == 0) return fmt::format("{}", tenths / 10);
    return fmt::format("{:.1f}", static_cast<double>(tenths) / 10);
}

}  // namespace

void Canvas::line(Place from, Place to, std::string_view style) {
    fmt::format_to(std::back_inserter(body_),
                   R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", style, number(from.x),
                   number(from.y), number(to.x), number(to.y));
}

void Canvas::path(const std::vector<Place>& points, std::string_view end, std::string_view style) {
    if (points.empty()) return;
    std::string d;
    for (const Place& at : points)
        d += fmt::format("{}{} {}", d.empty() ? "M" : "L", number(at.x), number(at.y));
    fmt::format_to(std::back_inserter(body_), R"(<path class="{}" d="{}{}"/>)", style, d, end);
}

void Canvas::polyline(const std::vector<Place>& points, std::string_view style) {
    path(points, "", style);
}

void Canvas::polygon(const std::vector<Place>& points, std::string_view style) {
    path(points, "Z", style);
}

void Canvas::rect(Place corner, double width, double height, std::string_view style) {
    fmt::format_to(std::back_inserter(body_),
                   R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", style,
                   number(corner.x), number(corner.y), number(width), number(height));
}

void Canvas::circle(Place centre, double radius, std::string_view style) {
    fmt::format_to(std::back_inserter(body_), R"(<circle class="{}" cx="{}" cy="{}" r="{}"/>)",
                   style, number(centre.x), number(centre.y), number(radius));
}

void Canvas::text(Place at, std::string_view text, std::string_view style) {
    fmt::format_to(std::back_inserter(body_), R"(<text class="{}" x="{}" y="{}">{}</text>)", style,
                   number(at.x), number(at.y), escaped(text));
}

void Canvas::open(std::string_view style, std::string_view title) {
    fmt::format_to(std::back_inserter(body_), R"(<g class="{}"><title>{}</title>)", style,
                   escaped(title));
}

void Canvas::close() {
    body_ += "</g>\n";
}

std::string svg_of(const Canvas& canvas, double width, double height, std::string_view title,
                   bool alone) {
    const std::string size = fmt::format("{} {}", number(width), number(height));
    std::string out = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {}" role="img" aria-label="{}")",
        size, escaped(title));
    if (alone)
        out += fmt::format(R"( width="{}" height="{}">)"
                           "\n<style>\n{}{}</style>\n",
                           number(width), number(height), palette(), plot_style());
    else
        out += ">";
    out += fmt::format("<title>{}</title>\n", escaped(title));
    out += fmt::format(R"(<rect class="ground" width="{}" height="{}"/>)", number(width),
                       number(height));
    return out + canvas.body() + "</svg>\n";
}

}  // namespace lockstep::lease
