// Histograms in Prometheus' text form, as /metrics gives them: one scrape.
#include "harness/data/format.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lockstep::data {
namespace {

struct Metric {
    std::string_view name;
    Measure measure;
};
/// In the order in which they are preferred, if there are several of a measure.
constexpr std::array<Metric, 6> metrics{{
    {"etcd_disk_wal_fsync_duration_seconds", Measure::DiskSync},
    {"etcd_disk_backend_commit_duration_seconds", Measure::DiskSync},
    {"etcd_request_duration_seconds", Measure::RoundTrip},
    {"apiserver_request_duration_seconds", Measure::RoundTrip},
    {"rest_client_request_duration_seconds", Measure::RoundTrip},
    {"grpc_server_handling_seconds", Measure::RoundTrip},
}};

/// Counts of at most so long, over all label sets.
struct Cumulated {
    std::map<std::int64_t, std::uint64_t> up_to;
    std::uint64_t first_line = 0;
};

/// What is known of one label set.
struct Child {
    std::int64_t last_bound = -1;
    std::uint64_t last_count = 0;
};

class Prometheus final : public Format {
public:
    explicit Prometheus(const ReadOptions& options) : options_(options) {}

    Line line(std::string_view text, Sink& sink) override {
        text = trimmed(text);
        if (text.empty() || text.starts_with('#')) return Line::Ours;
        const std::size_t open = text.find('{');
        std::string_view name = text.substr(0, std::min(open, text.find(' ')));
        if (!name.ends_with("_bucket") || open == std::string_view::npos) {
            if (name.empty() || text.find(' ') == std::string_view::npos) return Line::Foreign;
            sink.skip("values that are no histogram's buckets");
            return Line::Ours;
        }
        name.remove_suffix(std::string_view("_bucket").size());
        const std::size_t close = text.rfind('}');
        if (close == std::string_view::npos || close < open) {
            sink.refuse("the labels have no end");
            return Line::Ours;
        }
        const auto labels = text.substr(open + 1, close - open - 1);
        if (!wanted(name)) {
            sink.skip("buckets of histograms that nobody asked for: --column names one");
        } else if (labels.find("verb=\"WATCH\"") != std::string_view::npos ||
                   labels.find("verb=\"CONNECT\"") != std::string_view::npos) {
            sink.skip("requests that are meant to take long: WATCH and CONNECT");
        } else {
            bucket(name, labels, trimmed(text.substr(close + 1)), sink);
        }
        return Line::Ours;
    }

    void finish(Sink& sink) override {
        for (const auto& [name, cumulated] : found_) {
            const Measure measure = measure_of(name);
            if (!is_preferred(name, measure)) {
                sink.skip(fmt::format("buckets of {}, as there is a better one of its kind",
                                      harness::printable(name)),
                          cumulated.up_to.size());
                continue;
            }
            Duration above;
            std::uint64_t before = 0;
            for (const auto& [bound, count] : cumulated.up_to) {
                if (count < before)
                    return sink.refuse_at(
                        "the counts of buckets must rise with their bounds: the "
                        "label sets have different bounds",
                        cumulated.first_line);
                sink.bucket(measure, above, Duration{bound}, count - before);
                above = Duration{bound};
                before = count;
            }
        }
        if (!sink.empty())
            sink.note(
                "of a bucket only its bounds are known: where in it a length lies is not, and of "
                "the last one not even how long it was. Counts are since the start of the process, "
                "whose age is not in the file");
    }

private:
    bool wanted(std::string_view name) const {
        if (!options_.column.empty()) return name == options_.column;
        return std::ranges::find(metrics, name, &Metric::name) != metrics.end();
    }
    Measure measure_of(std::string_view name) const {
        if (options_.as) return *options_.as;
        const auto it = std::ranges::find(metrics, name, &Metric::name);
        return it == metrics.end() ? Measure::RoundTrip : it->measure;
    }
    bool is_preferred(std::string_view name, Measure measure) const {
        if (!options_.column.empty()) return true;
        for (const Metric& metric : metrics) {
            if (metric.name == name) return true;
            const bool same = options_.as || metric.measure == measure;
            if (same && found_.contains(std::string(metric.name))) return false;
        }
        return true;
    }

    void bucket(std::string_view name, std::string_view labels, std::string_view value,
                Sink& sink) {
        auto rest = after(labels, "le=\"");
        if (!rest) return sink.refuse("a bucket without its bound: le is missing");
        std::int64_t bound = INT64_MAX;
        const std::string_view le = rest->substr(0, rest->find('"'));
        if (le != "+Inf") {
            std::string_view digits = le;
            const auto number = take_decimal(digits, false);
            const Duration length = number ? scaled(*number, ns_per_s) : Duration{-1};
            if (!digits.empty() || length.ns < 0 || length > Sink::longest_length)
                return sink.refuse(fmt::format("found le=\"{}\"; expected seconds, or +Inf",
                                               harness::printable(le)));
            bound = length.ns;
        }
        const auto number = take_decimal(value, false);
        const auto count = number ? whole(*number) : std::nullopt;
        if (!count) return sink.refuse("expected a count behind the labels");
        std::string key(name);
        key += '\n';
        key += labels.substr(0, static_cast<std::size_t>(rest->data() - labels.data()));
        key += labels.substr(static_cast<std::size_t>(rest->data() - labels.data()) + le.size());
        Child& child = children_[key];
        if (bound <= child.last_bound)
            return sink.refuse("this bucket is here twice: give one scrape at a time");
        if (*count < child.last_count)
            return sink.refuse("the counts of buckets must rise with their bounds");
        child = {bound, *count};
        Cumulated& cumulated = found_[std::string(name)];
        if (cumulated.first_line == 0) cumulated.first_line = sink.line();
        std::uint64_t& sum = cumulated.up_to[bound];
        sum = sum > UINT64_MAX - *count ? UINT64_MAX : sum + *count;
    }

    const ReadOptions& options_;
    std::map<std::string, Child> children_;
    std::map<std::string, Cumulated> found_;
};

bool recognises(std::string_view line) {
    if (line.starts_with("# TYPE ") || line.starts_with("# HELP ")) return true;
    return line.find("_bucket{") != std::string_view::npos &&
           line.find("le=\"") != std::string_view::npos;
}

}  // namespace

const FormatEntry prometheus_format{
    {"prometheus", "histograms of etcd and the API server, one scrape", Measure::RoundTrip},
    recognises,
    nullptr,
    [](const ReadOptions& options, Measure) -> std::unique_ptr<Format> {
        return std::make_unique<Prometheus>(options);
    },
    "it has no histogram that is known; --column names one"};

}  // namespace lockstep::data
