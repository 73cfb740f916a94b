#include "harness/data/hiccups.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace lockstep::test {
namespace {

constexpr std::int64_t ms = 1'000'000;

/// Two digits of a value, as HdrHistogram keeps them: the upper end of its bucket.
std::int64_t bucket_end(std::int64_t value) {
    std::int64_t width = 1;
    while (value / width >= 256) width *= 2;
    return (value / width + 1) * width - 1;
}

/// What jHiccup would have recorded.
std::vector<data::HdrCount> recorded(const std::vector<std::int64_t>& stops) {
    std::map<std::int64_t, std::uint64_t> counts;
    for (const std::int64_t stop : stops) {
        ++counts[bucket_end(stop)];
        for (std::int64_t left = stop - ms; left >= ms; left -= ms) ++counts[bucket_end(left)];
    }
    std::vector<data::HdrCount> all;
    for (const auto& [end, count] : counts) {
        std::int64_t width = 1;
        while (end / width >= 256) width *= 2;
        all.push_back({end - width, end, count});
    }
    return all;
}

/// How many came out longer than that.
std::uint64_t longer(const std::vector<data::HdrCount>& stops, std::int64_t length) {
    std::uint64_t count = 0;
    for (const data::HdrCount& stop : stops)
        if (stop.up_to > length) count += stop.count;
    return count;
}

}  // namespace

TEST_CASE("hiccups: long stops come out once each, at their length") {
    const std::vector<std::int64_t> stops{17'249 * ms, 9'100 * ms, 500 * ms, 480 * ms,
                                          20 * ms,     20 * ms,    20 * ms};
    const auto all = recorded(stops);
    std::uint64_t samples = 0;
    for (const auto& one : all) samples += one.count;
    REQUIRE(samples > 27'000);
    const auto found = data::stops_behind(all, ms);
    CHECK(longer(found, 16'900 * ms) == 1);
    CHECK(longer(found, 17'500 * ms) == 0);
    CHECK(longer(found, 10'000 * ms) == 1);
    CHECK(longer(found, 8'900 * ms) == 2);
    CHECK(longer(found, 600 * ms) == 2);
    CHECK(longer(found, 400 * ms) == 4);
    CHECK(longer(found, 40 * ms) == 4);
    CHECK(longer(found, 12 * ms) == 7);
    CHECK(std::ranges::is_sorted(found, {}, &data::HdrCount::up_to));
}

TEST_CASE("hiccups: waits below the resolution stay what they are") {
    std::vector<std::int64_t> stops(5'000, 60'000);
    CHECK(longer(data::stops_behind(recorded(stops), ms), 0) == 5'000);
    stops.push_back(700 * ms);
    const auto found = data::stops_behind(recorded(stops), ms);
    CHECK(longer(found, 100 * ms) == 1);
    CHECK(longer(found, 680 * ms) == 1);
    CHECK(longer(found, 0) >= 5'000);
    CHECK(longer(found, 0) <= 5'001);
    CHECK(data::stops_behind({}, ms).empty());
}

}  // namespace lockstep::test
