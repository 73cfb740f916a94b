#pragma once

#include "core/base/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lockstep::harness {

/// One of several machines that share an exploration. The seeds of each subject are cut into
/// `count` runs of neighbours, as equal as can be; this is the `index`-th, from 1 on.
struct Shard {
    std::uint64_t index = 1;
    std::uint64_t count = 1;

    bool operator==(const Shard&) const = default;
};

struct SeedRange {
    std::uint64_t first = 1;
    std::uint64_t count = 0;

    bool operator==(const SeedRange&) const = default;
};

/// "2/4"
std::string to_string(const Shard& shard);
/// The folder of its results, inside that of the exploration: "shard-2-of-4".
std::string folder_of(const Shard& shard);
/// Its part of the seeds. The parts of all shards are disjoint and cover them.
SeedRange part_of(const Shard& shard, SeedRange seeds);

struct FoundShard {
    std::optional<Shard> shard;  ///< absent: the whole
    std::string source;          ///< the variable that said so; empty: the command line
};
/// Which shard this process is. `said` is what --shard says: "2/4"; "auto/4", for a count that the
/// environment does not tell; or nothing. Then the environment is asked (`variable` is getenv):
///
///     LOCKSTEP_SHARD          "2/4"
///     SLURM_ARRAY_TASK_ID     with _COUNT, and _MIN and _STEP
///     JOB_COMPLETION_INDEX    of an indexed job of Kubernetes, from 0 on; the count is in
///                             LOCKSTEP_SHARDS, for Kubernetes does not tell it
///     CI_NODE_INDEX           with CI_NODE_TOTAL, of GitLab's `parallel`
///
/// An error says what is missing. "1/1" is the whole, whatever the environment says.
Result<FoundShard> find_shard(const std::string& said,
                              const std::function<const char*(const char*)>& variable);

}  // namespace lockstep::harness
