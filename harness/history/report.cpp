#include "harness/history/report.hpp"

#include "harness/history/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::history {
namespace {

using harness::grouped;
using harness::Paint;
using harness::Tone;

std::string span(std::int64_t ns) {
    return harness::span_text(Duration{ns});
}

std::string counted(std::uint64_t n, std::string_view what) {
    return fmt::format("{} {}{}", grouped(n), what, n == 1 ? "" : "s");
}

std::string head(const Judgement& judgement, const Paint& paint) {
    std::string out = fmt::format(
        "{}  {} of {}", paint(Tone::Strong, judgement.file),
        counted(judgement.operations, "operation"),
        judgement.processes == 1 ? "1 process" : fmt::format("{} processes", judgement.processes));
    if (judgement.locks > 0) out += " on " + counted(judgement.locks, "lock");
    if (judgement.resources > 0) out += ", " + counted(judgement.resources, "resource");
    out += fmt::format(", {}",
                       harness::span_text(Duration{judgement.last_time - judgement.first_time}));
    const Terms& terms = judgement.terms;
    out += terms.clock_error == 0 ? "; one clock" : "; clock error " + span(terms.clock_error);
    if (terms.ttl > 0) out += ", TTL " + span(terms.ttl);
    if (terms.drift_ppm > 0) out += fmt::format(", drift {} ppm", terms.drift_ppm);
    out += "\n";
    if (judgement.open_calls > 0)
        out += fmt::format("  {} without an end: unknown, {} may have happened or not\n",
                           counted(judgement.open_calls, "call"),
                           judgement.open_calls == 1 ? "it" : "they");
    return out;
}

/// Counted from the first line, in seconds, but for histories that are over in a moment.
std::string instant(const Judgement& judgement, std::int64_t time) {
    const std::int64_t after = time - judgement.first_time;
    constexpr std::int64_t moment = 100'000'000;
    return judgement.last_time - judgement.first_time < moment ? span(after)
                                                               : harness::seconds_text(after);
}

std::string lines_text(const Judgement& judgement, const Evidence& evidence) {
    auto lines = evidence.lines;
    std::ranges::sort(lines);
    const auto rest = std::ranges::unique(lines);
    lines.erase(rest.begin(), rest.end());
    std::string out;
    for (const std::uint64_t line : lines)
        out += fmt::format("{}{}:{}", out.empty() ? "" : "  ", judgement.file, line);
    return out;
}

std::string evidence_text(const Judgement& judgement, const Evidence& evidence,
                          const Paint& paint) {
    return fmt::format("            at {}: {}\n            {}\n", instant(judgement, evidence.time),
                       evidence.text, paint(Tone::Faint, lines_text(judgement, evidence)));
}

std::string name_of(const Finding& finding) {
    const auto& property = properties::describe(finding.id);
    return fmt::format("{} {}", property.code, property.name);
}

std::string finding_text(const Judgement& judgement, const Finding& finding, const Paint& paint) {
    const bool violated = finding.state == State::Violated;
    std::string out = "  " +
                      paint(violated ? Tone::Bad : Tone::Warn,
                            fmt::format("{:<8}  {}", to_string(finding.state), name_of(finding))) +
                      "\n";
    out += evidence_text(judgement, violated ? finding.violation : finding.doubt, paint);
    const std::uint64_t count = violated ? finding.violations : finding.undecided;
    if (count > 1) out += fmt::format("            and {} more of the kind\n", grouped(count - 1));
    if (violated && finding.undecided > 0)
        out +=
            fmt::format("            and {} that cannot be decided\n", grouped(finding.undecided));
    if (!violated) out += fmt::format("            would be decided by: {}\n", finding.decided_by);
    return out;
}

std::string notes_text(const Judgement& judgement, const Finding& finding, const Paint& paint) {
    std::string out;
    for (const Evidence& note : finding.notes)
        out += "  " + paint(Tone::Warn, fmt::format("{:<8}  {}", "reading", name_of(finding))) +
               "\n" + evidence_text(judgement, note, paint);
    if (finding.more_notes > 0)
        out += fmt::format("            and {} more of the kind\n", grouped(finding.more_notes));
    return out;
}

/// The idle ones, those of one reason in one line.
std::string idle_text(const Judgement& judgement, const Paint& paint) {
    std::vector<std::pair<std::string, std::string>> reasons;  // reason, codes
    for (const Finding& finding : judgement.findings) {
        if (finding.state != State::Idle) continue;
        const auto known = std::ranges::find(reasons, finding.idle_because,
                                             &std::pair<std::string, std::string>::first);
        const std::string code(properties::code_of(finding.id));
        if (known == reasons.end())
            reasons.emplace_back(finding.idle_because, code);
        else
            known->second += ", " + code;
    }
    std::string out;
    for (const auto& [reason, codes] : reasons)
        out += "  " + paint(Tone::Faint, fmt::format("{:<8}  {}", "idle", codes)) +
               fmt::format("\n            {}\n", reason);
    return out;
}

std::string evidence_json(const Judgement& judgement, const Evidence& evidence) {
    std::string lines;
    for (const std::uint64_t line : evidence.lines)
        lines += fmt::format("{}{}", lines.empty() ? "" : ",", line);
    return JsonObject()
        .number("time", evidence.time)
        .number("after_first_line", evidence.time - judgement.first_time)
        .text("text", evidence.text)
        .raw("lines", "[" + lines + "]")
        .str();
}

std::string finding_json(const Judgement& judgement, const Finding& finding) {
    const auto& property = properties::describe(finding.id);
    JsonObject out;
    out.text("id", property.code)
        .text("name", property.name)
        .text("verdict", to_string(finding.state))
        .number("checks", finding.checks)
        .number("violations", finding.violations)
        .number("undecidable", finding.undecided);
    if (finding.violations > 0) out.raw("violation", evidence_json(judgement, finding.violation));
    if (finding.undecided > 0)
        out.raw("doubt", evidence_json(judgement, finding.doubt))
            .text("decided_by", finding.decided_by);
    std::string notes;
    for (const Evidence& note : finding.notes)
        notes += (notes.empty() ? "" : ",") + evidence_json(judgement, note);
    if (!notes.empty()) out.raw("readings", "[" + notes + "]");
    if (!finding.idle_because.empty()) out.text("idle_because", finding.idle_because);
    return out.str();
}

}  // namespace

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string report_text(const Judgement& judgement, const Paint& paint) {
    std::string out = head(judgement, paint);
    std::uint64_t held = 0;
    std::uint64_t checks = 0;
    std::string codes;
    for (const Finding& finding : judgement.findings) {
        if (finding.state == State::Violated || finding.state == State::Undecidable)
            out += finding_text(judgement, finding, paint);
        out += notes_text(judgement, finding, paint);
        if (finding.state != State::Held) continue;
        ++held;
        checks += finding.checks;
        codes += fmt::format("{}{}", codes.empty() ? "" : ", ", properties::code_of(finding.id));
    }
    out += "  " + paint(Tone::Good,
                        fmt::format("{:<8}  {} propert{}", "held", held, held == 1 ? "y" : "ies"));
    if (held > 0) out += fmt::format(" in {} checks: {}", grouped(checks), codes);
    return out + "\n" + idle_text(judgement, paint);
}

std::string report_json(const Judgement& judgement) {
    std::string findings;
    for (const Finding& finding : judgement.findings)
        findings += (findings.empty() ? "" : ",\n  ") + finding_json(judgement, finding);
    const Terms& terms = judgement.terms;
    return JsonObject()
               .text("file", judgement.file)
               .number("lines", judgement.lines)
               .number("operations", judgement.operations)
               .number("open_calls", judgement.open_calls)
               .number("processes", std::uint64_t{judgement.processes})
               .number("locks", std::uint64_t{judgement.locks})
               .number("resources", std::uint64_t{judgement.resources})
               .number("first_time", judgement.first_time)
               .number("last_time", judgement.last_time)
               .number("clock_error", terms.clock_error)
               .number("ttl", terms.ttl)
               .number("drift_ppm", terms.drift_ppm)
               .raw("properties", "[\n  " + findings + "]")
               .str() +
           "\n";
}

}  // namespace lockstep::history
