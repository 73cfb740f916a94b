// Controllers of Kubernetes that lost their lease.
#include "harness/data/format.hpp"

#include <algorithm>

namespace lockstep::data {
namespace {

/// "E0102 15:04:05.678901 ": a level, month and day, without a year.
std::optional<Duration> take_klog_time(std::string_view text) {
    if (text.size() < 21) return std::nullopt;
    constexpr std::string_view levels = "IWEF";
    if (levels.find(text.front()) == std::string_view::npos || text[5] != ' ') return std::nullopt;
    for (const std::size_t i : {1U, 2U, 3U, 4U})
        if (!is_digit(text[i])) return std::nullopt;
    // Any leap year, so that no date is refused.
    std::string date = "2000-" + std::string(text.substr(1, 2)) + "-" +
                       std::string(text.substr(3, 2)) + "T" + std::string(text.substr(6, 15));
    std::string_view rest = date;
    const auto wall = take_wall_time(rest);
    if (!wall) return std::nullopt;
    return Duration{wall->ns};
}

/// Whatever the case of letters: messages became structured, and began with a capital, over time.
bool has(std::string_view text, std::string_view words) {
    const auto small = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::search(text.begin(), text.end(), words.begin(), words.end(),
                       [&](char a, char b) { return small(a) == b; }) != text.end();
}

bool says_lost(std::string_view text) {
    return has(text, "leaderelection lost") || has(text, "leader election lost");
}

bool says_failed(std::string_view text) {
    return has(text, "failed to renew lease");
}

class Election final : public Format {
public:
    explicit Election(Measure measure) : measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        sink.looked_for(measure_);
        take_time(text, sink);
        if (says_lost(text) || says_failed(text)) {
            lost(says_lost(text), sink);
        } else if (has(text, "successfully acquired lease")) {
            sink.skip("leases that were acquired");
        } else if (has(text, "error retrieving resource lock")) {
            sink.skip("renewals that failed and were tried again");
        } else {
            sink.skip("messages about something else");
        }
        return Line::Ours;
    }

private:
    void take_time(std::string_view text, Sink& sink) {
        std::string_view rest = text;
        if (const auto wall = take_wall_time(rest))
            sink.stamp({wall, std::nullopt});
        else if (auto ts = after(text, "\"ts\":\""); ts && (rest = *ts, true))
            stamp_if(take_wall_time(rest), sink);
        else if (auto klog = take_klog_time(text))
            klog_time(*klog, sink);
    }
    static void stamp_if(std::optional<WallTime> wall, Sink& sink) {
        if (wall) sink.stamp({wall, std::nullopt});
    }
    /// The year is not written: a date half a year back is one of the next year.
    void klog_time(Duration time, Sink& sink) {
        constexpr Duration half = seconds(183 * 86'400);
        time += years_;
        if (time < last_ - half) {
            years_ += seconds(366 * 86'400);
            time += seconds(366 * 86'400);
        }
        last_ = std::max(last_, time);
        sink.stamp({std::nullopt, time});
    }
    /// One loss is told twice: that renewing failed, and that the lease is lost.
    void lost(bool final_word, Sink& sink) {
        constexpr Duration same = seconds(60);
        const bool again =
            final_word && failed_before_ && (!sink.has_now() || sink.now() - failed_at_ < same);
        failed_before_ = !final_word;
        failed_at_ = sink.now();
        if (again)
            sink.skip("second lines about a loss");
        else
            sink.ended(measure_, Duration{});
    }

    Measure measure_;
    Duration years_;
    Duration last_;
    bool failed_before_ = false;
    Duration failed_at_;
};

bool recognises(std::string_view line) {
    return says_lost(line) || says_failed(line) || has(line, "successfully acquired lease") ||
           (has(line, "leaderelection.go:") && has(line, "] "));
}

}  // namespace

const FormatEntry election_format{
    {"leader-election", "Kubernetes controllers: leader election lost", Measure::LeadershipLost},
    recognises,
    nullptr,
    [](const ReadOptions&, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<Election>(measure);
    },
    "no line is about leader election"};

}  // namespace lockstep::data
