#pragma once

#include "core/base/result.hpp"
#include "harness/judge.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The commands of the program, one file each. All print to standard output, and say what is wrong
/// with their input on standard error.
namespace lockstep::cli {

using harness::ExitCode;

/// Where a value came from that is no option's of the command line: a file of settings.
struct Origin {
    std::string file;  ///< empty: from the command line, or from nowhere
    int line = 0;
};

struct RunArguments {
    std::string scenario;
    std::uint64_t seed = 1;
    std::vector<std::string> sets;  ///< KEY=VALUE
    Origin sets_from = {};
    bool again_without_config = false;  ///< the command that repeats the run needs --no-config
    bool verbose = false;
    std::string events;   ///< file for the events as JSON lines; "-": standard output
    std::string json;     ///< file for the verdicts as JSON; "-": standard output
    std::string budget;   ///< wall time, "5m"; empty: none
    std::string until;    ///< simulated time at which it ends, "12.5s"; empty: at its end
    std::string history;  ///< a file for the history of the run; empty: none
    std::string html;      ///< a file for the timeline as a page; empty: none
    std::string perfetto;  ///< a file for the timeline as trace events; empty: none
};
ExitCode run(const RunArguments& arguments);

struct ExploreArguments {
    std::vector<std::string> scenarios;  ///< empty: the whole catalogue
    std::uint64_t seeds = 1'000;
    std::uint64_t first_seed = 1;
    std::uint64_t jobs = 0;         ///< 0: one a core
    std::string budget;             ///< wall time, "5m"; empty: none
    std::string watchdog = "10m";   ///< wall time of one run, after which it is given up
    std::string out = ".lockstep";  ///< directory for results
    bool no_out = false;            ///< keep none
    std::string json;               ///< file; "-": standard output, without the table
    std::string junit;              ///< likewise
    std::string shard;              ///< "2/4", "auto/4"; empty: as the environment says
    std::vector<std::string> sets;
    Origin scenarios_from = {};
    Origin sets_from = {};
    bool again_without_config = false;  ///< the command that repeats a run needs --no-config
};
ExitCode explore(const ExploreArguments& arguments);

struct MergeArguments {
    std::vector<std::string> directories;
    std::string out;    ///< directory; empty: the merged results are kept nowhere
    std::string json;   ///< file; "-": standard output, without the table
    std::string junit;  ///< likewise
    bool partial = false;
};
ExitCode merge(const MergeArguments& arguments);

struct DigestArguments {
    std::vector<std::string> scenarios;  ///< empty: the whole catalogue
    std::uint64_t seeds = 20;
    std::uint64_t first_seed = 1;
    std::string wire_codec;  ///< "on", "off", or empty: as the scenario says
    bool twice = false;
    std::vector<std::string> sets;
    Origin scenarios_from = {};
    Origin sets_from = {};
};
ExitCode digest(const DigestArguments& arguments);

struct ListArguments {
    std::string group;      ///< "scenarios", "services", ...; empty: all
    bool markdown = false;  ///< of properties: the table of the documentation
};
ExitCode list(const ListArguments& arguments);

/// The groups of `lockstep list`.
const std::vector<std::string>& list_groups();
/// The properties as a table in Markdown: promise, needs, the test in which each must object, and
/// the scenarios of the catalogue that are about it.
Result<std::string> properties_markdown();
struct CheckArguments {
    std::string file;         ///< "-": standard input
    std::string clock_error;  ///< a span, "5ms"; empty: as the file says, or none
    std::string ttl;          ///< a span; empty: as the file says, or none
    std::string drift_bound;  ///< "1%"; empty: as the file says, or none
    bool json = false;
};
ExitCode check(const CheckArguments& arguments);

struct PinpointArguments {
    std::string scenario;  ///< or a repro, which has a seed
    std::optional<std::uint64_t> seed;
    std::string property;  ///< its id; empty: the first that is violated
    std::uint64_t points = 40;
    std::uint64_t runs = 100;
    std::uint64_t jobs = 0;  ///< 0: one a core
    std::vector<std::string> sets;
    Origin sets_from = {};
};
ExitCode pinpoint(const PinpointArguments& arguments);

ExitCode version();
/// Version, plan epoch and compiler, in one line.
std::string version_text();
/// The number alone.
std::string version_number();

}  // namespace lockstep::cli
