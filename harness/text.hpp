#pragma once

#include "core/base/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text for terminals.
namespace lockstep::harness {

enum class Tone : std::uint8_t { Plain, Good, Bad, Warn, Faint, Strong };

/// Colours text, or leaves it alone.
struct Paint {
    bool colour = false;
    std::string operator()(Tone tone, std::string_view text) const;
};

/// For text of unknown origin: control characters, and bytes that are not UTF-8, come out as
/// "\x1b", so that they do nothing to a terminal and stay on one line.
std::string printable(std::string_view text);

/// Colour is for terminals whose user has not set NO_COLOR.
Paint paint_for(int fd);

/// The columns of the terminal; 0 if it is none, where a line is as long as it is.
std::size_t width_for(int fd);

/// The text broken at spaces to stay within `width` columns (0: as it is) where its first line
/// begins at `column`; the others are indented to there, and each line is painted by itself.
std::string wrapped(std::string_view text, std::size_t column, std::size_t width,
                    const Paint& paint = {}, Tone tone = Tone::Plain);

/// A word for a command line that people paste: in quotes where a shell would read something else.
std::string shell_word(const std::string& word);

/// 1,234,567
std::string grouped(std::uint64_t n);
/// Seconds with three decimals, "5.900", as stories print true time.
std::string seconds_text(std::int64_t ns);
/// A span for people: "12 s", "3.5 s", "250 ms", "40 us".
std::string span_text(Duration d);
/// A long span of simulated or wall time: "3 h 12 min", "4 min 05 s", "17 s".
std::string long_span_text(Duration d);

/// Rows of cells in columns as wide as they need to be. The last column is not padded. Texts are
/// taken to be as wide as they have bytes.
class Table {
public:
    enum class Align : std::uint8_t { Left, Right };
    struct Cell {
        std::string text;
        Tone tone = Tone::Plain;
    };

    explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
    /// As many cells as there are columns.
    void row(std::vector<Cell> cells);
    /// A line of its own under the row before, indented, whatever the columns.
    void note(Cell cell);
    /// With a width, the last column and notes are broken at spaces to stay within it.
    std::string text(const Paint& paint, std::string_view indent = "  ",
                     std::size_t width = 0) const;

private:
    struct Row {
        std::vector<Cell> cells;
        bool note = false;
    };
    std::vector<Align> columns_;
    std::vector<Row> rows_;
};

}  // namespace lockstep::harness
