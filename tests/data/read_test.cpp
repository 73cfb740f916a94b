#include "harness/data/read.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace lockstep::test::logs {
namespace {

using data::Measure;
using data::ReadOptions;
using data::Series;

std::string sample(const std::string& name) {
    return std::string(LOCKSTEP_TEST_DIR) + "/data/samples/" + name;
}

std::vector<Series> read(const std::string& name, const ReadOptions& options = {}) {
    const auto all = data::read_series({sample(name)}, options);
    if (!all) FAIL(name << ":" << all.error().line << ": " << all.error().message);
    return all.value();
}

Series only(const std::string& name, const ReadOptions& options = {}) {
    const auto all = read(name, options);
    REQUIRE(all.size() == 1);
    return all.front();
}

std::vector<std::int64_t> lengths(const Series& series) {
    std::vector<std::int64_t> all;
    for (const auto& point : series.points) all.push_back(point.length.ns);
    return all;
}

std::uint64_t skipped(const Series& series, const std::string& words) {
    std::uint64_t lines = 0;
    for (const auto& one : series.skipped)
        if (one.why.find(words) != std::string::npos) lines += one.lines;
    return lines;
}

bool notes(const Series& series, const std::string& words) {
    return std::ranges::any_of(series.notes, [&](const std::string& note) {
        return note.find(words) != std::string::npos;
    });
}

void refused(const std::string& text, int line, const std::string& why,
             const ReadOptions& options = {}) {
    const auto all = data::read_text("log", text, options);
    INFO(text.substr(0, 300));
    REQUIRE_FALSE(all.ok());
    INFO(all.error().message);
    CHECK(all.error().file == "log");
    CHECK(all.error().line == line);
    CHECK(all.error().message.find(why) != std::string::npos);
}

ReadOptions with_unit(const std::string& unit) {
    ReadOptions options;
    options.unit = unit;
    return options;
}

ReadOptions with_column(const std::string& column) {
    ReadOptions options;
    options.column = column;
    return options;
}

constexpr std::int64_t us = 1'000;
constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t s = 1'000'000'000;

}  // namespace

TEST_CASE("data: a unified log's safepoints stand for the pauses within them") {
    const Series series = only("unified-safepoint.log");
    CHECK(series.format == "jdk-unified");
    CHECK(lengths(series) == std::vector<std::int64_t>{6'501'000, 105'000});
    CHECK(series.timed);
    CHECK(series.observed.ns == 59'990 * ms);
    CHECK(series.points[0].line == 4);
    CHECK(series.points[0].at.ns == 9'997 * ms - 6'501'000);
    // Of the zone +0100.
    CHECK(data::wall_time_at(series, Duration{})->ns == 1'772'352'000'010 * ms);
    CHECK(skipped(series, "within safepoints") == 1);
    CHECK(skipped(series, "in parallel") == 1);
}

TEST_CASE("data: a unified log without safepoints has its pauses read") {
    const auto all =
        data::read_text("log",
                        "[0.010s][info][gc] Using G1\n"
                        "[1.000s][info][gc,start] GC(0) Pause Full (System.gc())\n"
                        "[1.250s][info][gc] GC(0) Pause Full (System.gc()) 9M->1M(9M) 250,5ms\n"
                        "[2.000s][info][gc] GC(1) Concurrent Mark 90.0ms\n"
                        "[1700ms][info][gc] y: Pause Mark End 0.125ms\n"
                        "[3.000s][info][gc] GC(2) Pause Young 3M->1M(9M) 1.0m",
                        {});
    REQUIRE(all.ok());
    CHECK(lengths(all.value().front()) == std::vector<std::int64_t>{250'500 * us, 125 * us});
    CHECK(notes(all.value().front(), "-Xlog:safepoint"));
}

TEST_CASE("data: the default log of ZGC says that it shows no pauses") {
    const auto all = data::read_series({sample("zgc.log")}, {});
    REQUIRE_FALSE(all.ok());
    CHECK(all.error().line == 1);
    CHECK(all.error().message.find("ZGC stops the program too") == 0);
}

TEST_CASE("data: stops of JDK 8, with commas, two in a line, and a clock that was set back") {
    const Series series = only("jdk8-stopped.log");
    CHECK(lengths(series) == std::vector<std::int64_t>{12'500 * us, 3 * ms, 2'500 * ms});
    CHECK(series.observed.ns == 21'500 * ms + 500 * us);  // the first began half a ms before
    CHECK(skipped(series, "collections") == 1);
    CHECK(notes(series, "the wall clock goes back once"));
}

TEST_CASE("data: collections of JDK 8, several in a line and one over several lines") {
    const Series series = only("jdk8-collections.log");
    CHECK(lengths(series) == std::vector<std::int64_t>{12 * ms, 500 * ms, 25 * ms});
    CHECK(series.points[1].at.ns == 1 * s);
    CHECK(skipped(series, "in parallel") == 2);
    CHECK(notes(series, "PrintGCApplicationStoppedTime"));
}

TEST_CASE("data: ping counts what was lost, and no answer twice") {
    const Series timed = only("ping-linux.txt");
    CHECK(timed.measure == Measure::RoundTrip);
    CHECK(lengths(timed) == std::vector<std::int64_t>{1'250 * us, 750 * us, 31 * ms});
    CHECK(timed.timed);
    CHECK(skipped(timed, "never answered") == 3);
    CHECK(skipped(timed, "twice") == 1);
    const Series mac = only("ping-macos.txt");
    CHECK(lengths(mac) == std::vector<std::int64_t>{1'500 * us, 2'500 * us});
    CHECK_FALSE(mac.timed);
    CHECK(mac.observed.ns == 0);
    CHECK(skipped(mac, "never answered") == 2);
}

TEST_CASE("data: a table's column has its unit in its name, and its times") {
    for (const char* column : {"pause ms", "2", ""}) {
        const Series series = only("table.csv", with_column(column));
        CHECK(lengths(series) == std::vector<std::int64_t>{1'500 * us, 250 * ms});
        CHECK(series.timed);
        CHECK(series.observed.ns >= 100 * s);
        CHECK(skipped(series, "empty") == 1);
    }
    const auto alone = data::read_text("log", "time,seconds\n1772352000,\n1772352060,2.5\n", {});
    REQUIRE(alone.ok());
    CHECK(lengths(alone.value().front()) == std::vector<std::int64_t>{2'500 * ms});
    // To the end of the last of them.
    CHECK(alone.value().front().observed.ns == 62'500 * ms);
    // Whatever the column of times is called, its fields tell.
    const auto spreadsheet = data::read_text(
        "log",
        "id,started_at,ended_at,duration_s\n7,2026-03-01T12:00:00Z,2026-03-01T12:00:09Z,9\n"
        "8,2026-03-02T12:00:00Z,2026-03-02T12:00:03Z,3\n",
        {});
    REQUIRE(spreadsheet.ok());
    CHECK(spreadsheet.value().front().timed);
    CHECK(spreadsheet.value().front().observed.ns == (86'400 + 3) * s);
    CHECK(notes(spreadsheet.value().front(), "'started_at'"));
    refused("a,b\n1,2\n", 1, "--column which of the columns holds lengths: a, b");
    refused("time,a_ms,b_ms\n1772352000,1,2\n", 1, "--column which of the columns");
    refused("a,b\n1,2\n", 1, "no column is called 'c'", with_column("c"));
    refused("a,b\n1,2\n1\n", 2, "no unit", with_column("b"));
    refused("a,b_ms\n1,2\n1\n", 3, "1 field, but", with_column("b_ms"));
    refused("time,b_ms\n1772352000,1\n1772351000,1\n", 3, "the time goes back",
            with_column("b_ms"));
}

TEST_CASE("data: numbers carry a unit, or are given one") {
    const std::vector<std::int64_t> expected{1'500 * us, 20 * us, 62'500 * ms};
    CHECK(lengths(only("numbers.txt")) == expected);
    const auto all = data::read_text("log", "pause\n1\n2.5e-1\n", with_unit("s"));
    REQUIRE(all.ok());
    CHECK(lengths(all.value().front()) == std::vector<std::int64_t>{s, 250 * ms});
    refused("1\n2\n", 1, "no unit");
    refused("1ms\n-2ms\n", 2, "negative");
    refused("1ms\n99999h\n", 2, "absurd");
    refused("1ms\n1e400s\n", 2, "absurd");
    refused("1ms\nmaybe\n", 2, "expected a number", [] {
        ReadOptions options;
        options.format = "numbers";
        return options;
    }());
}

TEST_CASE("data: a collection of Go stops twice, and a process that starts anew goes on") {
    const Series series = only("gctrace.txt");
    CHECK(lengths(series) == std::vector<std::int64_t>{375 * us, 15'500 * us, 200 * us});
    CHECK(series.points[1].at.ns == 60 * s);
    CHECK(notes(series, "started anew once"));
    CHECK(skipped(series, "not of this format") == 1);
}

TEST_CASE("data: an interval log of HdrHistogram is decoded") {
    const Series series = only("hdr.hlog");
    REQUIRE(series.points.empty());
    CHECK(series.observed.ns == 10 * s);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < series.buckets.size(); ++i) {
        const auto& bucket = series.buckets[i];
        count += bucket.count;
        if (i > 0) CHECK(bucket.above == series.buckets[i - 1].up_to);
        if (bucket.count == 95) CHECK(bucket.up_to.ns == 1'000);
        if (bucket.count == 1) {
            CHECK(bucket.above.ns < 700 * ms);
            CHECK(bucket.up_to.ns >= 700 * ms);
            CHECK(bucket.up_to.ns - bucket.above.ns <= ms);
        }
    }
    CHECK(count == 106);
    const std::string head = "#[Histogram log format version 1.2]\n";
    refused(head + "0.1,5.0,0.05,HISTFAAAACh4nJNpmSzMwMDAzgABzFCaEch0\n", 2, "cut off");
    refused(head + "0.1,5.0,0.05,HISTEQAAAAx4nJNpmSzMwMDA\n", 2, "second encoding");
    refused(head + "0.1,5.0,0.05,HI!T\n", 2, "not base64");
}

TEST_CASE("data: jHiccup's counts are reckoned back, and that is said") {
    std::ifstream in(sample("hdr.hlog"));
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto all = data::read_text("log", "#[Logged with jHiccup 2.0.10]\n" + text, {});
    REQUIRE(all.ok());
    CHECK(notes(all.value().front(), "reckoned back"));
}

TEST_CASE("data: HdrHistogram's text of percentiles needs a unit") {
    const Series series = only("percentiles.txt", with_unit("ms"));
    REQUIRE(series.buckets.size() == 3);
    CHECK(series.buckets[2].above.ns == 2 * ms);
    CHECK(series.buckets[2].up_to.ns == 90 * ms);
    CHECK(series.buckets[2].count == 50);
    refused("Value Percentile TotalCount 1/(1-Percentile)\n1.0 0.5 3 2.0\n", 2, "no unit");
}

TEST_CASE("data: Prometheus' histograms are taken apart by measure") {
    const auto all = read("metrics.txt");
    REQUIRE(all.size() == 2);
    const auto disk = std::ranges::find(all, Measure::DiskSync, &Series::measure);
    REQUIRE(disk != all.end());
    REQUIRE(disk->buckets.size() == 3);
    CHECK(disk->buckets[1].count == 30);
    CHECK(disk->buckets[2].count == 2);
    CHECK(disk->buckets[2].up_to == Duration::max());
    const auto trips = std::ranges::find(all, Measure::RoundTrip, &Series::measure);
    REQUIRE(trips->buckets.size() == 2);
    CHECK(trips->buckets[0].count == 6);  // both verbs, but for WATCH
    CHECK(trips->buckets[1].count == 1);
    const std::string bucket = "etcd_request_duration_seconds_bucket{le=";
    refused(bucket + "\"1\"} 5\n" + bucket + "\"2\"} 4\n", 2, "must rise");
    refused(bucket + "\"1\"} 5\n" + bucket + "\"1\"} 5\n", 2, "one scrape");
    refused(bucket + "\"often\"} 5\n", 1, "expected seconds");
}

TEST_CASE("data: fio's percentiles of syncs become buckets") {
    const Series series = only("fio.txt");
    CHECK(series.measure == Measure::DiskSync);
    CHECK(series.observed.ns == 60 * s);
    REQUIRE(series.buckets.size() == 5);
    CHECK(series.buckets[0].count == 10);
    CHECK(series.buckets[1].up_to.ns == 600 * us);
    CHECK(series.buckets[1].count == 490);
    CHECK(series.buckets[4].above.ns == 2 * ms);
    CHECK(series.buckets[4].up_to.ns == 9 * ms);
    CHECK(series.buckets[4].count == 10);
}

TEST_CASE("data: etcd says nothing of syncs that are not slow") {
    const Series series = only("etcd.json");
    CHECK(lengths(series) == std::vector<std::int64_t>{1'250 * ms});
    CHECK(series.none_below.ns == 1 * s);
    CHECK(series.observed.ns == 7'200 * s);
    CHECK(skipped(series, "no syncs") == 1);
}

TEST_CASE("data: throttling is what the counters grew by") {
    const Series series = only("cpu-stat.txt");
    CHECK(lengths(series) == std::vector<std::int64_t>(4, 80 * ms));
    CHECK(notes(series, "equally long"));
    refused("1772352000\nnr_throttled 5\nthrottled_usec 9\n", 3, "one snapshot only");
    refused(
        "1772352000\nnr_throttled 5\nthrottled_usec 9\n1772352001\nnr_throttled 4\n"
        "throttled_usec 9\n",
        6, "go back");
}

TEST_CASE("data: a lost lease counts once, and over the turn of a year") {
    const Series series = only("controller.log");
    CHECK(series.measure == Measure::LeadershipLost);
    CHECK(series.points.size() == 2);
    CHECK(series.observed.ns == 3'600 * s);
    CHECK(skipped(series, "second lines") == 1);
    const auto none = data::read_text(
        "log",
        "I1231 23:50:00.000000       1 leaderelection.go:260] successfully acquired lease a\n"
        "I1231 23:55:00.000000       1 leaderelection.go:260] something\n",
        {});
    REQUIRE(none.ok());  // that none was lost is worth knowing
    CHECK(none.value().front().points.empty());
    CHECK(none.value().front().observed.ns == 300 * s);
}

TEST_CASE("data: what the probe wrote has two measures") {
    const auto all = read("probe.txt");
    REQUIRE(all.size() == 2);
    CHECK(all[0].measure == Measure::Pause);
    CHECK(lengths(all[0]) == std::vector<std::int64_t>{2'500 * us});
    CHECK(all[0].none_below.ns == ms);
    CHECK(all[0].observed.ns == 10 * s);
    CHECK(all[1].measure == Measure::RoundTrip);
}

TEST_CASE("data: files follow each other by their times") {
    const std::string first = std::filesystem::temp_directory_path() / "lockstep-data-first.log";
    const std::string second = std::filesystem::temp_directory_path() / "lockstep-data-second.log";
    std::ofstream(first) << "[2026-03-01T09:00:00.000+0000][info][gc] GC(0) Pause Young 1.0ms\n"
                            "[2026-03-01T09:00:10.000+0000][info][gc] GC(1) Pause Young 2.0ms\n";
    std::ofstream(second) << "[2026-03-01T10:00:00.000+0000][info][gc] GC(2) Pause Young 3.0ms\n"
                             "[2026-03-01T10:00:05.000+0000][info][gc] GC(3) Pause Young 4.0ms\n";
    const auto all = data::read_series({second, first}, {});
    REQUIRE(all.ok());
    REQUIRE(all.value().size() == 1);
    const Series& series = all.value().front();
    CHECK(lengths(series) == std::vector<std::int64_t>{ms, 2 * ms, 3 * ms, 4 * ms});
    CHECK(series.points.front().file == 1);
    CHECK(series.observed.ns == 15 * s + ms + 3 * ms);
    CHECK(series.points.back().at < series.observed);
    CHECK(notes(series, "nobody looked for 59 min"));
    CHECK(data::wall_time_at(series, series.points.back().at)->ns ==
          1'772'359'205'000 * ms - 4 * ms);
    const auto summary = data::summarise({second, first}, {});
    REQUIRE(summary.ok());
    CHECK(summary.value().front().tally.count() == 4);
    CHECK(summary.value().front().tally.longest().at == series.points.back().at);
    std::filesystem::remove(first);
    std::filesystem::remove(second);
}

TEST_CASE("data: bad input is said with its place") {
    refused("", 0, "the file is empty");
    refused("hello\n", 1, "no known format has lines like 'hello'");
    refused(std::string("a\x01\x02", 3), 0, "binary");
    refused("\x1f\x8b\x08", 1, "");
    refused("[1.0s][info][gc] Using G1\n", 0, "nothing was found in 1 line");
    refused("[1.0s][info][gc] GC(0) Pause Young 1.0ms\nPING a (192.0.2.1)\n", 2,
            "of the format ping, but the lines before are of jdk-unified");
    refused("[1.0s][info][gc] GC(0) Pause Young 9999999999999ms\n", 1, "absurd");
    refused("1: Total time for which application threads were stopped: -0.5 seconds\n", 1,
            "negative");
    ReadOptions options;
    options.format = "gc";
    refused("1ms\n", 0, "no format is called 'gc'; there are", options);
    // A file that was cut while its process went on writing begins with zeros.
    const std::string zeros(100, '\0');
    const auto cut = data::read_text("log",
                                     zeros +
                                         "1.0: Total time for which application threads "
                                         "were stopped: 0.5 seconds\n",
                                     {});
    REQUIRE(cut.ok());
    CHECK(skipped(cut.value().front(), "zeros") == 1);
}

TEST_CASE("data: a tally is right to a thousandth") {
    data::Tally tally;
    for (std::int64_t i = 1; i <= 10'000; ++i) tally.add({{}, {i * 1'000}, 0, 0});
    CHECK(tally.count() == 10'000);
    CHECK(tally.longest().length.ns == 10'000'000);
    const auto near = [&](std::uint64_t ppm, std::int64_t ns) {
        const auto value = tally.quantile(ppm);
        REQUIRE(value);
        CHECK(std::abs(value->ns - ns) * 1'000 <= ns);
    };
    near(500'000, 5'000'000);
    near(999'900, 9'999'000);
    data::Tally few;
    for (int i = 0; i < 99; ++i) few.add({{}, {5}, 0, 0});
    CHECK_FALSE(few.quantile(990'000));
    few.add({{}, {9}, 0, 0});
    CHECK(few.quantile(990'000)->ns == 5);
    CHECK(few.longer_than({5}) == 1);
}

/// Real logs, which are beside the project where it is developed.
TEST_CASE("data: real logs have the stops that are known of them") {
    const char* given = std::getenv("LOCKSTEP_SHARED");
    const std::string root =
        given != nullptr ? given : std::string(LOCKSTEP_SOURCE_DIR) + "/../shared";
    if (!std::filesystem::exists(root + "/data/pauses")) {
        WARN("no real logs here");
        return;
    }
    struct Known {
        const char* file;
        std::uint64_t count;
        std::int64_t longest;
        std::int64_t median;
        std::int64_t seconds;
    };
    const std::vector<Known> all{
        {"jdk17-g1-unified.log", 10, 428'033'000, 0, 0},
        {"jdk9-g1-minimal.log", 3'435, 134'764'000, 1'810'000, 0},
        {"jdk7-parallel-one-22s-stop.log", 614, 22'830'654'000, 68'000, 3'611},
        {"jdk8-parallel-one-17s-stop.log.gz", 6'651, 17'249'844'600, 559'000, 93'024},
    };
    for (const Known& known : all) {
        const auto summary = data::summarise({root + "/data/pauses/" + known.file}, {});
        REQUIRE(summary.ok());
        const auto& tally = summary.value().front().tally;
        CHECK(tally.count() == known.count);
        CHECK(tally.longest().length.ns == known.longest);
        if (known.median > 0)
            CHECK(std::abs(tally.quantile(500'000)->ns - known.median) <= known.median / 100);
        if (known.seconds > 0)
            CHECK(std::abs(summary.value().front().series.observed.ns / s - known.seconds) <= 36);
    }
}

}  // namespace lockstep::test::logs
