#pragma once

#include "harness/explore.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <sys/types.h>
#include <vector>

namespace lockstep::harness {

/// Consecutive seeds of one subject.
struct Chunk {
    std::size_t subject = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// No more workers can be had: the machine has no room, or the user no right to more.
class NoWorker : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A child process that runs the seeds it is handed, one after the other, and sends each outcome
/// back before it begins the next: the parent always knows which seed a worker is at.
class Worker {
public:
    using Clock = std::chrono::steady_clock;

    /// Forks. `siblings` are the parent's ends of other workers' pipes, which the child closes: it
    /// must notice when the parent goes, and hold nobody else's pipe open. Throws NoWorker.
    Worker(const RunSeed& run_seed, const std::vector<int>& siblings);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Hands over a chunk. The worker must be idle. False if it is gone.
    bool give(const Chunk& chunk);
    bool idle() const { return rest_.count == 0; }
    /// The seed it is at and those it has yet to begin.
    const Chunk& rest() const { return rest_; }
    Clock::time_point last_heard() const { return last_heard_; }

    /// Reads what has come. Appends outcomes; false when the worker is gone.
    bool receive(std::vector<Outcome>& outcomes);
    /// Ends the process and says how it ended: "signal 11 (Segmentation fault)".
    std::string end();

    int result_fd() const { return results_; }
    std::vector<int> fds() const { return {commands_, results_}; }

private:
    pid_t pid_ = -1;
    int commands_ = -1;
    int results_ = -1;
    bool hung_up_ = false;
    Chunk rest_;
    Clock::time_point last_heard_ = Clock::now();
    std::vector<std::byte> buffer_;
};

}  // namespace lockstep::harness
