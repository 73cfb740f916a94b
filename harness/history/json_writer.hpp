#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::history {

/// The text in double quotes, escaped. What is not UTF-8 must not come here.
std::string quoted(std::string_view text);

/// Builds one JSON object: members in the order in which they are added.
class JsonObject {
public:
    JsonObject& text(std::string_view name, std::string_view value) {
        return raw(name, quoted(value));
    }
    JsonObject& number(std::string_view name, std::uint64_t value) {
        return raw(name, std::to_string(value));
    }
    JsonObject& number(std::string_view name, std::int64_t value) {
        return raw(name, std::to_string(value));
    }
    /// A value that is JSON already.
    JsonObject& raw(std::string_view name, std::string_view value) {
        if (!body_.empty()) body_ += ',';
        body_ += quoted(name);
        body_ += ':';
        body_ += value;
        return *this;
    }
    std::string str() const { return "{" + body_ + "}"; }

private:
    std::string body_;
};

}  // namespace lockstep::history
