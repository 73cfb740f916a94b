#include "scenarios/scenario_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace lockstep::scenario {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) {
    return static_cast<std::uint8_t>(text[i]);
}

int line_of(std::string_view text, std::size_t at) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
    return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

/// Length of the well-formed UTF-8 sequence at `i` (RFC 3629, section 4), or zero.
std::size_t sequence_at(std::string_view text, std::size_t i) {
    const std::uint8_t lead = byte_at(text, i);
    if (lead < 0x80) return 1;
    const std::size_t length = lead < 0xc2   ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length == 0 || text.size() - i < length) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte_at(text, i + k) & 0xc0) != 0x80) return 0;
    const std::uint8_t second = byte_at(text, i + 1);
    const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool surrogate = lead == 0xed && second >= 0xa0;
    const bool too_high = lead == 0xf4 && second >= 0x90;
    return overlong || surrogate || too_high ? 0 : length;
}

std::optional<Error> refuse_bytes(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::uint8_t byte = byte_at(text, i);
        const bool line_end = byte == '\n' || (byte == '\r' && text.substr(i + 1, 1) == "\n");
        if ((byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7f)
            return Error{fmt::format("control character 0x{:02x}; a scenario is plain text", byte),
                         {},
                         line_of(text, i)};
        const std::size_t length = sequence_at(text, i);
        if (length == 0)
            return Error{fmt::format("byte 0x{:02x} is not UTF-8; a scenario is UTF-8 text", byte),
                         {},
                         line_of(text, i)};
        i += length;
    }
    return std::nullopt;
}

/// Position after the string that begins at `i`, or the end of the line or text if it does not end.
std::size_t after_string(std::string_view text, std::size_t i) {
    const char quote = text[i];
    const std::string triple(3, quote);
    const bool multi_line = text.substr(i, 3) == triple;
    i += multi_line ? 3 : 1;
    while (i < text.size()) {
        if (text[i] == '\\' && quote == '"') {
            i += 2;
        } else if (multi_line) {
            if (text.substr(i, 3) == triple) return i + 3;
            ++i;
        } else {
            if (text[i] == quote) return i + 1;
            if (text[i] == '\n') return i;
            ++i;
        }
    }
    return text.size();
}

std::optional<Error> refuse_nesting(std::string_view text) {
    int depth = 0;
    int parts = 0;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            i = after_string(text, i);
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if (c == '[' || c == '{') ++depth;
        if ((c == ']' || c == '}') && depth > 0) --depth;
        if (c == '.') ++parts;
        if (c == '=' || c == ',' || c == '\n' || c == '[' || c == '{') parts = 0;
        if (depth > deepest_nesting || parts > deepest_nesting)
            return Error{
                fmt::format("nested deeper than {} levels", deepest_nesting), {}, line_of(text, i)};
        ++i;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Error> refuse_text(std::string_view text) {
    if (text.size() > largest_file)
        return Error{fmt::format("{} bytes; a scenario has at most {}", text.size(), largest_file),
                     {}};
    if (auto error = refuse_bytes(text)) return error;
    return refuse_nesting(text);
}

}  // namespace lockstep::scenario
