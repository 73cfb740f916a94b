#include "harness/lease/occurrences.hpp"

#include "tests/support/catch.hpp"

#include <vector>

namespace lockstep::test {
namespace {

using lease::Occurrence;
using lease::Occurrences;
using lease::Source;

std::vector<Occurrence> first(const Source& source, std::size_t n, std::uint64_t seed = 1) {
    Occurrences occurrences(source, seed);
    std::vector<Occurrence> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(occurrences.next());
    return all;
}

Source trace() {
    Source source;
    source.series.points = {{seconds(10), milliseconds(1), 0, 1},
                            {seconds(11), milliseconds(2), 0, 2},
                            {seconds(50), milliseconds(3), 0, 3}};
    source.series.timed = true;
    source.series.observed = seconds(100);
    return source;
}

}  // namespace

TEST_CASE("lease-data: a trace is replayed round by round, with its distances") {
    const Source source = trace();
    const auto all = first(source, 300);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i].length == source.series.points[all[i].index].length);
        CHECK(all[i].at >= sim::SimTime{} + seconds(100) * static_cast<std::int64_t>(i / 3));
        CHECK(all[i].at < sim::SimTime{} + seconds(100) * static_cast<std::int64_t>(i / 3 + 1));
        if (i == 0) continue;
        CHECK(all[i].at >= all[i - 1].at);
        if (all[i].index == 1 && all[i - 1].index == 0 && all[i].at - all[i - 1].at == seconds(1))
            ++kept;
    }
    // But for the seams, of which one in a hundred falls in between.
    CHECK(kept > 90);
    // Each round has a phase of its own.
    CHECK(all[3].at - all[0].at != seconds(100));
    CHECK(first(source, 3, 2)[0].at != all[0].at);
    CHECK(first(source, 3)[0].at == all[0].at);
}

TEST_CASE("lease-data: short ones of a trace are left out, and summed up to the same") {
    const Source source = trace();
    Occurrences all(source, 1);
    const Occurrences none(source, 1, milliseconds(10));
    Occurrences some(source, 1, milliseconds(3));
    CHECK(Occurrences(none).next().at == sim::SimTime::never());
    Occurrence long_one = some.next();
    Occurrence pending = all.next();
    for (std::int64_t from = 0; from < 2'000; from += 37) {
        const sim::SimTime begin{seconds(from).ns};
        const sim::SimTime end{seconds(from + 37).ns};
        Duration sum{};
        Duration of_short{};
        for (; pending.at < end; pending = all.next()) {
            sum += pending.length;
            if (pending.length < milliseconds(3)) {
                of_short += pending.length;
                continue;
            }
            CHECK(long_one.at == pending.at);
            long_one = some.next();
        }
        CHECK(none.left_out(begin, end) == sum);
        CHECK(some.left_out(begin, end) == of_short);
    }
}

TEST_CASE("lease-data: samples without times come at random, as often as they were seen") {
    Source source = trace();
    source.series.timed = false;
    const auto all = first(source, 30'000);
    const double span = static_cast<double>(all.back().at.ns) / 1e9;
    CHECK(span / 30'000 == Approx(100.0 / 3).epsilon(0.02));
    std::size_t longest = 0;
    std::size_t near = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
        longest += all[i].length == milliseconds(3) ? 1 : 0;
        near += all[i].at - all[i - 1].at < seconds(10) ? 1 : 0;
    }
    CHECK(static_cast<double>(longest) == Approx(10'000).epsilon(0.03));
    // 1 - exp(-0.3): gaps are exponential.
    CHECK(static_cast<double>(near) == Approx(30'000 * 0.2592).epsilon(0.03));
}

TEST_CASE("lease-data: buckets give lengths within them, rates those that were said") {
    Source source;
    source.series.observed = seconds(1'000);
    source.series.buckets = {{{}, milliseconds(1), 90},
                             {milliseconds(1), milliseconds(4), 0},
                             {milliseconds(4), milliseconds(8), 9},
                             {milliseconds(8), Duration::max(), 1}};
    std::size_t of[4] = {};
    for (const Occurrence& one : first(source, 10'000)) {
        ++of[one.index];
        CHECK(one.length >= source.series.buckets[one.index].above);
        CHECK(one.length <=
              (one.index == 3 ? milliseconds(8) : source.series.buckets[one.index].up_to));
    }
    CHECK(of[1] == 0);
    CHECK(static_cast<double>(of[2]) == Approx(900).epsilon(0.1));
    CHECK(static_cast<double>(of[3]) == Approx(100).epsilon(0.3));

    Source said;
    said.per_day = 48;
    said.shortest = seconds(5);
    said.longest = seconds(15);
    const auto all = first(said, 10'000);
    CHECK(static_cast<double>(all.back().at.ns) / 1e9 / 10'000 == Approx(1'800).epsilon(0.03));
    double sum = 0;
    for (const Occurrence& one : all) sum += static_cast<double>(one.length.ns) / 1e9;
    CHECK(sum / 10'000 == Approx(10).epsilon(0.02));
    CHECK(first(Source(), 1)[0].at == sim::SimTime::never());
}

TEST_CASE("lease-data: lengths at a time are those of the trace, or drawn") {
    const Source source = trace();
    const lease::Lengths lengths(source, 1, "rtt");
    std::size_t longest = 0;
    for (std::int64_t s = 0; s < 100'000; ++s) {
        const Duration length = lengths.at(sim::SimTime{} + seconds(s));
        longest += length == milliseconds(3) ? 1 : 0;
    }
    // The last of the trace holds from 50 s to the end, and from the start to 10 s.
    CHECK(static_cast<double>(longest) == Approx(60'000).epsilon(0.03));
    Source said;
    said.shortest = milliseconds(1);
    said.longest = milliseconds(2);
    const lease::Lengths drawn(said, 1, "rtt");
    CHECK(drawn.at(sim::SimTime{}) == drawn.at(sim::SimTime{} + milliseconds(500)));
    CHECK(drawn.at(sim::SimTime{}) != drawn.at(sim::SimTime{} + seconds(1)));
    CHECK(drawn.at(sim::SimTime{}) != lease::Lengths(said, 1, "disk").at(sim::SimTime{}));
}

}  // namespace lockstep::test
