#pragma once

#include "harness/explain/explanation.hpp"
#include "harness/text.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::harness {

/// Whether another build of the program fails, too.
enum class Baseline : std::uint8_t { NotAsked, Held, FailsToo, FailsOtherwise, CouldNotTell };

/// What is known of a failure that was found, once it is shrunk and explained. What is empty is
/// left out of the report.
struct FailureFacts {
    std::string scenario;  ///< its name
    std::uint64_t seed = 1;
    std::string note;  ///< behind the headline: "expected here"
    /// How rare it is; zero runs: nobody has looked.
    std::uint64_t runs = 0;
    std::uint64_t failed = 0;
    /// Of a run that ended badly, how: "crashed: ...", "stuck: ...". Then there is nothing to
    /// explain, and `explanation` is not looked at.
    std::string ended;
    Explanation explanation;
    std::vector<std::string> process_names;  ///< of the outcome that was explained
    std::string reduction;                   ///< what was shrunk: "38 faults to 2, 45 s to 9 s"
    Baseline baseline = Baseline::NotAsked;
    std::string baseline_name;  ///< "main@1c0ffee", the path of a program
    // Lines to paste.
    std::string again;
    std::string look;
    std::string keep;
};

/// The failure as it is printed on a terminal, lines broken to stay within `width` columns (0: they
/// are not). Ends with a line feed.
std::string failure_report(const FailureFacts& facts, const Paint& paint = {},
                           std::size_t width = 0);

/// The parts that explain, without headline and commands: harm, story, cause, fencing.
std::string explanation_text(const Explanation& explanation,
                             const std::vector<std::string>& process_names, const Paint& paint = {},
                             std::size_t width = 0);

/// "new in this change", "pre-existing", ...; empty if nobody asked.
std::string baseline_text(Baseline baseline, const std::string& name);

}  // namespace lockstep::harness
