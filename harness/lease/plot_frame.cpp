#include "harness/lease/plot_frame.hpp"

#include "harness/lease/plot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

constexpr double end_width = 4;

void draw_x(Canvas& canvas, const Frame& frame) {
    const Box& area = frame.area;
    double taken = -100;
    for (const double value : frame.x.ticks(9)) {
        const double x = frame.x.at(value);
        const std::string text = tick_text(value);
        canvas.line({x, area.top}, {x, area.bottom}, "grid");
        const double half = text_width(text, 14) / 2;
        if (x - half < taken) continue;
        canvas.text({x, area.bottom + 18}, text, "tick mid");
        taken = x + half + 4;
    }
}

void draw_y(Canvas& canvas, const Frame& frame) {
    const Box& area = frame.area;
    for (const double value : frame.y.ticks(8)) {
        const double y = frame.y.at(value);
        canvas.line({area.left, y}, {area.right, y}, "grid");
        canvas.text({area.left - 6, y + 5}, tick_text(value), "tick end");
    }
}

}  // namespace

bool same_place(Place a, Place b) {
    return std::abs(a.x - b.x) < 4 && std::abs(a.y - b.y) < 4;
}

void draw_axes(Canvas& canvas, const Frame& frame, std::string_view x_title,
               std::string_view y_title) {
    const Box& area = frame.area;
    if (frame.y.zero())
        canvas.rect({area.left, frame.y.at(frame.y.low())}, area.right - area.left,
                    area.bottom - frame.y.at(frame.y.low()), "band");
    if (frame.x.zero())
        canvas.rect({area.left, area.top}, frame.x.at(frame.x.low()) - area.left,
                    area.bottom - area.top, "band");
    draw_x(canvas, frame);
    draw_y(canvas, frame);
    canvas.line({area.left, area.bottom}, {area.right, area.bottom}, "axis");
    canvas.line({area.left, area.top}, {area.left, area.bottom}, "axis");
    canvas.text({(area.left + area.right) / 2, area.bottom + 40}, x_title, "title mid");
    canvas.text({2, 16}, y_title, "title");
}

void Legend::draw(Sign sign) {
    constexpr double y = 33;
    const double x = x_ + 8;
    switch (sign) {
        case Sign::Bar:
            canvas_.rect({x - 2.5, y - 7}, 5, 14, "sim");
            break;
        case Sign::Whisker:
            canvas_.line({x, y - 7}, {x, y + 7}, "whisker");
            canvas_.line({x - end_width, y - 7}, {x + end_width, y - 7}, "whisker");
            canvas_.line({x - end_width, y + 7}, {x + end_width, y + 7}, "whisker");
            break;
        case Sign::Dot:
            canvas_.circle({x, y}, 4, "dot");
            break;
        case Sign::SmallDot:
            canvas_.line({x_, y}, {x_ + 16, y}, "second");
            canvas_.circle({x, y}, 2.5, "dot2");
            break;
        case Sign::Tick:
            canvas_.line({x - 5, y}, {x + 5, y}, "worst");
            break;
        case Sign::Dashes:
            canvas_.line({x_ - 2, y}, {x_ + 18, y}, "graceful");
            break;
        case Sign::Line:
            canvas_.line({x_, y}, {x_ + 16, y}, "series");
            canvas_.circle({x, y}, 3.5, "dot");
            break;
        case Sign::Diamond:
            draw_diamond(canvas_, {x, y}, "known");
            break;
    }
}

void Legend::add(Sign sign, std::string_view text) {
    draw(sign);
    canvas_.text({x_ + 21, 38}, text, "tick");
    x_ += 21 + text_width(text, 14) + 12;
}

void draw_diamond(Canvas& canvas, Place at, std::string_view style) {
    constexpr double r = 6;
    canvas.polygon({{at.x, at.y - r}, {at.x + r, at.y}, {at.x, at.y + r}, {at.x - r, at.y}}, style);
}

void draw_whisker(Canvas& canvas, const Frame& frame, double x, const Interval& interval) {
    const double low = frame.y.at(interval.low);
    const double high = frame.y.at(interval.high);
    canvas.line({x, low}, {x, high}, "whisker");
    canvas.line({x - end_width, low}, {x + end_width, low}, "whisker");
    if (std::isfinite(interval.high))
        canvas.line({x - end_width, high}, {x + end_width, high}, "whisker");
    else
        canvas.polygon({{x, high - 3}, {x + 4.5, high + 7}, {x - 4.5, high + 7}}, "arrow");
}

void draw_bar(Canvas& canvas, const Frame& frame, double x, const Interval& interval) {
    double top = frame.y.at(interval.high);
    double bottom = frame.y.at(interval.low);
    const double missing = std::max(0.0, 3 - (bottom - top)) / 2;
    top -= missing;
    bottom += missing;
    canvas.rect({x - 2.5, top}, 5, bottom - top, "sim");
    if (!std::isfinite(interval.high))
        canvas.polygon({{x, top - 4}, {x + 6, top + 7}, {x - 6, top + 7}}, "sim");
}

void draw_spots(Canvas& canvas, Labels& labels, const std::vector<Placed>& placed) {
    for (const Placed& one : placed) {
        const bool now = one.spot.role == Role::Now;
        labels.avoid_mark({one.at.x, one.at.y - (now ? 9 : 0)}, 7);
    }
    for (std::size_t i = placed.size(); i-- > 0;) {
        const Placed& one = placed[i];
        canvas.open("spot", fmt::format("{}, {}", one.spot.label, spot_title(*one.spot.result)));
        if (one.spot.role == Role::Known)
            draw_diamond(canvas, one.at, "known");
        else if (one.spot.role == Role::Now)
            canvas.polygon({{one.at.x, one.at.y - 2},
                            {one.at.x - 7, one.at.y - 15},
                            {one.at.x + 7, one.at.y - 15}},
                           "now");
        else
            canvas.circle(one.at, 9, "pick");
        canvas.close();
    }
    std::vector<bool> named(placed.size(), false);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (named[i]) continue;
        std::string text = placed[i].spot.label;
        const Role role = placed[i].spot.role;
        for (std::size_t j = i + 1; role == Role::Known && j < placed.size(); ++j)
            if (!named[j] && same_place(placed[i].at, placed[j].at)) {
                text += ", " + placed[j].spot.label;
                named[j] = true;
            }
        const bool ring = role != Role::Known && role != Role::Now;
        // Today's mark stands on its point.
        const Place at{placed[i].at.x, placed[i].at.y - (role == Role::Now ? 9 : 0)};
        labels.beside(at, ring ? 12 : 10, text,
                      ring                ? "strong"
                      : role == Role::Now ? "strong now-text"
                                          : "known-text");
    }
}

void draw_wants(Canvas& canvas, Labels& labels, const Frame& frame, const Told& told,
                std::string_view metric) {
    for (const Want& want : told.wants) {
        if (want.metric->name != metric) continue;
        const double y = frame.y.at(want.at_most);
        canvas.line({frame.area.left, y}, {frame.area.right, y}, "want");
        labels.avoid_line({frame.area.left, y}, {frame.area.right, y}, 0.7);
        labels.along(y, want.text, "want-text");
    }
}

}  // namespace lockstep::lease
