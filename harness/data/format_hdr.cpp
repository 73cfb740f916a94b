// Interval logs of HdrHistogram, and of jHiccup, which are the same; and HdrHistogram's text of
// percentiles.
#include "harness/data/format.hpp"
#include "harness/data/hdr_histogram.hpp"
#include "harness/data/hiccups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lockstep::data {
namespace {

/// More bounds than that are no histogram of lengths.
constexpr std::size_t most_bounds = 1'000'000;

/// Counts by upper bound, of all intervals together.
using Counts = std::map<std::int64_t, Bucket>;

void give(const Counts& counts, Measure measure, Sink& sink) {
    Duration above;
    for (const auto& [bound, bucket] : counts) {
        if (bucket.count == 0) continue;
        const Duration from = std::max(above, bucket.above);
        if (from > above) sink.bucket(measure, above, from, 0);
        sink.bucket(measure, from, bucket.up_to, bucket.count);
        above = bucket.up_to;
    }
}

class HdrLog final : public Format {
public:
    HdrLog(const ReadOptions& options, Measure measure)
        : unit_(unit_named(options.unit).value_or(1)), measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        if (text.starts_with('#')) {
            if (text.find("jHiccup") != std::string_view::npos) hiccups_ = true;
            return Line::Ours;
        }
        if (text.starts_with("\"StartTimestamp\"")) return Line::Ours;
        std::string_view rest = text;
        if (take(rest, "Tag=")) {
            const std::size_t comma = rest.find(',');
            if (comma == std::string_view::npos) return Line::Foreign;
            if (tag_ && *tag_ != rest.substr(0, comma)) {
                sink.skip("intervals of other tags than the first");
                return Line::Ours;
            }
            tag_ = std::string(rest.substr(0, comma));
            rest.remove_prefix(comma + 1);
        }
        const auto start = take_decimal(rest, false);
        if (!start || !take(rest, ",")) return Line::Foreign;
        const auto length = take_decimal(rest, false);
        if (!length || !take(rest, ",")) return Line::Foreign;
        const std::size_t comma = rest.find(',');
        if (comma == std::string_view::npos) {
            sink.skip("intervals whose line was cut off");
            return Line::Ours;
        }
        interval(scaled(*start, ns_per_s), scaled(*length, ns_per_s), rest.substr(comma + 1), sink);
        return Line::Ours;
    }

    void finish(Sink& sink) override {
        if (looked_.ns > 0) sink.looked(looked_);
        give(counts_, measure_, sink);
        if (!counts_.empty() && hiccups_)
            sink.note(
                "jHiccup counts a stop once for each millisecond of it, as shorter and shorter "
                "waits: the stops behind its counts were reckoned back, at its usual resolution "
                "of 1 ms");
    }

private:
    void interval(Duration start, Duration length, std::string_view payload, Sink& sink) {
        if (start.ns < 0 || length.ns < 0 || length > Sink::longest_length)
            return sink.refuse("the start or the length of the interval is absurd");
        if (start < last_start_) return sink.refuse("the time goes back");
        last_start_ = start;
        looked_ = looked_ > Duration::max() / 4 ? looked_ : looked_ + length;
        const auto histogram = decode_hdr(payload);
        if (!histogram) return sink.refuse(histogram.error().message);
        const auto counts =
            hiccups_ ? stops_behind(histogram.value(), std::max<std::int64_t>(ns_per_ms / unit_, 1))
                     : histogram.value();
        for (const HdrCount& count : counts) {
            const Duration up_to = scaled({count.up_to, 0}, unit_);
            if (up_to > Sink::longest_length)
                return sink.refuse("a length is absurd: are the values nanoseconds? --unit says");
            Bucket& bucket = counts_[up_to.ns];
            bucket.above = scaled({count.from, 0}, unit_);
            bucket.up_to = up_to;
            bucket.count += count.count;
        }
        if (counts_.size() > most_bounds) sink.refuse("there are too many different lengths");
    }

    std::int64_t unit_;
    Measure measure_;
    bool hiccups_ = false;
    std::optional<std::string> tag_;
    Duration last_start_{-1};
    Duration looked_;
    Counts counts_;
};

/// "  1.234  0.500000000000  1234  2.00": how many are at most so long, and not longer than those
/// of the line before.
class HdrPercentiles final : public Format {
public:
    HdrPercentiles(const ReadOptions& options, Measure measure)
        : unit_(unit_named(options.unit)), measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        text = trimmed(text);
        if (text.empty() || text.starts_with('#') || text.starts_with("Value")) return Line::Ours;
        std::string_view rest = text;
        const auto value = take_decimal(rest, false);
        rest = trimmed(rest);
        const auto share = take_decimal(rest, false);
        rest = trimmed(rest);
        const auto total = take_decimal(rest, false);
        if (!value || !share || !total) return Line::Foreign;
        if (!unit_) {
            sink.refuse("the values carry no unit; say which with --unit (wrk2 writes ms)");
            return Line::Ours;
        }
        const Duration up_to = scaled(*value, *unit_);
        const auto count = whole(*total);
        if (up_to.ns < 0 || up_to > Sink::longest_length || !count)
            sink.refuse("a value or its count is negative or absurd");
        else if (up_to < above_ || *count < before_)
            sink.refuse("values and their counts must rise from line to line");
        else if (*count > before_) {
            sink.bucket(measure_, above_, std::max(up_to, above_ + Duration{1}), *count - before_);
            above_ = std::max(up_to, above_ + Duration{1});
            before_ = *count;
        }
        return Line::Ours;
    }

private:
    std::optional<std::int64_t> unit_;
    Measure measure_;
    Duration above_;
    std::uint64_t before_ = 0;
};

bool is_log(std::string_view line) {
    return line.starts_with("#[Histogram log format version") ||
           line.starts_with("\"StartTimestamp\"") || line.find(",HISTF") != std::string_view::npos;
}

bool is_percentiles(std::string_view line) {
    std::string_view rest = line;
    return take_word(rest) == "Value" && take_word(rest) == "Percentile" &&
           take_word(rest) == "TotalCount";
}

}  // namespace

const FormatEntry hdr_log_format{
    {"hdr-log", "interval logs of HdrHistogram and jHiccup", Measure::Pause},
    is_log,
    nullptr,
    [](const ReadOptions& options, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<HdrLog>(options, measure);
    },
    "no interval has a value"};

const FormatEntry hdr_percentiles_format{
    {"hdr-percentiles", "HdrHistogram's text of percentiles: --unit", Measure::RoundTrip},
    is_percentiles,
    nullptr,
    [](const ReadOptions& options, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<HdrPercentiles>(options, measure);
    },
    "no line has a value, its percentile and a count"};

}  // namespace lockstep::data
