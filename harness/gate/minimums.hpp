#pragma once

#include "core/base/result.hpp"
#include "harness/batch.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::harness {

/// A thing that runs of a scenario do or do not: reach a mark that is required, fire a kind of
/// fault, violate a property as expected, or give a property something to judge.
enum class Feat : std::uint8_t { Mark, Fault, Violation, Judged };
/// "mark", "fault", "violation", "judged"
std::string_view to_string(Feat feat);

/// In how many of a healthy build's runs it was seen.
struct Rate {
    std::string scenario;
    Feat feat = Feat::Mark;
    std::string name;  ///< "lease-expired", "pause", "FENCE-2"
    std::uint64_t hits = 0;
    std::uint64_t runs = 0;

    bool operator==(const Rate&) const = default;
};

/// Of a batch, as a file: a line each, "chaos fault pause 181 200". Lines that begin with # are
/// comments.
std::vector<Rate> measured_rates(const Batch& batch);
std::string rates_text(const std::vector<Rate>& rates);
/// An error has the line.
Result<std::vector<Rate>> parse_rates(std::string_view text, const std::string& file);
/// Those of the catalogue, as they were measured for this version.
std::string_view catalogue_rates();

/// What is demanded of a batch: something must have been seen in at least so many runs.
struct Minimum {
    std::string scenario;  ///< empty: all together
    Feat feat = Feat::Mark;
    std::string name;
    std::uint64_t runs = 0;   ///< of the batch
    std::uint64_t found = 0;  ///< of these, in how many
    std::uint64_t least = 0;  ///< 0: its rate is too low to demand anything of so few runs
    double rate = 0;          ///< of a healthy build, at least; 0: was not measured

    bool met() const { return found >= least; }
};

/// All healthy builds together miss one of these minimums less than once in a million batches of
/// this size: each is missed with a chance of at most a millionth over their number, by the lower
/// bound (Clopper and Pearson, 99.99%) of the rate that was measured. What a scenario demands and
/// was never measured must have been seen once, if there are enough_to_see runs.
std::vector<Minimum> minimums(const Batch& batch, const std::vector<Rate>& rates);

/// "storm: fault cut fired in 3 of 70 runs; at least 41 are demanded (in a healthy build 97% ...)"
std::string missed_text(const Minimum& minimum);

inline constexpr double gate_chance = 1e-6;  ///< that a healthy build misses any
inline constexpr double rate_doubt = 1e-4;   ///< that a rate is lower than it is taken to be

}  // namespace lockstep::harness
