// What a gate tells of failures whose texts come from anywhere.
#include "harness/gate/gate_runs.hpp"
#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lockstep::test {
namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// One failing run, with texts that would be markup, commands or colours elsewhere.
harness::GateReport hostile_report() {
    harness::GateReport report;
    report.base = "a|b`c\x1b[31m";
    for (harness::Batch* batch : {&report.corpus, &report.fresh, &report.all}) {
        batch->tallies = {{"one", {}}};
        batch->repeats = {{"one", {}}};
    }
    Outcome outcome = held_outcome(3);
    violate(outcome, PropertyId::Lock1, sim::SimTime{1}, "x");
    report.corpus.tallies[0].add(outcome);
    report.all.tallies[0].add(outcome);
    harness::GateFailure failure;
    failure.seed = 3;
    failure.of_runs = 1;
    failure.why = {PropertyId::Lock1, "a-b"};
    failure.evidence = "<script>|*x*`\x1b[31m\xff::error::y\n::warning::z 100%";
    failure.report = "first\n~~~\n\x1b[31m<b>\n";
    failure.again = "lockstep run one --seed 3";
    report.failures = {failure};
    return report;
}

}  // namespace

TEST_CASE("gate: no evidence is markup in the summary") {
    const std::string text = harness::gate_markdown(hostile_report());
    INFO(text);
    CHECK(holds(text, "&lt;script\\>"));
    CHECK(holds(text, "\\|\\*x\\*\\`"));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\xff') == std::string::npos);
    // The report stands in a block of code, which none of its lines ends.
    CHECK(holds(text, "\n ~~~\n"));
    std::size_t fences = 0;
    for (std::size_t at = 0; (at = text.find("\n~~~", at)) != std::string::npos; ++at) ++fences;
    CHECK(fences == 2);
    CHECK(holds(text, "`LOCK-1/a-b`"));
    CHECK(holds(text, "lockstep run one --seed 3"));
}

TEST_CASE("gate: no evidence is a command of the workflow") {
    const std::string text = harness::gate_annotations(hostile_report());
    INFO(text);
    CHECK(text.starts_with("::error title=LOCK-1/a-b in one (blocks)::"));
    CHECK_FALSE(holds(text, "\n::warning"));
    CHECK(holds(text, "%0A"));
    CHECK(holds(text, "100%25"));
}

TEST_CASE("gate: what a run violates beside its reason passes and blocks with it") {
    harness::GateReport report = hostile_report();
    Outcome outcome = held_outcome(3);
    violate(outcome, PropertyId::Lock1, sim::SimTime{1}, "x");
    violate(outcome, PropertyId::Lin1, sim::SimTime{1}, "x");
    report.all.tallies = {{"one", {}}};
    report.all.tallies[0].add(outcome);
    report.failures[0].also = {PropertyId::Lin1};
    CHECK(holds(harness::gate_junit(report), "failures=\"2\""));
    CHECK(holds(harness::gate_text(report, {}), "LOCK-1/a-b; also LIN-1\n"));
    CHECK(holds(harness::gate_markdown(report), "also LIN-1 |"));
    report.failures[0].standing = harness::Standing::PreExisting;
    const std::string passes = harness::gate_junit(report);
    INFO(passes);
    CHECK(exit_code(report) != harness::ExitCode::Violated);
    CHECK(holds(passes, "failures=\"0\""));
    CHECK(holds(passes, "pre-existing: told with LOCK-1/a-b, seed 3"));
}

TEST_CASE("gate: what is known is a run's reason only if there is no other") {
    using harness::Fingerprint;
    const Fingerprint a{PropertyId::Lock1, "a"};
    const Fingerprint b{PropertyId::Lock3, "b"};
    const Fingerprint c{PropertyId::Fence1, "c"};
    const harness::KnownFailure known_a{a, "l", "o", 20'260'301, 1};
    const harness::KnownFailure known_b{b, "l", "o", 20'260'301, 1};
    CHECK_FALSE(harness::reason_of({}, {}));
    const auto all = harness::reason_of({c, a, b}, {});
    REQUIRE(all);
    CHECK(all->why == c);
    CHECK(all->also == std::vector<PropertyId>{PropertyId::Lock1, PropertyId::Lock3});
    const auto second = harness::reason_of({a, b, c}, {known_a});
    REQUIRE(second);
    CHECK(second->why == b);
    CHECK(second->also == std::vector<PropertyId>{PropertyId::Fence1});
    const auto none_new = harness::reason_of({b, a}, {known_a, known_b});
    REQUIRE(none_new);
    CHECK(none_new->why == b);
    CHECK(none_new->also.empty());
}

TEST_CASE("gate: a violation has its time, a bad end has none") {
    harness::GateReport report = hostile_report();
    report.failures[0].report.clear();
    report.failures[0].evidence = "so it was";
    CHECK(holds(harness::gate_text(report, {}), "      at 0.000: so it was\n"));
    report.failures[0].why.property.reset();
    CHECK(holds(harness::gate_text(report, {}), "      so it was\n"));
}

TEST_CASE("gate: lines of the terminal stay within its width") {
    harness::GateReport report = hostile_report();
    for (int i = 0; i < 20; ++i)
        report.minimums.push_back({"a-scenario-of-a-long-name", harness::Feat::Fault, "pause", 5});
    const std::string text = harness::gate_text(report, {}, 80);
    INFO(text);
    const auto from = text.find("  too rare");
    REQUIRE(from != std::string::npos);
    const std::string line = text.substr(from, text.find("FAIL", from) - from);
    CHECK(holds(line, "and 8 more"));
    std::size_t begin = 0;
    while (begin < line.size()) {
        const std::size_t end = std::min(line.find('\n', begin), line.size());
        CHECK(end - begin <= 80);
        begin = end + 1;
    }
}

}  // namespace lockstep::test
