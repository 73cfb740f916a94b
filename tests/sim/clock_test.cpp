#include "sim/clock.hpp"

#include "tests/support/catch.hpp"

namespace lockstep::sim::clock_tests {

TEST_CASE("sim: a monotonic clock runs at true rate from its boot offset") {
    MonotonicClock clock(SimTime{100}, LocalTime{5'000});
    CHECK(clock.read(SimTime{100}) == LocalTime{5'000});
    CHECK(clock.read(SimTime{350}) == LocalTime{5'250});
    CHECK(clock.when(LocalTime{5'250}) == SimTime{350});
    CHECK(clock.when(LocalTime{4'000}) == SimTime{100});
    CHECK(clock.when(LocalTime::never()) == SimTime::never());
}

TEST_CASE("sim: drift of 1% is a second in a hundred") {
    MonotonicClock clock(SimTime{0}, LocalTime{0});
    clock.set_drift(SimTime{0}, 10'000);
    const LocalTime after = clock.read(SimTime{} + seconds(100));
    CHECK(after >= LocalTime{} + seconds(101) - nanoseconds(1));
    CHECK(after <= LocalTime{} + seconds(101));
    clock.set_drift(SimTime{} + seconds(100), -10'000);
    CHECK(clock.read(SimTime{} + seconds(100)) == after);
    const LocalTime later = clock.read(SimTime{} + seconds(200));
    CHECK(later >= LocalTime{} + seconds(200) - nanoseconds(2));
    CHECK(later <= LocalTime{} + seconds(200));
}

TEST_CASE("sim: a frozen clock stands still, reaches nothing, and goes on where it stood") {
    MonotonicClock clock(SimTime{0}, LocalTime{0});
    clock.freeze(SimTime{10});
    clock.freeze(SimTime{20});
    CHECK(clock.read(SimTime{500}) == LocalTime{10});
    CHECK(clock.when(LocalTime{11}) == SimTime::never());
    CHECK(clock.when(LocalTime{10}) == SimTime{10});
    clock.thaw(SimTime{600});
    CHECK(clock.frozen());
    CHECK(clock.read(SimTime{700}) == LocalTime{10});
    clock.thaw(SimTime{1'000});
    CHECK(clock.read(SimTime{1'005}) == LocalTime{15});
    CHECK(clock.when(LocalTime{15}) == SimTime{1'005});
}

TEST_CASE("sim: a wall clock is stepped either way and drifts") {
    WallClock wall(SimTime{0}, WallTime{1'000'000});
    wall.step(microseconds(-400));
    CHECK(wall.read(SimTime{0}) == WallTime{600'000});
    wall.set_drift(SimTime{0}, 500'000);
    CHECK(wall.read(SimTime{1'000}) == WallTime{601'500});
}

}  // namespace lockstep::sim::clock_tests
