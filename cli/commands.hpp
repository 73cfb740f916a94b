#pragma once

#include "harness/judge.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// The commands of the program, one file each. All print to standard output, and say what is wrong
/// with their input on standard error.
namespace lockstep::cli {

using harness::ExitCode;

struct RunArguments {
    std::string scenario;
    std::uint64_t seed = 1;
    std::vector<std::string> sets;  ///< KEY=VALUE
    bool verbose = false;
};
ExitCode run(const RunArguments& arguments);

struct ExploreArguments {
    std::vector<std::string> scenarios;  ///< empty: the whole catalogue
    std::uint64_t seeds = 1'000;
    std::uint64_t first_seed = 1;
    std::uint64_t jobs = 0;  ///< 0: one a core
    std::string budget;      ///< wall time, "5m"; empty: none
    std::vector<std::string> sets;
};
ExitCode explore(const ExploreArguments& arguments);

struct DigestArguments {
    std::vector<std::string> scenarios;  ///< empty: the whole catalogue
    std::uint64_t seeds = 20;
    std::uint64_t first_seed = 1;
    std::string wire_codec;  ///< "on", "off", or empty: as the scenario says
    bool twice = false;
    std::vector<std::string> sets;
};
ExitCode digest(const DigestArguments& arguments);

ExitCode list();
ExitCode version();
/// Version, plan epoch and compiler, in one line.
std::string version_text();

}  // namespace lockstep::cli
