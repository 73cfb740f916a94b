#include "harness/explore_shard.hpp"
#include "harness/gate/baseline.hpp"
#include "harness/gate/gate.hpp"
#include "harness/gate/junit.hpp"
#include "harness/gate/known.hpp"
#include "harness/gate/minimums.hpp"
#include "harness/gate/odds.hpp"
#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>

namespace lockstep::test {
namespace {

using harness::find_shard;
using harness::Shard;

using Variables = std::map<std::string, std::string>;

auto shard_in(const std::string& said, const Variables& variables) {
    return find_shard(said, [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

std::string shard_text(const std::string& said, const Variables& variables) {
    const auto found = shard_in(said, variables);
    if (!found) return "refused";
    return found.value().shard ? to_string(*found.value().shard) : "whole";
}

bool near(double a, double b) {
    return std::abs(a - b) < 1e-6;
}

/// So many runs of one scenario, in the first `fired` of which a pause fires.
harness::Batch paused_batch(std::uint64_t runs, std::uint64_t fired) {
    harness::Batch batch;
    harness::Demands demands;
    demands.required_marks = {"lease-expired"};
    batch.tallies = {{"one", demands}};
    batch.repeats = {{"one", {}}};
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        Outcome outcome = held_outcome(seed);
        outcome.faults = {{"pause", 1, seed <= fired ? 3U : 0U, 0}};
        outcome.marks = {{"lease-expired", seed % 50 == 0 ? 1U : 0U}};
        batch.tallies[0].add(outcome);
    }
    return batch;
}

Result<std::vector<harness::KnownFailure>> known_from(const std::string& text) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("lockstep-known-" + std::to_string(::getpid()) + ".toml");
    std::ofstream(path, std::ios::binary) << text;
    auto known = harness::load_known(path.string());
    std::filesystem::remove(path);
    return known;
}

}  // namespace

TEST_CASE("shard: the parts are disjoint and cover all seeds") {
    for (const std::uint64_t count : {1U, 3U, 7U, 100U})
        for (const std::uint64_t seeds : {100U, 101U, 1'000'003U}) {
            std::uint64_t next = 5;
            for (std::uint64_t i = 1; i <= count; ++i) {
                const auto part = harness::part_of({i, count}, {5, seeds});
                CHECK(part.first == next);
                CHECK(part.count >= seeds / count);
                CHECK(part.count <= seeds / count + 1);
                next += part.count;
            }
            CHECK(next == 5 + seeds);
        }
}

TEST_CASE("shard: taken from the command line, or from what schedulers set") {
    CHECK(shard_text("2/4", {}) == "2/4");
    CHECK(shard_text("", {}) == "whole");
    for (const std::string bad : {"0/4", "5/4", "2", "a/b", "2/4x", "/4", "2/", "auto/0", "-1/4"})
        CHECK(shard_text(bad, {}) == "refused");
    const Variables slurm{{"SLURM_ARRAY_TASK_ID", "14"},
                          {"SLURM_ARRAY_TASK_COUNT", "3"},
                          {"SLURM_ARRAY_TASK_MIN", "10"},
                          {"SLURM_ARRAY_TASK_STEP", "2"}};
    CHECK(shard_text("", slurm) == "3/3");
    CHECK(shard_text("1/2", slurm) == "1/2");
    CHECK(shard_text("1/1", slurm) == "whole");
    CHECK(shard_text("", {{"SLURM_ARRAY_TASK_ID", "1"}}) == "refused");
    CHECK(shard_text("", {{"JOB_COMPLETION_INDEX", "0"}}) == "refused");
    CHECK(shard_text("auto/8", {{"JOB_COMPLETION_INDEX", "0"}}) == "1/8");
    CHECK(shard_text("", {{"JOB_COMPLETION_INDEX", "7"}, {"LOCKSTEP_SHARDS", "8"}}) == "8/8");
    CHECK(shard_text("", {{"JOB_COMPLETION_INDEX", "8"}, {"LOCKSTEP_SHARDS", "8"}}) == "refused");
    CHECK(shard_text("", {{"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "5"}}) == "2/5");
    CHECK(shard_text("", {{"LOCKSTEP_SHARD", "3/9"}}) == "3/9");
    CHECK(shard_text("auto/8", {}) == "refused");
}

TEST_CASE("gate: chances of counts are those of the textbooks") {
    CHECK(near(harness::binomial_below(10, 0.5, 3), 56.0 / 1024));
    CHECK(near(harness::poisson_below(2, 2), 3 * std::exp(-2.0)));
    CHECK(near(harness::rate_at_most(0, 100, 0.05), 1 - std::pow(0.05, 0.01)));
    CHECK(near(harness::rate_at_least(100, 100, 0.05), std::pow(0.05, 0.01)));
    CHECK(harness::rate_at_most(5, 100, 0.025) > 0.1128);
    CHECK(harness::rate_at_most(5, 100, 0.025) < 0.1129);
    const auto least = harness::least_of_binomial(70, 0.955, 2.5e-9);
    CHECK(harness::binomial_below(70, 0.955, least) <= 2.5e-9);
    CHECK(harness::binomial_below(70, 0.955, least + 1) > 2.5e-9);
    CHECK(harness::least_of_binomial(70, 0.041, 2.5e-9) == 0);
    CHECK(harness::least_of_sum(0.5, 0.9) == 0);
    CHECK(harness::poisson_below(100, harness::least_of_sum(100, 1e-9)) <= 1e-9);
}

TEST_CASE("gate: a kind of fault that fires too rarely misses its minimum, a rare mark has none") {
    const auto rates = harness::measured_rates(paused_batch(200, 200));
    const auto parsed = harness::parse_rates(harness::rates_text(rates), "rates");
    REQUIRE(parsed);
    CHECK(parsed.value() == rates);
    std::uint64_t missed = 0;
    for (const auto& one : harness::minimums(paused_batch(70, 70), rates)) {
        INFO(harness::missed_text(one));
        CHECK(one.met());
        if (one.feat == harness::Feat::Mark) CHECK(one.least == 0);
        if (one.feat == harness::Feat::Fault && !one.scenario.empty()) CHECK(one.least > 45);
    }
    for (const auto& one : harness::minimums(paused_batch(70, 20), rates)) missed += !one.met();
    CHECK(missed == 2);  // in the scenario, and over all
    const auto bad = harness::parse_rates("one fault pause 3 2\n", "rates");
    REQUIRE_FALSE(bad);
    CHECK(bad.error().line == 1);
}

TEST_CASE("gate: the file of known failures is read, or refused with its line") {
    const auto good = known_from(
        "[\"LOCK-1/client-and-client-hold-lock\"]\nlink = \"x\"\nowner = \"y\"\n"
        "expires = 2026-02-28\n");
    REQUIRE(good);
    REQUIRE(good.value().size() == 1);
    CHECK(good.value()[0].expires == 20'260'228);
    for (const std::string bad :
         {"[\"LOCK-99/a-b\"]\nlink = \"x\"\n", "[\"LOCK-1/A b\"]\nlink = \"x\"\n",
          "[\"LOCK-1/a\"]\nlink = \"x\"\nowner = \"y\"\n", "link = \"x\"\n",
          "[\"LOCK-1/a\"]\nlnk = \"x\"\n", "[\"LOCK-1/a\"]\nexpires = \"2026-02-30\"\n",
          // A table without a key says nothing, which must not pass for nothing known.
          "[\"LOCK-99/a\"]\n", " [ 'LOCK-1/a' ] # later\n"}) {
        const auto known = known_from(bad);
        INFO(bad);
        REQUIRE_FALSE(known);
        CHECK(known.error().line > 0);
    }
}

TEST_CASE("gate: what blocks, and what passes") {
    using harness::BaselineAnswer;
    using harness::GateStage;
    harness::GateReport report;
    report.pr = true;
    harness::GateFailure failure;
    failure.why = {PropertyId::Lock1, "a"};
    failure.stage = GateStage::Fresh;
    report.failures = {failure};
    const auto standing = [&](const std::vector<harness::KnownFailure>& known) {
        harness::set_standings(report, known, 20'260'301);
        return report.failures[0].standing;
    };
    using harness::Standing;
    CHECK(standing({}) == Standing::Blocks);
    CHECK(exit_code(report) == harness::ExitCode::Violated);
    CHECK(standing({{{PropertyId::Lock1, "a"}, "l", "o", 20'260'301, 1}}) == Standing::Known);
    CHECK(exit_code(report) == harness::ExitCode::AsExpected);
    CHECK(standing({{{PropertyId::Lock1, "a"}, "l", "o", 20'260'228, 1}}) == Standing::Expired);
    CHECK(standing({{{PropertyId::Lock1, "b"}, "l", "o", 20'260'301, 1}}) == Standing::Blocks);
    report.failures[0].baseline.verdict = BaselineAnswer::Verdict::FailsToo;
    CHECK(standing({}) == Standing::PreExisting);
    CHECK(exit_code(report) == harness::ExitCode::AsExpected);
    report.failures[0].stage = GateStage::Corpus;
    CHECK(standing({}) == Standing::Blocks);
    report.failures[0].stage = GateStage::Fresh;
    report.pr = false;
    CHECK(standing({}) == Standing::Blocks);
    report.failures.clear();
    report.differing = {{}};
    report.all.tallies = {{"one", {}}};
    CHECK(exit_code(report) == harness::ExitCode::Untrustworthy);
}

TEST_CASE("gate: what a baseline says of the run is compared by property") {
    using Verdict = harness::BaselineAnswer::Verdict;
    const harness::Fingerprint why{PropertyId::Lock1, "a"};
    const auto said = [&](const std::string& code) {
        return harness::read_baseline("{\"end\":\"finished\",\"properties\":[{\"property\":\"" +
                                          code + "\",\"verdict\":\"violated\"}]}",
                                      why)
            .verdict;
    };
    CHECK(said("LOCK-1") == Verdict::FailsToo);
    CHECK(said("LOCK-2") == Verdict::FailsOtherwise);
    CHECK(harness::read_baseline("{\"properties\":[]}", why).verdict == Verdict::Held);
    // What else the run violates must be violated there, too.
    const std::string both =
        "{\"properties\":[{\"property\":\"LOCK-1\",\"verdict\":\"violated\"},"
        "{\"property\":\"LIN-1\",\"verdict\":\"violated\"}]}";
    CHECK(harness::read_baseline(both, why, {PropertyId::Lin1}).verdict == Verdict::FailsToo);
    const auto lacks = harness::read_baseline(both, why, {PropertyId::Lin1, PropertyId::Fence1});
    CHECK(lacks.verdict == Verdict::FailsOtherwise);
    CHECK(lacks.detail == "it does not violate FENCE-1");
    CHECK(harness::read_baseline("nonsense", why).verdict == Verdict::CouldNotTell);
    harness::BaselineQuestion question;
    question.program = "/bin/false-there-is-none";
    question.file = "x";
    CHECK(harness::ask_baseline(question).verdict == Verdict::CouldNotTell);
}

TEST_CASE("junit: whatever the evidence, the text stays XML") {
    CHECK(harness::xml_text("a<b>&\"\x01\xff\n\xef\xbf\xbf") ==
          "a&lt;b&gt;&amp;&quot;\\x01\\xff\n\\xef\\xbf\\xbf");
    harness::Batch batch = mixed_batch();
    Outcome outcome = held_outcome(9);
    violate(outcome, PropertyId::Lock1, sim::SimTime{1}, "]]></failure><x a=\"\x1b[31m");
    batch.tallies[0].add(outcome);
    const std::string text = harness::batch_junit(batch);
    CHECK(text.find("</failure><x") == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("job has two holders, worker-a and worker-b") != std::string::npos);
    CHECK(text.find("again: lockstep run pause-past-lease --seed 2") != std::string::npos);
    CHECK(text.find("type=\"crashed\"") != std::string::npos);
}

}  // namespace lockstep::test
