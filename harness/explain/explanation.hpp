#pragma once

#include "harness/run.hpp"
#include "properties/property.hpp"
#include "scenarios/resolve.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::harness {

/// One line of the story of a failure.
struct ExplainedStep {
    sim::SimTime at;
    sim::ProcessId process;    ///< 0: the world
    std::string text;          ///< "resumes after 15 s and still believes that it holds job"
    bool decisive = false;     ///< from here on the promise could not be kept any more
    std::size_t position = 0;  ///< in Outcome::log
};

/// A failure in words: made from the log of its run, for the report, the page and the repro.
struct Explanation {
    properties::PropertyId property = {};
    sim::SimTime at;         ///< of the violation
    sim::SimTime begins;     ///< of the first thing that matters
    std::string harm;        ///< one sentence: who may do what to whom, from when to when
    std::string cause;       ///< a paragraph: the chain that led there, in plain words
    std::string looks_like;  ///< the broken assumption, or the class of bug; may be empty
    std::string fencing;     ///< whether the resource's fencing saved the day; may be empty
    std::vector<ExplainedStep> story;  ///< six to ten steps, in order, the violation last
    /// Everything that led there: positions in Outcome::log of events and messages, ascending, the
    /// violating event last. The steps of `story` are among them.
    std::vector<std::size_t> chain;
    std::vector<sim::ProcessId> processes;  ///< between whom, the ones in the evidence first
    std::vector<LockId> locks;
};

/// The outcome must have a log with messages. `violation` is one of its reports' first violations.
Explanation explain(const Outcome& outcome, const scenario::Resolved& settings,
                    const properties::Violation& violation);

}  // namespace lockstep::harness
