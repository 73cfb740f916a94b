#pragma once

#include "harness/run.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace lockstep::harness {

class ExploreStore;

/// Runs one seed of one of the subjects (scenarios, as their position in the caller's list). Called
/// in a worker process; an exception that leaves it is the outcome `Crashed` of that seed.
using RunSeed = std::function<Outcome(std::size_t subject, std::uint64_t seed)>;

struct ExplorePlan {
    std::size_t subjects = 1;
    std::uint64_t first_seed = 1;
    std::uint64_t seeds = 1'000;  ///< of each subject
    unsigned jobs = 1;            ///< worker processes
    /// Wall time after which nothing new is begun. Zero: none.
    std::chrono::milliseconds budget{0};
    /// Wall time after which a worker that has brought no result is ended and its seed given up.
    std::chrono::milliseconds watchdog{600'000};
    /// Where finished seeds are kept and those of earlier are taken from; null: nowhere.
    ExploreStore* store = nullptr;
};

/// How far an exploration has come; for progress lines.
struct ExploreProgress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::uint64_t resumed = 0;  ///< of `done`: taken from the store
    std::chrono::milliseconds elapsed{0};
    std::chrono::milliseconds budget{0};  ///< zero: none
};

/// A seed without a verdict: the watchdog ended it.
struct GivenUp {
    std::size_t subject;
    std::uint64_t seed;
};

struct Exploration {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    bool interrupted = false;  ///< by SIGINT or SIGTERM
    bool out_of_time = false;  ///< the budget was used up before all seeds had run
    std::vector<GivenUp> given_up;
    /// Of `done`, those that had finished earlier and were taken from the store, and their steps.
    std::uint64_t resumed = 0;
    std::uint64_t resumed_steps = 0;
    /// From the first fork to the last result.
    std::chrono::milliseconds elapsed{0};
};

/// Runs every seed of every subject in worker processes, which are handed a few seeds at a time. A
/// worker that dies takes down the seed that it was running, which becomes the outcome `Crashed`
/// with the signal's name; what it had not begun is run by another.
///
/// With a store, the seeds that it has are not run again, and each outcome is kept when it arrives;
/// seeds that were given up are not, and are tried again next time.
///
/// `on_outcome` hears each subject's outcomes in the order of their seeds, so that what it merges
/// does not depend on the number of workers; with a budget or an interruption, what is finished.
/// `on_progress` is called a few times a second. SIGINT and SIGTERM are caught while this runs.
Exploration explore(const ExplorePlan& plan, const RunSeed& run_seed,
                    const std::function<void(std::size_t subject, const Outcome&)>& on_outcome,
                    const std::function<void(const ExploreProgress&)>& on_progress);

}  // namespace lockstep::harness
