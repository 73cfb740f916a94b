#include "harness/run.hpp"
#include "properties/rapid/clusters.hpp"
#include "tests/support/rapid.hpp"

#include <string>

using namespace lockstep;
using properties::rapid::SmallCluster;

namespace {

std::string first_violation(const harness::Outcome& outcome) {
    if (outcome.end != harness::End::Finished) return outcome.end_detail;
    for (const auto& report : outcome.reports)
        if (report.verdict == properties::Verdict::Violated)
            return std::string(properties::code_of(report.id)) + ": " + report.first->evidence;
    return "";
}

}  // namespace

TEST_CASE("clusters: no plan of faults that end breaks a promise", "[rapid]") {
    const auto holds = [] {
        const SmallCluster cluster = *properties::rapid::small_clusters();
        const auto outcome =
            harness::run(properties::rapid::scenario_of(cluster), cluster.seed, {});
        const std::string violation = first_violation(outcome);
        if (!violation.empty()) RC_FAIL(violation);
    };
    test::check_property("no plan of faults that end breaks a promise", holds);
}

// The generator must be able to find what it is there for, and to say it in few faults.
TEST_CASE("clusters: without fencing a lost update is found and its plan shrunk", "[rapid]") {
    std::size_t faults_left = 99;
    rc::detail::TestMetadata metadata;
    metadata.id = "lost update";
    rc::detail::TestParams params;
    params.seed = 7;
    params.maxSuccess = 400;
    const auto result = rc::detail::checkTestable(
        [&faults_left] {
            SmallCluster cluster = *properties::rapid::small_clusters();
            scenario::Scenario scenario = properties::rapid::scenario_of(cluster);
            scenario.resource.fencing = resource::Fencing::None;
            scenario.expect.push_back({"FENCE-2", "", ""});
            const auto outcome = harness::run(scenario, cluster.seed, {});
            const auto& reports = outcome.reports;
            for (const auto& report : reports) {
                if (report.id != properties::PropertyId::Fence2) continue;
                if (report.verdict == properties::Verdict::Violated) {
                    faults_left = cluster.plan.size();
                    RC_FAIL("lost update");
                }
            }
        },
        metadata, params);
    REQUIRE(result.template is<rc::detail::FailureResult>());
    // The last failing call is the shrunk one: RapidCheck keeps only candidates that still fail.
    CHECK(faults_left <= 2);
    CHECK(faults_left >= 1);
}
