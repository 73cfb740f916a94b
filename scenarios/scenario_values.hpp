#pragma once

#include "scenarios/scenario.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Single values from their text, in integer arithmetic. Each `parse` leaves its target alone and
/// returns what is allowed if the text is not that.
namespace lockstep::scenario {

/// What would have been allowed.
using Wrong = std::optional<std::string>;

Wrong parse(std::string_view text, Duration& to);       ///< `1.5s`, `-20ms`; `forever` is not one
Wrong parse(std::string_view text, DurationRange& to);  ///< `2s..5s` or one duration
Wrong parse(std::string_view text, Ppm& to);            ///< `1%`, `-0.25%`, `200ppm`
/// Of a number that is too large: the largest that fits, which no limit allows.
Wrong parse(std::string_view text, std::uint32_t& to);
Wrong parse(std::string_view text, std::uint64_t& to);
/// An objection to a number that was too large for its place, and stands there as the largest that
/// fits: with the number that was written.
std::string as_written(std::string message, std::string_view text);
Wrong parse(std::string_view text, bool& to);
Wrong parse(std::string_view text, Fencing& to);
Wrong parse(std::string_view text, LinkChoice& to);
Wrong parse(std::string_view text, Switch& to);
Wrong parse(std::string_view text, WorkloadKind& to);
Wrong parse(std::string_view text, ResourceKind& to);
Wrong parse(std::string_view text, Budget& to);
Wrong parse(std::string_view text, sim::FaultKind& to);
Wrong parse(std::string_view text, sim::Direction& to);
Wrong parse(std::string_view text, sim::ClockMode& to);

std::string text_of(LinkChoice v);
std::string text_of(Switch v);
std::string text_of(WorkloadKind v);
std::string text_of(ResourceKind v);
std::string text_of(Budget v);
std::string text_of(sim::Direction v);
std::string text_of(sim::ClockMode v);

/// A name as an aim: a role, a drawn aim, `trigger`, a group (`servers`, `zone-2`), or a process.
sim::Aim aim_of(std::string_view name);

std::vector<std::string> split(std::string_view list);
std::string join(const std::vector<std::string>& list);

}  // namespace lockstep::scenario
