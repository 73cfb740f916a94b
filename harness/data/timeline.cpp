#include "harness/data/timeline.hpp"

#include <algorithm>

namespace lockstep::data {
namespace {

/// Lines of several threads come a little out of order.
constexpr Duration slack = seconds(1);
/// More than that are not worth their memory.
constexpr std::size_t most_pieces = 100'000;

}  // namespace

void Timeline::start(const Stamp& stamp) {
    any_ = true;
    by_uptime_ = stamp.up.has_value();
    is_wall_ = stamp.wall.has_value();
    if (by_uptime_ && is_wall_) offset_ = Duration{stamp.wall->ns} - *stamp.up;
    first_ = last_ = (by_uptime_ ? *stamp.up : Duration{stamp.wall->ns}) + offset_;
    reached_ = last_;
    last_wall_ = stamp.wall;
    if (stamp.wall) piece(first_, *stamp.wall);
}

void Timeline::piece(Duration at, WallTime wall) {
    if (pieces_.size() < most_pieces) pieces_.push_back({at, wall});
}

void Timeline::begins(Duration at) {
    if (at >= first_) return;
    if (!pieces_.empty() && pieces_.front().at == first_) {
        pieces_.front().wall = pieces_.front().wall - (first_ - at);
        pieces_.front().at = at;
    }
    first_ = at;
}

Timeline::Moment Timeline::at(const Stamp& stamp) {
    if (!any_) {
        start(stamp);
        return {first_, Jump::None, {}};
    }
    if (by_uptime_ ? !stamp.up : !stamp.wall) return {last_, Jump::None, {}};
    const Duration reading = by_uptime_ ? *stamp.up : Duration{stamp.wall->ns};
    Moment moment{reading + offset_, Jump::None, {}};
    if (moment.at < last_ - slack) {
        moment.jump = by_uptime_ ? Jump::Restart : Jump::Back;
        moment.distance = last_ - moment.at;
        moment.at = last_;
        if (by_uptime_ && stamp.wall) moment.at = std::max(last_, Duration{stamp.wall->ns});
        offset_ = moment.at - reading;
        if (stamp.wall) piece(moment.at, *stamp.wall);
    } else if (stamp.wall && !pieces_.empty()) {
        const Piece& now = pieces_.back();
        const Duration off = (*stamp.wall - now.wall) - (moment.at - now.at);
        if (off > slack || off < -slack) {
            if (last_wall_ && *stamp.wall < *last_wall_ - slack) {
                moment.jump = Jump::WallOff;
                moment.distance = *last_wall_ - *stamp.wall;
            }
            piece(moment.at, *stamp.wall);
        }
    }
    if (stamp.wall) last_wall_ = stamp.wall;
    last_ = std::max(last_, moment.at);
    return moment;
}

std::optional<WallTime> wall_time_at(const Series& series, Duration at) {
    if (series.pieces.empty()) return std::nullopt;
    auto next = std::upper_bound(series.pieces.begin(), series.pieces.end(), at,
                                 [](Duration d, const Piece& piece) { return d < piece.at; });
    if (next != series.pieces.begin()) --next;
    return next->wall + (at - next->at);
}

}  // namespace lockstep::data
