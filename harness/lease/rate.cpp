#include "harness/lease/rate.hpp"

#include "harness/lease/decimal.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace lockstep::lease {
namespace {

struct Per {
    std::string_view unit;
    double in_a_day;
};
constexpr Per units[] = {
    {"hour", 24}, {"day", 1}, {"week", 1 / 7.0}, {"month", 1 / 30.0}, {"year", 1 / 365.0}};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// "2/month"
std::optional<double> per_day(std::string_view text) {
    std::string_view unit = text;
    const auto number = take_decimal(unit);
    if (!number || *number > 1e6 || !unit.starts_with('/')) return std::nullopt;
    unit.remove_prefix(1);
    for (const Per& per : units)
        if (unit == per.unit) return *number * per.in_a_day;
    return std::nullopt;
}

/// "30s", "5s..90s"
bool parse_lengths(std::string_view option, std::string_view text, Source& source) {
    const std::size_t dots = text.find("..");
    const auto low = parse_length(option, text.substr(0, dots));
    if (!low) return false;
    source.shortest = source.longest = low.value();
    if (dots == std::string_view::npos) return true;
    const auto high = parse_length(option, text.substr(dots + 2));
    if (!high || high.value() < source.shortest) return false;
    source.longest = high.value();
    return true;
}

}  // namespace

Result<Source> parse_rate(std::string_view option, std::string_view text, Duration otherwise) {
    const Error no{fmt::format("{}: '{}' says no rate and length; write 2/month x 5s..90s, "
                               "1/week x 30s or 2/day",
                               option, harness::printable(text)),
                   "", 0, 0};
    Source source;
    source.shortest = source.longest = otherwise;
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return parse_lengths(option, trimmed(text), source) ? Result<Source>(source) : no;
    const std::size_t times = text.find('x', slash);
    const auto rate = per_day(trimmed(text.substr(0, times)));
    if (!rate) return no;
    source.per_day = *rate;
    if (times == std::string_view::npos) return source;
    return parse_lengths(option, trimmed(text.substr(times + 1)), source) ? Result<Source>(source)
                                                                          : no;
}

bool looks_like_rate(std::string_view text) {
    const std::string_view number = trimmed(text);
    std::size_t digits = 0;
    while (digits < number.size() &&
           ((number[digits] >= '0' && number[digits] <= '9') || number[digits] == '.'))
        ++digits;
    if (digits == 0) return false;
    const std::string_view rest = number.substr(digits);
    if (rest.starts_with("/"))
        return std::ranges::any_of(
            units, [&](const Per& per) { return rest.substr(1).starts_with(per.unit); });
    return parse_length("", number.substr(0, number.find(".."))).ok();
}

}  // namespace lockstep::lease
