#include "harness/gate/known.hpp"

#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace lockstep::harness {
namespace {

constexpr std::string_view what_is_allowed =
    "a fingerprint is a property and the kind of its evidence, as in "
    "\"LOCK-1/client-and-client-hold-lock\", and is printed with each failure";

/// Why the setting is none of a known failure's; empty if it was taken.
std::string take(KnownFailure& known, std::string_view key, const scenario::Setting& setting) {
    const std::string& value = setting.field.value;
    if (key != "link" && key != "owner" && key != "expires")
        return fmt::format("found the key '{}'; allowed are link, owner and expires", key);
    if (setting.field.shape != scenario::Shape::Text || value.empty())
        return fmt::format("{}: found '{}'; a text is needed, or a day", key, value);
    if (key == "link") known.link = value;
    if (key == "owner") known.owner = value;
    if (key != "expires") return "";
    known.expires = parse_day(value);
    return known.expires > 0
               ? ""
               : fmt::format("expires: found '{}'; a day is needed, as in 2026-12-31", value);
}

std::string lacking(const KnownFailure& known) {
    if (known.link.empty()) return "link";
    if (known.owner.empty()) return "owner";
    return known.expires == 0 ? "expires" : "";
}

/// A table without a key, which no setting tells of: its name and its line.
struct Header {
    std::string name;
    int line = 0;
};
std::vector<Header> headers_in(const std::string& path) {
    std::vector<Header> all;
    std::ifstream in(path, std::ios::binary);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        const auto begin = line.find_first_not_of(" \t");
        if (begin == std::string::npos || line[begin] != '[') continue;
        std::string name = line.substr(begin + 1, line.find(']') - begin - 1);
        std::erase_if(name, [](char c) { return c == '"' || c == '\'' || c == ' '; });
        all.push_back({name, number});
    }
    return all;
}

Error no_fingerprint(const std::string& name, const std::string& path, int line) {
    const bool property = properties::property_of(name.substr(0, name.find('/'))).has_value();
    return Error{
        fmt::format("found \"{}\", which is {}; {}", name,
                    property ? "no fingerprint" : "no fingerprint of a property of this program",
                    what_is_allowed),
        path, line};
}

}  // namespace

Day parse_day(std::string_view text) {
    const auto digits = [&](std::size_t at, std::size_t count) {
        int n = 0;
        for (const char c : text.substr(at, count)) {
            if (c < '0' || c > '9') return -1;
            n = n * 10 + (c - '0');
        }
        return n;
    };
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return 0;
    const int year = digits(0, 4);
    const int month = digits(5, 2);
    const int day = digits(8, 2);
    constexpr std::array<int, 13> days{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 1970 || month < 1 || month > 12) return 0;
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const int last = days.at(static_cast<std::size_t>(month)) + (leap && month == 2 ? 1 : 0);
    return day < 1 || day > last ? 0 : year * 10'000 + month * 100 + day;
}

std::string day_text(Day day) {
    return fmt::format("{:04}-{:02}-{:02}", day / 10'000, day / 100 % 100, day % 100);
}

Result<std::vector<KnownFailure>> load_known(const std::string& path) {
    const auto settings = scenario::load_settings(path);
    if (!settings) return settings.error();
    std::vector<KnownFailure> all;
    for (const scenario::Setting& setting : settings.value()) {
        const auto refuse = [&](const std::string& why) { return Error{why, path, setting.line}; };
        const std::string& key = setting.field.key;
        const auto dot = key.rfind('.');
        if (dot == std::string::npos)
            return refuse(
                fmt::format("found the key '{}' outside of a table; the name of a table "
                            "is a fingerprint: {}",
                            key, what_is_allowed));
        const std::string name = key.substr(0, dot);
        const auto fingerprint = parse_fingerprint(name);
        if (!fingerprint) return no_fingerprint(name, path, setting.line);
        auto known = std::find_if(all.begin(), all.end(), [&](const KnownFailure& one) {
            return one.fingerprint == *fingerprint;
        });
        if (known == all.end())
            known = all.insert(all.end(), KnownFailure{*fingerprint, "", "", 0, setting.line});
        const std::string why = take(*known, key.substr(dot + 1), setting);
        if (!why.empty()) return refuse(fmt::format("{}: {}", name, why));
    }
    for (const Header& header : headers_in(path)) {
        const auto fingerprint = parse_fingerprint(header.name);
        if (!fingerprint) return no_fingerprint(header.name, path, header.line);
        if (find_known(all, *fingerprint) == nullptr)
            all.push_back({*fingerprint, "", "", 0, header.line});
    }
    for (const KnownFailure& known : all)
        if (const std::string lacks = lacking(known); !lacks.empty())
            return Error{fmt::format("{}: there is no '{}'; a known failure needs link, owner and "
                                     "expires",
                                     to_string(known.fingerprint), lacks),
                         path, known.line};
    return all;
}

const KnownFailure* find_known(const std::vector<KnownFailure>& known,
                               const Fingerprint& fingerprint) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const KnownFailure& one) {
        return one.fingerprint == fingerprint;
    });
    return found == known.end() ? nullptr : &*found;
}

}  // namespace lockstep::harness
