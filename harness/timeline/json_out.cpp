#include "harness/timeline/json_out.hpp"

#include <fmt/format.h>

namespace lockstep::harness::timeline {
namespace {

/// How many bytes the character at the beginning of the text has; 0 if it is none of UTF-8.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const unsigned char second = byte(1);
    // Longer than needed, surrogates, and beyond the last plane.
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
        return 0;
    return length;
}

void escape(std::string& out, char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        default:
            // `<` would end the script element, or begin a comment in it.
            if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == 0x7f)
                out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
            else
                out += c;
    }
}

}  // namespace

std::string quoted(std::string_view text, std::size_t most) {
    std::string out = "\"";
    while (!text.empty()) {
        if (out.size() > most) {
            out += "\u2026";
            break;
        }
        const std::size_t length = utf8_length(text);
        if (length == 0)
            out += "\uFFFD";
        else if (length == 1)
            escape(out, text.front());
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out + '"';
}

}  // namespace lockstep::harness::timeline
