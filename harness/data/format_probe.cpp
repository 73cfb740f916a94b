// What `lockstep probe` writes.
#include "harness/data/format.hpp"
#include "harness/data/probe_text.hpp"

#include <fmt/format.h>

namespace lockstep::data {
namespace {

constexpr std::string_view title = "# lockstep probe 1";

std::string stamp_text(WallTime time) {
    return fmt::format("{}.{:09}", time.ns / ns_per_s, time.ns % ns_per_s);
}

/// "1764684629.000123456" from the front.
std::optional<WallTime> take_stamp(std::string_view& text) {
    const auto number = take_decimal(text, false);
    if (!number) return std::nullopt;
    return WallTime{scaled(*number, ns_per_s).ns};
}

class Probe final : public Format {
public:
    explicit Probe(std::optional<Measure> as) : as_(as) {}

    Line line(std::string_view text, Sink& sink) override {
        if (text.starts_with('#')) return Line::Ours;
        std::string_view rest = text;
        const std::string_view word = take_word(rest);
        if (!is_known(word)) return Line::Foreign;
        rest = trimmed(rest);
        const auto wall = take_stamp(rest);
        if (!wall) {
            sink.refuse(fmt::format("expected a time in seconds since 1970 behind '{}'", word));
            return Line::Ours;
        }
        sink.stamp_in_order({wall, std::nullopt});
        if (word == "begin") return begin(rest, sink);
        if (word == "lost") {
            sink.skip("connections that were not made, or not in time");
        } else if (word == "stall" || word == "rtt") {
            rest = trimmed(rest);
            const auto length = take_span(rest);
            if (!length || !trimmed(rest).empty())
                sink.refuse(
                    fmt::format("expected a length with its unit behind the time, as in "
                                "'{} 1764684629.25 3.5ms'",
                                word));
            else
                sink.began(word == "rtt" ? Measure::RoundTrip : as_.value_or(Measure::Pause),
                           *length);
        }
        return Line::Ours;
    }

    void finish(Sink& sink) override {
        if (!ended_) sink.note("the measurement has no end: it was cut off");
    }

private:
    bool is_known(std::string_view word) {
        if (word == "end") ended_ = true;
        return word == "begin" || word == "stall" || word == "rtt" || word == "lost" ||
               word == "alive" || word == "end";
    }
    static Line begin(std::string_view rest, Sink& sink) {
        auto above = after(rest, "above=");
        const auto least = above ? take_span(*above) : std::nullopt;
        if (least) sink.none_below(Measure::Pause, *least);
        return Line::Ours;
    }
    std::optional<Measure> as_;
    bool ended_ = false;
};

bool recognises(std::string_view line) {
    return line.starts_with(title);
}

}  // namespace

std::string probe_title() {
    return fmt::format("{}: stalls of this machine, and connections; `lockstep data` reads it\n",
                       title);
}

std::string probe_line(std::string_view word, WallTime at, std::string_view rest) {
    return fmt::format("{} {}{}{}\n", word, stamp_text(at), rest.empty() ? "" : " ", rest);
}

std::string probe_length(std::string_view word, WallTime at, Duration length) {
    return probe_line(word, at, fmt::format("{}us", length.ns / ns_per_us));
}

const FormatEntry probe_format{{"lockstep-probe", "what lockstep probe writes", Measure::Pause},
                               recognises,
                               nullptr,
                               [](const ReadOptions& options, Measure) -> std::unique_ptr<Format> {
                                   return std::make_unique<Probe>(options.as);
                               },
                               "it has no stall and no connection: measure for longer"};

}  // namespace lockstep::data
