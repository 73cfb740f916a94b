#pragma once

#include "sim/types.hpp"

#include <cstdint>

namespace lockstep::sim {

/// A reading that grows with true time at some rate, from the last change of the rate on. Fixed
/// point: a nanosecond has 2^40 parts, so that 1% of drift is exact to one part in 10^12 and no
/// change of rate makes the reading jump.
class ClockLine {
public:
    static constexpr int fraction_bits = 40;

    ClockLine(SimTime at, std::int64_t reading) { restart(at, reading); }

    /// From here on the reading starts at this value; the rate stays.
    void restart(SimTime at, std::int64_t reading);
    /// `ppm` above -1'000'000.
    void set_drift(SimTime at, std::int64_t ppm);
    void stop(SimTime at);
    void go(SimTime at);

    /// Not before the last change.
    std::int64_t read(SimTime t) const {
        if (rate_ == true_rate && !stopped_ && t >= since_)
            return static_cast<std::int64_t>(value_ >> fraction_bits) + (t.ns - since_.ns);
        return read_scaled(t);
    }
    /// The least true time, not before the last change, at which the reading is at least this;
    /// `never()` if it will not be so before something changes.
    SimTime when(std::int64_t reading) const;

private:
    static constexpr std::int64_t true_rate = std::int64_t{1} << fraction_bits;

    void move_anchor(SimTime at);
    std::int64_t read_scaled(SimTime t) const;

    SimTime since_;                  ///< the last change
    __int128 value_ = 0;             ///< reading then, in parts
    std::int64_t rate_ = true_rate;  ///< parts a nanosecond of true time
    bool stopped_ = false;
};

/// The clock that a process measures spans with. Never goes back in one life. Freezes nest.
class MonotonicClock {
public:
    MonotonicClock(SimTime at, LocalTime reading) : line_(at, reading.ns) {}

    LocalTime read(SimTime t) const { return {line_.read(t)}; }
    SimTime when(LocalTime reading) const { return line_.when(reading.ns); }

    void boot(SimTime at, LocalTime reading) { line_.restart(at, reading.ns); }
    void set_drift(SimTime at, std::int64_t ppm) { line_.set_drift(at, ppm); }
    void freeze(SimTime at);
    void thaw(SimTime at);
    bool frozen() const { return freezes_ > 0; }

private:
    ClockLine line_;
    std::uint32_t freezes_ = 0;
};

/// What a process takes for the time of day: drifts with the other clock, is stepped either way,
/// survives restarts, and is right again after any pause.
class WallClock {
public:
    WallClock(SimTime at, WallTime reading) : line_(at, reading.ns) {}

    WallTime read(SimTime t) const { return {line_.read(t) + offset_.ns}; }
    void set_drift(SimTime at, std::int64_t ppm) { line_.set_drift(at, ppm); }
    void step(Duration by) { offset_ += by; }

private:
    ClockLine line_;
    Duration offset_;
};

}  // namespace lockstep::sim
