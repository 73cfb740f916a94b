#pragma once

#include "core/base/assert.hpp"
#include "core/base/time.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/scenario_values.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a service of one's own asks its scenarios for: [service_settings], or
/// `--set service_settings.NAME=VALUE`.
namespace lockstep::world {

/// A setting as it is checked, listed and spelled.
struct SettingFace {
    std::string name;
    std::string by_default;
    std::string meaning;
    /// What would be allowed, if the text is not.
    std::optional<std::string> (*objection)(std::string_view text);
};

template <class T>
concept SettingValue =
    std::same_as<T, bool> || std::same_as<T, std::uint64_t> || std::same_as<T, Duration>;

/// A setting of a service: a switch (`true`), a number (`5`) or a span of time (`"1500ms"`). Made
/// once, at namespace scope; its text is checked before anything runs, so that reading it cannot
/// fail.
template <SettingValue T>
struct Setting {
    const char* name;
    T by_default;
    const char* meaning;

    /// As the scenario has it, or the default.
    T in(const scenario::Resolved& settings) const {
        T value = by_default;
        for (const auto& [key, text] : settings.service_settings)
            if (key == name) {
                const auto wrong = scenario::parse(text, value);
                LOCKSTEP_ASSERT(!wrong, "{} = {}: allowed is {}", key, text, *wrong);
            }
        return value;
    }
    operator SettingFace() const {  // NOLINT(google-explicit-constructor)
        return {name, text_of(by_default), meaning, [](std::string_view text) {
                    T value{};
                    return scenario::parse(text, value);
                }};
    }

private:
    static std::string text_of(bool v) { return v ? "true" : "false"; }
    static std::string text_of(std::uint64_t v) { return std::to_string(v); }
    static std::string text_of(Duration v) { return sim::to_string(v); }
};

/// What is wrong with the settings of a scenario, if anything is: a name that the service does not
/// know, or a value that it cannot read. The key is the setting's name.
struct SettingObjection {
    std::string key;
    std::string message;
};
std::optional<SettingObjection> check_settings(
    const std::vector<std::pair<std::string, std::string>>& given,
    const std::vector<SettingFace>& known);

}  // namespace lockstep::world
