// Tables with a column of lengths, separated by commas, semicolons or tabs.
#include "harness/data/format.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace lockstep::data {
namespace {

/// The fields of a line; quotes are taken off. The views are into `line` and `room`.
void split(std::string_view line, char separator, std::vector<std::string>& fields) {
    fields.clear();
    std::string field;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            const bool twice = quoted && i + 1 < line.size() && line[i + 1] == '"';
            if (twice) field += line[++i];
            quoted = twice ? quoted : !quoted;
        } else if (c == separator && !quoted) {
            fields.emplace_back(trimmed(field));
            field.clear();
        } else {
            field += c;
        }
    }
    fields.emplace_back(trimmed(field));
}

/// The one that the line has; a decimal comma is no separator where there are semicolons.
std::optional<char> separator_of(std::string_view line) {
    for (const char c : {'\t', ';', ','})
        if (line.find(c) != std::string_view::npos) return c;
    return std::nullopt;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

/// The unit that a name is or ends in: "seconds", "pause_ms", "latency (us)".
std::optional<std::int64_t> unit_in(std::string_view column) {
    struct Ending {
        std::string_view word;
        std::int64_t ns;
    };
    static constexpr std::array<Ending, 13> endings{{
        {"ns", 1},
        {"nanos", 1},
        {"nanoseconds", 1},
        {"us", ns_per_us},
        {"micros", ns_per_us},
        {"microseconds", ns_per_us},
        {"ms", ns_per_ms},
        {"millis", ns_per_ms},
        {"milliseconds", ns_per_ms},
        {"s", ns_per_s},
        {"sec", ns_per_s},
        {"secs", ns_per_s},
        {"seconds", ns_per_s},
    }};
    std::string name = lower(column);
    while (!name.empty() && (name.back() == ')' || name.back() == ']')) name.pop_back();
    const std::size_t at = name.find_last_of("_ ([.-");
    const std::string_view word =
        std::string_view(name).substr(at == std::string::npos ? 0 : at + 1);
    for (const Ending& ending : endings)
        if (ending.word == word) return ending.ns;
    return std::nullopt;
}

bool is_time_column(std::string_view name) {
    const std::string small = lower(name);
    for (const std::string_view known :
         {"time", "timestamp", "ts", "date", "datetime", "at", "start", "when", "@timestamp"})
        if (small == known) return true;
    return false;
}

/// A date with a time, or a count since 1970, whose unit its size tells.
std::optional<WallTime> wall_time_of(std::string_view field) {
    std::string_view rest = field;
    if (const auto wall = take_wall_time(rest); wall && rest.empty()) return wall;
    rest = field;
    const auto number = take_decimal(rest);
    if (!number || !rest.empty()) return std::nullopt;
    const auto since = whole(*number);
    if (!since) return std::nullopt;
    // Of the years 1973 to 2200 each unit has a range of its own.
    for (const std::int64_t unit : {ns_per_s, ns_per_ms, ns_per_us, std::int64_t{1}}) {
        const auto from = static_cast<std::uint64_t>(100'000'000 * (ns_per_s / unit));
        if (*since >= from && *since / from < 73) return WallTime{scaled(*number, unit).ns};
    }
    return std::nullopt;
}

class Csv final : public Format {
public:
    Csv(const ReadOptions& options, Measure measure) : options_(options), measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        if (text.starts_with('#') || trimmed(text).empty()) {
            if (text.starts_with('#')) sink.skip("comments");
            return Line::Ours;
        }
        if (!begun_) {
            begun_ = true;
            if (begin(text, sink)) return Line::Ours;
        }
        split(text, separator_, fields_);
        if (fields_.size() != columns_) {
            sink.refuse(fmt::format("{} field{}, but the first line has {}", fields_.size(),
                                    fields_.size() == 1 ? "" : "s", columns_));
            return Line::Ours;
        }
        if (!time_ && std::exchange(first_row_, false)) find_time(sink);
        if (time_) {
            const auto wall = wall_time_of(fields_[*time_]);
            if (!wall) {
                sink.refuse(
                    fmt::format("found '{}'; expected a time in this column, as "
                                "2026-03-01T12:00:00Z or counted since 1970",
                                harness::printable(fields_[*time_])));
                return Line::Ours;
            }
            sink.stamp_in_order({wall, std::nullopt});
        }
        take_length(fields_[column_], sink);
        return Line::Ours;
    }

private:
    /// A column whose name does not say that it is a time, but whose first field does.
    void find_time(Sink& sink) {
        for (std::size_t i = 0; i < columns_; ++i) {
            if (i == column_ || !wall_time_of(fields_[i])) continue;
            time_ = i;
            sink.note(fmt::format(
                "the times are those of {}",
                names_.empty() ? fmt::format("column {}", i + 1) : fmt::format("'{}'", names_[i])));
            return;
        }
    }

    void take_length(std::string_view field, Sink& sink) {
        std::string_view rest = field;
        if (const auto span = take_span(rest); span && trimmed(rest).empty())
            return sink.began(measure_, *span);
        rest = field;
        const auto number = take_decimal(rest, separator_ != ',');
        if (!number || !rest.empty())
            return sink.skip(field.empty() ? "fields that are empty" : "fields without a number");
        if (!unit_)
            return sink.refuse(
                fmt::format("the numbers carry no unit; say which with --unit (ns, us, ms, s)"));
        sink.began(measure_, scaled(*number, *unit_));
    }

    /// Whether the line names the columns.
    bool begin(std::string_view text, Sink& sink) {
        separator_ = separator_of(text).value_or(',');
        split(text, separator_, fields_);
        columns_ = fields_.size();
        const bool names = std::ranges::none_of(
            fields_, [](std::string_view field) { return take_decimal(field) && field.empty(); });
        if (!choose(names, sink)) return true;
        unit_ = unit_named(options_.unit);
        if (!unit_ && names) unit_ = unit_in(fields_[column_]);
        if (names) names_ = fields_;
        if (names)
            for (std::size_t i = 0; i < columns_ && !time_; ++i)
                if (i != column_ && is_time_column(fields_[i])) time_ = i;
        return names;
    }

    bool choose(bool names, Sink& sink) {
        const auto& wanted = options_.column;
        const auto it = std::ranges::find(fields_, wanted);
        if (names && !wanted.empty() && it != fields_.end()) {
            column_ = static_cast<std::size_t>(it - fields_.begin());
            return true;
        }
        std::size_t number = 0;
        const char* end = wanted.data() + wanted.size();
        const auto [rest, failed] = std::from_chars(wanted.data(), end, number);
        if (failed == std::errc() && rest == end && number >= 1 && number <= columns_) {
            column_ = number - 1;
            return true;
        }
        if (wanted.empty() && choose_only(names)) return true;
        std::vector<std::string> printable;
        for (const auto& field : fields_) printable.push_back(harness::printable(field));
        const std::string have = names ? fmt::format("{}", fmt::join(printable, ", "))
                                       : fmt::format("1 to {}, without names", columns_);
        sink.refuse(
            wanted.empty()
                ? fmt::format("say with --column which of the columns holds lengths: {}", have)
                : fmt::format("no column is called '{}'; there are {}", harness::printable(wanted),
                              have));
        return false;
    }

    /// The only column that is no time, else the only one whose name has a unit.
    bool choose_only(bool names) {
        std::vector<std::size_t> lengths;
        std::vector<std::size_t> with_unit;
        for (std::size_t i = 0; i < columns_; ++i) {
            if (names && is_time_column(fields_[i])) continue;
            lengths.push_back(i);
            if (names && unit_in(fields_[i])) with_unit.push_back(i);
        }
        const auto& candidates = lengths.size() == 1 ? lengths : with_unit;
        if (candidates.size() != 1) return false;
        column_ = candidates.front();
        return true;
    }

    const ReadOptions& options_;
    Measure measure_;
    bool begun_ = false;
    bool first_row_ = true;
    std::vector<std::string> names_;  ///< of the columns; empty: they have none
    char separator_ = ',';
    std::size_t columns_ = 0;
    std::size_t column_ = 0;
    std::optional<std::size_t> time_;
    std::optional<std::int64_t> unit_;
    std::vector<std::string> fields_;
};

/// A column of numbers, one a line, with a unit or without.
class Numbers final : public Format {
public:
    Numbers(const ReadOptions& options, Measure measure)
        : measure_(measure), unit_(unit_named(options.unit)) {}

    Line line(std::string_view text, Sink& sink) override {
        text = trimmed(text);
        if (text.empty()) return Line::Ours;
        if (text.starts_with('#')) {
            sink.skip("comments");
            return Line::Ours;
        }
        const bool first = !begun_;
        begun_ = true;
        std::string_view rest = text;
        if (const auto span = take_span(rest); span && rest.empty()) {
            sink.ended(measure_, *span);
            return Line::Ours;
        }
        rest = text;
        const auto number = take_decimal(rest);
        if (number && rest.empty() && unit_) {
            sink.ended(measure_, scaled(*number, *unit_));
        } else if (number && rest.empty()) {
            sink.refuse("the numbers carry no unit; say which with --unit (ns, us, ms, s)");
        } else if (first && !number) {
            sink.skip("the name of the column");
        } else {
            sink.refuse(fmt::format("found '{}'; expected a number, with a unit or without",
                                    harness::printable(text.substr(0, 60))));
        }
        return Line::Ours;
    }

private:
    Measure measure_;
    std::optional<std::int64_t> unit_;
    bool begun_ = false;
};

/// The first lines that say something.
std::vector<std::string_view> first_lines(std::string_view text, std::size_t most) {
    std::vector<std::string_view> lines;
    while (!text.empty() && lines.size() < most) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const bool whole = end < text.size();
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool carriage = line.ends_with('\r');
        const auto words = trimmed(line.substr(0, line.size() - (carriage ? 1 : 0)));
        if (!words.empty() && !words.starts_with('#') && (whole || lines.empty() || text.empty()))
            lines.push_back(words);
    }
    return lines;
}

bool is_number(std::string_view line) {
    std::string_view rest = line;
    if (take_span(rest) && rest.empty()) return true;
    rest = line;
    return take_decimal(rest) && rest.empty();
}

bool may_be_numbers(std::string_view beginning) {
    auto lines = first_lines(beginning, 20);
    const bool headed = lines.size() > 1 && !is_number(lines.front()) &&
                        lines.front().find_first_of(" :[]{}=") == std::string_view::npos;
    if (headed) lines.erase(lines.begin());
    return !lines.empty() && std::ranges::all_of(lines, is_number);
}

bool may_be_csv(std::string_view beginning) {
    const auto lines = first_lines(beginning, 20);
    if (lines.size() < 2) return false;
    const auto separator = separator_of(lines.front());
    if (!separator) return false;
    std::vector<std::string> fields;
    split(lines.front(), *separator, fields);
    const std::size_t columns = fields.size();
    bool number = false;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        split(lines[i], *separator, fields);
        if (i == 1 && fields.size() != columns) return false;
        number = number || std::ranges::any_of(fields, is_number);
    }
    return number;
}

}  // namespace

const FormatEntry csv_format{
    {"csv", "a table with a column of lengths: --column, --unit", Measure::Pause},
    nullptr,
    may_be_csv,
    [](const ReadOptions& options, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<Csv>(options, measure);
    },
    "no field of the column is a number"};

const FormatEntry numbers_format{
    {"numbers", "a number a line: 12.5ms, or --unit", Measure::Pause},
    nullptr,
    may_be_numbers,
    [](const ReadOptions& options, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<Numbers>(options, measure);
    },
    "no line is a number"};

}  // namespace lockstep::data
