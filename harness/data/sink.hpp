#pragma once

#include "core/base/result.hpp"
#include "harness/data/series.hpp"
#include "harness/data/tally.hpp"
#include "harness/data/timeline.hpp"
#include "harness/data/words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::data {

/// What one file says of one measure.
struct Found {
    Measure measure = Measure::Pause;
    std::vector<Point> points;  ///< `at` on the axis of the file; empty if only summarised
    Tally tally;                ///< only if summarised
    std::vector<Bucket> buckets;
    std::uint64_t count = 0;
    bool timed = true;
    Duration none_below;
};

/// Takes what the format of a file finds in its lines.
class Sink {
public:
    /// With `keep_points` all are kept; else they are only counted, in constant memory.
    explicit Sink(bool keep_points) : keep_points_(keep_points) {}

    /// No length is longer: such a one comes from a clock that was set, or from a damaged line.
    static constexpr Duration longest_length = seconds(30 * 86'400);

    void begin_line(std::uint64_t number);

    /// The clocks in this line. To be said before what happened at that moment.
    void stamp(const Stamp& stamp);
    /// As `stamp`, for formats whose times do not go back unless the file is damaged.
    void stamp_in_order(const Stamp& stamp);
    /// Of the line's stamp, on the axis of the file.
    Duration now() const { return now_; }
    bool has_now() const { return !timeline_.empty(); }

    /// It ended, or began, at the moment of this line. Without any stamp: it is a sample.
    void ended(Measure measure, Duration length);
    void began(Measure measure, Duration length);
    /// It began at that moment of the axis.
    void at(Measure measure, Duration at, Duration length);
    /// As many samples in (above, up_to]; each bucket begins where the one before ended.
    void bucket(Measure measure, Duration above, Duration up_to, std::uint64_t count);
    /// The measure was looked for, even if nothing was found.
    void looked_for(Measure measure) { found(measure); }
    /// What was said of the measure so far is said again, better; returns how many that were.
    std::uint64_t forget(Measure measure);
    /// Shorter ones were not written down.
    void none_below(Measure measure, Duration length) { found(measure).none_below = length; }
    /// How long was looked, where that is said and not seen from the stamps.
    void looked(Duration length) { looked_ = length; }

    /// This line says nothing that can be used.
    void skip(std::string_view why, std::uint64_t lines = 1);
    void note(std::string text) { notes_.push_back(std::move(text)); }
    /// The file cannot be taken for what it says; the first refusal counts, and ends the reading.
    void refuse(std::string why);
    void refuse_at(std::string why, std::uint64_t line);

    const std::optional<Error>& refused() const { return refused_; }
    std::uint64_t line() const { return line_; }
    bool empty() const { return found_.empty(); }
    std::vector<Found>& all() { return found_; }
    const std::vector<Skipped>& skipped() const { return skipped_; }
    std::vector<std::string> notes() const;
    const Timeline& timeline() const { return timeline_; }
    Duration looked() const { return looked_; }

private:
    struct Jumps {
        std::uint64_t times = 0;
        std::uint64_t first_line = 0;
        Duration first_distance;
    };
    Found& found(Measure measure);
    void add(Measure measure, Duration at, Duration length, bool timed);
    void jumped(const Timeline::Moment& moment);

    bool keep_points_;
    std::uint64_t line_ = 0;
    Duration now_;
    Timeline timeline_;
    Duration looked_;
    std::vector<Found> found_;
    std::vector<Skipped> skipped_;
    std::vector<std::string> notes_;
    Jumps back_, wall_off_, restarts_;
    std::optional<Error> refused_;
};

}  // namespace lockstep::data
