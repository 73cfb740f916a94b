#pragma once

#include "harness/lease/sweep.hpp"
#include "harness/lease/wants.hpp"
#include "harness/text.hpp"

#include <optional>
#include <string>
#include <vector>

/// What a sweep came to, in words and in files.
namespace lockstep::lease {

/// All that is told of a sweep besides its figures.
struct Told {
    std::vector<Want> wants;
    Answer answer;
    std::optional<SettingResult> now;  ///< today's setting, if somebody said it
    std::optional<Observed> observed;
    std::optional<Checked> checked;
    std::vector<std::string> files;  ///< of the pauses, for what did harm
    std::string command;             ///< that makes the report again
    std::uint64_t seed = 1;
};

/// Three digits, for people; "?" for infinity, which says that nothing is known.
std::string number_text(double value);
/// "40/13.3/39.9 s": lease, renewal, deadline.
std::string setting_text(const Setting& setting);
/// The answer in a few lines: whether the model says what was counted, what to change to, what
/// that costs, what binds, and what did the harm; or that no setting will do, and how close one
/// gets; without wants the front and its knee.
std::string answer_text(const Sweep& sweep, const Told& told, const harness::Paint& paint = {},
                        std::size_t width = 0);
/// The same, and every figure with its intervals, as one JSON object.
std::string sweep_json(const Sweep& sweep, const Told& told);
/// A row a setting, a column a figure and each end of its intervals.
std::string sweep_csv(const Sweep& sweep);

}  // namespace lockstep::lease
