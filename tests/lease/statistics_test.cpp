#include "harness/lease/statistics.hpp"

#include "tests/support/catch.hpp"

#include <cmath>
#include <limits>

namespace lockstep::test {

TEST_CASE("lease-statistics: Poisson intervals are those of the tables") {
    const auto require = [](std::uint64_t count, double low, double high) {
        const lease::Interval interval = lease::poisson_interval(count);
        CHECK(interval.low == Approx(low).epsilon(1e-3));
        CHECK(interval.high == Approx(high).epsilon(1e-3));
    };
    require(0, 0, 2.9957);
    require(1, 0.02532, 5.5716);
    require(3, 0.61867, 8.7673);
    require(10, 4.7954, 18.390);
    require(100, 81.364, 121.627);
}

TEST_CASE("lease-statistics: no stop in 25.84 hours leaves up to 84 a month") {
    const double most = lease::weighted_interval(0, 0, 1).high / 25.84 * 720;
    CHECK(most == Approx(83.5).margin(0.1));
}

TEST_CASE("lease-statistics: things that weigh one are counted; lighter ones tell more") {
    const lease::Interval ones = lease::weighted_interval(3, 3, 1);
    CHECK(ones.low == Approx(0.61867).epsilon(1e-3));
    CHECK(ones.high == Approx(8.7673).epsilon(1e-3));
    // The same sum of thirty stops, each of which costs a tenth of a lease.
    const lease::Interval tenths = lease::weighted_interval(3, 0.3, 0.1);
    CHECK(tenths.low > ones.low);
    CHECK(tenths.high < ones.high);
    CHECK(tenths.low < 3);
    CHECK(tenths.high > 3);
}

TEST_CASE("lease-statistics: quantiles and their ranks") {
    std::vector<double> values;
    for (int i = 1; i <= 1'000; ++i) values.push_back(i);
    CHECK(lease::quantile(values, 0.5) == 500);
    CHECK(lease::quantile(values, 0.99) == 990);
    CHECK(lease::quantile(values, 1) == 1'000);
    CHECK(lease::quantile({}, 0.5) == 0);
    const lease::Interval median = lease::quantile_interval(values, 0.5);
    CHECK(median.low == Approx(469).margin(1));
    CHECK(median.high == Approx(532).margin(1));
    CHECK(std::isinf(lease::quantile_interval({1, 2, 3}, 0.99).high));
    CHECK(std::isinf(lease::mean_interval({1}).high));
    CHECK(lease::mean_interval({1, 3}).high == Approx(2 + 1.96).margin(0.01));
}

TEST_CASE("lease-statistics: the gamma distribution") {
    CHECK(lease::gamma_quantile(1, 0.95) == Approx(-std::log(0.05)));
    CHECK(lease::gamma_quantile(50, 0.5) == Approx(49.667).epsilon(1e-4));
    CHECK(lease::gamma_quantile(0.5, 0.5) == Approx(0.22747).epsilon(1e-3));
}

TEST_CASE("lease-statistics: what a second look may see is a negative binomial") {
    // None in 120 days, and 90 days more: P(0) = 0.571^0.5, and so on.
    CHECK(lease::predicted_counts(0, 0.75) == lease::Interval{0, 3});
    // The longer the first look, the closer to Poisson's of the same mean: 0 to 7 of 3.
    CHECK(lease::predicted_counts(3e5, 1e-5) == lease::Interval{0, 7});
    const lease::Interval four = lease::predicted_counts(4, 0.75);
    CHECK(four.low == 0);
    CHECK(four.high == 9);
    const lease::Interval many = lease::predicted_counts(4'000, 1);
    CHECK(many.low == Approx(4'000 - 1.96 * std::sqrt(8'000)).epsilon(0.01));
    CHECK(many.high == Approx(4'000 + 1.96 * std::sqrt(8'000)).epsilon(0.01));
    CHECK(std::isinf(lease::predicted_counts(0, std::numeric_limits<double>::infinity()).high));
}

}  // namespace lockstep::test
