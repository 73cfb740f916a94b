#include "harness/gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lockstep::harness {
namespace {

/// In a cell of a table, and as text that is no markup: evidence may quote anything.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        if (c == '<') {
            out += "&lt;";
            continue;
        }
        if (std::string_view("\\`*_{}[]#|>~").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

/// As code; a backtick would end it.
std::string code(std::string_view text) {
    std::string out = printable(text);
    std::replace(out.begin(), out.end(), '`', '\'');
    std::string escaped;
    for (const char c : out) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
    return "`" + escaped + "`";
}

const char* headline(ExitCode code) {
    switch (code) {
        case ExitCode::AsExpected:
            return "passed";
        case ExitCode::Violated:
            return "**failed**: a promise is broken";
        case ExitCode::GaveUp:
            return "**could not tell**";
        default:
            return "**failed**: the harness is not to be trusted";
    }
}

/// The values of a workflow command, whose separators are escaped as GitHub asks for it.
std::string escaped(std::string_view text, bool property) {
    std::string out;
    for (const char c : text) {
        if (c == '%')
            out += "%25";
        else if (c == '\r')
            out += "%0D";
        else if (c == '\n')
            out += "%0A";
        else if (property && c == ':')
            out += "%3A";
        else if (property && c == ',')
            out += "%2C";
        else
            out += c;
    }
    return out;
}

std::string annotation(bool error, const std::string& title, const std::string& text,
                       const std::string& file = "") {
    return fmt::format("::{} {}title={}::{}\n", error ? "error" : "warning",
                       file.empty() ? "" : "file=" + escaped(file, true) + ",",
                       escaped(title, true), escaped(text, false));
}

std::string failures_table(const GateReport& report) {
    if (report.failures.empty()) return "";
    std::string out =
        "\n### Failures\n\n| | scenario | seed | runs | why | evidence | |\n"
        "|---|---|---|---|---|---|---|\n";
    for (const GateFailure& one : report.failures) {
        std::string note = one.known.empty() ? "" : cell(one.known);
        if (!one.also.empty()) note += (note.empty() ? "" : "; ") + cell("also " + also_text(one));
        if (const auto words = baseline_words(one.baseline); !words.empty())
            note += (note.empty() ? "" : "; ") + cell(words);
        out += fmt::format(
            "| {} | {} | {} ({}) | {} of {} | {} | {} | {} |\n", to_string(one.standing),
            cell(report.all.tallies[one.subject].scenario()), one.seed, to_string(one.stage),
            one.runs, one.of_runs, code(to_string(one.why)), cell(one.evidence), note);
    }
    for (const GateFailure& one : report.failures) {
        out += fmt::format("\n    {}\n", printable(one.again));
        if (!one.repro.empty())
            out += fmt::format("    lockstep replay {}\n", printable(one.repro));
        if (one.report.empty()) continue;
        out +=
            fmt::format("\n<details><summary>{}</summary>\n\n~~~text\n", cell(to_string(one.why)));
        std::size_t begin = 0;
        while (begin < one.report.size()) {
            const std::size_t end = std::min(one.report.find('\n', begin), one.report.size());
            std::string line = printable(std::string_view(one.report).substr(begin, end - begin));
            if (line.starts_with("~~~")) line.insert(0, " ");
            out += line + "\n";
            begin = end + 1;
        }
        out += "~~~\n\n</details>\n";
    }
    return out;
}

std::string regressions_table(const GateReport& report) {
    std::string rows;
    for (const GateRegression& one : report.regressions) {
        if (one.result == GateRegression::Result::Held) continue;
        rows += fmt::format("| {} | {} | {} |\n", code(one.file), to_string(one.result),
                            code(to_string(one.was)));
    }
    return rows.empty() ? "" : "\n### Regressions\n\n| file | now | was |\n|---|---|---|\n" + rows;
}

std::string list(const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return "";
    std::string out = fmt::format("\n### {}\n\n", title);
    for (const auto& line : lines) out += "- " + cell(line) + "\n";
    return out;
}

}  // namespace

std::string gate_markdown(const GateReport& report) {
    const auto held = std::count_if(
        report.regressions.begin(), report.regressions.end(),
        [](const GateRegression& one) { return one.result == GateRegression::Result::Held; });
    const Totals corpus = totals(report.corpus);
    const Totals fresh = totals(report.fresh);
    std::string out = fmt::format("## Lockstep gate: {}\n\n", headline(exit_code(report)));
    out += "| stage | runs | not as expected |\n|---|---|---|\n";
    out += fmt::format("| regressions | {} | {} |\n", report.regressions.size(),
                       static_cast<std::ptrdiff_t>(report.regressions.size()) - held);
    out += fmt::format("| corpus | {} | {} |\n", grouped(corpus.runs), grouped(corpus.failed));
    out += fmt::format("| fresh seeds from {} | {} | {} |\n", report.fresh_from,
                       grouped(fresh.runs), grouped(fresh.failed));
    out += fmt::format("\nBase {}, {} of a sample of {} runs repeated, {} different.\n",
                       code(report.base), grouped(report.ran_twice), grouped(report.sampled),
                       report.differing.size());
    out += failures_table(report) + regressions_table(report);
    out += list("Not enough was seen", too_little(report));
    return out + list("Doubts", gate_doubts(report));
}

std::string gate_annotations(const GateReport& report) {
    std::string out;
    for (const GateFailure& one : report.failures)
        out += annotation(
            blocks(one.standing),
            fmt::format("{} in {} ({})", to_string(one.why),
                        report.all.tallies[one.subject].scenario(), to_string(one.standing)),
            fmt::format("{}\n{}", one.evidence, one.again));
    for (const GateRegression& one : report.regressions)
        if (one.result != GateRegression::Result::Held)
            out += annotation(!failed(one) || blocks(one.standing),
                              fmt::format("{}: {}", one.scenario, to_string(one.result)),
                              one.evidence.empty() ? one.again : one.evidence + "\n" + one.again,
                              one.file);
    for (const auto& line : too_little(report))
        out += annotation(true, "the gate did not see enough", line);
    const auto doubts = gate_doubts(report);
    constexpr std::size_t shown = 10;  // GitHub shows ten of a step
    for (std::size_t i = 0; i < std::min(doubts.size(), shown); ++i)
        out += annotation(true, "the harness is not to be trusted", doubts[i]);
    return out;
}

}  // namespace lockstep::harness
