#pragma once

#include "core/base/result.hpp"
#include "harness/history/checker.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::history {

/// What the caller says of the history; it wins over the history's first line.
struct Given {
    std::optional<std::int64_t> clock_error;
    std::optional<std::int64_t> ttl;
    std::optional<std::int64_t> drift_ppm;
};

/// What became of a history.
struct Judgement {
    std::string file;
    Terms terms;
    std::vector<Finding> findings;
    std::uint64_t lines = 0;
    std::uint64_t operations = 0;
    std::uint64_t open_calls = 0;
    std::size_t processes = 0;
    std::size_t locks = 0;
    std::size_t resources = 0;
    std::int64_t first_time = 0;
    std::int64_t last_time = 0;

    bool any(State state) const;
};

/// Told now and then: bytes read, and operations so far.
using Told = std::function<void(std::uint64_t bytes, std::uint64_t operations)>;

/// Reads and judges what an open file holds: JSON lines, or EDN if that is what it begins with.
/// `file` is its name in what is said. Errors name the line, what was found, and what is allowed.
Result<Judgement> judge_file(int fd, const std::string& file, const Given& given,
                             const Told& told = {});

}  // namespace lockstep::history
