#pragma once

#include "harness/lease/plot_canvas.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::lease {

struct Box {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
};

/// Finds places for texts beside what they name: within the area, off each other, and off what is
/// drawn as far as there is room.
class Labels {
public:
    explicit Labels(Box area) : area_(area) {}

    /// Something drawn, which labels do not lie on if they can help it; the heavier, the less.
    void avoid(Box box, double weight);
    void avoid_line(Place from, Place to, double weight);
    void avoid_point(Place at, double radius, double weight);

    /// A mark: labels of others keep off it and from where they would be taken for its own.
    void avoid_mark(Place at, double radius);

    /// Beside a point, `gap` from it; farther off there is a line to it.
    void beside(Place at, double gap, std::string_view text, std::string_view style);
    /// Along a horizontal line, above or below it, at its right end if possible.
    void along(double y, std::string_view text, std::string_view style);

    void draw(Canvas& canvas) const;

private:
    struct Obstacle {
        Box box;
        double weight;
    };
    struct Request {
        Place at;
        double gap = 0;
        bool along = false;  ///< the line through `at`; else beside it
        std::string text;
        std::string style;
        double width = 0;
    };
    struct Label {
        Box box;
        Place from;
        Place to;
        bool leader = false;
    };
    using Placed = std::vector<std::optional<Label>>;

    std::vector<Label> candidates(const Request& request) const;
    /// What it costs to lie where one takes it for the label of another mark.
    double mistaken(const Label& label, const Request& own) const;
    /// Of a place for the request, with all others where they are.
    double cost(const Label& label, std::size_t request, const Placed& placed) const;
    std::optional<Label> best(std::size_t request, const Placed& placed) const;

    Box area_;
    std::vector<Obstacle> obstacles_;
    std::vector<Place> marks_;
    std::vector<Request> requests_;
};

}  // namespace lockstep::lease
