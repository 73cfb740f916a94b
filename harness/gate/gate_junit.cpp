#include "harness/gate/gate.hpp"
#include "harness/gate/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {
namespace {

using Result = JunitCase::Result;

std::string text_of(const GateFailure& failure) {
    std::string out =
        fmt::format("{}, {} of {} runs, {}\n{}\n", to_string(failure.why), failure.runs,
                    failure.of_runs, to_string(failure.standing), failure.evidence);
    if (!failure.also.empty()) out += "also violated: " + also_text(failure) + "\n";
    if (!failure.known.empty()) out += failure.known + "\n";
    const std::string baseline = baseline_words(failure.baseline);
    if (!baseline.empty()) out += baseline + "\n";
    if (!failure.report.empty()) out += failure.report;
    if (!failure.repro.empty()) out += "  repro: " + failure.repro + "\n";
    return out + "  again: " + failure.again + "\n";
}

/// What is known of the failures of one case, in place of the plain list of seeds.
void refine(const GateReport& report, std::size_t subject, JunitCase& one) {
    if (one.result != Result::Failed) return;
    std::string body;
    bool any_blocks = false;
    const GateFailure* first = nullptr;
    for (const GateFailure& failure : report.failures) {
        if (failure.subject != subject || junit_case_of(failure.why.property) != one.name) continue;
        body += text_of(failure);
        const bool better = blocks(failure.standing) && !any_blocks;
        if (first == nullptr || better) first = &failure;
        any_blocks = any_blocks || blocks(failure.standing);
    }
    if (first == nullptr) {
        // A run that failed in two ways is told once; it blocks here if it does there.
        const auto of_subject = [&](const GateFailure& other) { return other.subject == subject; };
        const auto told = std::find_if(report.failures.begin(), report.failures.end(), of_subject);
        const bool any = std::any_of(
            report.failures.begin(), report.failures.end(),
            [&](const GateFailure& other) { return of_subject(other) && blocks(other.standing); });
        if (told == report.failures.end() || any) return;
        one.result = Result::Skipped;
        one.message = fmt::format("{}: told with {}, seed {}", to_string(told->standing),
                                  to_string(told->why), told->seed);
        return;
    }
    one.kind = to_string(first->why);
    one.message =
        fmt::format("{}, seed {}: {}", to_string(first->why), first->seed, first->evidence);
    one.body = body;
    if (any_blocks) return;
    one.result = Result::Skipped;
    one.message = fmt::format("{}: {}", to_string(first->standing), one.message);
}

JunitSuite regressions(const GateReport& report) {
    JunitSuite suite{"regressions", {}};
    for (const GateRegression& regression : report.regressions) {
        JunitCase one;
        one.name = regression.file;
        one.kind = to_string(regression.was);
        one.message = std::string(to_string(regression.result));
        for (const auto& why : regression.found) one.message += ", " + to_string(why);
        one.body = regression.evidence + "\n  again: " + regression.again + "\n";
        if (failed(regression))
            one.result = blocks(regression.standing) ? Result::Failed : Result::Skipped;
        else if (regression.result != GateRegression::Result::Held)
            one.result = Result::Error;
        suite.cases.push_back(std::move(one));
    }
    return suite;
}

JunitCase lines_case(std::string name, const std::vector<std::string>& lines, const char* kind) {
    JunitCase one;
    one.name = std::move(name);
    if (lines.empty()) return one;
    one.result = Result::Error;
    one.kind = kind;
    one.message = lines.front();
    for (const auto& line : lines) one.body += line + "\n";
    return one;
}

}  // namespace

std::string gate_junit(const GateReport& report) {
    // What is demanded of a batch is asked once, with the gate's own minimums.
    Batch runs = report.all;
    runs.shard.emplace();
    auto suites = junit_suites(runs);
    for (std::size_t subject = 0; subject < suites.size(); ++subject)
        for (JunitCase& one : suites[subject].cases) refine(report, subject, one);
    suites.insert(suites.begin(), regressions(report));
    suites.push_back(
        {"gate",
         {lines_case("enough was seen", too_little(report), "gave-up"),
          lines_case("the harness is to be trusted", gate_doubts(report), "untrustworthy")}});
    return junit_text("lockstep gate", suites);
}

}  // namespace lockstep::harness
