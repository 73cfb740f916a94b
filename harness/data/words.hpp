#pragma once

#include "core/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers, spans and times as logs write them. All of them without a locale, and without floating
/// point: 0.1 s is 100,000,000 ns.
namespace lockstep::data {

/// A number as it is written: digits x 10^exponent. Digits that do not fit are rounded off.
struct Decimal {
    std::int64_t digits = 0;  ///< at most 18; negative for a negative number
    int exponent = 0;
};
/// Reads from the front of `text`, and takes it away: "12", "-1.5", "0,031", ".5", "1.2e-05". A
/// comma is a point only between digits. None, with `text` as it was, if there is no number.
std::optional<Decimal> take_decimal(std::string_view& text, bool comma_is_point = true);

/// In nanoseconds, rounded; saturates at Duration::max().
Duration scaled(Decimal number, std::int64_t unit_ns);
/// As an integer, rounded down; none if it is negative or does not fit.
std::optional<std::uint64_t> whole(Decimal number);

inline constexpr std::int64_t ns_per_us = 1'000;
inline constexpr std::int64_t ns_per_ms = 1'000'000;
inline constexpr std::int64_t ns_per_s = 1'000'000'000;

/// A number and its unit from the front: "12.5ms", "1.2 s", "40 µs", and as Go writes them,
/// "1m2.5s". None if either is missing.
std::optional<Duration> take_span(std::string_view& text);

/// A time of day from the front: "2026-03-01T12:00:00.123+0100", with "Z", "+01:00", a blank for
/// the T, a comma for the point, or without a zone, which is taken for UTC.
std::optional<WallTime> take_wall_time(std::string_view& text);
/// Days since 1970-01-01 of a date of the Gregorian calendar.
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day);
/// "2026-03-01 12:00:00.123Z"
std::string wall_time_text(WallTime time);

/// Small things that every format needs.
bool is_digit(char c);
std::string_view trimmed(std::string_view text);
/// Takes the prefix away if it is there.
bool take(std::string_view& text, std::string_view prefix);
/// What comes behind the first `mark`; none if there is none.
std::optional<std::string_view> after(std::string_view text, std::string_view mark);
/// Takes the next word, up to a blank or tab, and the blanks before it.
std::string_view take_word(std::string_view& text);

}  // namespace lockstep::data
