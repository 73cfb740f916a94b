// What fio prints of the syncs of a job: a block of percentiles.
#include "harness/data/format.hpp"

#include <algorithm>

namespace lockstep::data {
namespace {

/// "(usec)", "(nsec)", "(msec)" somewhere in the line.
std::optional<std::int64_t> unit_of(std::string_view text) {
    if (text.find("(nsec)") != std::string_view::npos) return 1;
    if (text.find("(usec)") != std::string_view::npos) return ns_per_us;
    if (text.find("(msec)") != std::string_view::npos) return ns_per_ms;
    if (text.find("(sec)") != std::string_view::npos) return ns_per_s;
    return std::nullopt;
}

struct Percentile {
    std::uint64_t ppm;
    Duration value;
};

class Fio final : public Format {
public:
    explicit Fio(Measure measure) : measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        const std::string_view words = trimmed(text);
        if (in_percentiles_) {
            if (words.starts_with('|')) {
                percentiles(words, sink);
                return Line::Ours;
            }
            in_percentiles_ = false;
        }
        if (words.starts_with("sync (")) {
            unit_ = unit_of(words);
            max_ = value_after(words, "max=");
            return Line::Ours;
        }
        if (words.starts_with("sync percentiles (")) {
            in_percentiles_ = true;
            percentile_unit_ = unit_of(words);
            return Line::Ours;
        }
        if (words.find(" percentiles (") != std::string_view::npos) {
            sink.skip("percentiles of reads and writes, which are no syncs");
            return Line::Ours;
        }
        if (words.starts_with("issued rwts:")) {
            issued(words, sink);
            return Line::Ours;
        }
        if (const auto run = after(words, "run=");
            run && words.find("msec") != std::string_view::npos) {
            std::string_view rest = *run;
            if (const auto number = take_decimal(rest, false))
                looked_ = std::max(looked_, scaled(*number, ns_per_ms));
        }
        return Line::Ours;
    }

    void finish(Sink& sink) override {
        if (!all_.empty() && looked_.ns > 0) sink.looked(looked_);
        for (const auto& bucket : all_)
            sink.bucket(measure_, bucket.above, bucket.up_to, bucket.count);
        if (all_.empty() && !found_.empty())
            sink.refuse(
                "the syncs are not counted: the line 'issued rwts' ends in 0, or is not there");
        else if (!all_.empty())
            sink.note("between two percentiles, how the lengths are distributed is not known");
    }

private:
    std::optional<Duration> value_after(std::string_view text, std::string_view mark) const {
        auto rest = after(text, mark);
        const auto number = rest ? take_decimal(*rest, false) : std::nullopt;
        if (!number || !unit_) return std::nullopt;
        // "12.3k" is a shorter way to write it.
        const std::int64_t k = rest->starts_with('k') || rest->starts_with('K') ? 1'000 : 1;
        return scaled(*number, *unit_ * k);
    }

    /// "|  1.00th=[  123],  5.00th=[ 1234],"
    void percentiles(std::string_view text, Sink& sink) {
        text.remove_prefix(1);
        for (;;) {
            text = trimmed(text);
            take(text, ",");
            text = trimmed(text);
            const auto share = take_decimal(text, false);
            if (!share || !take(text, "th=[")) return;
            text = trimmed(text);
            const auto value = take_decimal(text, false);
            text = trimmed(text);
            if (!value || !take(text, "]")) return sink.refuse("a percentile is cut off");
            const Duration length = scaled(*value, percentile_unit_.value_or(ns_per_us));
            const auto ppm = static_cast<std::uint64_t>(scaled(*share, 10'000).ns);
            const bool wrong =
                ppm > 1'000'000 || length.ns < 0 || length > Sink::longest_length ||
                (!found_.empty() && (length < found_.back().value || ppm < found_.back().ppm));
            if (wrong) return sink.refuse("percentiles must rise, from 0 to 100");
            found_.push_back({ppm, length});
        }
    }

    /// "issued rwts: total=0,1000,0,1000 short=..." ends a job; the fourth are the syncs.
    void issued(std::string_view text, Sink& sink) {
        auto rest = after(text, "total=");
        std::uint64_t syncs = 0;
        for (int i = 0; rest && i < 4; ++i) {
            const auto number = take_decimal(*rest, false);
            if (!number) break;
            if (i == 3) syncs = whole(*number).value_or(0);
            take(*rest, ",");
        }
        if (found_.empty()) return;
        if (syncs == 0 || syncs > std::uint64_t{1} << 48)
            return sink.refuse(
                "the syncs are not counted: the fourth of 'issued rwts: total' is 0");
        Duration above;
        std::uint64_t counted = 0;
        for (const Percentile& p : found_) {
            const auto up_to = static_cast<std::uint64_t>(static_cast<unsigned __int128>(syncs) *
                                                          p.ppm / 1'000'000);
            if (p.value > above && up_to > counted) {
                all_.push_back({above, p.value, up_to - counted});
                above = p.value;
                counted = up_to;
            }
        }
        const Duration end = max_ ? std::max(*max_, above + Duration{1}) : Duration::max();
        if (counted < syncs) all_.push_back({above, end, syncs - counted});
        found_.clear();
        max_.reset();
    }

    Measure measure_;
    bool in_percentiles_ = false;
    std::optional<std::int64_t> unit_;
    std::optional<std::int64_t> percentile_unit_;
    std::optional<Duration> max_;
    std::vector<Percentile> found_;
    std::vector<Bucket> all_;
    Duration looked_;
};

bool recognises(std::string_view line) {
    const auto words = trimmed(line);
    return words.starts_with("sync percentiles (") || words.starts_with("issued rwts:") ||
           words.starts_with("fsync/fdatasync/sync_file_range") ||
           words.starts_with("clat percentiles (") ||
           (words.starts_with("fio-") && words.size() < 40);
}

}  // namespace

const FormatEntry fio_format{
    {"fio", "fio's percentiles of syncs: --fdatasync=1", Measure::DiskSync},
    recognises,
    nullptr,
    [](const ReadOptions&, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<Fio>(measure);
    },
    "it has no block 'sync percentiles'; fio --fdatasync=1 makes one"};

}  // namespace lockstep::data
