#pragma once

#include "core/base/result.hpp"
#include "harness/repro/fingerprint.hpp"

#include <string>
#include <vector>

namespace lockstep::harness {

/// A day of the calendar, as year x 10,000 + month x 100 + day: 20261231.
using Day = int;
/// "2026-12-31"; zero if the text is none.
Day parse_day(std::string_view text);
std::string day_text(Day day);

/// A failure that is known, and may pass until its day.
struct KnownFailure {
    Fingerprint fingerprint;
    std::string link;   ///< where it is being worked on
    std::string owner;  ///< who works on it
    Day expires = 0;    ///< the last day on which it passes
    int line = 0;
};

/// Reads a file of them (docs/ci.md):
///
///     ["LOCK-2/token-of-lock-does-not-increase"]
///     link = "https://..."
///     owner = "somebody"
///     expires = 2026-12-31
///
/// An error has the line: a fingerprint or property that does not exist, a key that is unknown or
/// missing, a day that is none.
Result<std::vector<KnownFailure>> load_known(const std::string& path);
/// Null if it is not among them.
const KnownFailure* find_known(const std::vector<KnownFailure>& known,
                               const Fingerprint& fingerprint);

}  // namespace lockstep::harness
