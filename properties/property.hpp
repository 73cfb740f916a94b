#pragma once

#include "sim/types.hpp"
#include "sim/world_events.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The promises of a lock service, checked over the events of a run. A property sees events and
/// nothing else, so that a history from a file is checked by the same code.
namespace lockstep::properties {

using sim::Assumption;

/// In the order in which reports are given. New ones go where their family is.
enum class PropertyId : std::uint8_t {
    Raft1,
    Raft2,
    Raft3,
    Raft4,
    Raft5,
    Raft6,
    Lock1,
    Lock2,
    Lock3,
    Lock4,
    Lock5,
    Lock6,
    Grant1,
    Act1,
    Keep1,
    Fence1,
    Fence2,
    Belief1,
    Wake1,
    Quorum1,
    Avail1,
    Live1,
    Live2,
    Live3,
    Live4,
    Lin1,
};
inline constexpr std::size_t property_count = static_cast<std::size_t>(PropertyId::Lin1) + 1;

/// An assumption about one kind of process, without which a property promises nothing.
struct Need {
    Assumption assumption;
    sim::ProcessKind kind;
    constexpr bool operator==(const Need&) const = default;
};

/// What a property is, whatever the run.
struct Description {
    PropertyId id;
    std::string_view code;     ///< "RAFT-1", as in scenarios and output
    std::string_view name;     ///< "ElectionSafety"
    std::string_view promise;  ///< one sentence
    std::array<Need, 4> needs;
    std::size_t need_count;
};

const Description& describe(PropertyId id);
/// All of them, in the order of PropertyId.
std::array<PropertyId, property_count> all_properties();
/// The property spelled so ("RAFT-1"), if there is one.
std::optional<PropertyId> property_of(std::string_view code);

inline std::string_view code_of(PropertyId id) {
    return describe(id).code;
}

/// True time, process and place of an event in the one stream of a run. Ordinals grow by each
/// event, so that two events of one instant are told apart.
struct Stamp {
    sim::SimTime at;
    sim::ProcessId process;
    std::uint64_t ordinal = 0;
};

enum class Verdict : std::uint8_t {
    Held,
    Violated,
    Excused,  ///< violated, but only after an assumption that the property needs was broken
    Idle,     ///< it had nothing to check
};

struct Violation {
    PropertyId id;
    sim::SimTime at;
    std::uint64_t ordinal = 0;
    std::string evidence;            ///< one sentence for a person, with names
    std::optional<Need> excused_by;  ///< the broken assumption, if it excuses the violation
};

/// A property's state at some moment of a run, or at its end.
struct Report {
    PropertyId id;
    Verdict verdict = Verdict::Idle;
    std::optional<Violation> first;  ///< the first violation, excused or not
    std::uint64_t violations = 0;    ///< how many there were, the first included
    std::uint64_t checks = 0;        ///< how often the property really compared something
    std::vector<Need> needs;
    /// An assumption that it needs was broken at some time of the run: what it says of the rest
    /// rests on nothing.
    bool excusable = false;
};

/// As scenarios and output spell them: "held", "disk-honest", "server".
std::string_view to_string(Verdict);
std::string_view to_string(Assumption);
std::string_view to_string(sim::ProcessKind);

}  // namespace lockstep::properties
