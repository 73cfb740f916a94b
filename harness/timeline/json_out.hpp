#pragma once

#include "core/base/time.hpp"
#include "sim/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::harness::timeline {

/// The text in double quotes, fit for JSON, also within a script element: `<` is escaped. What is
/// not UTF-8 becomes the replacement character. Cut to about `most` bytes.
std::string quoted(std::string_view text, std::size_t most = 4'000);

/// Puts JSON together; sees to the commas.
class JsonOut {
public:
    JsonOut& open(char bracket) {
        comma();
        text_ += bracket;
        return *this;
    }
    JsonOut& close(char bracket) {
        text_ += bracket;
        return *this;
    }
    JsonOut& key(std::string_view name) {
        comma();
        text_ += quoted(name);
        text_ += ':';
        return *this;
    }
    JsonOut& text(std::string_view value, std::size_t most = 4'000) {
        comma();
        text_ += quoted(value, most);
        return *this;
    }
    JsonOut& number(std::int64_t value) {
        comma();
        text_ += std::to_string(value);
        return *this;
    }
    /// As a string if a double cannot hold it.
    JsonOut& word(std::uint64_t value) {
        comma();
        constexpr auto exact = std::uint64_t{1} << 53;
        if (value > exact) text_ += '"';
        text_ += std::to_string(value);
        if (value > exact) text_ += '"';
        return *this;
    }
    /// JSON already, or several values with commas between; may be empty.
    JsonOut& raw(std::string_view json) {
        if (json.empty()) return *this;
        comma();
        text_ += json;
        return *this;
    }
    std::size_t size() const { return text_.size(); }
    const std::string& str() const { return text_; }
    std::string take() { return std::move(text_); }

private:
    void comma() {
        if (!text_.empty() && text_.back() != '[' && text_.back() != '{' && text_.back() != ':')
            text_ += ',';
    }
    std::string text_;
};

/// The page counts in microseconds.
constexpr std::int64_t us(sim::SimTime at) {
    return at.ns / 1'000;
}
constexpr std::int64_t us(Duration d) {
    return d.ns / 1'000;
}

}  // namespace lockstep::harness::timeline
