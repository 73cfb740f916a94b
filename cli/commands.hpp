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
    std::string events;    ///< file for the events as JSON lines; "-": standard output
    std::string json;      ///< file for the verdicts as JSON; "-": standard output
    std::string budget;    ///< wall time, "5m"; empty: none
    std::string until;     ///< simulated time at which it ends, "12.5s"; empty: at its end
    std::string history;   ///< a file for the history of the run; empty: none
    std::string html;      ///< a file for the timeline as a page; empty: none
    std::string perfetto;  ///< a file for the timeline as trace events; empty: none
};
ExitCode run(const RunArguments& arguments);

struct ExploreArguments {
    std::vector<std::string> scenarios;  ///< empty: the whole catalogue
    std::uint64_t seeds = 1'000;
    std::uint64_t first_seed = 1;
    std::uint64_t jobs = 0;          ///< 0: one a core
    std::string budget;              ///< wall time, "5m"; empty: none
    std::string watchdog = "10m";    ///< wall time of one run, after which it is given up
    std::string out = ".lockstep";   ///< directory for results
    bool no_out = false;             ///< keep none
    std::string json;                ///< file; "-": standard output, without the table
    std::string junit;               ///< likewise
    bool no_shrink = false;          ///< failures are told as they came
    std::string shrink_for = "30s";  ///< wall time for each kind of failure
    std::string rates;               ///< file for the rates that a gate measures itself by
    std::string shard;               ///< "2/4", "auto/4"; empty: as the environment says
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
    std::string rates;  ///< file
    bool partial = false;
};
ExitCode merge(const MergeArguments& arguments);

struct GateArguments {
    std::vector<std::string> scenarios;  ///< empty: the whole catalogue
    bool pr = false;
    std::string base;  ///< empty: the commit that CI names, or "lockstep"
    std::uint64_t seeds = 50;
    std::uint64_t corpus = 20;
    std::string min_seeds;  ///< empty: a tenth of `seeds`
    std::string budget = "5m";
    std::uint64_t jobs = 0;
    std::string regressions;  ///< folder; empty: scenarios/regressions, if there is one
    std::string known;        ///< file; empty: known.toml, if there is one
    std::string baseline;     ///< program
    std::string rates;        ///< file; empty: those of the catalogue
    std::string twice = "2%";
    std::string shrink_for = "30s";
    bool no_shrink = false;
    std::string junit;
    std::string json;
    std::string summary;
    std::string out = ".lockstep/gate";
    std::vector<std::string> sets;
    Origin scenarios_from = {};
    Origin sets_from = {};
    bool again_without_config = false;  ///< the command that repeats a run needs --no-config
};
ExitCode gate(const GateArguments& arguments);

struct ConfirmArguments {
    std::string repro;
    std::uint64_t seeds = 1'000;
    std::uint64_t jobs = 0;
};
ExitCode confirm(const ConfirmArguments& arguments);

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
    std::string html;        ///< file for the run as a page, with the chances; "-": stdout
    std::vector<std::string> sets;
    Origin sets_from = {};
};
ExitCode pinpoint(const PinpointArguments& arguments);

struct ShrinkArguments {
    std::string scenario;
    std::uint64_t seed = 1;
    std::string property;     ///< its id; empty: the first that is violated
    std::string span = "2m";  ///< wall time after which what was reached is the result
    std::string out;          ///< file for the repro; empty: .lockstep/repros
    std::vector<std::string> sets;
    Origin sets_from = {};
    bool again_without_config = false;  ///< the command that repeats the run needs --no-config
};
ExitCode shrink(const ShrinkArguments& arguments);

struct ReplayArguments {
    std::string file;
    std::string against;  ///< events of another run of it; empty: none
    std::string events;   ///< file for the events as JSON lines; "-": standard output
};
ExitCode replay(const ReplayArguments& arguments);

struct AcceptArguments {
    std::string file;
    std::string to = "scenarios/regressions";  ///< a folder
    std::string name;                          ///< of the file there; empty: as it is called now
    std::string story;                         ///< empty: as it is in the file
};
ExitCode accept(const AcceptArguments& arguments);

struct DataArguments {
    std::vector<std::string> files;  ///< "-": standard input
    std::string format;              ///< empty: recognised
    std::string column;
    std::string unit;
    std::string as;  ///< "pause", "rtt", ...; empty: what the format is about
    bool json = false;
};
ExitCode data(const DataArguments& arguments);

struct ProbeArguments {
    std::string span = "10m";  ///< wall time
    std::string every = "1ms";
    std::string ping;               ///< HOST:PORT; empty: no connections
    std::string out = "probe.txt";  ///< "-": standard output
};
ExitCode probe(const ProbeArguments& arguments);

struct LeaseArguments {
    // Files, or rates and lengths: "2/month x 5s..90s"; empty: none.
    std::string pauses;
    std::string rtt;
    std::string disk;
    std::string outages;
    std::string partitions;
    std::string failovers;
    std::string crashes = "1/week";
    std::string deploys;  ///< empty: 2/day, but of the whole cluster none
    // "15s", "2s..120s", "lease/3"; empty: as the preset has it, or the default.
    std::string lease;
    std::string renew;
    std::string deadline;
    std::string lock_delay;
    std::string preset;
    std::uint64_t points = 20;   ///< of a range
    std::string drift = "0ppm";  ///< of the holder's clock: "200ppm", "1%"
    std::string span;            ///< empty: as lease::default_span has it
    std::string budget;          ///< wall time; empty: none
    std::uint64_t seed = 1;
    std::uint64_t jobs = 0;  ///< 0: one a core
    std::string fidelity = "lease";
    std::vector<std::string> wants;  ///< "losses < 1/month"
    std::string loss_cost;           ///< of one loss, besides the time without a holder: "2h"
    std::string now;                 ///< today's setting, "15s/10s/2s": lease/deadline/renewal
    std::string observed;            ///< what was counted under it, "3 losses in 90d"
    std::string shard;               ///< "2/4"; empty: as the environment says, or all
    std::vector<std::string> from;   ///< files that --json wrote, instead of a simulation
    bool without_defaults = false;   ///< of known systems, which else are marked beside the rest
    std::string emit;                ///< "kubernetes", "etcd": the answer as that system's settings
    std::string csv;                 ///< file; "-": standard output, without the tables
    std::string json;                ///< likewise
    std::string html;                ///< likewise
    std::string plots;               ///< folder for the plots of the page
    bool compare = false;            ///< the model with what is known, instead of settings
};
ExitCode lease(const LeaseArguments& arguments);

ExitCode version();
/// Version, plan epoch and compiler, in one line.
std::string version_text();
/// The number alone.
std::string version_number();

}  // namespace lockstep::cli
