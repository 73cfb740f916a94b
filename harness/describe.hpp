#pragma once

#include "harness/run.hpp"
#include "harness/text.hpp"
#include "sim/fault.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace lockstep::harness {

/// Names for the numbers in a run's events. Refers to the outcome and the plan; both must outlive
/// it.
class Names {
public:
    Names(const Outcome& outcome, const sim::FaultPlan& plan) : outcome_(outcome), plan_(plan) {}

    std::string process(sim::ProcessId id) const;  ///< "n1"; "world" for none
    std::string lock(LockId id) const;
    std::string point(std::uint32_t point) const;
    std::string fault(std::uint32_t position) const;  ///< its label
    /// Why a fault may have come to nothing.
    std::string_view why_missed(std::uint32_t position) const;

private:
    const Outcome& outcome_;
    const sim::FaultPlan& plan_;
};

namespace detail {

inline std::string_view spelled(sim::CrashKind v) {
    return v == sim::CrashKind::Kill ? "kill" : "power";
}
inline std::string_view spelled(sim::ClockMode v) {
    return v == sim::ClockMode::Runs ? "runs" : "frozen";
}
inline std::string_view spelled(sim::Assumption v) {
    return properties::to_string(v);
}
inline std::string_view spelled(sim::ProcessKind v) {
    return properties::to_string(v);
}
template <class E>
std::string_view spelled(E v) {
    return events::to_string(v);
}

}  // namespace detail

/// One field in the way in which its type and name are best read.
template <class T>
std::string field_text(const Names& names, std::string_view field, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "yes" : "no";
    } else if constexpr (std::is_same_v<T, LockId>) {
        return names.lock(value);
    } else if constexpr (std::is_same_v<T, NodeId>) {
        return names.process(value);
    } else if constexpr (std::is_same_v<T, Duration>) {
        return value == Duration::max() ? "without end" : span_text(value);
    } else if constexpr (std::is_same_v<T, LocalTime>) {
        return value == LocalTime::never() ? "never" : seconds_text(value.ns);
    } else if constexpr (std::is_enum_v<T>) {
        return std::string(detail::spelled(value));
    } else if constexpr (requires { value.value; }) {
        return std::to_string(value.value);
    } else {
        if (field == "point") return names.point(static_cast<std::uint32_t>(value));
        if (field.ends_with("hash")) return fmt::format("{:016x}", value);
        return std::to_string(value);
    }
}

/// The event as it was reported, all fields with their names: "granted lock=job session=5 seq=1
/// token=33".
std::string describe(const Names& names, const events::Event& event);
std::string describe(const Names& names, const sim::WorldEvent& event);

}  // namespace lockstep::harness
