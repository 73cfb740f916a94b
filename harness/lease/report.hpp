#pragma once

#include "core/base/result.hpp"
#include "harness/lease/sweep.hpp"
#include "harness/lease/wants.hpp"
#include "harness/text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a sweep came to, in words and in files.
namespace lockstep::lease {

/// All that is told of a sweep besides its figures.
struct Told {
    std::vector<Want> wants;
    Answer answer;
    std::optional<Observed> observed;  ///< of Sweep::now
    std::optional<Checked> checked;
    std::string emitted;  ///< the answer as settings of another system, if that was asked
    std::string command;  ///< that makes the sweep again, whole
    std::string asked;    ///< what is asked of it: " --want 'losses < 1/month'"
};

/// Three digits, for people; "?" for infinity, which says that nothing is known.
std::string number_text(double value);
/// "64.4 s", "8.7 ms": three digits; "?" for infinity.
std::string seconds_text(double seconds);
/// Of how long something takes; "unknown" if it never happened.
std::string seconds_text(const Figure& figure);
/// Whether there is anything that a figure of how long something takes was made from.
bool happened(const Figure& figure);
/// "stop", "outage", "partition", "failover", "slow answer"
std::string_view to_string(Harm::Kind kind);
/// "40/13.3/39.9 s": lease, renewal, deadline.
std::string setting_text(const Setting& setting);
/// Whether anything in its world can cost a lease; of a world in which nothing happens any lease
/// would do.
bool says_something(const Sweep& sweep);
/// "1.37-5.69"; "over 1.37"; "assumed", if it is the data's and nothing was measured.
std::string data_text(const Sweep& sweep, const Figure& figure);
/// A line of the answer.
struct AnswerLine {
    enum class Kind {
        Checked,   ///< whether the model says what was counted
        Headline,  ///< what to do, or why there is nothing to do
        Plain,
        Want,  ///< whether the setting of the headline meets it
        Item,  ///< of a list
        Harm   ///< of a list of what cost leases, title included
    } kind = Kind::Plain;
    std::string text;
    harness::Tone tone = harness::Tone::Plain;
    bool indented = false;
};
/// The answer in a few lines: whether the model says what was counted, what to change to, what
/// that costs, what binds, and what did the harm; or that no setting will do, and how close one
/// gets; without wants the front and its knee.
std::vector<AnswerLine> answer_lines(const Sweep& sweep, const Told& told);
std::string answer_text(const Sweep& sweep, const Told& told, const harness::Paint& paint = {},
                        std::size_t width = 0);
/// What one setting of the sweep comes to, and whether it meets the wants.
std::string setting_answer_text(const Sweep& sweep, const Told& told, std::size_t setting,
                                const harness::Paint& paint = {}, std::size_t width = 0);
/// The answer, and every figure with its intervals, as one JSON object.
std::string sweep_json(const Sweep& sweep, const Told& told);
/// What sweep_json wrote, but for what was asked of it; `command` comes back, too.
Result<Sweep> read_sweep(const std::string& name, std::string_view json, std::string& command);
/// All shards of one plan. An error says which is missing, twice there, or of another plan.
Result<Sweep> merge(std::vector<Sweep> shards);
/// A row a setting, those of known systems and today's after the rest, by name; a column a figure
/// and each end of its intervals.
std::string sweep_csv(const Sweep& sweep);

}  // namespace lockstep::lease
