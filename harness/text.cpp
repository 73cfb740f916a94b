#include "harness/text.hpp"

#include "core/base/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace lockstep::harness {

std::size_t width_for(int fd) {
    winsize size{};
    if (::isatty(fd) != 1 || ::ioctl(fd, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

std::string Paint::operator()(Tone tone, std::string_view text) const {
    if (!colour || tone == Tone::Plain || text.empty()) return std::string(text);
    const char* code = "";
    switch (tone) {
        case Tone::Plain:
            break;
        case Tone::Good:
            code = "32";
            break;
        case Tone::Bad:
            code = "1;31";
            break;
        case Tone::Warn:
            code = "33";
            break;
        case Tone::Faint:
            code = "2";
            break;
        case Tone::Strong:
            code = "1";
            break;
    }
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Paint paint_for(int fd) {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool unwanted = no_color != nullptr && *no_color != '\0';
    const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
    return Paint{!unwanted && !dumb && ::isatty(fd) == 1};
}

namespace {

/// How many bytes at the beginning of the text are one character that may be printed; 0: none.
std::size_t printable_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    // Overlong forms, surrogates, beyond the last character; and the second set of controls.
    const unsigned next = byte(1);
    if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f) ||
        (lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f) ||
        (lead == 0xc2 && next < 0xa0))
        return 0;
    return length;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = printable_length(text);
        if (length == 0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string grouped(std::uint64_t n) {
    std::string digits = std::to_string(n);
    for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
        digits.insert(static_cast<std::size_t>(i), 1, ',');
    return digits;
}

std::string seconds_text(std::int64_t ns) {
    const std::int64_t ms = ns / 1'000'000;
    return fmt::format("{}.{:03}", ms / 1'000, ms % 1'000);
}

std::string span_text(Duration d) {
    if (d.ns < 0) return "-" + span_text(-d);
    const auto in_unit = [&](std::int64_t unit, const char* name) {
        std::string text = fmt::format("{}.{:03}", d.ns / unit, d.ns % unit * 1'000 / unit);
        while (text.back() == '0') text.pop_back();
        if (text.back() == '.') text.pop_back();
        return fmt::format("{} {}", text, name);
    };
    if (d.ns >= 1'000'000'000) return in_unit(1'000'000'000, "s");
    if (d.ns >= 1'000'000) return in_unit(1'000'000, "ms");
    if (d.ns >= 1'000) return in_unit(1'000, "us");
    return fmt::format("{} ns", d.ns);
}

std::string long_span_text(Duration d) {
    const std::int64_t s = d.ns / 1'000'000'000;
    if (s >= 48 * 3'600) return fmt::format("{} days {:02} h", s / 86'400, s % 86'400 / 3'600);
    if (s >= 3'600) return fmt::format("{} h {:02} min", s / 3'600, s % 3'600 / 60);
    if (s >= 60) return fmt::format("{} min {:02} s", s / 60, s % 60);
    return fmt::format("{} s", s);
}

void Table::row(std::vector<Cell> cells) {
    LOCKSTEP_ASSERT(cells.size() == columns_.size(), "cells={} columns={}", cells.size(),
                    columns_.size());
    rows_.push_back({std::move(cells)});
}

void Table::note(Cell cell) {
    rows_.push_back({{std::move(cell)}, true});
}

std::string wrapped(std::string_view text, std::size_t column, std::size_t width,
                    const Paint& paint, Tone tone) {
    // Less would be a ladder of words.
    constexpr std::size_t narrowest = 20;
    const std::size_t room = width < column + narrowest ? narrowest : width - column;
    std::string out;
    while (width > 0 && text.size() > room) {
        std::size_t space = text.rfind(' ', room);
        // A word that has no room in any line stays whole.
        if (space == std::string_view::npos || space == 0) space = text.find(' ', room);
        if (space == std::string_view::npos) break;
        out += paint(tone, text.substr(0, space)) + "\n" + std::string(column, ' ');
        text.remove_prefix(space + 1);
    }
    return out + paint(tone, text);
}

std::string Table::text(const Paint& paint, std::string_view indent, std::size_t width) const {
    std::vector<std::size_t> widths(columns_.size(), 0);
    for (const auto& [row, note] : rows_)
        for (std::size_t i = 0; !note && i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].text.size());
    std::string out;
    for (const auto& [row, note] : rows_) {
        std::string line(indent);
        if (note) {
            out += line + "  " +
                   wrapped(row[0].text, indent.size() + 2, width, paint, row[0].tone) + "\n";
            continue;
        }
        std::size_t column = indent.size();
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - row[i].text.size(), ' ');
            const bool last = i + 1 == row.size();
            if (columns_[i] == Align::Right) line += pad;
            line += last && columns_[i] == Align::Left
                        ? wrapped(row[i].text, column, width, paint, row[i].tone)
                        : paint(row[i].tone, row[i].text);
            column += widths[i] + 2;
            if (columns_[i] == Align::Left && !last) line += pad;
            if (!last) line += "  ";
        }
        while (!line.empty() && line.back() == ' ') line.pop_back();
        out += line + "\n";
    }
    return out;
}

std::string shell_word(const std::string& word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=/:,@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    if (printable(word) != word) {
        // What would do something to a terminal, in the form that a shell reads back.
        std::string out = "$'";
        for (const char c : word)
            out += c == '\'' || c == '\\' ? std::string("\\") + c : printable(std::string(1, c));
        return out + "'";
    }
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace lockstep::harness
