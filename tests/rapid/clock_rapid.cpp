#include "sim/clock.hpp"
#include "tests/support/rapid.hpp"

#include <algorithm>
#include <vector>

namespace lockstep::sim::clock_rapid {

namespace {

struct Change {
    std::int64_t after;  ///< nanoseconds since the last one
    std::int64_t ppm;    ///< of drift from then on
    int freezes;         ///< -1 thaws, 1 freezes, 0 neither
};

rc::Gen<Change> change() {
    const auto span = rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 5),
                                     rc::gen::inRange<std::int64_t>(0, 20'000'000'000));
    const auto ppm = rc::gen::oneOf(rc::gen::just<std::int64_t>(0),
                                    rc::gen::inRange<std::int64_t>(-999'999, 1'000'000),
                                    rc::gen::inRange<std::int64_t>(-10'000, 10'001));
    return rc::gen::construct<Change>(span, ppm, rc::gen::inRange(-1, 2));
}

/// Applies the changes; after each, `check(clock, from, until)`: nothing changes in that span.
template <class Check>
void live_through(const std::vector<Change>& history, Check&& check) {
    SimTime now;
    MonotonicClock clock(now, LocalTime{3'600'000'000'000});
    int frozen = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
        now = now + nanoseconds(history[i].after);
        clock.set_drift(now, history[i].ppm);
        if (history[i].freezes > 0) {
            clock.freeze(now);
            ++frozen;
        } else if (history[i].freezes < 0 && frozen > 0) {
            clock.thaw(now);
            --frozen;
        }
        const std::int64_t span = i + 1 < history.size() ? history[i + 1].after : 1'000'000'000;
        check(clock, now, now + nanoseconds(span));
    }
}

}  // namespace

TEST_CASE("sim: the inverse of a clock is the first instant at which it shows a reading") {
    test::check_property("clock inverse", [] {
        const auto history = *rc::gen::container<std::vector<Change>>(change());
        const auto ahead = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-10, 10),
                                           rc::gen::inRange<std::int64_t>(0, 40'000'000'000));
        live_through(history, [ahead](const MonotonicClock& clock, SimTime from, SimTime) {
            const LocalTime reading = clock.read(from) + nanoseconds(ahead);
            const SimTime when = clock.when(reading);
            if (when == SimTime::never()) {
                RC_ASSERT(clock.frozen());
                RC_ASSERT(clock.read(from + seconds(1'000'000)) < reading);
                return;
            }
            RC_ASSERT(when >= from);
            RC_ASSERT(clock.read(when) >= reading);
            if (when > from) RC_ASSERT(clock.read(when - nanoseconds(1)) < reading);
        });
    });
}

TEST_CASE("sim: a monotonic clock never goes back, whatever happens to its rate") {
    test::check_property("clock monotonic", [] {
        const auto history = *rc::gen::container<std::vector<Change>>(change());
        LocalTime last;
        live_through(history, [&last](const MonotonicClock& clock, SimTime from, SimTime until) {
            const SimTime middle = from + (until - from) / 2;
            for (const SimTime t : {from, middle, until}) {
                const LocalTime reading = clock.read(t);
                RC_ASSERT(reading >= last);
                last = reading;
            }
        });
    });
}

}  // namespace lockstep::sim::clock_rapid
