// Snapshots of a container's cpu.stat, each behind a line with the time.
#include "harness/data/format.hpp"

#include <fmt/format.h>

namespace lockstep::data {
namespace {

bool is_counter(std::string_view word) {
    return word == "nr_throttled" || word == "throttled_usec" || word == "throttled_time";
}

class Throttle final : public Format {
public:
    explicit Throttle(Measure measure) : measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        std::string_view rest = text;
        if (const auto wall = take_wall_time(rest); wall && trimmed(rest).empty())
            return begin(*wall, sink);
        rest = text;
        if (const auto number = take_decimal(rest); number && trimmed(rest).empty())
            return begin(WallTime{scaled(*number, ns_per_s).ns}, sink);
        rest = text;
        const std::string_view word = take_word(rest);
        rest = trimmed(rest);
        const auto number = take_decimal(rest, false);
        const bool one = number && rest.empty();
        if (!one) return Line::Foreign;
        const auto value = whole(*number);
        if (!is_counter(word)) return Line::Ours;
        if (!value || *value > std::uint64_t{1} << 62) {
            sink.refuse(fmt::format("{}: expected a count", word));
            return Line::Ours;
        }
        if (word == "nr_throttled")
            now_.times = value;
        else
            now_.length = Duration{static_cast<std::int64_t>(*value)} *
                          (word == "throttled_usec" && *value < std::uint64_t{1} << 50 ? 1'000 : 1);
        if (now_.times && now_.length) compare(sink);
        return Line::Ours;
    }

    void finish(Sink& sink) override {
        if (snapshots_ == 1)
            return sink.refuse(
                "there is one snapshot only: counters say something between two of "
                "them, each behind a line with the time");
        if (!sink.empty())
            sink.note(
                "between two snapshots the stops are counted and their sum is known: all are taken "
                "for equally long. A container of several threads adds their times up, so that "
                "stops of all of it are shorter than that");
    }

private:
    struct Counters {
        std::optional<std::uint64_t> times;
        std::optional<Duration> length;
    };

    Line begin(WallTime wall, Sink& sink) {
        sink.stamp_in_order({wall, std::nullopt});
        now_ = {};
        return Line::Ours;
    }

    void compare(Sink& sink) {
        const Duration at = sink.now();
        if (snapshots_++ > 0) {
            if (!sink.has_now())
                return sink.refuse("there is no line with the time before the counters");
            if (*now_.times < *before_.times || *now_.length < *before_.length)
                return sink.refuse("the counters go back: this is another container");
            between(*now_.times - *before_.times, *now_.length - *before_.length, at, sink);
        }
        before_ = now_;
        before_at_ = at;
        now_ = {};
    }

    void between(std::uint64_t times, Duration length, Duration at, Sink& sink) {
        constexpr std::uint64_t most = 1'000'000;
        if (times == 0) return;
        if (times > most) return sink.refuse("more than a million stops between two snapshots");
        const auto count = static_cast<std::int64_t>(times);
        for (std::int64_t i = 0; i < count && !sink.refused(); ++i)
            sink.at(measure_, before_at_ + (at - before_at_) / count * i, length / count);
    }

    Measure measure_;
    Counters now_;
    Counters before_;
    Duration before_at_;
    std::uint64_t snapshots_ = 0;
};

bool recognises(std::string_view line) {
    return line.starts_with("nr_throttled ") || line.starts_with("nr_periods ") ||
           line.starts_with("throttled_usec ") || line.starts_with("usage_usec ");
}

}  // namespace

const FormatEntry throttle_format{
    {"throttling", "cpu.stat of a container, again and again, with times", Measure::Pause},
    recognises,
    nullptr,
    [](const ReadOptions&, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<Throttle>(measure);
    },
    "nothing was throttled between the snapshots"};

}  // namespace lockstep::data
