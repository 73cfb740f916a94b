#pragma once

#include "properties/property.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::history {

using properties::PropertyId;

/// Stamps carry an error: a violation holds however it fell, and so does `Held`. What depends on
/// it, or on a reading of a refused release, is `Undecidable`.
enum class State : std::uint8_t { Held, Violated, Undecidable, Idle };
std::string_view to_string(State);

/// What the history showed, with the lines that show it.
struct Evidence {
    std::int64_t time = 0;  ///< ns, as stamped
    std::string text;       ///< a sentence for a person
    std::vector<std::uint64_t> lines;
};

struct Finding {
    PropertyId id = PropertyId::Raft1;
    State state = State::Idle;
    std::uint64_t checks = 0;
    std::uint64_t violations = 0;
    std::uint64_t undecided = 0;
    Evidence violation;  ///< the first, if there is one
    Evidence doubt;      ///< the first thing that could not be decided
    /// What would decide all of it.
    std::string decided_by;
    std::vector<Evidence> notes;  ///< what the verdict rests on; the first few
    std::uint64_t more_notes = 0;
    std::string idle_because;
};

/// Collects what checkers find.
class Findings {
public:
    void checked(PropertyId id, std::uint64_t times = 1) { at(id).checks += times; }
    template <class Text>
    void violated(PropertyId id, std::int64_t time, std::vector<std::uint64_t> lines, Text&& text) {
        Finding& finding = at(id);
        if (finding.violations++ == 0) finding.violation = {time, text(), std::move(lines)};
    }
    /// `within`: a clock error below this decides it; zero: no clock error does, and `otherwise`
    /// says what would.
    template <class Text>
    void undecided(PropertyId id, std::int64_t time, std::vector<std::uint64_t> lines,
                   std::int64_t within, std::string_view otherwise, Text&& text) {
        Finding& finding = at(id);
        if (finding.undecided++ == 0) finding.doubt = {time, text(), std::move(lines)};
        doubt(id, within, otherwise);
    }
    void note(PropertyId id, Evidence evidence);
    void idle_because(PropertyId id, std::string reason) {
        at(id).idle_because = std::move(reason);
    }

    /// In the order of PropertyId, with their states.
    std::vector<Finding> finish();
    const Finding& of(PropertyId id) const { return all_[static_cast<std::size_t>(id)].finding; }

private:
    struct Entry {
        Finding finding;
        std::int64_t within = INT64_MAX;  ///< the smallest error that would decide all
        std::vector<std::string> otherwise;
    };
    Finding& at(PropertyId id) { return all_[static_cast<std::size_t>(id)].finding; }
    void doubt(PropertyId id, std::int64_t within, std::string_view otherwise);

    std::array<Entry, properties::property_count> all_;
};

}  // namespace lockstep::history
