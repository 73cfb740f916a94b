// A run against the events of another one.
#include "harness/export_json.hpp"
#include "harness/repro/repro.hpp"
#include "harness/services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

namespace lockstep::harness {
namespace {

/// The value of a text field, as `event_lines` writes it; nothing if it is absent or no text.
std::optional<std::string_view> text_field(std::string_view line, std::string_view key) {
    const std::string wanted = fmt::format("\"{}\":\"", key);
    const auto at = line.find(wanted);
    if (at == line.npos) return std::nullopt;
    line.remove_prefix(at + wanted.size());
    const auto end = line.find('"');
    if (end == line.npos) return std::nullopt;
    return line.substr(0, end);
}

bool is_event_line(std::string_view line) {
    return line.starts_with("{\"at_ns\":") && line.ends_with('}') && text_field(line, "event");
}

/// Kept only by runs that were asked to.
bool is_passed_over(std::string_view line) {
    constexpr std::array<std::string_view, 3> kinds{"message", "message-taken", "note"};
    return std::find(kinds.begin(), kinds.end(), *text_field(line, "event")) != kinds.end();
}

struct Lines {
    std::vector<std::string> events;
    std::vector<std::uint64_t> numbers;
    std::set<std::string> processes;
};

Result<Lines> read_lines(const std::string& path) {
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (status.type() == std::filesystem::file_type::not_found)
        return Error{"no such file; allowed is one that `lockstep run --events` wrote", path};
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(status))
        return Error{"cannot be read; allowed is a file that `lockstep run --events` wrote", path};
    Lines lines;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        if (!is_event_line(line))
            return Error{fmt::format("found no event{}; allowed is a file that `lockstep run "
                                     "--events` wrote, whole",
                                     in.eof() ? ", or one that was cut off" : ""),
                         path, number};
        if (is_passed_over(line)) continue;
        if (const auto process = text_field(line, "process")) lines.processes.emplace(*process);
        lines.events.push_back(line);
        lines.numbers.push_back(static_cast<std::uint64_t>(number));
    }
    if (lines.events.empty())
        return Error{"found no events; allowed is a file that `lockstep run --events` wrote", path};
    return lines;
}

/// Whose processes are others, that is of another scenario.
std::optional<Error> refuse_strangers(const Lines& theirs, const Lines& ours,
                                      const std::string& path) {
    const auto refuse = [&](std::string_view why, const std::string& name) {
        return Error{fmt::format("these are events of another scenario: {} {}; take those of a run "
                                 "of this very file: `{} run FILE --seed N --events F`",
                                 name, why, program_name()),
                     path};
    };
    for (const auto& name : theirs.processes)
        if (!ours.processes.contains(name)) return refuse("is nobody here", name);
    for (const auto& name : ours.processes)
        if (!theirs.processes.contains(name)) return refuse("is not in them", name);
    return std::nullopt;
}

}  // namespace

Result<std::optional<EventDifference>> compare_events(const Outcome& outcome,
                                                      const scenario::Scenario& scenario,
                                                      const std::string& path) {
    const auto read = read_lines(path);
    if (!read) return read.error();
    const Lines& theirs = read.value();
    Lines ours;
    event_lines(outcome, harness::resolve(scenario, outcome.seed).plan, [&](std::string_view line) {
        if (is_passed_over(line)) return;
        if (const auto process = text_field(line, "process")) ours.processes.emplace(*process);
        ours.events.emplace_back(line);
    });
    if (auto error = refuse_strangers(theirs, ours, path)) return *std::move(error);
    const std::size_t both = std::min(ours.events.size(), theirs.events.size());
    std::size_t i = 0;
    while (i < both && ours.events[i] == theirs.events[i]) ++i;
    if (i == ours.events.size() && i == theirs.events.size())
        return std::optional<EventDifference>();
    EventDifference difference;
    difference.line = i < theirs.events.size() ? theirs.numbers[i] : theirs.numbers.back() + 1;
    if (i < ours.events.size()) difference.ours = ours.events[i];
    if (i < theirs.events.size()) difference.theirs = theirs.events[i];
    return std::optional<EventDifference>(difference);
}

}  // namespace lockstep::harness
