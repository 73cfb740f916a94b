#include "harness/lease/plot_labels.hpp"

#include "harness/lease/plot_text.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

constexpr double size = 14;
constexpr double height = 16;
/// Of a label on a label, as against one on a dot.
constexpr double on_label = 1'000;

double overlap(const Box& a, const Box& b) {
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    return width > 0 && height > 0 ? width * height : 0;
}

/// A box of that size on that side of the point: -1 left or above, 0 in the middle, 1.
Box box_at(Place at, double width, double gap, int side_x, int side_y) {
    const double x = at.x + side_x * gap + (side_x - 1) * width / 2;
    const double y = at.y + side_y * gap + (side_y - 1) * height / 2;
    return {x, y, x + width, y + height};
}

}  // namespace

void Labels::avoid(Box box, double weight) {
    obstacles_.push_back({box, weight});
}

void Labels::avoid_mark(Place at, double radius) {
    avoid_point(at, radius, 6);
    const double around = radius + 9;
    obstacles_.push_back({{at.x - around, at.y - around, at.x + around, at.y + around}, 0.5, at});
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

double Labels::cost(const Box& box, std::optional<Place> of) const {
    // Marks on each other are taken for each other anyway.
    constexpr double same = 10;
    double sum = 0;
    for (const Obstacle& one : obstacles_) {
        if (of && one.mark && std::hypot(one.mark->x - of->x, one.mark->y - of->y) < same) continue;
        sum += one.weight * overlap(one.box, box);
    }
    return sum;
}

void Labels::put(Label label) {
    avoid(label.box, on_label);
    if (label.leader) avoid_line(label.from, label.to, 2);
    labels_.push_back(std::move(label));
}

void Labels::beside(Place at, double gap, std::string_view text, std::string_view style) {
    struct Side {
        int x;
        int y;
    };
    static constexpr Side sides[] = {{1, 0},  {-1, 0},  {0, -1}, {0, 1},
                                     {1, -1}, {-1, -1}, {1, 1},  {-1, 1}};
    const bool bold = style.starts_with("strong");
    const double width = text_width(text, size) * (bold ? 1.1 : 1);
    Label best;
    double least = 0;
    bool any = false;
    for (const double farther : {0.0, 6.0, 14.0, 24.0, 36.0, 50.0, 66.0, 84.0, 104.0, 130.0, 160.0})
        for (const Side& side : sides) {
            const double diagonal = side.x != 0 && side.y != 0 ? 0.7 : 1;
            const Box box = box_at(at, width, (gap + farther) * diagonal, side.x, side.y);
            if (box.left < area_.left || box.right > area_.right || box.top < area_.top ||
                box.bottom > area_.bottom)
                continue;
            const double price = cost(box, at) + farther * 1.5;
            if (any && price >= least) continue;
            any = true;
            least = price;
            best = {box, std::string(text), std::string(style), at, {}, farther >= 14};
            best.to = {std::clamp(at.x, box.left, box.right),
                       std::clamp(at.y, box.top + 2, box.bottom - 2)};
        }
    if (!any) return;
    // The line begins at the edge of what is marked.
    const double length = std::hypot(best.to.x - at.x, best.to.y - at.y);
    if (length > gap) {
        best.from.x += (best.to.x - at.x) * (gap - 2) / length;
        best.from.y += (best.to.y - at.y) * (gap - 2) / length;
    }
    put(std::move(best));
}

void Labels::along(double y, std::string_view text, std::string_view style) {
    const double width = text_width(text, size);
    Label best;
    double least = 0;
    bool any = false;
    for (int step = 0; step <= 12; ++step) {
        const double left = area_.right - 4 - width - step * 20;
        for (const double top : {y - height - 1, y + 2}) {
            const Box box{left, top, left + width, top + height};
            if (left < area_.left || top < area_.top || box.bottom > area_.bottom) continue;
            const double price = cost(box) + step;
            if (any && price >= least) continue;
            any = true;
            least = price;
            best = {box, std::string(text), std::string(style), {}, {}, false};
        }
    }
    if (any) put(std::move(best));
}

void Labels::draw(Canvas& canvas) const {
    for (const Label& label : labels_)
        if (label.leader) canvas.line(label.from, label.to, "leader");
    for (const Label& label : labels_)
        canvas.text({(label.box.left + label.box.right) / 2, label.box.bottom - 4}, label.text,
                    "label mid " + label.style);
}

}  // namespace lockstep::lease
