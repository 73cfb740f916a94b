#pragma once

#include "harness/lease/plot_canvas.hpp"

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
/// drawn as far as there is room. What is added first has the first choice.
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
        std::optional<Place> mark = std::nullopt;  ///< labels of this one do not mind
    };
    struct Label {
        Box box;
        std::string text;
        std::string style;
        Place from;
        Place to;
        bool leader = false;
    };
    double cost(const Box& box, std::optional<Place> of = std::nullopt) const;
    void put(Label label);

    Box area_;
    std::vector<Obstacle> obstacles_;
    std::vector<Label> labels_;
};

}  // namespace lockstep::lease
