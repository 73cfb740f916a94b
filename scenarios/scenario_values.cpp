#include "scenarios/scenario_values.hpp"

#include "scenarios/scenario_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lockstep::scenario {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// `12`, `1.5`: times `unit`, exactly; nothing if it is not a number, is too large or would need
/// fractions of one.
std::optional<std::int64_t> scaled(std::string_view digits, std::int64_t unit) {
    const std::size_t point = digits.find('.');
    const std::string_view whole = digits.substr(0, point);
    const std::string_view part = point == std::string_view::npos ? "" : digits.substr(point + 1);
    if (whole.empty() || (point != std::string_view::npos && part.empty())) return std::nullopt;
    if (!std::all_of(whole.begin(), whole.end(), is_digit) ||
        !std::all_of(part.begin(), part.end(), is_digit) || whole.size() > 18 || part.size() > 9)
        return std::nullopt;
    __int128 value = 0;
    for (const char c : whole) value = value * 10 + (c - '0');
    value *= unit;
    __int128 step = unit;
    for (const char c : part) {
        if (step % 10 != 0 && c != '0') return std::nullopt;
        step /= 10;
        value += step * (c - '0');
    }
    if (value >= INT64_MAX) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

/// A number in front of one of the units.
template <std::size_t n>
std::optional<std::int64_t> measured(
    std::string_view text, const std::array<std::pair<std::string_view, std::int64_t>, n>& units) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const std::size_t end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos) return std::nullopt;
    for (const auto& [name, unit] : units) {
        if (text.substr(end) != name) continue;
        const auto value = scaled(text.substr(0, end), unit);
        return value && negative ? -*value : value;
    }
    return std::nullopt;
}

template <class E, std::size_t n>
Wrong parse_name(std::string_view text, const std::array<std::string_view, n>& names, E& to) {
    std::string allowed;
    for (std::size_t i = 0; i < n; ++i) {
        if (names[i] == text) {
            to = static_cast<E>(i);
            return std::nullopt;
        }
        allowed += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == n ? " or " : ", ", names[i]);
    }
    return allowed;
}

constexpr std::array<std::string_view, 3> fencings{"fenced", "write_only", "none"};
constexpr std::array<std::string_view, 3> link_choices{"datagram", "ordered", "drawn"};
constexpr std::array<std::string_view, 3> switches{"off", "on", "drawn"};
constexpr std::array<std::string_view, 8> workloads{"counter",  "election",   "append", "cron",
                                                    "payments", "many_locks", "herd",   "drain"};
constexpr std::array<std::string_view, 3> resources{"store", "endpoint", "row"};
constexpr std::array<std::string_view, 2> budgets{"recoverable", "unlimited"};
constexpr std::array<std::string_view, 3> directions{"both", "out", "in"};
constexpr std::array<std::string_view, 2> clock_modes{"runs", "frozen"};

template <class E, std::size_t n>
std::string name_in(const std::array<std::string_view, n>& names, E v) {
    return std::string(names.at(static_cast<std::size_t>(v)));
}

}  // namespace

Wrong parse(std::string_view text, Duration& to) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units{
        {{"ns", 1},
         {"us", 1'000},
         {"ms", 1'000'000},
         {"s", 1'000'000'000},
         {"m", 60'000'000'000},
         {"h", 3'600'000'000'000}}};
    const auto ns = measured(text, units);
    if (!ns) return "a duration such as \"10s\", \"250ms\", \"1.5s\" (ns, us, ms, s, m, h)";
    to = {*ns};
    return std::nullopt;
}

Wrong parse(std::string_view text, DurationRange& to) {
    const std::size_t dots = text.find("..");
    DurationRange range;
    const bool bad = parse(text.substr(0, dots), range.min).has_value();
    range.max = range.min;
    if (bad || (dots != std::string_view::npos && parse(text.substr(dots + 2), range.max)))
        return "a duration such as \"10s\" or a range such as \"2s..5s\" (ns, us, ms, s, m, h)";
    to = range;
    return std::nullopt;
}

Wrong parse(std::string_view text, Ppm& to) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 2> units{
        {{"%", 10'000}, {"ppm", 1}}};
    const auto ppm = measured(text, units);
    if (!ppm) return "a percentage such as \"1%\" or \"0.02%\" (four decimals), or \"200ppm\"";
    to = {*ppm};
    return std::nullopt;
}

Wrong parse(std::string_view text, std::uint64_t& to) {
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit))
        return "a whole number, not negative";
    // Whatever does not fit is beyond every limit, which says so better (see as_written).
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (failed == std::errc::result_out_of_range) to = UINT64_MAX;
    return std::nullopt;
}

Wrong parse(std::string_view text, std::uint32_t& to) {
    std::uint64_t value = 0;
    if (auto wrong = parse(text, value)) return wrong;
    to = static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
    return std::nullopt;
}

std::string as_written(std::string message, std::string_view text) {
    for (const auto most : {std::uint64_t{UINT32_MAX}, std::uint64_t{UINT64_MAX}}) {
        const std::string found = fmt::format("found {};", most);
        if (message.starts_with(found))
            return message.replace(0, found.size(), fmt::format("found {};", text));
    }
    return message;
}

Wrong parse(std::string_view text, bool& to) {
    if (text != "true" && text != "false") return "true or false";
    to = text == "true";
    return std::nullopt;
}

Wrong parse(std::string_view text, Fencing& to) {
    return parse_name(text, fencings, to);
}
Wrong parse(std::string_view text, LinkChoice& to) {
    return parse_name(text, link_choices, to);
}
Wrong parse(std::string_view text, Switch& to) {
    return parse_name(text, switches, to);
}
Wrong parse(std::string_view text, WorkloadKind& to) {
    return parse_name(text, workloads, to);
}
Wrong parse(std::string_view text, ResourceKind& to) {
    return parse_name(text, resources, to);
}
Wrong parse(std::string_view text, Budget& to) {
    return parse_name(text, budgets, to);
}
Wrong parse(std::string_view text, sim::Direction& to) {
    return parse_name(text, directions, to);
}
Wrong parse(std::string_view text, sim::ClockMode& to) {
    return parse_name(text, clock_modes, to);
}

Wrong parse(std::string_view text, sim::FaultKind& to) {
    std::array<std::string_view, sim::fault_kinds> names;
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = sim::to_string(static_cast<sim::FaultKind>(i));
    return parse_name(text, names, to);
}

std::string text_of(Duration d) {
    return d == Duration::max() ? "forever" : sim::to_string(d);
}

std::string text_of(const DurationRange& r) {
    return r.min == r.max ? text_of(r.min) : text_of(r.min) + ".." + text_of(r.max);
}

std::string text_of(Ppm p) {
    const std::int64_t size = p.value < 0 ? -p.value : p.value;
    std::string text =
        fmt::format("{}{}.{:04}", p.value < 0 ? "-" : "", size / 10'000, size % 10'000);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text + "%";
}

std::string text_of(Fencing v) {
    return name_in(fencings, v);
}
std::string text_of(LinkChoice v) {
    return name_in(link_choices, v);
}
std::string text_of(Switch v) {
    return name_in(switches, v);
}
std::string text_of(WorkloadKind v) {
    return name_in(workloads, v);
}
std::string text_of(ResourceKind v) {
    return name_in(resources, v);
}
std::string text_of(Budget v) {
    return name_in(budgets, v);
}
std::string text_of(sim::Direction v) {
    return name_in(directions, v);
}
std::string text_of(sim::ClockMode v) {
    return name_in(clock_modes, v);
}

sim::Aim aim_of(std::string_view name) {
    if (name == "trigger") return {sim::Aim::By::Trigger, ""};
    if (name.starts_with("zone-") ||
        std::find(group_names.begin(), group_names.end(), name) != group_names.end())
        return {sim::Aim::By::Group, std::string(name)};
    const auto is = [name](const char* other) { return name == other; };
    const bool role = std::any_of(role_names.begin(), role_names.end(), is) ||
                      std::any_of(drawn_aims.begin(), drawn_aims.end(), is);
    return {role ? sim::Aim::By::Role : sim::Aim::By::Process, std::string(name)};
}

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> parts;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view part = list.substr(0, comma);
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        if (!part.empty()) parts.emplace_back(part);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return parts;
}

std::string join(const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& part : list) text += (text.empty() ? "" : ",") + part;
    return text;
}

}  // namespace lockstep::scenario
