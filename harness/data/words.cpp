#include "harness/data/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep::data {
namespace {

constexpr std::int64_t most_digits = 100'000'000'000'000'000;  // one more still fits

/// The power at the end of a number; zero, with `text` as it was, if there is none.
int take_power(std::string_view& text) {
    std::string_view rest = text;
    if (rest.empty() || (rest.front() != 'e' && rest.front() != 'E')) return 0;
    rest.remove_prefix(1);
    bool negative = false;
    if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
        negative = rest.front() == '-';
        rest.remove_prefix(1);
    }
    if (rest.empty() || !is_digit(rest.front())) return 0;
    int power = 0;
    while (!rest.empty() && is_digit(rest.front())) {
        power = std::min(power * 10 + (rest.front() - '0'), 1'000);
        rest.remove_prefix(1);
    }
    text = rest;
    return negative ? -power : power;
}

std::optional<std::int64_t> take_unit(std::string_view& text) {
    struct Unit {
        std::string_view name;
        std::int64_t ns;
    };
    static constexpr std::array<Unit, 12> units{{
        {"ns", 1},
        {"us", ns_per_us},
        {"\xC2\xB5s", ns_per_us},  // the micro sign, and the Greek letter
        {"\xCE\xBCs", ns_per_us},
        {"ms", ns_per_ms},
        {"min", 60 * ns_per_s},
        {"seconds", ns_per_s},
        {"second", ns_per_s},
        {"secs", ns_per_s},
        {"s", ns_per_s},
        {"m", 60 * ns_per_s},
        {"h", 3'600 * ns_per_s},
    }};
    for (const Unit& unit : units) {
        if (!text.starts_with(unit.name)) continue;
        const std::string_view rest = text.substr(unit.name.size());
        const bool letter = !rest.empty() && ((rest.front() >= 'a' && rest.front() <= 'z') ||
                                              (rest.front() >= 'A' && rest.front() <= 'Z'));
        if (letter) continue;
        text = rest;
        return unit.ns;
    }
    return std::nullopt;
}

/// So many digits from the front.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return std::nullopt;
    unsigned value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_digit(text[i])) return std::nullopt;
        value = value * 10 + static_cast<unsigned>(text[i] - '0');
    }
    text.remove_prefix(count);
    return value;
}

/// Of a second.
std::int64_t take_fraction(std::string_view& text) {
    if (text.size() < 2 || (text.front() != '.' && text.front() != ',') || !is_digit(text[1]))
        return 0;
    text.remove_prefix(1);
    std::int64_t ns = 0;
    std::int64_t place = ns_per_s / 10;
    while (!text.empty() && is_digit(text.front())) {
        ns += place * (text.front() - '0');
        place /= 10;
        text.remove_prefix(1);
    }
    return ns;
}

/// How far local time is ahead of UTC; zero if no zone is named.
std::int64_t take_zone(std::string_view& text) {
    if (take(text, "Z") || text.empty()) return 0;
    std::string_view rest = text;
    const bool ahead = rest.front() == '+';
    if (!ahead && rest.front() != '-') return 0;
    rest.remove_prefix(1);
    const auto hours = take_digits(rest, 2);
    if (!hours) return 0;
    take(rest, ":");
    const auto minutes = take_digits(rest, 2);
    text = rest;
    const std::int64_t seconds = *hours * 3'600 + minutes.value_or(0) * 60;
    return (ahead ? seconds : -seconds) * ns_per_s;
}

}  // namespace

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    return text.substr(at + mark.size());
}

std::string_view take_word(std::string_view& text) {
    text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    return word;
}

std::optional<Decimal> take_decimal(std::string_view& text, bool comma_is_point) {
    std::string_view rest = text;
    Decimal number;
    bool negative = false;
    if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
        negative = rest.front() == '-';
        rest.remove_prefix(1);
    }
    bool any = false;
    bool point = false;
    for (; !rest.empty(); rest.remove_prefix(1)) {
        const char c = rest.front();
        if (is_digit(c)) {
            any = true;
            if (number.digits < most_digits) {
                number.digits = number.digits * 10 + (c - '0');
                number.exponent -= point ? 1 : 0;
            } else {
                number.exponent += point ? 0 : 1;
            }
            continue;
        }
        const bool digit_next = rest.size() > 1 && is_digit(rest[1]);
        const bool mark = c == '.' || (c == ',' && comma_is_point && any);
        if (point || !mark || !(digit_next || (any && c == '.'))) break;
        point = true;
    }
    if (!any) return std::nullopt;
    number.exponent += take_power(rest);
    if (negative) number.digits = -number.digits;
    text = rest;
    return number;
}

Duration scaled(Decimal number, std::int64_t unit_ns) {
    const bool negative = number.digits < 0;
    constexpr __int128 most = INT64_MAX;
    __int128 value = static_cast<__int128>(negative ? -number.digits : number.digits) * unit_ns;
    for (; number.exponent > 0 && value != 0 && value <= most; --number.exponent) value *= 10;
    // Of what is cut off only the last digit decides about rounding.
    for (; number.exponent < -1 && value != 0; ++number.exponent) value /= 10;
    if (number.exponent == -1) value = (value + 5) / 10;
    const auto ns = static_cast<std::int64_t>(std::min(value, most));
    return {negative ? -ns : ns};
}

std::optional<std::uint64_t> whole(Decimal number) {
    if (number.digits < 0) return std::nullopt;
    auto value = static_cast<unsigned __int128>(number.digits);
    for (; number.exponent > 0 && value != 0; --number.exponent) {
        value *= 10;
        if (value > UINT64_MAX) return std::nullopt;
    }
    for (; number.exponent < 0 && value != 0; ++number.exponent) value /= 10;
    return static_cast<std::uint64_t>(value);
}

std::optional<Duration> take_span(std::string_view& text) {
    std::string_view rest = text;
    Duration sum;
    bool any = false;
    for (;;) {
        std::string_view part = rest;
        const auto number = take_decimal(part);
        if (!number) break;
        if (take(part, " ") && any) break;
        const auto unit = take_unit(part);
        if (!unit) break;
        const Duration more = scaled(*number, *unit);
        const bool fits = more.ns < INT64_MAX / 4 && sum.ns < INT64_MAX / 4;
        sum = fits ? sum + more : Duration::max();
        rest = part;
        any = true;
    }
    if (!any) return std::nullopt;
    text = rest;
    return sum;
}

std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
    // Years that begin in March end with the leap day.
    const std::int64_t y = month <= 2 ? year - 1 : year;
    const std::int64_t m = month <= 2 ? month + 9 : month - 3;
    const std::int64_t day_of_year = (153 * m + 2) / 5 + static_cast<std::int64_t>(day) - 1;
    const std::int64_t to_epoch = 719'468;  // days from 0000-03-01 to 1970-01-01
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - to_epoch;
}

std::optional<WallTime> take_wall_time(std::string_view& text) {
    std::string_view rest = text;
    const auto year = take_digits(rest, 4);
    if (!year || !take(rest, "-")) return std::nullopt;
    const auto month = take_digits(rest, 2);
    if (!month || !take(rest, "-")) return std::nullopt;
    const auto day = take_digits(rest, 2);
    if (!day || !(take(rest, "T") || take(rest, " "))) return std::nullopt;
    const auto hour = take_digits(rest, 2);
    if (!hour || !take(rest, ":")) return std::nullopt;
    const auto minute = take_digits(rest, 2);
    if (!minute || !take(rest, ":")) return std::nullopt;
    const auto second = take_digits(rest, 2);
    const bool possible = second && *year >= 1971 && *year <= 2200 && *month >= 1 && *month <= 12 &&
                          *day >= 1 && *day <= 31 && *hour <= 24 && *minute <= 59 && *second <= 60;
    if (!possible) return std::nullopt;
    const std::int64_t fraction = take_fraction(rest);
    const std::int64_t ahead = take_zone(rest);
    const std::int64_t seconds =
        days_from_civil(*year, *month, *day) * 86'400 + *hour * 3'600 + *minute * 60 + *second;
    text = rest;
    return WallTime{seconds * ns_per_s + fraction - ahead};
}

std::string wall_time_text(WallTime time) {
    const std::int64_t ms = time.ns / ns_per_ms;
    std::int64_t days = ms / 86'400'000;
    const std::int64_t of_day = ms % 86'400'000;
    std::int64_t year = 1970;
    while (days >= days_from_civil(year + 1, 1, 1) - days_from_civil(year, 1, 1)) {
        days -= days_from_civil(year + 1, 1, 1) - days_from_civil(year, 1, 1);
        ++year;
    }
    unsigned month = 1;
    const std::int64_t start = days_from_civil(year, 1, 1);
    while (month < 12 && days >= days_from_civil(year, month + 1, 1) - start) ++month;
    const std::int64_t day = days - (days_from_civil(year, month, 1) - start) + 1;
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}Z", year, month, day,
                       of_day / 3'600'000, of_day / 60'000 % 60, of_day / 1'000 % 60,
                       of_day % 1'000);
}

}  // namespace lockstep::data
