#include "harness/data/read.hpp"
#include "harness/data/words.hpp"

#include <array>
#include <utility>

namespace lockstep::data {
namespace {

constexpr std::array<std::pair<std::string_view, Measure>, 5> names{{
    {"pause", Measure::Pause},
    {"rtt", Measure::RoundTrip},
    {"disk", Measure::DiskSync},
    {"outage", Measure::Outage},
    {"lost", Measure::LeadershipLost},
}};

constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units{{
    {"ns", 1},
    {"us", ns_per_us},
    {"ms", ns_per_ms},
    {"s", ns_per_s},
    {"m", 60 * ns_per_s},
    {"h", 3'600 * ns_per_s},
}};

}  // namespace

std::string_view to_string(Measure measure) {
    for (const auto& [name, value] : names)
        if (value == measure) return name;
    return "";
}

std::optional<Measure> measure_named(std::string_view name) {
    for (const auto& [known, value] : names)
        if (known == name) return value;
    return std::nullopt;
}

std::optional<std::int64_t> unit_named(std::string_view name) {
    for (const auto& [known, value] : units)
        if (known == name) return value;
    return std::nullopt;
}

}  // namespace lockstep::data
