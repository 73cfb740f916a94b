#pragma once

#include "harness/explore.hpp"
#include "harness/explore_shard.hpp"
#include "harness/judge.hpp"
#include "harness/tally.hpp"
#include "harness/text.hpp"
#include "harness/verdict.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::harness {

/// What an exploration came to.
struct Batch {
    std::vector<Tally> tallies;
    std::vector<Repeat> repeats;  ///< goes with `tallies`
    Exploration exploration;
    /// Every scenario of the catalogue: each kind of fault must have fired in one of them.
    bool whole_catalogue = false;
    /// Only a part of the seeds ran here. What is demanded of a batch is asked when all parts are
    /// merged: no doubts before.
    std::optional<Shard> shard = std::nullopt;
};

/// A property over all scenarios.
struct PropertyRow {
    PropertyTally sum;
    std::uint64_t foretold = 0;  ///< of the violated runs, those whose scenario expects it
};
PropertyRow property_row(const Batch& batch, properties::PropertyId id);

/// One mark over all scenarios: a scenario that requires it must have reached it by itself.
struct MarkRow {
    std::uint64_t scenarios = 0;  ///< that reached it
    std::uint64_t runs = 0;
    std::uint64_t times = 0;
    std::uint64_t required = 0;        ///< by so many scenarios
    std::vector<std::string> lacking;  ///< those that require it and never reached it
};
/// Those that were reached or required, by name.
std::map<std::string, MarkRow> mark_rows(const Batch& batch);

/// Over all scenarios, by kind.
std::map<std::string, FaultTally> fault_rows(const Batch& batch);
/// Over all scenarios: how many faults found somebody who had the role.
std::map<std::string, std::uint64_t> role_rows(const Batch& batch);
TriggerCount trigger_row(const Batch& batch);

struct Totals {
    std::uint64_t runs = 0;
    std::uint64_t failed = 0;
    std::uint64_t steps = 0;
    Duration simulated;
};
Totals totals(const Batch& batch);

/// What makes the batch as a whole less than it seems, beyond each scenario's own doubts
/// (Tally::doubts).
std::vector<std::string> batch_doubts(const Batch& batch);

/// What the batch says of the program's exit code. The worst news first: a violation stands,
/// however the exploration ended.
ExitCode exit_code(const Batch& batch);

/// A row a scenario, then faults, marks, properties, then the failures with the commands that
/// repeat them. Notes and evidence are broken to stay within `width` columns; 0: they are not.
std::string batch_text(const Batch& batch, const Paint& paint, std::size_t width = 0);

}  // namespace lockstep::harness
