#include "harness/timeline/page_tracks.hpp"

#include "harness/timeline/json_out.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>
#include <vector>

// Everything is in microseconds. A lane is what may lie in one line of the page: a flat array, in
// which each record begins with the time since the beginning of the one before.
namespace lockstep::harness::timeline {
namespace {

/// From when to when, and what else the page needs to know.
struct Bar {
    std::int64_t from;
    std::int64_t to;
    std::array<std::int64_t, 4> more;
};
struct Point {
    std::int64_t at;
    std::array<std::int64_t, 4> more;
};

struct Detail {
    std::int64_t from;
    std::int64_t to;
    std::int64_t resolution;  ///< 0: everything in full

    bool touches(std::int64_t a, std::int64_t b) const {
        return resolution == 0 || (a <= to && b >= from);
    }
};

template <class... Ids>
std::vector<std::int64_t> key_of(Ids... ids) {
    return {static_cast<std::int64_t>(ids.value)...};
}

template <class Record>
using Lanes = std::map<std::vector<std::int64_t>, std::vector<Record>>;

/// Short bars close together become one, whose first number says minus how many, and whose second
/// is that of all of them, or 0.
std::vector<Bar> coarse(const std::vector<Bar>& bars, const Detail& detail) {
    std::vector<Bar> out;
    bool mergeable = false;
    for (const Bar& bar : bars) {
        const bool small =
            !detail.touches(bar.from, bar.to) && bar.to - bar.from < detail.resolution;
        if (small && mergeable && bar.from - out.back().to < detail.resolution) {
            Bar& merged = out.back();
            if (merged.more[0] >= 0) merged.more[0] = -1;
            --merged.more[0];
            merged.to = std::max(merged.to, bar.to);
            if (merged.more[1] != bar.more[1]) merged.more[1] = 0;
            continue;
        }
        out.push_back(bar);
        mergeable = small;
    }
    return out;
}

/// Of points of one kind that share a stretch as long as the resolution, the last.
std::vector<Point> coarse(const std::vector<Point>& points, const Detail& detail, bool by_kind) {
    std::vector<Point> out;
    std::map<std::int64_t, std::pair<std::int64_t, std::size_t>> last;  // by kind: stretch, place
    for (const Point& point : points) {
        if (detail.touches(point.at, point.at)) {
            out.push_back(point);
            continue;
        }
        const std::int64_t stretch = point.at / detail.resolution;
        const std::int64_t kind = by_kind ? point.more[0] : 0;
        const auto before = last.find(kind);
        if (before != last.end() && before->second.first == stretch) {
            out[before->second.second] = point;
            continue;
        }
        last[kind] = {stretch, out.size()};
        out.push_back(point);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Point& a, const Point& b) { return a.at < b.at; });
    return out;
}

class TrackWriter {
public:
    TrackWriter(const Model& model, Words& words, Span window, Coarseness coarseness)
        : model_(model),
          words_(words),
          bars_{us(window.from), us(window.to), us(coarseness.bars)},
          points_{us(window.from), us(window.to), us(coarseness.points)} {}

    std::string text() {
        beliefs();
        grants();
        waits();
        dangers();
        roles();
        commits();
        bands();
        points();
        return out_.take();
    }

private:
    /// `"name":[[key,...,[record,...]],...]`
    void lanes(std::string_view name, const Lanes<Bar>& all, std::size_t more) {
        out_.key(name).open('[');
        for (const auto& [key, bars] : all) {
            begin_lane(key);
            std::int64_t before = 0;
            for (const Bar& bar : coarse(bars, bars_)) {
                out_.number(bar.from - before).number(bar.to - bar.from);
                for (std::size_t i = 0; i < more; ++i) out_.number(bar.more[i]);
                before = bar.from;
            }
            out_.close(']').close(']');
        }
        out_.close(']');
    }

    void lanes(std::string_view name, const Lanes<Point>& all, std::size_t more,
               bool by_kind = false) {
        out_.key(name).open('[');
        for (const auto& [key, points] : all) {
            begin_lane(key);
            std::int64_t before = 0;
            for (const Point& point : coarse(points, points_, by_kind)) {
                out_.number(point.at - before);
                for (std::size_t i = 0; i < more; ++i) out_.number(point.more[i]);
                before = point.at;
            }
            out_.close(']').close(']');
        }
        out_.close(']');
    }

    void begin_lane(const std::vector<std::int64_t>& key) {
        out_.open('[');
        for (const std::int64_t part : key) out_.number(part);
        out_.open('[');
    }

    void beliefs() {
        Lanes<Bar> all;
        for (const Belief& b : model_.beliefs)
            all[key_of(b.client, b.lock)].push_back(
                {us(b.from),
                 us(b.over),
                 {static_cast<std::int64_t>(b.token.value), us(b.told) - us(b.over), word(b.why)}});
        lanes("beliefs", all, 3);
    }

    void grants() {
        Lanes<Bar> all;
        for (const Grant& g : model_.grants)
            all[key_of(g.lock)].push_back(
                {us(g.from),
                 us(g.to),
                 {static_cast<std::int64_t>(g.token.value),
                  static_cast<std::int64_t>(g.client.value), static_cast<std::int64_t>(g.end)}});
        lanes("grants", all, 3);
        Lanes<Bar> delays;
        for (const Delay& d : model_.delays)
            delays[key_of(d.lock)].push_back({us(d.from), us(d.to), {}});
        lanes("delays", delays, 0);
    }

    /// Who waits in full detail, or not at all.
    void waits() {
        Lanes<Bar> all;
        for (const Wait& w : model_.waits)
            if (points_.touches(us(w.from), us(w.to)))
                all[key_of(w.lock)].push_back(
                    {us(w.from), us(w.to), {static_cast<std::int64_t>(w.client.value), 0, 0}});
        lanes("waits", all, 1);
    }

    void dangers() {
        Lanes<Bar> all;
        for (const Danger& d : model_.dangers)
            all[key_of(d.lock, d.client)].push_back(
                {us(d.from), us(d.to), {static_cast<std::int64_t>(d.other.value), 0, 0}});
        lanes("dangers", all, 1);
    }

    void roles() {
        Lanes<Bar> all;
        for (const Role& r : model_.roles)
            all[key_of(r.server)].push_back(
                {us(r.from),
                 us(r.to),
                 {static_cast<std::int64_t>(r.kind), static_cast<std::int64_t>(r.term.value), 0}});
        lanes("roles", all, 2);
    }

    void commits() {
        Lanes<Point> all;
        for (const Commit& c : model_.commits)
            all[key_of(c.server)].push_back(
                {us(c.at), {static_cast<std::int64_t>(c.index.value), 0, 0}});
        lanes("commits", all, 1);
    }

    /// Trouble with several links at a time is one band.
    void bands() {
        Lanes<Bar> all;
        for (const Band& b : model_.bands)
            all[{static_cast<std::int64_t>(b.process.value), static_cast<std::int64_t>(b.kind)}]
                .push_back({us(b.from), us(b.to), {}});
        for (auto& [key, bars] : all) {
            std::vector<Bar> joined;
            for (const Bar& bar : bars)
                if (!joined.empty() && bar.from <= joined.back().to)
                    joined.back().to = std::max(joined.back().to, bar.to);
                else
                    joined.push_back(bar);
            bars = std::move(joined);
        }
        lanes("bands", all, 0);
    }

    void points() {
        Lanes<Point> writes;
        for (const Write& w : model_.writes) {
            if (w.fate == Write::Fate::ReadAccepted) continue;
            writes[key_of(w.resource)].push_back(
                {us(w.at),
                 {static_cast<std::int64_t>(w.fate), static_cast<std::int64_t>(w.token.value),
                  static_cast<std::int64_t>(w.client.value), static_cast<std::int64_t>(w.n)}});
        }
        lanes("writes", writes, 4, true);
        Lanes<Point> renewals;
        for (const Renewal& r : model_.renewals)
            renewals[key_of(r.client)].push_back(
                {us(r.sent),
                 {r.heard == SimTime::never() ? 0 : 1 + us(r.heard) - us(r.sent), 0, 0}});
        lanes("renewals", renewals, 1);
        clocks();
    }

    /// Only what changed by enough to be seen.
    void clocks() {
        constexpr std::int64_t visible = 50;
        Lanes<Point> all;
        for (const ClockSample& c : model_.clocks) {
            std::vector<Point>& lane = all[key_of(c.process)];
            if (lane.empty() || std::abs(us(c.offset) - lane.back().more[0]) >= visible)
                lane.push_back({us(c.at), {us(c.offset), 0, 0}});
        }
        // A clock that does what it should is not worth a line.
        constexpr std::int64_t worth_a_line = 1'000;
        std::erase_if(all, [](const auto& lane) {
            return std::none_of(lane.second.begin(), lane.second.end(),
                                [](const Point& p) { return std::abs(p.more[0]) >= worth_a_line; });
        });
        lanes("clocks", all, 1);
    }

    std::int64_t word(std::string_view text) { return static_cast<std::int64_t>(words_.of(text)); }

    const Model& model_;
    Words& words_;
    const Detail bars_;
    const Detail points_;
    JsonOut out_;
};

}  // namespace

std::string page_tracks(const Model& model, Words& words, Span window, Coarseness coarseness) {
    return TrackWriter(model, words, window, coarseness).text();
}

}  // namespace lockstep::harness::timeline
