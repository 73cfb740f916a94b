#include "harness/describe.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

namespace lockstep::harness {
namespace {

std::string_view spelled(sim::CrashKind v) {
    return v == sim::CrashKind::Kill ? "kill" : "power";
}
std::string_view spelled(sim::ClockMode v) {
    return v == sim::ClockMode::Runs ? "runs" : "frozen";
}
std::string_view spelled(sim::Assumption v) {
    return properties::to_string(v);
}
std::string_view spelled(sim::ProcessKind v) {
    return properties::to_string(v);
}
template <class E>
std::string_view spelled(E v) {
    return events::to_string(v);
}

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
        return std::string(spelled(value));
    } else if constexpr (requires { value.value; }) {
        return std::to_string(value.value);
    } else {
        if (field == "point") return names.point(static_cast<std::uint32_t>(value));
        if (field.ends_with("hash")) return fmt::format("{:016x}", value);
        return std::to_string(value);
    }
}

template <class Variant>
std::string describe_any(const Names& names, const Variant& event) {
    return std::visit(
        [&](const auto& e) {
            std::string text = e.name;
            e.visit([&](std::string_view field, const auto& value) {
                text += fmt::format(" {}={}", field, field_text(names, field, value));
            });
            return text;
        },
        event);
}

}  // namespace

std::string Names::process(sim::ProcessId id) const {
    if (!id) return "world";
    if (id.value <= outcome_.process_names.size()) return outcome_.process_names[id.value - 1];
    return fmt::format("#{}", id.value);
}

std::string Names::lock(LockId id) const {
    if (id && id.value <= outcome_.lock_names.size()) return outcome_.lock_names[id.value - 1];
    return fmt::format("lock {}", id.value);
}

std::string Names::point(std::uint32_t point) const {
    if (point < outcome_.point_names.size()) return outcome_.point_names[point];
    return fmt::format("point {}", point);
}

std::string Names::fault(std::uint32_t position) const {
    if (position < plan_.size()) return plan_[position].label();
    return fmt::format("fault {}", position);
}

std::string describe(const Names& names, const events::Event& event) {
    return describe_any(names, event);
}

std::string describe(const Names& names, const sim::WorldEvent& event) {
    return describe_any(names, event);
}

}  // namespace lockstep::harness
