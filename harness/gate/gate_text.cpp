#include "harness/gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {
namespace {

/// Of each list so many lines are printed; the rest is counted.
constexpr std::size_t lines_printed = 12;

Tone tone_of(Standing standing) {
    return blocks(standing) ? Tone::Bad : Tone::Warn;
}

std::string regression_lines(const GateReport& report, const Paint& paint, std::size_t width) {
    if (report.regressions.empty())
        return fmt::format("  regressions   {}\n", report.regressions_note);
    std::size_t held = 0;
    std::string out;
    for (const GateRegression& one : report.regressions) {
        if (one.result == GateRegression::Result::Held) {
            ++held;
            continue;
        }
        out += paint(tone_of(one.standing),
                     fmt::format("FAIL  {}  {}", one.file, to_string(one.result))) +
               "\n";
        out += fmt::format("      was {}\n", to_string(one.was));
        for (const auto& why : one.found) out += fmt::format("      is  {}\n", to_string(why));
        if (!one.evidence.empty())
            out += fmt::format("      {}\n", wrapped(one.evidence, 6, width));
        if (failed(one))
            out += fmt::format("      {}{}\n", to_string(one.standing),
                               one.known.empty() ? "" : ": " + one.known);
        out += fmt::format("      again: {}\n", one.again);
    }
    return fmt::format("  regressions   {} of {} held\n", held, report.regressions.size()) + out;
}

std::string stage_line(const char* name, const Batch& batch, std::uint64_t seeds,
                       const std::string& which) {
    const Totals sum = totals(batch);
    return fmt::format("  {:<13} {} runs of {} scenarios ({} seeds each{}), {} not as expected\n",
                       name, grouped(sum.runs), batch.tallies.size(), grouped(seeds), which,
                       grouped(sum.failed));
}

/// Whether it blocks, and what is known of that.
std::string standing_line(const GateFailure& failure) {
    std::string line(to_string(failure.standing));
    if (!failure.known.empty()) line += ": " + failure.known;
    const std::string baseline = baseline_words(failure.baseline);
    if (failure.standing == Standing::PreExisting) return baseline;
    if (!baseline.empty()) line += "; " + baseline;
    if (failure.standing == Standing::Blocks && failure.stage == GateStage::Corpus &&
        failure.baseline.verdict == BaselineAnswer::Verdict::FailsToo)
        line += "; the corpus blocks all the same, until known.toml names it";
    return line;
}

std::string failure_lines(const GateReport& report, const GateFailure& failure, const Paint& paint,
                          std::size_t width) {
    std::string out;
    if (failure.report.empty()) {
        out = paint(tone_of(failure.standing),
                    fmt::format("FAIL  {} seed {}", report.all.tallies[failure.subject].scenario(),
                                failure.seed)) +
              fmt::format("  {} of {} runs\n", grouped(failure.runs), grouped(failure.of_runs));
        if (!failure.evidence.empty())
            out += fmt::format(
                "      {}\n",
                wrapped((failure.why.property ? fmt::format("at {}: ", seconds_text(failure.at_ns))
                                              : std::string()) +
                            failure.evidence,
                        6, width));
        out += fmt::format("      again: {}\n", failure.again);
    } else {
        out = failure.report;
    }
    const std::string also = failure.also.empty() ? "" : "; also " + also_text(failure);
    out += fmt::format("      {}{}\n      of the {}: {}\n", to_string(failure.why), also,
                       failure.stage == GateStage::Corpus ? "corpus" : "fresh seeds",
                       standing_line(failure));
    if (!failure.repro.empty()) out += fmt::format("      repro: {}\n", failure.repro);
    if (!failure.trouble.empty()) out += fmt::format("      no repro: {}\n", failure.trouble);
    return out;
}

std::string undemanded_line(const GateReport& report, std::size_t width) {
    const auto rare = not_demanded(report);
    if (rare.empty()) return "";
    std::string list;
    for (std::size_t i = 0; i < std::min(rare.size(), lines_printed); ++i)
        list += fmt::format("{}{} {} {}", i == 0 ? "" : ", ",
                            rare[i]->scenario.empty() ? "all" : rare[i]->scenario,
                            to_string(rare[i]->feat), rare[i]->name);
    if (rare.size() > lines_printed)
        list += fmt::format(" and {} more", rare.size() - lines_printed);
    return fmt::format("  {}\n",
                       wrapped("too rare to be demanded of so few runs: " + list, 2, width));
}

std::string verdict_line(const GateReport& report, const Paint& paint) {
    switch (exit_code(report)) {
        case ExitCode::AsExpected:
            return paint(Tone::Good, "passed");
        case ExitCode::Violated:
            return paint(Tone::Bad, "FAILED");
        case ExitCode::GaveUp:
            return paint(Tone::Warn, "could not tell");
        default:
            return paint(Tone::Bad, "the harness is NOT TO BE TRUSTED");
    }
}

}  // namespace

std::string gate_text(const GateReport& report, const Paint& paint, std::size_t width) {
    std::string out = regression_lines(report, paint, width);
    out += stage_line("corpus", report.corpus, report.corpus_seeds, "");
    out +=
        stage_line("fresh seeds", report.fresh, report.fresh_seeds,
                   fmt::format(" from {}, base '{}'", report.fresh_from, printable(report.base)));
    if (report.sampled > 0)
        out += fmt::format("  run twice     {} of a sample of {}, {} came out differently\n",
                           grouped(report.ran_twice), grouped(report.sampled),
                           grouped(report.differing.size()));
    const auto met = std::count_if(report.minimums.begin(), report.minimums.end(),
                                   [](const Minimum& m) { return m.least > 0 && m.met(); });
    const auto rare = not_demanded(report).size();
    out += fmt::format("  minimums      {} of {} met\n", met, report.minimums.size() - rare);
    out += undemanded_line(report, width);
    for (const GateFailure& failure : report.failures)
        out += failure_lines(report, failure, paint, width);
    if (report.not_looked_at > 0)
        out += fmt::format("      {} failing runs were not looked at one by one\n",
                           grouped(report.not_looked_at));
    for (const auto& what : too_little(report))
        out += wrapped("SHORT " + what, 0, width, paint, Tone::Warn) + "\n";
    const auto doubts = gate_doubts(report);
    for (std::size_t i = 0; i < std::min(doubts.size(), lines_printed); ++i)
        out += wrapped("DOUBT " + doubts[i], 0, width, paint, Tone::Bad) + "\n";
    if (doubts.size() > lines_printed)
        out += fmt::format("      and {} more doubts\n", doubts.size() - lines_printed);
    return out + fmt::format("gate: {} after {} runs in {}\n", verdict_line(report, paint),
                             grouped(totals(report.all).runs),
                             span_text(milliseconds(report.elapsed.count())));
}

}  // namespace lockstep::harness
