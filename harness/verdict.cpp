#include "harness/verdict.hpp"

#include "harness/services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lockstep::harness {
namespace {

using properties::PropertyId;
using properties::Report;
using properties::Verdict;

/// Where the text of a line begins, behind its word.
constexpr std::size_t text_column = 12;

std::string_view end_word(End end) {
    if (end == End::OutOfTime || end == End::Cut) return "stopped";
    return end == End::Stuck ? "stuck" : "crashed";
}

std::string violation_line(const Report& report, bool foretold, const Paint& paint,
                           std::size_t width) {
    const auto& property = properties::describe(report.id);
    const bool excused = report.verdict == Verdict::Excused;
    std::string head = fmt::format("{:<8}  {} {}", properties::to_string(report.verdict),
                                   property.code, property.name);
    if (foretold) head += " (expected here)";
    std::string out = "  " + paint(excused || foretold ? Tone::Warn : Tone::Bad, head) + "\n";
    if (report.first) {
        const std::string when = seconds_text(report.first->at.ns);
        out += fmt::format(
            "{:{}}{}\n", "", text_column,
            wrapped(fmt::format("at {}: {}", when, report.first->evidence), text_column, width));
        if (report.first->excused_by)
            out += fmt::format("            excused by {}, which was broken before\n",
                               need_text(*report.first->excused_by));
    }
    if (report.violations > 1)
        out += fmt::format("            and {} more of the kind\n", grouped(report.violations - 1));
    return out;
}

std::string counts_line(const Outcome& outcome, const Demands& demands, const Paint& paint,
                        std::size_t width) {
    std::uint64_t held = 0;
    std::uint64_t excused = 0;
    std::uint64_t checks = 0;
    std::string idle;
    std::uint64_t idle_count = 0;
    std::string foretold_missing;
    for (const Report& report : outcome.reports) {
        checks += report.checks;
        if (report.verdict == Verdict::Held) ++held;
        if (report.verdict == Verdict::Excused) ++excused;
        if (report.verdict == Verdict::Idle) {
            ++idle_count;
            idle += fmt::format("{}{}", idle.empty() ? " (" : ", ", properties::code_of(report.id));
        }
        if (demands.expects(report.id) && report.verdict != Verdict::Violated)
            foretold_missing += fmt::format(" {}", properties::code_of(report.id));
    }
    if (!idle.empty()) idle += ")";
    const std::string counts =
        fmt::format("{} properties in {} checks; {} had nothing to check{}; {} excused", held,
                    grouped(checks), idle_count, idle, excused);
    std::string out =
        "  " + paint(Tone::Good, "held    ") + "  " + wrapped(counts, text_column, width) + "\n";
    if (!foretold_missing.empty())
        out += "  " +
               paint(Tone::Warn, fmt::format("missing   expected to be violated, and was not:{}",
                                             foretold_missing)) +
               "\n";
    return out;
}

}  // namespace

std::string repeat_command(const Repeat& repeat, std::uint64_t seed) {
    std::string out = fmt::format("{} run {} --seed {}", shell_word(program_name()),
                                  shell_word(repeat.scenario), seed);
    for (const auto& set : repeat.sets) out += " --set " + shell_word(set);
    if (repeat.without_config) out += " --no-config";
    return out;
}

std::string verdict_text(const Outcome& outcome, const Demands& demands, const Paint& paint,
                         std::size_t width) {
    std::string out;
    if (outcome.end != End::Finished)
        out +=
            "  " +
            paint(Tone::Bad, fmt::format("{:<8}  {}", end_word(outcome.end), outcome.end_detail)) +
            "\n";
    for (const Report& report : outcome.reports)
        if (report.verdict == Verdict::Violated || report.verdict == Verdict::Excused)
            out += violation_line(report, demands.expects(report.id), paint, width);
    out += counts_line(outcome, demands, paint, width);

    std::string marks;
    for (const auto& mark : outcome.marks)
        if (mark.reached > 0)
            marks += fmt::format("{}{} x{}", marks.empty() ? "" : ", ", mark.mark, mark.reached);
    if (!marks.empty()) out += "  marks     " + wrapped(marks, text_column, width) + "\n";
    std::string faults;
    for (const auto& fault : outcome.faults) {
        if (fault.planned == 0) continue;
        faults += fmt::format("{}{} {} of {}", faults.empty() ? "" : ", ", fault.kind,
                              fault.started, fault.planned);
    }
    if (!faults.empty()) out += "  faults    " + wrapped(faults, text_column, width) + "\n";
    std::string roles;
    for (const auto& role : outcome.roles)
        roles += fmt::format("{}{} x{}", roles.empty() ? "" : ", ", role.role, role.hits);
    if (!roles.empty()) out += "  hit       " + wrapped(roles, text_column, width) + "\n";
    if (outcome.triggers.waited > 0)
        out += fmt::format("  triggers  {} of {} were met\n", outcome.triggers.met,
                           outcome.triggers.waited);
    const std::string numbers =
        fmt::format("{} simulated, {} steps, {} events, {} messages, digest {:016x}",
                    span_text(outcome.simulated), grouped(outcome.steps), grouped(outcome.events),
                    grouped(outcome.messages), outcome.digest);
    out += "  run       " + wrapped(numbers, text_column, width) + "\n";
    return out;
}

}  // namespace lockstep::harness
