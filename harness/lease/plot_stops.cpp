#include "harness/lease/plot.hpp"
#include "harness/lease/plot_frame.hpp"
#include "harness/lease/plot_text.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

double seconds_of(Duration d) {
    return static_cast<double>(d.ns) / 1e9;
}

/// Where lengths begin that have no lower bound, and end that have no upper one.
double low_of(const data::Bucket& bucket) {
    return seconds_of(bucket.above.ns > 0 ? bucket.above : bucket.up_to / 3);
}
bool endless(const data::Bucket& bucket) {
    return bucket.up_to == Duration::max();
}

struct Limit {
    std::string text;
    double seconds;
    std::string_view style;
};

/// Of the setting that the page speaks of, what a stop or an outage meets one after the other.
std::vector<Limit> limits_of(const Sweep& sweep, const Told& told, bool outages) {
    const auto best = front(sweep);
    const auto picked = pick(sweep, told);
    if (!picked && !sweep.now && best.empty()) return {};
    const SettingResult* result = picked      ? &sweep.results[picked->position]
                                  : sweep.now ? &*sweep.now
                                              : &sweep.results[best.back()];
    const Setting& setting = result->setting;
    std::vector<Limit> limits;
    if (outages && result->figures.outage_borne.ns > 0)
        limits.push_back({fmt::format("borne {} s", length_text(result->figures.outage_borne)),
                          seconds_of(result->figures.outage_borne), "limit-soft"});
    limits.push_back({fmt::format("stands down {} s", length_text(setting.stands_down_after())),
                      seconds_of(setting.stands_down_after()), "limit-soft"});
    limits.push_back({fmt::format("lease {} s", length_text(setting.lease)),
                      seconds_of(setting.lease), "limit"});
    return limits;
}

std::string length_tick(double seconds) {
    if (seconds >= 0.9995) return fmt::format("{:.4g} s", seconds);
    if (seconds >= 0.0009995) return fmt::format("{:.4g} ms", seconds * 1e3);
    return fmt::format("{:.4g} us", seconds * 1e6);
}

void draw_length_axes(Canvas& canvas, const Frame& frame, const std::string& name) {
    const Box& area = frame.area;
    for (const double value : frame.x.ticks(8)) {
        const double x = frame.x.at(value);
        canvas.line({x, area.bottom}, {x, area.bottom + 4}, "axis");
        canvas.text({x, area.bottom + 18}, length_tick(value), "tick mid");
    }
    for (const double value : frame.y.ticks(6)) {
        const double y = frame.y.at(value);
        canvas.line({area.left, y}, {area.right, y}, "grid");
        canvas.text({area.left - 6, y + 5}, tick_text(value), "tick end");
    }
    canvas.line({area.left, area.bottom}, {area.right, area.bottom}, "axis");
    canvas.text({(area.left + area.right) / 2, area.bottom + 40}, "length", "title mid");
    canvas.text({2, 16}, "number of " + name + " in the log", "title");
}

Frame frame_of(const Input& input, const std::vector<Limit>& limits) {
    Extent x;
    double most = 10;
    for (const data::Bucket& bucket : input.lengths) {
        if (bucket.count == 0) continue;
        x.take(endless(bucket) ? seconds_of(bucket.above) * 3 : seconds_of(bucket.up_to));
        x.take(low_of(bucket));
        most = std::max(most, static_cast<double>(bucket.count));
    }
    x.take(seconds_of(input.longest));
    for (const Limit& limit : limits) x.take(limit.seconds * 1.3);
    x.widen(3, 1.1);
    Frame frame;
    frame.area.top = 84;  // above it the limits have their labels
    frame.x = Scale::of(x.low, x.high, frame.area.left, frame.area.right);
    frame.y = Scale::with_zero(1, most * 6, frame.area.bottom, frame.area.top, 18);
    return frame;
}

void draw_bars(Canvas& canvas, const Frame& frame, const Input& input) {
    for (const data::Bucket& bucket : input.lengths) {
        if (bucket.count == 0) continue;
        const double left = frame.x.at(low_of(bucket));
        const double right =
            endless(bucket) ? frame.area.right : frame.x.at(seconds_of(bucket.up_to));
        const double top = frame.y.at(static_cast<double>(bucket.count));
        canvas.open("setting",
                    fmt::format("{} of {} to {}", harness::grouped(bucket.count),
                                seconds_text(seconds_of(bucket.above)),
                                endless(bucket) ? std::string("any length")
                                                : seconds_text(seconds_of(bucket.up_to))));
        canvas.rect({left + 0.5, top}, std::max(1.0, right - left - 1), frame.area.bottom - top,
                    endless(bucket) ? "bar endless" : "bar");
        canvas.close();
    }
}

/// Above the area, a row each; no line goes through the label of another.
void draw_limits(Canvas& canvas, const Frame& frame, std::vector<Limit> limits) {
    double widest = 0;
    double rightmost = 0;
    for (const Limit& limit : limits) {
        widest = std::max(widest, text_width(limit.text, 14));
        rightmost = std::max(rightmost, frame.x.at(limit.seconds));
    }
    const bool left = rightmost + 6 + widest > frame.area.right;
    // The lowest row is of the line that the labels of all others lie beyond.
    std::ranges::stable_sort(limits, [left](const Limit& a, const Limit& b) {
        return left ? a.seconds < b.seconds : a.seconds > b.seconds;
    });
    double row = frame.area.top - 6;
    for (const Limit& limit : limits) {
        const double x = frame.x.at(limit.seconds);
        canvas.line({x, row - 11}, {x, frame.area.bottom}, limit.style);
        canvas.text({left ? x - 6 : x + 6, row}, limit.text, left ? "label end" : "label");
        row -= 19;
    }
}

/// "gc.log:812", without the folders before it and the time after it.
std::string file_and_line(const std::string& where) {
    std::string place = where.substr(0, where.rfind(", "));
    if (const auto slash = place.rfind('/'); slash != std::string::npos)
        place = place.substr(slash + 1);
    return shortened(place, 30);
}

std::string time_of(const std::string& where) {
    const auto comma = where.rfind(", ");
    return comma == std::string::npos ? "" : where.substr(comma + 2);
}

std::vector<std::string> longest_lines(const Input& input) {
    std::vector<std::string> lines{"longest: " + seconds_text(seconds_of(input.longest))};
    if (input.longest_where.empty()) return lines;
    lines.push_back(file_and_line(input.longest_where));
    if (const std::string time = time_of(input.longest_where); !time.empty()) lines.push_back(time);
    return lines;
}

/// The highest bar between two places.
double highest_between(const Frame& frame, const Input& input, double from, double to) {
    double highest = frame.area.bottom;
    for (const data::Bucket& bucket : input.lengths) {
        if (bucket.count == 0) continue;
        if (frame.x.at(seconds_of(bucket.up_to)) > from && frame.x.at(low_of(bucket)) < to)
            highest = std::min(highest, frame.y.at(static_cast<double>(bucket.count)));
    }
    return highest;
}

/// Marks the longest and says where it is, to the left of it and of the lines of limits.
void name_longest(Canvas& canvas, const Frame& frame, const Input& input,
                  const std::vector<Limit>& limits) {
    if (input.longest.ns <= 0) return;
    const Place at{frame.x.at(seconds_of(input.longest)), frame.y.at(1)};
    canvas.open("spot", fmt::format("longest: {}, {}", harness::span_text(input.longest),
                                    input.longest_where));
    canvas.polygon({{at.x, at.y + 1}, {at.x - 5, at.y - 9}, {at.x + 5, at.y - 9}}, "longest");
    canvas.close();
    const std::vector<std::string> lines = longest_lines(input);
    double widest = 0;
    for (const std::string& line : lines) widest = std::max(widest, text_width(line, 14));
    double end = at.x;
    for (const Limit& limit : limits)
        if (const double x = frame.x.at(limit.seconds); x > at.x - widest && x < end) end = x;
    end -= 7;
    const bool left = end - widest > frame.area.left;
    const double begin = left ? end - widest : at.x + 7;
    const auto rows = static_cast<double>(lines.size());
    double y = highest_between(frame, input, begin, begin + widest) - 17 * rows;
    y = std::clamp(y, frame.area.top + 16, at.y - 17 * rows);
    if (left) canvas.line({end + 2, y - 5}, {at.x, y - 5}, "leader");
    canvas.line({at.x, at.y - 10}, {at.x, y - 5}, "leader");
    for (std::size_t i = 0; i < lines.size(); ++i, y += 17) {
        const std::string style = i == 0 ? "label strong" : "label known-text";
        canvas.text({left ? end : begin, y}, lines[i], style + (left ? " end" : ""));
    }
}

}  // namespace

std::optional<Drawing> lengths_drawing(const Sweep& sweep, const Told& told,
                                       const std::string& input) {
    const auto source = std::ranges::find(sweep.inputs, input, &Input::name);
    if (source == sweep.inputs.end() || !source->measured) return std::nullopt;
    if (std::ranges::none_of(source->lengths, [](const auto& b) { return b.count > 0; }))
        return std::nullopt;
    const bool outages = input == "outages";
    const std::string name = outages ? "outages" : "stops";
    Drawing out{
        name, outages ? "Outages in the log" : "Stops in the log", "", plot_width, plot_height, {}};
    const auto limits = limits_of(sweep, told, outages);
    const Frame frame = frame_of(*source, limits);
    draw_length_axes(out.canvas, frame, name);
    draw_bars(out.canvas, frame, *source);
    draw_limits(out.canvas, frame, limits);
    name_longest(out.canvas, frame, *source, limits);
    out.caption = outages ? "An outage right of \"borne\" costs the lease if it comes late after a "
                            "renewal, and right of \"stands down\" it always does."
                          : "A stop right of the first line costs the lease; one that is a little "
                            "shorter does if it comes late after a renewal.";
    return out;
}

}  // namespace lockstep::lease
