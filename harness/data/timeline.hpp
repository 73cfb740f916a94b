#pragma once

#include "harness/data/series.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::data {

/// What the clocks say in one line of a log.
struct Stamp {
    std::optional<WallTime> wall;
    std::optional<Duration> up;  ///< since the process started
};

/// Makes one axis of the stamps of a file, along which time only goes forward: clocks are set back,
/// and processes start anew, in the middle of logs.
class Timeline {
public:
    enum class Jump : std::uint8_t {
        None,
        Back,     ///< the wall clock was set back, and no other clock says how much time passed
        WallOff,  ///< the wall clock was set back, but the time since the start went on
        Restart,  ///< the time since the start began anew
    };
    struct Moment {
        Duration at;  ///< on the axis
        Jump jump = Jump::None;
        Duration distance;  ///< how far it jumped
    };
    /// `stamp` has at least one of both.
    Moment at(const Stamp& stamp);
    /// Something began before the first stamp.
    void begins(Duration at);
    /// Something lasted beyond the last stamp.
    void lasts(Duration at) { reached_ = std::max(reached_, at); }

    bool empty() const { return !any_; }
    Duration first() const { return first_; }
    Duration last() const { return std::max(last_, reached_); }
    /// The axis is the wall clock's; else it counts from the start of a process.
    bool is_wall() const { return is_wall_; }
    const std::vector<Piece>& pieces() const { return pieces_; }

private:
    void start(const Stamp& stamp);
    void piece(Duration at, WallTime wall);

    bool any_ = false;
    bool is_wall_ = false;
    bool by_uptime_ = false;  ///< which of both clocks the axis follows
    Duration offset_;         ///< of the axis to that clock
    Duration first_;
    Duration last_;     ///< of the stamps
    Duration reached_;  ///< by what happened
    std::optional<WallTime> last_wall_;
    std::vector<Piece> pieces_;
};

}  // namespace lockstep::data
