#include "harness/lease/compare.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

/// What the explorer comes to is what is known from elsewhere.
namespace lockstep::test {
namespace {

void require_agreement(const lease::Comparison& comparison, std::size_t rows) {
    REQUIRE(comparison.rows.size() == rows);
    for (const lease::Compared& row : comparison.rows) {
        CAPTURE(row.what, row.known, row.ours, row.interval.low, row.interval.high);
        CHECK(row.agrees());
    }
    CHECK(comparison.agrees());
}

/// Of the make of a log of 25.84 hours: short stops, and one of 17.25 s near its end.
data::Series with_one_long_stop() {
    data::Series series;
    for (std::uint32_t i = 1; i < 600; ++i)
        series.points.push_back({seconds(150) * i, milliseconds(1 + i % 100), 0, i});
    series.points.push_back({seconds(92'830), Duration{17'249'844'600}, 0, 600});
    series.timed = true;
    series.observed = seconds(93'024);
    return series;
}

}  // namespace

TEST_CASE("lease: a stop costs the lease as often as the closed form says") {
    require_agreement(lease::compare_closed_form(3), 13);
}

TEST_CASE("lease: a takeover takes the lease less the age of the last renewal") {
    require_agreement(lease::compare_takeover(3), 9);
}

TEST_CASE("lease: messages are those of Gray and Cheriton") {
    require_agreement(lease::compare_traffic(3), 7);
}

TEST_CASE("lease: Kubernetes' rule of skew and OpenShift's choice come out") {
    require_agreement(lease::compare_kubernetes(3), 11);
}

TEST_CASE("lease: one long stop costs short leases for sure, and long ones never") {
    const auto comparison = lease::compare_longest_stop(
        with_one_long_stop(), {seconds(15), seconds(20), seconds(26)}, 3, 150);
    require_agreement(comparison, 3);
    CHECK(comparison.rows[0].ours == 1);
    // 0.59 with renewals a third of the lease apart, less for jitter.
    CHECK(comparison.rows[1].known == Approx(0.574).margin(0.001));
    CHECK(comparison.rows[2].ours == 0);
}

TEST_CASE("lease: the service reduced to its leases does what the whole cluster does") {
    require_agreement(lease::compare_fidelities(3, seconds(6 * 3'600)), 12);
}

TEST_CASE("lease: the chance of a loss is the closed form") {
    const auto chance = [](std::int64_t stop_ms, std::int64_t lease_ms) {
        return lease::loss_chance(milliseconds(stop_ms), milliseconds(lease_ms),
                                  milliseconds(lease_ms) / 3);
    };
    CHECK(chance(10'000, 10'000) == 1);
    CHECK(chance(17'250, 15'000) == 1);
    CHECK(chance(17'250, 20'000) == Approx(0.5875));
    CHECK(chance(17'250, 25'875) == Approx(0).margin(1e-9));
    CHECK(chance(10'000, 20'000) == 0);
}

TEST_CASE("lease: a comparison that is off says so") {
    lease::Comparison comparison{"", "", "", {{"", 1, 2, {1.5, 2.5}}}};
    CHECK_FALSE(comparison.agrees());
    comparison.rows[0].known = 1.5;
    CHECK(comparison.agrees());
}

}  // namespace lockstep::test
