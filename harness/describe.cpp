#include "harness/describe.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

namespace lockstep::harness {
namespace {

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

std::string_view Names::why_missed(std::uint32_t position) const {
    if (position >= plan_.size()) return "it came to nothing";
    const sim::Fault& fault = plan_[position];
    if (fault.trigger) return "what it waited for did not come, or met nobody";
    if (fault.kind == sim::FaultKind::DropMessage) return "no such message came";
    if (fault.kind == sim::FaultKind::CrashAtSync) return "so many syncs did not come";
    return fault.aim.by == sim::Aim::By::Role ? "nobody had the role" : "there was nobody to hit";
}

std::string describe(const Names& names, const events::Event& event) {
    return describe_any(names, event);
}

std::string describe(const Names& names, const sim::WorldEvent& event) {
    return describe_any(names, event);
}

}  // namespace lockstep::harness
