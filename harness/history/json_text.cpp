#include "harness/history/json_lines.hpp"

#include <fmt/format.h>

namespace lockstep::history {
namespace {

int hex_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void append_utf8(std::string& out, std::uint32_t c) {
    const auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
    if (c < 0x80) return byte(c);
    if (c < 0x800) {
        byte(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            byte(0xe0 | c >> 12);
        } else {
            byte(0xf0 | c >> 18);
            byte(0x80 | (c >> 12 & 0x3f));
        }
        byte(0x80 | (c >> 6 & 0x3f));
    }
    byte(0x80 | (c & 0x3f));
}

}  // namespace

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t size = lead < 0x80             ? 1
                                 : (lead & 0xe0) == 0xc0 ? 2
                                 : (lead & 0xf0) == 0xe0 ? 3
                                 : (lead & 0xf8) == 0xf0 ? 4
                                                         : 0;
        if (size == 0 || i + size > text.size()) return false;
        std::uint32_t c = size == 1 ? lead : lead & (0x7fU >> size);
        for (std::size_t k = 1; k < size; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if ((next & 0xc0) != 0x80) return false;
            c = c << 6 | (next & 0x3f);
        }
        constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (c < least[size] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return false;
        i += size;
    }
    return true;
}

bool JsonLines::escaped(std::string_view& out, const char* from, std::string_view what) {
    if (unescaped_count_ == unescaped_.size())
        return fail("more texts with escapes than a line has fields");
    std::string& text = unescaped_[unescaped_count_++];
    text.assign(from, at_);
    while (at_ != end_ && *at_ != '"') {
        if (static_cast<unsigned char>(*at_) < 0x20)
            return fail_here(what, "no control character in a text");
        if (*at_ != '\\') {
            text += *at_++;
            continue;
        }
        ++at_;
        if (!escape(text)) return false;
    }
    if (at_ == end_) return fail(fmt::format("{}: the text has no end", what));
    ++at_;
    out = text;
    return is_utf8(out) || fail(fmt::format("{}: the text is not UTF-8", what));
}

/// What follows a backslash.
bool JsonLines::escape(std::string& out) {
    constexpr std::string_view from = "\"\\/bfnrt";
    constexpr std::string_view to = "\"\\/\b\f\n\r\t";
    const auto unit = [&](std::uint32_t& code) {
        code = 0;
        for (int i = 0; i < 4; ++i) {
            const int digit = at_ == end_ ? -1 : hex_of(*at_);
            if (digit < 0) return fail_here("\\u", "four hexadecimal digits");
            code = code << 4 | static_cast<std::uint32_t>(digit);
            ++at_;
        }
        return true;
    };
    if (at_ == end_) return fail("the text has no end");
    if (*at_ != 'u') {
        const auto position = from.find(*at_);
        if (position == std::string_view::npos)
            return fail_here("after a backslash", "one of \" \\ / b f n r t u");
        out += to[position];
        ++at_;
        return true;
    }
    ++at_;
    std::uint32_t code = 0;
    if (!unit(code)) return false;
    if (code >= 0xd800 && code <= 0xdbff) {
        std::uint32_t low = 0;
        if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u')
            return fail_here("\\u", "the second half of a surrogate pair");
        at_ += 2;
        if (!unit(low)) return false;
        if (low < 0xdc00 || low > 0xdfff)
            return fail("\\u: the second half of a surrogate pair is not one");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
        return fail("\\u: the second half of a surrogate pair without a first");
    }
    append_utf8(out, code);
    return true;
}

/// Whatever value stands here, for fields that are nobody's business.
bool JsonLines::skip_value(int depth) {
    if (depth > 64) return fail("values inside values, more than 64 deep");
    if (at_ == end_) return fail_here("", "a value");
    if (*at_ == '"') {
        const std::size_t texts = unescaped_count_;
        std::string_view ignored;
        const bool good = string(ignored, "a text");
        unescaped_count_ = texts;
        return good;
    }
    if (*at_ != '{' && *at_ != '[') {
        const char* const from = at_;
        while (at_ != end_ && (hex_of(*at_) >= 0 ||
                               std::string_view("+-.lnrstuE").find(*at_) != std::string_view::npos))
            ++at_;
        return at_ != from || fail_here("", "a value");
    }
    const char close = *at_ == '{' ? '}' : ']';
    const bool named = *at_ == '{';
    ++at_;
    skip_space();
    if (at_ != end_ && *at_ == close) {
        ++at_;
        return true;
    }
    for (;;) {
        if (named) {
            const std::size_t texts = unescaped_count_;
            std::string_view key;
            if (!string(key, "a field's name")) return false;
            unescaped_count_ = texts;
            skip_space();
            if (!take(':', "':'")) return false;
            skip_space();
        }
        if (!skip_value(depth + 1)) return false;
        skip_space();
        if (at_ != end_ && *at_ == ',') {
            ++at_;
            skip_space();
            continue;
        }
        return take(close, named ? "',' or '}'" : "',' or ']'");
    }
}

}  // namespace lockstep::history
