#include "tests/harness/timeline/timeline_runs.hpp"
#include "tests/support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <tuple>

namespace lockstep::test::timeline {
namespace {

using nlohmann::json;
using Track = std::pair<std::int64_t, std::int64_t>;

Track track_of(const json& event) {
    return {event["pid"].get<std::int64_t>(), event["tid"].get<std::int64_t>()};
}

std::string trace_text(const Run& run) {
    std::string text;
    harness::perfetto_json(run.outcome, run.settings,
                           [&](std::string_view piece) { text += piece; });
    return text;
}

/// What the trace event format demands, as far as phases of ours go. Gives what is wrong.
class SchemaCheck {
public:
    std::vector<std::string> wrong_with(const json& trace) {
        if (!trace.is_object() || !trace.contains("traceEvents")) return {"no traceEvents"};
        for (const json& event : trace["traceEvents"]) look_at(event);
        for (const auto& [id, open] : open_)
            if (open != 0) wrong_.push_back("a slice without its end: " + id);
        for (const auto& [id, flow] : flows_)
            if (flow.starts != 1 || flow.ends != 1) wrong_.push_back("half a flow: " + id);
        nest();
        for (const auto& [track, at] : bound_) bind(track, at);
        return std::move(wrong_);
    }

private:
    struct Flow {
        int starts = 0;
        int ends = 0;
        double from = 0;
    };

    void need(const json& event, const char* field, bool there) {
        if (!there) wrong_.push_back(fmt::format("{}: {}", field, event.dump()));
    }

    void look_at(const json& event) {
        for (const char* field : {"ph", "name"})
            if (!event.contains(field) || !event[field].is_string())
                return need(event, field, false);
        for (const char* field : {"ts", "pid", "tid"})
            if (!event.contains(field) || !event[field].is_number())
                return need(event, field, false);
        const std::string phase = event["ph"];
        const double at = event["ts"];
        need(event, "ts before zero", at >= 0);
        if (phase == "M") return metadata(event);
        need(event, "ts goes back", at >= last_);
        last_ = std::max(last_, at);
        if (!event.contains("cat") || !event["cat"].is_string()) return need(event, "cat", false);
        need(event, "a process without a name", named_.contains(event["pid"].get<std::int64_t>()));
        const Track track = track_of(event);
        if (phase == "X")
            slice(event, track, at);
        else if (phase == "b" || phase == "e")
            async(event, phase == "b");
        else if (phase == "s" || phase == "f")
            flow(event, track, phase == "s", at);
        else if (phase == "i")
            need(event, "s", event.contains("s") && (event["s"] == "g" || event["s"] == "t"));
        else if (phase == "C")
            need(event, "args", event.contains("args") && event["args"].is_object());
        else
            need(event, "unknown phase", false);
    }

    void metadata(const json& event) {
        const std::string name = event["name"];
        need(event, "args", event.contains("args") && event["args"].is_object());
        if (name == "process_name") named_.insert(event["pid"].get<std::int64_t>());
        if (name == "thread_name") tracks_.insert(track_of(event));
    }

    void slice(const json& event, const Track& track, double at) {
        const bool lasts = event.contains("dur") && event["dur"].is_number() && event["dur"] >= 0;
        need(event, "dur", lasts);
        need(event, "a track without a name", tracks_.contains(track));
        if (lasts) slices_[track].push_back({at, at + event["dur"].get<double>()});
    }

    void async(const json& event, bool begins) {
        if (!event.contains("id")) return need(event, "id", false);
        const std::string id = fmt::format("{}/{}/{}/{}", event["cat"].dump(), event["id"].dump(),
                                           event["pid"].dump(), event["name"].dump());
        int& open = open_[id];
        open += begins ? 1 : -1;
        need(event, "an end without a beginning", open >= 0);
        need(event, "a second beginning", open <= 1);
    }

    void flow(const json& event, const Track& track, bool starts, double at) {
        if (!event.contains("id")) return need(event, "id", false);
        Flow& flow = flows_[event["id"].dump()];
        starts ? ++flow.starts : ++flow.ends;
        if (starts)
            flow.from = at;
        else
            need(event, "bp", event.contains("bp") && event["bp"] == "e" && flow.from <= at);
        bound_.push_back({track, at});
    }

    /// Each slice of a track lies within another or beside it.
    void nest() {
        constexpr double rounding = 1e-6;
        for (auto& [track, slices] : slices_) {
            std::vector<double> ends;
            for (const auto& [from, to] : slices) {
                while (!ends.empty() && ends.back() <= from + rounding) ends.pop_back();
                if (!ends.empty() && to > ends.back() + rounding)
                    wrong_.push_back(fmt::format("slices cross at {} of {}", from, track.first));
                ends.push_back(to);
            }
        }
    }

    /// A flow that begins or ends in no slice is not drawn.
    void bind(const Track& track, double at) {
        const auto& slices = slices_[track];
        auto next = std::upper_bound(slices.begin(), slices.end(), std::pair(at, 1e300));
        if (next == slices.begin() || std::prev(next)->second < at)
            wrong_.push_back(fmt::format("a flow in no slice at {} of {}", at, track.first));
    }

    std::vector<std::string> wrong_;
    std::set<std::int64_t> named_;
    std::set<Track> tracks_;
    std::map<Track, std::vector<std::pair<double, double>>> slices_;
    std::map<std::string, int> open_;
    std::map<std::string, Flow> flows_;
    std::vector<std::pair<Track, double>> bound_;
    double last_ = 0;
};

std::size_t count(const json& trace, const std::string& phase) {
    const auto& events = trace["traceEvents"];
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [&](const json& event) { return event["ph"] == phase; }));
}

TEST_CASE("perfetto: traces of runs with every kind of trouble follow the format") {
    const std::vector<std::tuple<std::string, std::uint64_t, std::vector<std::string>>> runs{
        {"chaos", 3, {}},
        {"storm", 2, {}},
        {"lock-delay", 1, {}},
        {"pause-between-check-and-write", 1, {"resource.fencing=none"}}};
    for (const auto& [name, seed, sets] : runs) {
        INFO(name);
        const Run run = run_of(name, seed, sets);
        const json trace = json::parse(trace_text(run));
        const auto wrong = SchemaCheck().wrong_with(trace);
        CHECK(wrong == std::vector<std::string>{});
        for (const char* phase : {"M", "X", "b", "e", "s", "f", "C"})
            CHECK(count(trace, phase) > 10);
        CHECK(count(trace, "i") > 0);
    }
}

TEST_CASE("perfetto: the check of the format objects to what is wrong") {
    HandMade made;
    made.grant(1'000, HandMade::a, 5, 33);
    made.send(2'000, 1, HandMade::a, HandMade::n1, "renew");
    made.take(2'002, 1, HandMade::a, HandMade::n1);
    const json good = json::parse(trace_text(made.run()));
    REQUIRE(SchemaCheck().wrong_with(good).empty());
    const json& events = good["traceEvents"];
    for (std::size_t i = 0; i < events.size(); ++i) {
        const std::string phase = events[i]["ph"];
        INFO(events[i].dump());
        json without = good;
        without["traceEvents"].erase(i);
        if (phase == "b" || phase == "e" || phase == "s" || phase == "f")
            CHECK(!SchemaCheck().wrong_with(without).empty());
        for (const auto& [field, value] : events[i].items()) {
            if (field == "args") continue;
            json maimed = good;
            maimed["traceEvents"][i].erase(field);
            CHECK(!SchemaCheck().wrong_with(maimed).empty());
        }
    }
    json crossing = good;
    json slice{{"ph", "X"}, {"ts", 1e7},  {"dur", 10},  {"pid", 1},
               {"tid", 1},  {"cat", "c"}, {"name", "n"}};
    crossing["traceEvents"].push_back({{"ph", "M"},
                                       {"ts", 0},
                                       {"pid", 1},
                                       {"tid", 1},
                                       {"name", "thread_name"},
                                       {"args", json::object()}});
    crossing["traceEvents"].push_back(slice);
    REQUIRE(SchemaCheck().wrong_with(crossing).empty());
    slice["ts"] = 1e7 + 5;
    crossing["traceEvents"].push_back(slice);
    CHECK(!SchemaCheck().wrong_with(crossing).empty());
}

TEST_CASE("perfetto: a lease is a slice of its client, a message a flow, a violation an instant") {
    HandMade made;
    made.outcome().process_names[1] = "a \"quoted\" </script> \xff name";
    made.grant(1'000, HandMade::a, 5, 33);
    made.send(2'000, 7, HandMade::a, HandMade::n1, "renew");
    made.take(2'002, 7, HandMade::a, HandMade::n1);
    violate(made.outcome(), PropertyId::Lock1, sim::SimTime{3'000'000'000}, "two");
    const json trace = json::parse(trace_text(made.run()));
    std::map<std::string, json> by_phase;
    for (const json& event : trace["traceEvents"]) {
        const std::string phase = event["ph"];
        if (phase == "i" || phase == "s" || phase == "f") by_phase[phase] = event;
        if (phase == "b" && event["name"] == "job believed") by_phase["b"] = event;
    }
    CHECK(by_phase["b"]["pid"] == 2);
    CHECK(by_phase["b"]["ts"] == 1'001'000.0);
    CHECK(by_phase["b"]["args"]["token"] == 33);
    CHECK(by_phase["s"]["pid"] == 2);
    CHECK(by_phase["f"]["pid"] == 1);
    CHECK(by_phase["f"]["ts"] == 2'002'000.0);
    CHECK(by_phase["i"]["name"] == "LOCK-1 SingleHolder violated");
    CHECK(by_phase["i"]["s"] == "g");
    CHECK(by_phase["i"]["ts"] == 3'000'000.0);
}

}  // namespace
}  // namespace lockstep::test::timeline
