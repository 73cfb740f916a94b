#include "sim/clock.hpp"

#include "core/base/assert.hpp"

namespace lockstep::sim {

void ClockLine::restart(SimTime at, std::int64_t reading) {
    since_ = at;
    value_ = static_cast<__int128>(reading) << fraction_bits;
}

void ClockLine::move_anchor(SimTime at) {
    LOCKSTEP_ASSERT(at >= since_, "changed at {} after {}", at.ns, since_.ns);
    if (!stopped_) value_ += static_cast<__int128>(at.ns - since_.ns) * rate_;
    since_ = at;
}

void ClockLine::set_drift(SimTime at, std::int64_t ppm) {
    LOCKSTEP_ASSERT(ppm > -1'000'000 && ppm <= 1'000'000'000, "ppm={}", ppm);
    move_anchor(at);
    rate_ =
        static_cast<std::int64_t>(static_cast<__int128>(true_rate) * (1'000'000 + ppm) / 1'000'000);
}

void ClockLine::stop(SimTime at) {
    move_anchor(at);
    stopped_ = true;
}

void ClockLine::go(SimTime at) {
    move_anchor(at);
    stopped_ = false;
}

std::int64_t ClockLine::read_scaled(SimTime t) const {
    LOCKSTEP_ASSERT(t >= since_, "read at {}, changed at {}", t.ns, since_.ns);
    const __int128 grown = stopped_ ? 0 : static_cast<__int128>(t.ns - since_.ns) * rate_;
    return static_cast<std::int64_t>((value_ + grown) >> fraction_bits);
}

SimTime ClockLine::when(std::int64_t reading) const {
    if (reading == INT64_MAX) return SimTime::never();
    if (rate_ == true_rate && !stopped_) {
        // A fraction below one part of a reading changes nothing at this rate. No division.
        const __int128 at = static_cast<__int128>(reading) -
                            static_cast<std::int64_t>(value_ >> fraction_bits) + since_.ns;
        if (at <= since_.ns) return since_;
        return at >= INT64_MAX ? SimTime::never() : SimTime{static_cast<std::int64_t>(at)};
    }
    const __int128 missing = (static_cast<__int128>(reading) << fraction_bits) - value_;
    if (missing <= 0) return since_;
    if (stopped_) return SimTime::never();
    const __int128 at = since_.ns + (missing + rate_ - 1) / rate_;
    return at >= INT64_MAX ? SimTime::never() : SimTime{static_cast<std::int64_t>(at)};
}

void MonotonicClock::freeze(SimTime at) {
    if (freezes_++ == 0) line_.stop(at);
}

void MonotonicClock::thaw(SimTime at) {
    LOCKSTEP_ASSERT(freezes_ > 0, "thawed at {} without a freeze", at.ns);
    if (--freezes_ == 0) line_.go(at);
}

}  // namespace lockstep::sim
