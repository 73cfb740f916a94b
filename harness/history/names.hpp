#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lockstep::history {

/// For maps that are asked with views.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};

/// Numbers for names, from 0, in the order of their first appearance.
class Names {
public:
    std::uint32_t number_of(std::string_view name) {
        // Lines of one process or lock often follow each other.
        if (last_ < names_.size() && names_[last_] == name) return last_;
        const auto found = numbers_.find(name);
        if (found != numbers_.end()) return last_ = found->second;
        last_ = static_cast<std::uint32_t>(names_.size());
        names_.emplace_back(name);
        numbers_.emplace(name, last_);
        return last_;
    }
    const std::string& name_of(std::uint32_t number) const { return names_[number]; }
    std::size_t size() const { return names_.size(); }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> numbers_;
    std::uint32_t last_ = 0;
};

}  // namespace lockstep::history
