// What a Go program prints with GODEBUG=gctrace=1.
#include "harness/data/format.hpp"

namespace lockstep::data {
namespace {

/// "gc 12 @3.456s 2%: " at the front; takes it away.
struct Head {
    Duration at;
};
std::optional<Head> take_head(std::string_view& text) {
    std::string_view rest = text;
    if (!take(rest, "gc ") || !take_decimal(rest, false) || !take(rest, " @")) return std::nullopt;
    const auto at = take_decimal(rest, false);
    if (!at || !take(rest, "s ")) return std::nullopt;
    if (!take_decimal(rest, false) || !take(rest, "%:")) return std::nullopt;
    text = trimmed(rest);
    return Head{scaled(*at, ns_per_s)};
}

/// What a container's log puts before each line: "2026-03-01T12:00:00.123456789Z ", and which
/// stream the line comes from.
std::optional<WallTime> take_prefix(std::string_view& text) {
    std::string_view rest = text;
    const auto wall = take_wall_time(rest);
    if (!wall || !rest.starts_with(' ')) return std::nullopt;
    rest = trimmed(rest);
    if (take(rest, "stdout ") || take(rest, "stderr ")) {
        take(rest, "F ");
        take(rest, "P ");
    }
    text = rest;
    return wall;
}

class GoGctrace final : public Format {
public:
    explicit GoGctrace(Measure measure) : measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        const auto wall = take_prefix(text);
        if (text.starts_with("scvg") || text.starts_with("pacer: ") ||
            text.starts_with("gc forced") || text.starts_with("GC forced"))
            return Line::Ours;
        std::string_view rest = text;
        const auto head = take_head(rest);
        if (!head) {
            if (!text.starts_with("gc ") || text.find('@') == std::string_view::npos)
                return Line::Foreign;
            sink.skip("collections whose line was cut off");
            return Line::Ours;
        }
        sink.stamp({wall, head->at});
        // Sweep termination + marking beside the program + mark termination.
        std::vector<Decimal>& parts = parts_;
        parts.clear();
        do {
            const auto part = take_decimal(rest, false);
            if (!part) break;
            parts.push_back(*part);
        } while (take(rest, "+"));
        if (!rest.starts_with(" ms clock")) {
            sink.skip("collections whose line was cut off");
        } else if (parts.size() != 3) {
            sink.skip("collections that do not have three phases: Go before 1.6");
        } else {
            const Duration first = scaled(parts.front(), ns_per_ms);
            const Duration last = scaled(parts.back(), ns_per_ms);
            if (first.ns < 0 || last.ns < 0)
                sink.refuse("a phase of a collection has a negative length");
            else
                sink.began(measure_, first > Sink::longest_length || last > Sink::longest_length
                                         ? Duration::max()
                                         : first + last);
        }
        return Line::Ours;
    }

    void finish(Sink& sink) override {
        if (!sink.empty())
            sink.note(
                "a stop is both phases of a collection in which all goroutines stand still, taken "
                "as one; what the operating system does to the process is not in this log");
    }

private:
    Measure measure_;
    std::vector<Decimal> parts_;
};

bool recognises(std::string_view line) {
    take_prefix(line);
    return take_head(line).has_value();
}

}  // namespace

const FormatEntry go_gctrace_format{
    {"go-gctrace", "Go: GODEBUG=gctrace=1", Measure::Pause},
    recognises,
    nullptr,
    [](const ReadOptions&, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<GoGctrace>(measure);
    },
    "no line 'gc N @Ts P%: a+b+c ms clock' is whole"};

}  // namespace lockstep::data
