#pragma once

#include "harness/judge.hpp"
#include "harness/run.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::harness {

/// In how many runs a property came to which verdict.
struct PropertyTally {
    std::uint64_t held = 0;
    std::uint64_t violated = 0;
    std::uint64_t excused = 0;
    std::uint64_t idle = 0;
    std::uint64_t judged = 0;  ///< neither idle nor excusable
    std::uint64_t checks = 0;  ///< comparisons, over all runs
    /// The excused runs by the assumption that was broken: "clock-rate(server)".
    std::map<std::string, std::uint64_t> excused_by;

    PropertyTally& operator+=(const PropertyTally& other);
};

struct FaultTally {
    std::uint64_t planned = 0;
    std::uint64_t started = 0;
    std::uint64_t missed = 0;
    std::uint64_t runs = 0;  ///< in which at least one started

    FaultTally& operator+=(const FaultTally& other);
};

struct MarkTally {
    std::uint64_t runs = 0;   ///< in which it was reached
    std::uint64_t times = 0;  ///< over all runs
    bool required = false;
};

/// A run that went as it should not have.
struct Failure {
    std::uint64_t seed = 0;
    std::uint64_t digest = 0;
    End end = End::Finished;
    std::string end_detail;
    std::vector<properties::Report> violated;  ///< the unexpected ones
};

/// What the runs of one scenario came to. Adding outcomes in the order of their seeds makes it the
/// same however many processes ran them.
class Tally {
public:
    /// Failures are all counted; the first this many are kept whole.
    static constexpr std::size_t failures_kept = 100;

    Tally(std::string scenario, Demands demands);
    void add(const Outcome& outcome);

    /// Why a batch that went as expected would prove less than it seems to: marks not reached, an
    /// expected violation that never came, faults that never fired, properties that were idle too
    /// often. Empty for a batch without runs.
    std::vector<std::string> doubts() const;

    const std::string& scenario() const { return scenario_; }
    const Demands& demands() const { return demands_; }
    std::uint64_t runs() const { return runs_; }
    std::uint64_t failed() const { return failed_; }
    std::uint64_t as_expected() const { return runs_ - failed_; }
    std::uint64_t steps() const { return steps_; }
    Duration simulated() const { return simulated_; }
    std::uint64_t foretold_runs() const { return foretold_runs_; }
    /// Hash over the digests of all runs, in their order.
    std::uint64_t digest() const { return digest_; }
    std::uint64_t marks_required() const;
    std::uint64_t marks_reached() const;  ///< of the required ones
    const std::map<std::string, MarkTally>& marks() const { return marks_; }
    const std::map<std::string, FaultTally>& faults() const { return faults_; }
    const std::map<std::string, std::uint64_t>& roles() const { return roles_; }  ///< hits
    const TriggerCount& triggers() const { return triggers_; }
    const std::array<PropertyTally, properties::property_count>& properties() const {
        return properties_;
    }
    const std::vector<Failure>& failures() const { return failures_; }

private:
    std::string scenario_;
    Demands demands_;
    std::uint64_t runs_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t foretold_runs_ = 0;
    std::uint64_t steps_ = 0;
    Duration simulated_;
    std::uint64_t digest_ = 0;
    std::map<std::string, MarkTally> marks_;
    std::map<std::string, FaultTally> faults_;
    std::map<std::string, std::uint64_t> roles_;
    TriggerCount triggers_;
    std::array<PropertyTally, properties::property_count> properties_{};
    std::vector<Failure> failures_;
};

/// "clock-rate(server)"
std::string need_text(const properties::Need& need);

/// Fewer runs, or planned faults, say nothing of what never happened in them.
inline constexpr std::uint64_t enough_to_see = 20;

}  // namespace lockstep::harness
