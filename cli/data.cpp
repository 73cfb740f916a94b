#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/status_line.hpp"
#include "harness/data/read.hpp"
#include "harness/data/words.hpp"
#include "harness/history/json_writer.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace lockstep::cli {
namespace {

using data::Summary;
using harness::Paint;
using harness::Tone;

struct Share {
    std::uint64_t ppm;
    const char* name;  ///< in tables
    const char* key;   ///< in JSON
};
constexpr std::array<Share, 5> shares{{
    {500'000, "p50", "p50_ns"},
    {900'000, "p90", "p90_ns"},
    {990'000, "p99", "p99_ns"},
    {999'000, "p99.9", "p99_9_ns"},
    {999'900, "p99.99", "p99_99_ns"},
}};

/// Three digits are what a length is worth.
std::string short_span(Duration d) {
    std::int64_t step = 1;
    while (d.ns / step >= 1'000) step *= 10;
    return harness::span_text(Duration{(d.ns + step / 2) / step * step});
}

const char* noun(data::Measure measure) {
    switch (measure) {
        case data::Measure::Pause:
            return "pauses";
        case data::Measure::RoundTrip:
            return "round trips";
        case data::Measure::DiskSync:
            return "syncs of a disk";
        case data::Measure::Outage:
            return "outages";
        case data::Measure::LeadershipLost:
            return "lost leases";
    }
    return "";
}

std::uint64_t count_of(const Summary& summary) {
    std::uint64_t count = summary.tally.count();
    for (const auto& bucket : summary.series.buckets) count += bucket.count;
    return count;
}

std::string observed_text(const Summary& summary) {
    const Duration observed = summary.series.observed;
    if (observed.ns <= 0) return "over a time that the source does not say";
    const std::uint64_t whole_seconds =
        std::max<std::uint64_t>(static_cast<std::uint64_t>(observed.ns) / 1'000'000'000, 1);
    // The shortest period in which one comes, so that rare things have digits, too.
    struct Period {
        std::uint64_t seconds;
        const char* name;
    };
    static constexpr std::array<Period, 3> periods{
        {{3'600, "an hour"}, {86'400, "a day"}, {30 * 86'400, "a month"}}};
    const Period* period = periods.data();
    while (period != &periods.back() && count_of(summary) * period->seconds < whole_seconds)
        ++period;
    const std::uint64_t hundredths = count_of(summary) * period->seconds * 100 / whole_seconds;
    return fmt::format("in {}: {}.{:02} {}",
                       observed < lockstep::seconds(60) ? harness::span_text(observed)
                                                        : harness::long_span_text(observed),
                       harness::grouped(hundredths / 100), hundredths % 100, period->name);
}

std::string place_of(const Summary& summary) {
    const auto& longest = summary.tally.longest();
    const auto& series = summary.series;
    std::string text =
        fmt::format("{}:{}", harness::printable(series.files[longest.file]), longest.line);
    if (!series.timed) return text;
    if (const auto wall = data::wall_time_at(series, longest.at))
        return text + ", " + data::wall_time_text(*wall);
    return text + fmt::format(", {} after the first line", harness::long_span_text(longest.at));
}

struct Bar {
    std::string range;
    std::uint64_t count;
};

/// Counts up to 1 and 3 times each power of ten.
std::vector<Bar> bars_of(const data::Tally& tally) {
    std::vector<Bar> bars;
    const Duration longest = tally.longest().length;
    std::int64_t decade = 1'000;
    std::int64_t from = 0;
    while (from < longest.ns || bars.empty()) {
        for (const std::int64_t step : {1, 3}) {
            const std::int64_t to = decade * step;
            const std::uint64_t count = tally.longer_than({from}) - tally.longer_than({to}) +
                                        (from == 0 ? tally.count() - tally.longer_than({0}) : 0);
            if (count > 0 || !bars.empty())
                bars.push_back({fmt::format("up to {}", harness::span_text({to})), count});
            from = to;
            if (from >= longest.ns && !bars.empty()) break;
        }
        decade *= 10;
    }
    while (!bars.empty() && bars.back().count == 0) bars.pop_back();
    return bars;
}

std::vector<Bar> bars_of(const std::vector<data::Bucket>& buckets) {
    std::vector<Bar> bars;
    for (const auto& bucket : buckets)
        bars.push_back({bucket.up_to == Duration::max()
                            ? fmt::format("over {}", short_span(bucket.above))
                            : fmt::format("up to {}", short_span(bucket.up_to)),
                        bucket.count});
    // A fine histogram is drawn coarse.
    while (bars.size() > 24) {
        std::vector<Bar> half;
        for (std::size_t i = 0; i < bars.size(); i += 2) {
            const bool pair = i + 1 < bars.size();
            half.push_back({pair ? bars[i + 1].range : bars[i].range,
                            bars[i].count + (pair ? bars[i + 1].count : 0)});
        }
        bars = std::move(half);
    }
    return bars;
}

/// A length that counts of any size leave room for: the logarithm of the count.
std::size_t bar_length(std::uint64_t count) {
    std::size_t length = 0;
    for (; count > 0; count /= 2) ++length;
    return length;
}

std::string histogram_text(const std::vector<Bar>& bars, const Paint& paint) {
    using Align = harness::Table::Align;
    harness::Table table({Align::Right, Align::Right, Align::Left});
    for (const Bar& bar : bars)
        table.row({{bar.range, Tone::Faint},
                   {harness::grouped(bar.count)},
                   {std::string(bar_length(bar.count), '#')}});
    return table.text(paint, "    ");
}

std::string skipped_text(const data::Series& series, const Paint& paint, std::size_t width) {
    std::string out;
    for (const auto& skipped : series.skipped) {
        const std::string where = fmt::format(
            "{}:{}", harness::printable(series.files[skipped.file]), skipped.first_line);
        out += "  " + paint(Tone::Faint, "skipped") + "  " +
               harness::wrapped(fmt::format("{} {}, first {}", harness::grouped(skipped.lines),
                                            skipped.why, where),
                                11, width) +
               "\n";
    }
    for (const auto& note : series.notes)
        out += "  " + paint(Tone::Warn, "note") + "     " +
               harness::wrapped(harness::printable(note), 11, width) + "\n";
    return out;
}

std::string quantiles_text(const Summary& summary, const Paint& paint) {
    using Align = harness::Table::Align;
    std::vector<harness::Table::Cell> names;
    std::vector<harness::Table::Cell> values;
    for (const Share& share : shares) {
        names.push_back({share.name, Tone::Faint});
        const auto value = summary.tally.quantile(share.ppm);
        values.push_back({value ? short_span(*value) : "-"});
    }
    names.push_back({"longest", Tone::Faint});
    values.push_back({harness::span_text(summary.tally.longest().length), Tone::Strong});
    harness::Table table(std::vector<Align>(names.size(), Align::Right));
    table.row(std::move(names));
    table.row(std::move(values));
    return table.text(paint, "  ");
}

std::string text_of(const Summary& summary, const Paint& paint, std::size_t width) {
    const auto& series = summary.series;
    std::string files = harness::printable(series.files.front());
    if (series.files.size() > 1) files += fmt::format(" and {} more", series.files.size() - 1);
    std::string out = fmt::format("{}  {}  {}\n", paint(Tone::Strong, noun(series.measure)),
                                  series.format, files);
    out += fmt::format(
        "  {} {}, {}\n", harness::grouped(count_of(summary)), observed_text(summary),
        series.timed ? "with times: bursts stay bursts" : "without times: samples to draw from");
    if (summary.tally.count() > 0 && series.measure != data::Measure::LeadershipLost) {
        out += quantiles_text(summary, paint);
        out += fmt::format("  longest at {}\n", place_of(summary));
        out += histogram_text(bars_of(summary.tally), paint);
    } else if (!series.buckets.empty()) {
        out += histogram_text(bars_of(series.buckets), paint);
    }
    if (series.none_below.ns > 0)
        out += fmt::format("  {}     shorter than {}: not in the source, however many there were\n",
                           paint(Tone::Warn, "note"), harness::span_text(series.none_below));
    return out + skipped_text(series, paint, width);
}

std::string list_of(const std::vector<std::string>& items) {
    std::string out;
    for (const auto& item : items) out += (out.empty() ? "" : ",") + item;
    return "[" + out + "]";
}

std::string json_of(const Summary& summary) {
    const auto& series = summary.series;
    history::JsonObject object;
    object.text("measure", data::to_string(series.measure)).text("format", series.format);
    std::vector<std::string> files;
    for (const auto& file : series.files)
        files.push_back(history::quoted(harness::printable(file)));
    object.raw("files", list_of(files)).number("count", count_of(summary));
    object.number("observed_ns", series.observed.ns).raw("timed", series.timed ? "true" : "false");
    object.number("none_below_ns", series.none_below.ns);
    if (summary.tally.count() > 0) {
        for (const Share& share : shares) {
            const auto value = summary.tally.quantile(share.ppm);
            object.raw(share.key, value ? std::to_string(value->ns) : "null");
        }
        const auto& longest = summary.tally.longest();
        object.number("longest_ns", longest.length.ns).number("total_ns", summary.tally.total().ns);
        object.text("longest_file", harness::printable(series.files[longest.file]));
        object.number("longest_line", std::uint64_t{longest.line});
    }
    std::vector<std::string> buckets;
    for (const auto& bucket : series.buckets)
        buckets.push_back(history::JsonObject()
                              .number("above_ns", bucket.above.ns)
                              .raw("up_to_ns", bucket.up_to == Duration::max()
                                                   ? "null"
                                                   : std::to_string(bucket.up_to.ns))
                              .number("count", bucket.count)
                              .str());
    object.raw("buckets", list_of(buckets));
    std::vector<std::string> skipped;
    for (const auto& one : series.skipped)
        skipped.push_back(history::JsonObject()
                              .text("why", one.why)
                              .number("lines", one.lines)
                              .text("file", harness::printable(series.files[one.file]))
                              .number("first_line", std::uint64_t{one.first_line})
                              .str());
    object.raw("skipped", list_of(skipped));
    std::vector<std::string> notes;
    for (const auto& note : series.notes)
        notes.push_back(history::quoted(harness::printable(note)));
    return object.raw("notes", list_of(notes)).str();
}

void show_bytes(StatusLine& line, std::uint64_t read, std::uint64_t size) {
    if (!line.due()) return;
    line.show(
        fmt::format("data: {} MB{}", read / 1'000'000,
                    size == 0 ? "" : fmt::format(", {}%", std::min(read, size) * 100 / size)));
}

}  // namespace

ExitCode data(const DataArguments& arguments) {
    data::ReadOptions options;
    options.format = arguments.format;
    options.column = arguments.column;
    options.unit = arguments.unit;
    if (!arguments.as.empty()) options.as = data::measure_named(arguments.as);
    StatusLine line;
    options.progress = [&line](std::uint64_t read, std::uint64_t size) {
        show_bytes(line, read, size);
    };
    const auto summaries = data::summarise(arguments.files, options);
    line.finish();
    if (!summaries) return bad_input(summaries.error());
    if (arguments.json) {
        std::vector<std::string> all;
        for (const Summary& summary : summaries.value()) all.push_back(json_of(summary));
        fmt::print("{}\n", history::JsonObject().raw("series", list_of(all)).str());
        return ExitCode::AsExpected;
    }
    const auto paint = harness::paint_for(STDOUT_FILENO);
    const std::size_t width = harness::width_for(STDOUT_FILENO);
    bool first = true;
    for (const Summary& summary : summaries.value()) {
        fmt::print("{}{}", first ? "" : "\n", text_of(summary, paint, width));
        first = false;
    }
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
