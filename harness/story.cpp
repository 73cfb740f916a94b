#include "harness/story.hpp"

#include "harness/storyteller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace lockstep::harness {
namespace {

using properties::Violation;

/// The first violation of each property, in the order of the run.
std::vector<Violation> violations_of(const Outcome& outcome) {
    std::vector<Violation> all;
    for (const auto& report : outcome.reports)
        if (report.first) all.push_back(*report.first);
    std::sort(all.begin(), all.end(), [](const Violation& a, const Violation& b) {
        return std::tie(a.at, a.ordinal, a.id) < std::tie(b.at, b.ordinal, b.id);
    });
    return all;
}

std::vector<StoryLine> lines_of(const Outcome& outcome, const sim::FaultPlan& plan, bool raw_too) {
    Storyteller teller(outcome, plan);
    const auto violations = violations_of(outcome);
    auto next = violations.begin();
    for (const LoggedEvent& logged : outcome.log) {
        // After all events of its instant: the evidence speaks of them.
        for (; next != violations.end() && next->at < logged.at; ++next) teller.violation(*next);
        teller.hear(logged, raw_too);
    }
    for (; next != violations.end(); ++next) teller.violation(*next);
    return teller.lines();
}

/// Which lines are shown: the important ones, and so many ordinary ones around each.
std::vector<bool> shown_lines(const std::vector<StoryLine>& lines, std::size_t context) {
    std::vector<bool> shown(lines.size(), false);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].weight != Weight::Important) continue;
        const std::size_t from = i < context ? 0 : i - context;
        const std::size_t to = std::min(lines.size(), i + context + 1);
        std::fill(shown.begin() + static_cast<std::ptrdiff_t>(from),
                  shown.begin() + static_cast<std::ptrdiff_t>(to), true);
    }
    return shown;
}

/// What is counted is named in the plural: "sessions opened", "recoveries".
std::string one_of(std::string_view plural) {
    std::size_t end = 0;
    while (end < plural.size() &&
           (plural[end] != 's' || (end + 1 < plural.size() && plural[end + 1] != ' ')))
        ++end;
    const std::string_view word = plural.substr(0, end);
    const std::string_view rest = plural.substr(std::min(end + 1, plural.size()));
    if (word.ends_with("ie")) return fmt::format("{}y{}", word.substr(0, word.size() - 2), rest);
    return fmt::format("{}{}", word, rest);
}

constexpr std::size_t when_width = 10;

std::string micros_text(std::int64_t ns) {
    return fmt::format("{}.{:06}", ns / 1'000'000'000, ns % 1'000'000'000 / 1'000);
}

std::string left_out_text(const std::map<std::string_view, std::uint64_t>& left_out) {
    std::string text;
    for (const auto& [what, count] : left_out)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count),
                            count == 1 ? one_of(what) : std::string(what));
    return text;
}

}  // namespace

std::string tell_story(const Outcome& outcome, const sim::FaultPlan& plan,
                       const StoryOptions& options) {
    const auto lines = lines_of(outcome, plan, options.verbose);
    const auto shown = options.verbose ? std::vector<bool>(lines.size(), true)
                                       : shown_lines(lines, options.context);
    std::size_t who_width = 8;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (shown[i]) who_width = std::max(who_width, lines[i].who.size());

    std::string out;
    std::map<std::string_view, std::uint64_t> left_out;
    const auto flush = [&] {
        if (left_out.empty()) return;
        const auto text = fmt::format(
            "{:>10}  {:<{}}  {}", "...", "", who_width,
            wrapped(left_out_text(left_out), when_width + who_width + 4, options.width));
        out += options.paint(Tone::Faint, text) + "\n";
        left_out.clear();
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const StoryLine& line = lines[i];
        if (!shown[i]) {
            ++left_out[line.counted_as];
            continue;
        }
        flush();
        // In full, what happens within a millisecond is told apart.
        const auto when = options.verbose ? micros_text(line.at.ns) : seconds_text(line.at.ns);
        const auto text =
            fmt::format("{:>10}  {:<{}}  {}", when, line.who, who_width,
                        wrapped(line.text, when_width + who_width + 4, options.width));
        out += options.paint(line.tone, text) + "\n";
    }
    flush();
    return out;
}

}  // namespace lockstep::harness
