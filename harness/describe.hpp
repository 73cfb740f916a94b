#pragma once

#include "harness/run.hpp"
#include "sim/fault.hpp"

#include <string>

namespace lockstep::harness {

/// Names for the numbers in a run's events. Refers to the outcome and the plan; both must outlive
/// it.
class Names {
public:
    Names(const Outcome& outcome, const sim::FaultPlan& plan) : outcome_(outcome), plan_(plan) {}

    std::string process(sim::ProcessId id) const;  ///< "n1"; "world" for none
    std::string lock(LockId id) const;
    std::string point(std::uint32_t point) const;
    std::string fault(std::uint32_t position) const;  ///< its label

private:
    const Outcome& outcome_;
    const sim::FaultPlan& plan_;
};

/// The event as it was reported, all fields with their names: "granted lock=job session=5 seq=1
/// token=33".
std::string describe(const Names& names, const events::Event& event);
std::string describe(const Names& names, const sim::WorldEvent& event);

}  // namespace lockstep::harness
