#pragma once

#include "core/base/result.hpp"
#include "harness/explain/failure_report.hpp"
#include "harness/repro/repro.hpp"
#include "harness/shrink/shrink.hpp"
#include "harness/verdict.hpp"

#include <cstdint>
#include <string>

namespace lockstep::harness {

/// A failing run that somebody should look at.
struct FailureToTell {
    const scenario::Scenario* scenario = nullptr;
    Repeat repeat;  ///< how to have the run again
    std::uint64_t seed = 1;
    Fingerprint why;
    std::uint64_t runs = 0;    ///< that were looked at; zero: nobody has looked
    std::uint64_t failed = 0;  ///< of them, in this way
};

/// The failure, shrunk and explained.
struct ShrunkFailure {
    Shrunk shrunk;
    Outcome outcome;     ///< of the shrunk run, with its log
    Repro repro;         ///< its story is what the explanation says
    FailureFacts facts;  ///< without `look` and `keep`, for it is in no file yet
};
ShrunkFailure shrink_and_explain(const FailureToTell& failure, const ShrinkOptions& options);

/// "38 faults to 2, 5 servers to 3, 45 s to 9 s"; what stayed as it was is left out.
std::string reduction_text(const Shrunk& shrunk);

/// What is wrong with the run, first the earliest: the property, if one is given, else any without
/// excuse. Nothing if there is none.
std::optional<Fingerprint> failure_in(const Outcome& outcome,
                                      std::optional<properties::PropertyId> property);

/// A name for its file: "chaos-LOCK-3-4711.toml".
std::string repro_name(const std::string& scenario, const Fingerprint& why, std::uint64_t seed);
/// Writes the repro to the folder, which is made if need be, under that name or, where that is
/// another repro's, with a number behind it: nothing is overwritten. Returns the path.
Result<std::string> keep_repro(const Repro& repro, const std::string& directory,
                               const std::string& name);
/// Fills in the lines that need to know where the repro is.
void tell_where(FailureFacts& facts, const std::string& path, std::uint64_t seed);

}  // namespace lockstep::harness
