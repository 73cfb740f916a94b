#pragma once

#include "harness/history/json_lines.hpp"
#include "harness/history/record.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::history {

/// Reads histories of Jepsen's mutex tests, as EDN: one map an operation's call or end, each on a
/// line, or all in a vector, however the lines are broken. Of a map it knows :process, :type
/// (:invoke, :ok, :fail, :info), :f (an op by its name), :time (ns), :value (a whole number is the
/// token, and so is :fence in a map), :lock and :session. It passes over other keys, and over maps
/// of what is no client (:nemesis).
class EdnForms {
public:
    /// Takes one more line. `Nothing` if no map is complete by now; after `Record`, `more` for what
    /// else the line completes.
    Got read(std::string_view line, std::uint64_t number, Record& record);
    Got more(Record& record);
    /// No more lines come. False if a map is left open, which `problem` tells.
    bool complete();

    const Problem& problem() const { return problem_; }
    /// The line on which the map began that was refused.
    std::uint64_t problem_line() const { return first_line_; }

private:
    enum : std::uint8_t { HasProcess = 1, HasType = 2, HasF = 4, HasTime = 8 };

    bool map(Record& record);
    bool pair(std::string_view key, Record& record);
    bool type(std::string_view text, Record& record);
    bool f(std::string_view text, Record& record);
    bool value(Record& record);
    bool whole(std::string_view key, std::uint64_t most, std::uint64_t& out);
    void space();
    std::string_view form();
    bool fail(std::string message);

    std::string text_;    ///< of maps that have not been read
    std::size_t at_ = 0;  ///< read so far
    std::size_t end_ = 0;
    std::uint64_t line_ = 0;
    std::uint64_t first_line_ = 0;
    std::uint8_t has_ = 0;
    bool client_ = true;
    Problem problem_;
};

}  // namespace lockstep::history
