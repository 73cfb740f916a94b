// What `ping` prints: iputils and busybox on Linux, macOS and the BSDs, Windows in English.
#include "harness/data/format.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

namespace lockstep::data {
namespace {

/// The number behind the first of the marks.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view mark) {
    auto rest = after(text, mark);
    if (!rest) return std::nullopt;
    const auto number = take_decimal(*rest, false);
    return number ? whole(*number) : std::nullopt;
}

std::optional<std::uint64_t> sequence_of(std::string_view text) {
    if (const auto n = number_after(text, "icmp_seq=")) return n;
    if (const auto n = number_after(text, "icmp_seq ")) return n;
    return number_after(text, " seq=");
}

bool is_summary(std::string_view text) {
    return text.find(" packets transmitted") != std::string_view::npos ||
           text.find("Packets: Sent = ") != std::string_view::npos;
}

bool is_unanswered(std::string_view text) {
    for (const std::string_view mark :
         {"Request timeout for icmp_seq", "no answer yet for icmp_seq", "Request timed out.",
          "Destination Host Unreachable", "Destination host unreachable",
          "Destination Net Unreachable", "Time to live exceeded"})
        if (text.find(mark) != std::string_view::npos) return true;
    return false;
}

class Ping final : public Format {
public:
    explicit Ping(Measure measure) : measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        if (text.starts_with('[')) {
            std::string_view inside = text.substr(1);
            if (const auto number = take_decimal(inside); number && take(inside, "] ")) {
                sink.stamp_in_order({WallTime{scaled(*number, ns_per_s).ns}, std::nullopt});
                text = inside;
            }
        } else if (std::string_view rest = text; const auto wall = take_wall_time(rest)) {
            sink.stamp_in_order({wall, std::nullopt});
            text = trimmed(rest);
        }
        if (text.starts_with("PING ") || text.starts_with("Pinging ") ||
            text.starts_with("PING6")) {
            end_run(sink);
            return Line::Ours;
        }
        if (is_summary(text)) return summary(text, sink);
        if (is_unanswered(text)) {
            ++unanswered_;
            return Line::Ours;
        }
        if (text.starts_with("---") || text.starts_with("rtt min/") ||
            text.starts_with("round-trip ") || text.starts_with("Ping statistics for") ||
            text.starts_with("Approximate round trip") || text.starts_with("    Minimum = "))
            return Line::Ours;
        return answer(text, sink);
    }

    void finish(Sink& sink) override {
        end_run(sink);
        if (lost_ > 0) sink.skip("packets that were never answered", lost_);
        if (duration_.ns > 0 && !sink.has_now()) sink.looked(duration_);
        if (below_ > 0)
            sink.note(fmt::format(
                "{} answer{} came in less than a millisecond, which is all that the line says: "
                "taken for 1 ms",
                harness::grouped(below_), below_ == 1 ? "" : "s"));
    }

private:
    Line answer(std::string_view text, Sink& sink) {
        const bool from =
            text.find(" bytes from ") != std::string_view::npos || text.starts_with("Reply from ");
        if (!from) return Line::Foreign;
        if (text.find("(DUP!)") != std::string_view::npos) {
            sink.skip("answers that came twice");
            return Line::Ours;
        }
        const bool below = text.find("time<1ms") != std::string_view::npos;
        auto rest = after(text, below ? "time<" : "time=");
        const auto length = rest ? take_span(*rest) : std::nullopt;
        if (!length) {
            sink.skip("answers without a time");
            return Line::Ours;
        }
        if (below) ++below_;
        count_gap(text);
        sink.ended(measure_, *length);
        return Line::Ours;
    }

    /// Sequence numbers have 16 bits; answers may overtake each other.
    void count_gap(std::string_view text) {
        const auto sequence = sequence_of(text);
        if (!sequence) return;
        unanswered_ = 0;
        const auto now = static_cast<std::uint16_t>(*sequence);
        if (started_) {
            const auto ahead = static_cast<std::uint16_t>(now - expected_);
            if (ahead >= 0x8000) {
                gaps_ -= gaps_ > 0 ? 1 : 0;
                return;
            }
            gaps_ += ahead;
        }
        started_ = true;
        expected_ = static_cast<std::uint16_t>(now + 1);
    }

    Line summary(std::string_view text, Sink& sink) {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        if (const auto n = number_after(text, "Sent = ")) {
            sent = *n;
            received = number_after(text, "Received = ").value_or(0);
        } else {
            std::string_view rest = text;
            const auto first = take_decimal(rest, false);
            sent = first ? whole(*first).value_or(0) : 0;
            auto second = after(text, "transmitted, ");
            const auto number = second ? take_decimal(*second, false) : std::nullopt;
            received = number ? whole(*number).value_or(0) : 0;
            if (auto time = after(text, ", time "))
                if (const auto span = take_span(*time);
                    span && *span <= Sink::longest_length * 12 && duration_ < Duration::max() / 4)
                    duration_ += *span;
        }
        if (received > sent) {
            sink.skip("summaries of more answers than packets");
        } else {
            lost_ += sent - received;
            gaps_ = unanswered_ = 0;
        }
        end_run(sink);
        return Line::Ours;
    }

    void end_run(Sink&) {
        lost_ += gaps_ + unanswered_;
        gaps_ = unanswered_ = 0;
        started_ = false;
    }

    Measure measure_;
    std::uint64_t lost_ = 0;        ///< of runs that have ended
    std::uint64_t gaps_ = 0;        ///< sequence numbers of this run that were passed over
    std::uint64_t unanswered_ = 0;  ///< told one by one since the last answer
    std::uint64_t below_ = 0;
    std::uint16_t expected_ = 0;
    bool started_ = false;
    Duration duration_;
};

bool recognises(std::string_view line) {
    if (line.starts_with("PING ") || line.starts_with("Pinging ") || is_summary(line)) return true;
    if (line.find("icmp_seq") != std::string_view::npos) return true;
    if (line.starts_with("Reply from ") && line.find("TTL=") != std::string_view::npos) return true;
    return line.find(" bytes from ") != std::string_view::npos &&
           line.find(" time=") != std::string_view::npos;
}

}  // namespace

const FormatEntry ping_format{
    {"ping", "what ping prints, on Linux, macOS, BSD, Windows", Measure::RoundTrip},
    recognises,
    nullptr,
    [](const ReadOptions&, Measure measure) -> std::unique_ptr<Format> {
        return std::make_unique<Ping>(measure);
    },
    "no packet was answered"};

}  // namespace lockstep::data
