#pragma once

#include "harness/run.hpp"
#include "properties/property.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::harness {

/// What makes two failures the same one for a person: the property and the kind of its evidence
/// (who plays which part, which operation), or how the run ended, if not well. Names, numbers and
/// times are no part of it, so that it outlives shrinking, other seeds and most changes of code.
struct Fingerprint {
    std::optional<properties::PropertyId> property;  ///< absent: the run ended badly
    /// In words, of a to z and dashes: "client-and-client-both-may-act-on-lock"; of a run that
    /// ended badly "stuck", or "crashed-" and the place of the assertion.
    std::string kind;

    bool operator==(const Fingerprint&) const = default;
};

/// "BELIEF-1/client-and-client-both-may-act-on-lock"
std::string to_string(const Fingerprint& fingerprint);
/// Of that text, as files have it; nothing if it is none. A property that this program does not
/// have is none.
std::optional<Fingerprint> parse_fingerprint(std::string_view text);

/// Of one violation in that run, which needs no log.
Fingerprint fingerprint_of(const Outcome& outcome, const properties::Violation& violation);
/// The property's first violation in that run; null if it has none, or the run ended badly.
const properties::Violation* violation_of(const Outcome& outcome, const Fingerprint& why);
/// Of everything in the run that is not excused: violations in the order of their times, or the bad
/// end alone.
std::vector<Fingerprint> fingerprints(const Outcome& outcome);

}  // namespace lockstep::harness
