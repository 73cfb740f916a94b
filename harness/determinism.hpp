#pragma once

#include "core/base/prng.hpp"
#include "harness/run.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::harness {

/// Leaves the heap in a state that depends on a salt: blocks of many sizes, every other one freed.
/// What is allocated afterwards lies elsewhere than it did before, so that a run that depends on
/// addresses comes out differently. The blocks live as long as this does.
class HeapNoise {
public:
    explicit HeapNoise(std::uint64_t salt);

private:
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

using RunWith = std::function<Outcome(std::uint64_t seed, const RunOptions& options)>;

struct SeedDigest {
    std::uint64_t seed = 0;
    std::uint64_t digest = 0;
    bool operator==(const SeedDigest&) const = default;
};

struct TwiceResult {
    std::vector<SeedDigest> digests;  ///< of the first pass, in the order of the seeds
    std::optional<std::uint64_t>
        different;            ///< the first seed whose second run came out differently
    std::string explanation;  ///< where the two part, as far as a third and fourth run show it
    bool unfinished = false;  ///< interrupted, or given up, before all had run twice
};

/// Runs the seeds, then runs them again in another process, backwards and over heap noise, and
/// compares digests and checkpoints. SIGINT and SIGTERM end it, if the caller catches them (see
/// StopSignals) or the second pass has begun.
TwiceResult run_twice(const RunWith& run, std::uint64_t first_seed, std::uint64_t seeds);

/// Where two outcomes of one seed part: the first event that differs if both have a log, else the
/// window between two checkpoints. Empty if they are the same.
std::string first_difference(const Outcome& a, const Outcome& b);

}  // namespace lockstep::harness
