#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::lease {

struct Place {
    double x = 0;
    double y = 0;
};

/// A drawing in the making. Texts are escaped here; classes are those of plot_style().
class Canvas {
public:
    void line(Place from, Place to, std::string_view style);
    void polyline(const std::vector<Place>& points, std::string_view style);
    /// Through the points and back to the first.
    void polygon(const std::vector<Place>& points, std::string_view style);
    void rect(Place corner, double width, double height, std::string_view style);
    void circle(Place centre, double radius, std::string_view style);
    void text(Place at, std::string_view text, std::string_view style);
    /// What is drawn until close() is one thing, which a pointer over it names.
    void open(std::string_view style, std::string_view title);
    void close();

    const std::string& body() const { return body_; }

private:
    void path(const std::vector<Place>& points, std::string_view end, std::string_view style);

    std::string body_;
};

/// The whole drawing. `alone`: a file, with its styles; else an element of a page that has them.
std::string svg_of(const Canvas& canvas, double width, double height, std::string_view title,
                   bool alone);

}  // namespace lockstep::lease
