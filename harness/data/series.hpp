#pragma once

#include "core/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What was measured, as it came out of logs: the input of the lease-length explorer.
namespace lockstep::data {

/// What one length in a log is the length of.
enum class Measure : std::uint8_t {
    Pause,           ///< nothing of a process ran
    RoundTrip,       ///< from a request to its answer
    DiskSync,        ///< of one sync of a disk
    Outage,          ///< the lock service could not be reached
    LeadershipLost,  ///< a holder lost its lease; has no length
};

/// One thing that was measured.
struct Point {
    Duration at;             ///< its start, since the start of the observation; of timed series
    Duration length;         ///< how long it took
    std::uint32_t file = 0;  ///< position in Series::files
    std::uint32_t line = 0;  ///< in that file, from 1
};

/// Of a histogram: this many lengths in (above, up_to].
struct Bucket {
    Duration above;
    Duration up_to;  ///< Duration::max(): no end
    std::uint64_t count = 0;
};

/// Lines that say nothing, or nothing that can be used, and why.
struct Skipped {
    std::string why;  ///< "collections in parallel with the program, which stop nothing"
    std::uint64_t lines = 0;
    std::uint32_t file = 0;
    std::uint32_t first_line = 0;
};

/// From `at` on, until the next piece, the wall clock of the source read `wall` + (at - this.at).
/// What lies between two files, or two positions of a clock, is closed up in `at`: nobody looked.
struct Piece {
    Duration at;
    WallTime wall;
};

/// The lengths of one measure in some files, in one of two forms: points, or buckets where the
/// source counted into a histogram.
struct Series {
    Measure measure = Measure::Pause;
    std::string format;  ///< "jdk-unified"
    std::vector<std::string> files;
    /// Ordered by `at` if timed; else in the order of the lines.
    std::vector<Point> points;
    std::vector<Bucket> buckets;  ///< without gaps, ascending; empty if there are points
    /// How long was looked, idle time included; zero: the source does not say.
    Duration observed;
    /// Whether `at` means anything: bursts stay bursts. If not, points are samples to draw from.
    bool timed = false;
    /// Shorter ones are not in the source, however many there were; zero: all are.
    Duration none_below;
    std::vector<Skipped> skipped;
    /// What a reader of the numbers must know, a sentence each: "the clock went back by 3 s at ..."
    std::vector<std::string> notes;
    std::vector<Piece> pieces;  ///< ascending; empty if the source has no wall times
};

/// The wall time of a moment of the series, if its source has wall times.
std::optional<WallTime> wall_time_at(const Series& series, Duration at);

}  // namespace lockstep::data
