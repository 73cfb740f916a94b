#include "harness/lease/plot_labels.hpp"

#include "harness/lease/plot_text.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

constexpr double size = 14;
constexpr double line_height = 16;
/// So far from its mark, a label has a line to it.
constexpr double leader_from = 14;
/// Of a square unit of a label on a label, as against one on a dot.
constexpr double on_label = 1'000;
/// Of a line to a label over another label.
constexpr double line_over_label = 300;
/// Of a unit of distance from the mark, and of a line that leads over it.
constexpr double distance_weight = 2;
constexpr double leader_weight = 30;
/// How often all labels are placed anew, each with the others where they are.
constexpr int rounds = 4;

double overlap(const Box& a, const Box& b) {
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    return width > 0 && height > 0 ? width * height : 0;
}

/// A box of that size on that side of the point: -1 left or above, 0 in the middle, 1.
Box box_at(Place at, double width, double gap, int side_x, int side_y) {
    const double x = at.x + side_x * gap + (side_x - 1) * width / 2;
    const double y = at.y + side_y * gap + (side_y - 1) * line_height / 2;
    return {x, y, x + width, y + line_height};
}

double distance_of(Place at, const Box& box) {
    return std::hypot(at.x - std::clamp(at.x, box.left, box.right),
                      at.y - std::clamp(at.y, box.top, box.bottom));
}

/// On which side of the line through two places a third one is, by its sign.
double side_of(Place from, Place to, Place at) {
    return (to.x - from.x) * (at.y - from.y) - (to.y - from.y) * (at.x - from.x);
}

bool cross(Place a, Place b, Place c, Place d) {
    return side_of(a, b, c) * side_of(a, b, d) < 0 && side_of(c, d, a) * side_of(c, d, b) < 0;
}

bool crosses(Place from, Place to, const Box& box) {
    constexpr int steps = 24;
    for (int i = 0; i <= steps; ++i) {
        const double share = static_cast<double>(i) / steps;
        const double x = from.x + share * (to.x - from.x);
        const double y = from.y + share * (to.y - from.y);
        if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
    }
    return false;
}

}  // namespace

void Labels::avoid(Box box, double weight) {
    obstacles_.push_back({box, weight});
}

void Labels::avoid_mark(Place at, double radius) {
    avoid_point(at, radius, 6);
    marks_.push_back(at);
}

void Labels::avoid_line(Place from, Place to, double weight) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const int steps = std::max(1, static_cast<int>(length / 4));
    for (int i = 0; i <= steps; ++i) {
        const double share = static_cast<double>(i) / steps;
        avoid_point({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)}, 2,
                    weight);
    }
}

void Labels::avoid_point(Place at, double radius, double weight) {
    avoid({at.x - radius, at.y - radius, at.x + radius, at.y + radius}, weight);
}

void Labels::beside(Place at, double gap, std::string_view text, std::string_view style) {
    const double bold = style.starts_with("strong") ? 1.1 : 1;
    requests_.push_back(
        {at, gap, false, std::string(text), std::string(style), text_width(text, size) * bold});
}

void Labels::along(double y, std::string_view text, std::string_view style) {
    requests_.push_back(
        {{area_.right, y}, 0, true, std::string(text), std::string(style), text_width(text, size)});
}

std::vector<Labels::Label> Labels::candidates(const Request& request) const {
    struct Side {
        int x;
        int y;
    };
    static constexpr Side sides[] = {{1, 0},  {-1, 0},  {0, -1}, {0, 1},
                                     {1, -1}, {-1, -1}, {1, 1},  {-1, 1}};
    const Place at = request.at;
    const double width = request.width;
    std::vector<Label> all;
    const auto add = [&](const Box& box, bool leader) {
        if (box.left < area_.left || box.right > area_.right || box.top < area_.top ||
            box.bottom > area_.bottom)
            return;
        const Place to{std::clamp(at.x, box.left, box.right),
                       std::clamp(at.y, box.top + 2, box.bottom - 2)};
        all.push_back({box, at, to, leader});
    };
    if (request.along) {
        for (int step = 0; step <= 16; ++step) {
            const double left = area_.right - 4 - width - step * 20;
            for (const double top : {at.y - line_height - 1, at.y + 2})
                add({left, top, left + width, top + line_height}, false);
        }
        return all;
    }
    for (const double farther : {0.0, 6.0, 14.0, 24.0, 36.0, 50.0, 66.0, 84.0, 104.0, 130.0, 160.0})
        for (const Side& side : sides) {
            const double diagonal = side.x != 0 && side.y != 0 ? 0.7 : 1;
            add(box_at(at, width, (request.gap + farther) * diagonal, side.x, side.y),
                farther >= leader_from);
        }
    return all;
}

double Labels::mistaken(const Label& label, const Request& own) const {
    // Marks on each other are taken for each other anyway.
    constexpr double same = 10;
    constexpr double each = 90;
    const double to_own = distance_of(own.at, label.box);
    double sum = 0;
    for (const Place& mark : marks_) {
        if (std::hypot(mark.x - own.at.x, mark.y - own.at.y) < same) continue;
        const double near = own.along ? 4 : label.leader ? 20 : to_own * 1.25 + 2;
        if (distance_of(mark, label.box) < near) sum += each;
    }
    return sum;
}

double Labels::cost(const Label& label, std::size_t request, const Placed& placed) const {
    const Request& own = requests_[request];
    const double distance = std::hypot(label.to.x - own.at.x, label.to.y - own.at.y);
    double sum = own.along ? (area_.right - label.box.right) * 0.4
                           : std::max(0.0, distance - own.gap) * distance_weight;
    if (label.leader) sum += leader_weight;
    // Whiskers stand upright, too.
    if (label.leader && std::abs(label.to.x - own.at.x) < 3) sum += leader_weight;
    for (const Obstacle& one : obstacles_) sum += one.weight * overlap(one.box, label.box);
    sum += mistaken(label, own);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (i == request || !placed[i]) continue;
        sum += on_label * overlap(placed[i]->box, label.box);
        if (label.leader && crosses(label.from, label.to, placed[i]->box)) sum += line_over_label;
        if (placed[i]->leader && crosses(placed[i]->from, placed[i]->to, label.box))
            sum += line_over_label;
        if (label.leader && placed[i]->leader &&
            cross(label.from, label.to, placed[i]->from, placed[i]->to))
            sum += line_over_label / 2;
    }
    return sum;
}

std::optional<Labels::Label> Labels::best(std::size_t request, const Placed& placed) const {
    std::optional<Label> best;
    double least = 0;
    for (const Label& one : candidates(requests_[request])) {
        const double price = cost(one, request, placed);
        if (best && price >= least) continue;
        best = one;
        least = price;
    }
    return best;
}

void Labels::draw(Canvas& canvas) const {
    Placed placed(requests_.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < requests_.size(); ++i) placed[i] = best(i, placed);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (!placed[i] || !placed[i]->leader) continue;
        // The line begins at the edge of what is marked.
        const auto& [box, from, to, leader] = *placed[i];
        const double length = std::hypot(to.x - from.x, to.y - from.y);
        const double share = (requests_[i].gap - 2) / std::max(length, 1.0);
        canvas.line({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share}, to,
                    "leader");
    }
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (placed[i])
            canvas.text(
                {(placed[i]->box.left + placed[i]->box.right) / 2, placed[i]->box.bottom - 4},
                requests_[i].text, "label mid " + requests_[i].style);
}

}  // namespace lockstep::lease
