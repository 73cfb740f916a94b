#include "scenarios/world/guest_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::world {

std::optional<SettingObjection> check_settings(
    const std::vector<std::pair<std::string, std::string>>& given,
    const std::vector<SettingFace>& known) {
    for (const auto& [name, text] : given) {
        const auto setting = std::find_if(known.begin(), known.end(),
                                          [&](const SettingFace& s) { return s.name == name; });
        if (setting == known.end()) {
            std::string names;
            for (const SettingFace& s : known) names += (names.empty() ? "" : ", ") + s.name;
            return SettingObjection{
                name, names.empty() ? std::string("this service has no settings")
                                    : fmt::format("no such setting; this service has {}", names)};
        }
        if (const auto wrong = setting->objection(text))
            return SettingObjection{name, fmt::format("found \"{}\"; allowed is {}", text, *wrong)};
    }
    return std::nullopt;
}

}  // namespace lockstep::world
