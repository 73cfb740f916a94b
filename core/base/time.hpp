#pragma once

#include <compare>
#include <cstdint>

namespace lockstep {

/// A span of time in nanoseconds. Covers 292 years in either direction.
struct Duration {
    std::int64_t ns = 0;

    constexpr auto operator<=>(const Duration&) const = default;
    constexpr Duration operator-() const { return {-ns}; }
    constexpr Duration& operator+=(Duration o) {
        ns += o.ns;
        return *this;
    }
    constexpr Duration& operator-=(Duration o) {
        ns -= o.ns;
        return *this;
    }
    friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
    friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
    friend constexpr Duration operator*(Duration a, std::int64_t k) { return {a.ns * k}; }
    friend constexpr Duration operator/(Duration a, std::int64_t k) { return {a.ns / k}; }
    static constexpr Duration max() { return {INT64_MAX}; }
};

constexpr Duration nanoseconds(std::int64_t n) {
    return {n};
}
constexpr Duration microseconds(std::int64_t n) {
    return {n * 1'000};
}
constexpr Duration milliseconds(std::int64_t n) {
    return {n * 1'000'000};
}
constexpr Duration seconds(std::int64_t n) {
    return {n * 1'000'000'000};
}

/// An instant on one kind of clock. Instants of different kinds do not mix.
template <class Tag>
struct Instant {
    std::int64_t ns = 0;

    constexpr auto operator<=>(const Instant&) const = default;
    friend constexpr Instant operator+(Instant a, Duration d) { return {a.ns + d.ns}; }
    friend constexpr Instant operator-(Instant a, Duration d) { return {a.ns - d.ns}; }
    friend constexpr Duration operator-(Instant a, Instant b) { return {a.ns - b.ns}; }
    static constexpr Instant never() { return {INT64_MAX}; }
};

/// The monotonic clock of one process in one life of it. Not comparable with any other.
using LocalTime = Instant<struct LocalClock>;
/// What a process believes the time of day to be. May jump either way.
using WallTime = Instant<struct WallClock>;

/// Parts per million, for drift bounds: 10'000 is 1%.
struct Ppm {
    std::int64_t value = 0;
    constexpr auto operator<=>(const Ppm&) const = default;
};

/// d x (1 - bound), rounded down: what a holder may rely on of a span that another clock measures.
constexpr Duration shrink(Duration d, Ppm bound) {
    const auto scaled = static_cast<__int128>(d.ns) * (1'000'000 - bound.value);
    return {static_cast<std::int64_t>(scaled / 1'000'000)};
}

/// d / (1 - bound), rounded up: how long a span that another clock measures can take.
constexpr Duration stretch(Duration d, Ppm bound) {
    const auto scaled = static_cast<__int128>(d.ns) * 1'000'000;
    const std::int64_t rate = 1'000'000 - bound.value;
    return {static_cast<std::int64_t>((scaled + rate - 1) / rate)};
}

}  // namespace lockstep
