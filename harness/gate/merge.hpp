#pragma once

#include "core/base/result.hpp"
#include "harness/batch.hpp"
#include "harness/explore_store.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::harness {

struct MergeOptions {
    /// Runs that are missing are left out rather than refused.
    bool partial = false;
    /// Where the results of the whole are kept, too; empty: nowhere. Must not have results yet.
    std::string out;
};

struct Merged {
    Batch batch;
    ExplorationIdentity identity;  ///< of the whole
    std::uint64_t missing = 0;
};

/// Puts together what the shards of one exploration found, to exactly what one process would have
/// come to. A directory that has folders of shards in it stands for them. Refused, with a reason
/// and with what to do: results of different programs, plan epochs, scenarios or seeds; a shard
/// that is there twice; and, unless `partial`, a shard that is missing or not finished.
Result<Merged> merge(const std::vector<std::string>& directories, const MergeOptions& options = {});

}  // namespace lockstep::harness
