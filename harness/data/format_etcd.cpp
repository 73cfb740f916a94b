// The JSON lines of etcd that complain of a slow disk.
#include "harness/data/format.hpp"

namespace lockstep::data {
namespace {

/// The text of a member of a flat object, as etcd's logger writes it: "name":"text". Without
/// escapes, which none of those that are read has.
std::optional<std::string_view> member(std::string_view text, std::string_view name) {
    std::size_t from = 0;
    for (;;) {
        const std::size_t at = text.find(name, from);
        if (at == std::string_view::npos) return std::nullopt;
        from = at + name.size();
        std::string_view rest = text.substr(from);
        if (at == 0 || text[at - 1] != '"' || !take(rest, "\":\"")) continue;
        const std::size_t end = rest.find('"');
        if (end == std::string_view::npos) return std::nullopt;
        return rest.substr(0, end);
    }
}

bool is_etcd(std::string_view line) {
    return line.find("{\"level\":\"") != std::string_view::npos &&
           line.find("\"caller\":\"") != std::string_view::npos &&
           line.find("\"msg\":\"") != std::string_view::npos;
}

class Etcd final : public Format {
public:
    explicit Etcd(Measure measure) : measure_(measure) {}

    Line line(std::string_view text, Sink& sink) override {
        if (!is_etcd(text)) return Line::Foreign;
        if (const auto ts = member(text, "ts")) {
            std::string_view rest = *ts;
            if (const auto wall = take_wall_time(rest)) sink.stamp({wall, std::nullopt});
        }
        const auto message = member(text, "msg").value_or("");
        if (message != "slow fdatasync" && message != "slow fsync") {
            if (message.find("took too long") != std::string_view::npos)
                sink.skip("requests that took long, which are no syncs of a disk");
            else
                sink.skip("messages about something else");
            return Line::Ours;
        }
        const auto took = member(text, "took");
        std::string_view rest = took.value_or("");
        const auto length = take_span(rest);
        if (!length || !rest.empty()) {
            sink.skip("slow syncs whose line was cut off");
            return Line::Ours;
        }
        sink.ended(measure_, *length);
        std::string_view expected = member(text, "expected-duration").value_or("1s");
        if (const auto least = take_span(expected)) sink.none_below(measure_, *least);
        return Line::Ours;
    }

private:
    Measure measure_;
};

bool recognises(std::string_view line) {
    return is_etcd(line) && line.find("\"msg\":\"slow f") != std::string_view::npos;
}

}  // namespace

const FormatEntry etcd_format{{"etcd", "etcd's JSON lines 'slow fdatasync'", Measure::DiskSync},
                              recognises,
                              nullptr,
                              [](const ReadOptions&, Measure measure) -> std::unique_ptr<Format> {
                                  return std::make_unique<Etcd>(measure);
                              },
                              "no line says 'slow fdatasync'"};

}  // namespace lockstep::data
