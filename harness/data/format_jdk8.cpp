// Logs of JDK 8 and earlier: -XX:+PrintGCApplicationStoppedTime, -XX:+PrintGCDetails, -verbose:gc.
#include "harness/data/format.hpp"

#include <algorithm>

namespace lockstep::data {
namespace {

constexpr std::string_view stopped = "application threads were stopped: ";
constexpr std::string_view total_time = "Total time for which ";

/// The stamp right before the end of `text`: "2026-03-01T12:00:00.123+0100: 4.097: ", or one of
/// both.
Stamp stamp_before(std::string_view text) {
    Stamp stamp;
    const auto drop_colon = [](std::string_view& t) {
        const std::string_view trim = trimmed(t);
        if (!trim.ends_with(':')) return false;
        t = trim.substr(0, trim.size() - 1);
        return true;
    };
    std::string_view rest = text;
    if (!drop_colon(rest)) return stamp;
    const std::size_t begin = rest.find_last_not_of("0123456789.,");
    std::string_view word = rest.substr(begin == std::string_view::npos ? 0 : begin + 1);
    const bool part_of_date = begin != std::string_view::npos &&
                              (rest[begin] == '+' || rest[begin] == '-' ||
                               (rest[begin] == ':' && begin + 1 == rest.size() - word.size() &&
                                begin > 0 && is_digit(rest[begin - 1]) && word.size() < 3));
    if (!part_of_date && !word.empty()) {
        if (const auto number = take_decimal(word); number && word.empty()) {
            stamp.up = scaled(*number, ns_per_s);
            rest = rest.substr(0, begin == std::string_view::npos ? 0 : begin + 1);
            if (!drop_colon(rest)) return stamp;
        }
    }
    // The longest has a fraction and a zone: 28 characters.
    for (const std::size_t size : {28U, 29U, 24U, 23U, 25U, 19U}) {
        if (rest.size() < size) continue;
        std::string_view date = rest.substr(rest.size() - size);
        const auto wall = take_wall_time(date);
        if (!wall || !date.empty()) continue;
        stamp.wall = wall;
        break;
    }
    return stamp;
}

/// The stamp at the front of a line.
Stamp stamp_of(std::string_view text) {
    Stamp stamp;
    if (text.empty() || !is_digit(text.front())) return stamp;
    std::string_view rest = text;
    if (const auto wall = take_wall_time(rest); wall && take(rest, ": ")) {
        stamp.wall = wall;
        text = rest;
    }
    rest = text;
    if (const auto number = take_decimal(rest); number && take(rest, ": "))
        stamp.up = scaled(*number, ns_per_s);
    return stamp;
}

bool says(const Stamp& stamp) {
    return stamp.wall || stamp.up;
}

/// The collections in lines, which may be many in a line, have others within them, and go on over
/// several lines.
class Collections {
public:
    void line(std::string_view text, Measure measure, Sink& sink) {
        if (depth_ > 0 && ++lines_ > most_lines) depth_ = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '[') {
                open(text, i, sink);
            } else if (text[i] == ']' && depth_ > 0) {
                if (--depth_ == 0) close(text.substr(0, i), measure, sink);
            }
        }
    }
    bool inside() const { return depth_ > 0; }

private:
    void open(std::string_view text, std::size_t i, Sink& sink) {
        const std::string_view here = text.substr(i);
        const bool begins = here.starts_with("[GC") || here.starts_with("[Full GC");
        // A line that was cut off in the middle of a collection never closes it.
        const bool anew = begins && (i == 0 || is_digit(text.front())) && depth_ > 0 &&
                          lines_ > 0 && stamped_at_front(text, i);
        if (depth_ > 0 && !anew) {
            ++depth_;
            return;
        }
        if (!begins) return;
        depth_ = 1;
        lines_ = 0;
        concurrent_ = here.starts_with("[GC concurrent");
        stamp_ = stamp_before(text.substr(0, i));
        if (says(stamp_)) sink.stamp(stamp_);
        began_ = sink.now();
        timed_ = says(stamp_);
    }
    static bool stamped_at_front(std::string_view text, std::size_t i) {
        return text.substr(0, i).find('[') == std::string_view::npos;
    }
    void close(std::string_view text, Measure measure, Sink& sink) {
        if (concurrent_) {
            sink.skip("phases in parallel with the program, which stop nothing");
            return;
        }
        if (!text.ends_with(" secs")) {
            sink.skip("collections without their length");
            return;
        }
        text.remove_suffix(5);
        std::string_view number = text.substr(text.rfind(' ') + 1);
        const auto length = take_decimal(number);
        if (!length || !number.empty()) return sink.skip("collections without their length");
        if (timed_ || !sink.has_now())
            sink.at(measure, began_, scaled(*length, ns_per_s));
        else
            sink.ended(measure, scaled(*length, ns_per_s));
    }

    static constexpr int most_lines = 200;
    int depth_ = 0;
    int lines_ = 0;
    bool concurrent_ = false;
    bool timed_ = false;
    Stamp stamp_;
    Duration began_;
};

class Jdk8 final : public Format {
public:
    explicit Jdk8(Measure measure) : measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        const Stamp stamp = stamp_of(text);
        if (says(stamp)) sink.stamp(stamp);
        bool ours = says(stamp) || is_detail(text);
        ours = stops(text, sink) || ours;
        if (text.find("-concurrent-") != std::string_view::npos)
            sink.skip("phases in parallel with the program, which stop nothing");
        if (stops_ > 0) {
            if (text.find("[GC") != std::string_view::npos ||
                text.find("[Full GC") != std::string_view::npos) {
                sink.skip(inside);
                ours = true;
            }
            return ours ? Line::Ours : Line::Foreign;
        }
        if (collections_.inside() || text.find("GC") != std::string_view::npos) {
            collections_.line(text, measure_, sink);
            ours = true;
        }
        return ours ? Line::Ours : Line::Foreign;
    }

    void finish(Sink& sink) override {
        if (stops_ == 0 && !sink.empty())
            sink.note(
                "these are the lengths of collections: other stops, and the time until all threads "
                "stand still, are in the log with -XX:+PrintGCApplicationStoppedTime");
    }

private:
    /// All of them in the line: threads write into each other's lines.
    bool stops(std::string_view text, Sink& sink) {
        bool any = false;
        std::size_t from = 0;
        for (;;) {
            const std::size_t at = text.find(stopped, from);
            if (at == std::string_view::npos) return any;
            std::string_view rest = text.substr(at + stopped.size());
            const std::size_t begin = text.rfind(total_time, at);
            const bool whole = begin != std::string_view::npos && begin >= from;
            const Stamp stamp = stamp_before(text.substr(from, (whole ? begin : at) - from));
            from = at + stopped.size();
            const auto length = take_span(rest);
            if (!length) {
                sink.skip("stops whose line was cut off");
                any = true;
                continue;
            }
            if (says(stamp)) sink.stamp(stamp);
            if (stops_++ == 0)
                if (const auto before = sink.forget(measure_); before > 0)
                    sink.skip(inside, before);
            sink.ended(measure_, *length);
            any = true;
        }
    }
    static bool is_detail(std::string_view text) {
        constexpr std::string_view starts = " \t[{}-:,";
        if (text.empty() || starts.find(text.front()) != std::string_view::npos) return true;
        for (const std::string_view word :
             {"Java HotSpot", "OpenJDK", "Memory: ", "CommandLine flags", "Heap",
              "Desired survivor", "Before GC", "After GC", "Statistics", "Total Free",
              "Max   Chunk", "Number of", "Av.  Block", "Tree      Height", "Application time",
              "----"})
            if (text.starts_with(word)) return true;
        return text.find("GC log ") != std::string_view::npos;
    }

    static constexpr std::string_view inside =
        "collections, which are within stops that are read in full";
    Measure measure_;
    std::uint64_t stops_ = 0;
    Collections collections_;
};

bool recognises(std::string_view line) {
    if (line.find(stopped) != std::string_view::npos) return true;
    if (line.starts_with("CommandLine flags: -XX") || line.starts_with("Java HotSpot(TM) ") ||
        line.starts_with("OpenJDK 64-Bit Server VM ("))
        return true;
    for (const std::string_view mark : {"[GC ", "[GC(", "[Full GC ", "[Full GC(", "[GC-",
                                        "[Times: user=", ": Application time: "})
        if (line.find(mark) != std::string_view::npos) return true;
    return false;
}

}  // namespace

const FormatEntry jdk8_format{
    {"jdk8", "JDK 8 and earlier: stopped times, or collections", Measure::Pause},
    recognises,
    nullptr,
    [](const ReadOptions&, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<Jdk8>(measure);
    },
    "it has no collection and no 'application threads were stopped'; "
    "-XX:+PrintGCApplicationStoppedTime writes the latter"};

}  // namespace lockstep::data
