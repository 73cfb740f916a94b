// Logs of JDK 9 and later: -Xlog:safepoint, -Xlog:gc, with any decorations.
#include "harness/data/format.hpp"

#include <algorithm>

namespace lockstep::data {
namespace {

constexpr std::string_view stopped = "application threads were stopped: ";
/// More milliseconds than that since a start would be three years.
constexpr std::int64_t wall_from_ms = 100'000'000'000;

/// What is in one pair of brackets, if it is a time.
void take_decoration(std::string_view inside, Stamp& stamp) {
    if (inside.size() < 2 || !is_digit(inside.front())) return;
    if (inside.size() > 18 && inside[4] == '-') {
        if (const auto wall = take_wall_time(inside)) stamp.wall = wall;
        return;
    }
    const auto number = take_decimal(inside);
    if (!number) return;
    if (inside == "s") {
        stamp.up = scaled(*number, ns_per_s);
    } else if (inside == "ms") {
        const Duration since = scaled(*number, ns_per_ms);
        if (since / ns_per_ms > Duration{wall_from_ms})
            stamp.wall = WallTime{since.ns};
        else if (!stamp.up)
            stamp.up = since;
    } else if (inside == "ns" && !stamp.up) {
        stamp.up = scaled(*number, 1);
    }
}

/// Takes all decorations; whether there were any.
bool take_decorations(std::string_view& text, Stamp& stamp) {
    bool any = false;
    while (!text.empty() && text.front() == '[') {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return any;
        take_decoration(text.substr(1, end - 1), stamp);
        text.remove_prefix(end + 1);
        any = true;
    }
    return any;
}

/// "GC(17) ", and of a generational collector "Y: ".
void take_collection(std::string_view& text) {
    if (text.starts_with("GC(")) {
        const std::size_t end = text.find(") ");
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 2);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    if (text.size() > 3 && text[1] == ':' && text[2] == ' ') text.remove_prefix(3);
}

/// "... 7.965ms" at the end.
std::optional<Duration> length_at_end(std::string_view text) {
    if (!text.ends_with("ms")) return std::nullopt;
    std::string_view word = text.substr(text.rfind(' ') + 1);
    const auto number = take_decimal(word);
    if (!number || word != "ms") return std::nullopt;
    return scaled(*number, ns_per_ms);
}

bool is_safepoint(std::string_view message) {
    return message.starts_with("Safepoint \"") ||
           message.starts_with("Total time for which application");
}

class JdkUnified final : public Format {
public:
    explicit JdkUnified(Measure measure) : measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        Stamp stamp;
        const bool decorated = take_decorations(text, stamp);
        if (stamp.wall || stamp.up) sink.stamp(stamp);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        const bool collection = text.starts_with("GC(");
        take_collection(text);
        if (text.empty()) return Line::Ours;
        switch (text.front()) {
            case 'P':
                if (text.starts_with("Pause ")) return pause(text, sink);
                break;
            case 'S':
            case 'T':
                if (is_safepoint(text)) return safepoint(text, sink);
                break;
            case 'C':
                if (text.starts_with("Concurrent ") && length_at_end(text)) {
                    sink.skip("phases in parallel with the program, which stop nothing");
                    return Line::Ours;
                }
                break;
            case 'U':
            case 'I':
            case 'G':
            case 'M':
                note_collector(text, sink);
                break;
            default:
                break;
        }
        return decorated || collection ? Line::Ours : Line::Foreign;
    }

    void finish(Sink& sink) override {
        if (sink.empty() && !concurrent_.empty())
            return sink.refuse_at(
                std::string(concurrent_) +
                    " stops the program too, but its log shows no pauses unless it "
                    "is asked for them: run with -Xlog:safepoint",
                concurrent_line_);
        if (safepoints_ == 0 && !sink.empty())
            sink.note(
                "these are the pauses of collections alone: other stops, and the time until all "
                "threads stand still, are in the log with -Xlog:safepoint");
    }

private:
    Line pause(std::string_view text, Sink& sink) {
        const auto length = length_at_end(text);
        if (!length) return Line::Ours;  // where it begins
        if (safepoints_ > 0)
            sink.skip(inside);
        else
            sink.ended(measure_, *length);
        return Line::Ours;
    }

    Line safepoint(std::string_view text, Sink& sink) {
        auto rest = after(text, text.front() == 'T' ? stopped : "Total:");
        std::optional<Duration> length;
        if (rest) {
            *rest = trimmed(*rest);
            length = take_span(*rest);
        }
        if (!length) {
            sink.skip("safepoints without their total");
            return Line::Ours;
        }
        if (safepoints_++ == 0)
            if (const auto before = sink.forget(measure_); before > 0) sink.skip(inside, before);
        sink.ended(measure_, *length);
        return Line::Ours;
    }

    void note_collector(std::string_view text, Sink& sink) {
        if (!concurrent_.empty()) return;
        const bool z = text.find("The Z Garbage Collector") != std::string_view::npos ||
                       text.starts_with("Garbage Collection (") ||
                       text.starts_with("Minor Collection (") ||
                       text.starts_with("Major Collection (");
        const bool shenandoah = text.starts_with("Using Shenandoah");
        if (!z && !shenandoah) return;
        concurrent_ = z ? "ZGC" : "Shenandoah";
        concurrent_line_ = sink.line();
    }

    static constexpr std::string_view inside =
        "pauses of collections, which are within safepoints that are read in full";
    Measure measure_;
    std::uint64_t safepoints_ = 0;
    std::string_view concurrent_;  ///< the collector, if it is one that hardly stops the program
    std::uint64_t concurrent_line_ = 0;
};

bool recognises(std::string_view line) {
    const bool bare = line.starts_with("GC(") && line.size() > 4 && is_digit(line[3]);
    if (bare || line.starts_with("Safepoint \"")) return true;
    if (!line.starts_with('[')) return false;
    const std::string_view head = line.substr(0, 240);
    return head.find("][gc") != std::string_view::npos ||
           head.find("][safepoint") != std::string_view::npos ||
           head.find("] GC(") != std::string_view::npos ||
           head.find("] Safepoint \"") != std::string_view::npos ||
           (head.find("] Total time for which application") != std::string_view::npos);
}

}  // namespace

const FormatEntry jdk_unified_format{
    {"jdk-unified", "JDK 9 and later: -Xlog:safepoint or -Xlog:gc", Measure::Pause},
    recognises,
    nullptr,
    [](const ReadOptions&, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<JdkUnified>(measure);
    },
    "it has no line 'Safepoint ... Total' and no 'Pause ... ms'; -Xlog:safepoint writes the first"};

}  // namespace lockstep::data
