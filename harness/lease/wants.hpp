#pragma once

#include "core/base/result.hpp"
#include "harness/lease/sweep.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a team wants of its lease, and which settings can be shown to give it.
namespace lockstep::lease {

/// One figure of a setting, by the name that wants and tables use.
struct Metric {
    std::string_view name;  ///< "losses", "crash takeover p99"
    std::string_view unit;  ///< "a month", "s", "s a year", ...
    Figure Figures::* figure;
    /// A count a month of things that are rare: of none that was seen, a log of so many days says
    /// how rare they are at least.
    bool rare = false;
};
const std::vector<Metric>& metrics();

/// A bound on one figure: 'losses < 1/month', 'crash takeover p99 < 20s'.
struct Want {
    std::string text;  ///< as it was said
    const Metric* metric = nullptr;
    double at_most = 0;  ///< in the figure's own unit
    std::string period;  ///< "year", of one that is so often in a time of its own; else empty
};
/// An error says what was found and what is allowed.
Result<Want> parse_want(std::string_view text);

enum class Met {
    Yes,          ///< by the figure and by both of its intervals
    No,           ///< the figure, or the simulation's interval, is above the bound
    NotSeen,      ///< the span that was simulated is too short to tell
    NotInTheData  ///< the log is too short to tell, however long one simulates
};

/// Whether the holder could hold at all: it renewed. Where answers are slower than the lease is
/// long, it loses nothing, because it has nothing.
bool works(const Figures& figures);

struct Judged {
    Met met = Met::No;
    double value = 0;
    double most = 0;  ///< of both intervals; infinity: nothing is known
    double days = 0;  ///< NotInTheData, rare: so long a log, without one more, would show it
};
Judged judge(const Want& want, const Figures& figures, Duration observed);

/// "3.5 s", "0.02%", "6 a year": in the unit of the want.
std::string amount_text(const Want& want, double value);

/// What a setting costs in seconds a month without progress: crashes and losses, each with what it
/// takes until the next holder, and what a team says a loss costs besides.
struct Prices {
    double crashes_a_month = 0;
    double loss_cost_s = 0;
};
double cost_of(const Figures& figures, const Prices& prices);

/// The recommendation.
struct Answer {
    /// Position in Sweep::results of the setting that meets all wants at the least cost; absent if
    /// none does.
    std::optional<std::size_t> chosen;
    /// Of all settings, the one whose worst missed want is missed by the least: how close one gets.
    /// Equal to `chosen` if there is one.
    std::size_t nearest = 0;
    /// For each setting, for each want.
    std::vector<std::vector<Judged>> judged;
    std::vector<double> costs;  ///< of each setting
    /// The next cheaper setting, and the want that it misses: what binds. Absent if nothing is
    /// cheaper.
    std::optional<std::size_t> cheaper;
    /// Today's setting meets all wants at no greater cost than any that was swept.
    bool keep_now = false;
    std::optional<std::size_t> binds;
};
Answer answer(const Sweep& sweep, const std::vector<Want>& wants, const Prices& prices);

/// Settings of which no other is better in both losses and the p99 of takeovers after a crash, by
/// position, in ascending order of losses.
std::vector<std::size_t> front(const Sweep& sweep);
/// Where the front bends most: the one farthest below the line from the most losses to the slowest
/// takeover of all settings, both figures by their shares of the range. An end of the front may be
/// it: where losses fall all at once, it is the quickest without. Absent for fewer than two.
std::optional<std::size_t> knee(const Sweep& sweep, const std::vector<std::size_t>& front);

/// "3 losses in 90d": what a team has counted.
struct Observed {
    std::uint64_t losses = 0;
    Duration in;
};
Result<Observed> parse_observed(std::string_view text);

/// Whether the model of today's setting says what was counted.
struct Checked {
    double expected = 0;
    double least = 0;
    double most = 0;  ///< of counts that the model and its data allow, at 95%
    bool consistent = false;
};
Checked check_observed(const Observed& observed, const Figures& now);

}  // namespace lockstep::lease
