#pragma once

#include "harness/describe.hpp"
#include "harness/explain/chronicle.hpp"
#include "scenarios/resolve.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::harness {

/// The words of explanations: what an event was, as a predicate whose subject is its process.
class Phrases {
public:
    Phrases(const Chronicle& log, const scenario::Resolved& settings)
        : log_(log), names_(log.outcome(), settings.plan) {}

    /// "is elected leader, term 7"; of a kind that no story tells, the event with its fields.
    std::string text(Place place) const;
    std::string who(sim::ProcessId process) const { return names_.process(process); }
    std::string who(Place place) const { return who(log_.process(place)); }
    std::string lock(LockId id) const { return names_.lock(id); }
    /// The client of a session, or "session 5".
    std::string client(SessionId session) const;
    std::string holder(FencingToken token, Place by) const;
    std::string when(Place place) const;  ///< "12.300"; "the end"
    std::string when(sim::SimTime at) const { return seconds_text(at.ns); }
    /// From one place to the other: "1.204 s".
    std::string between(Place from, Place to) const;
    /// "for 8.000 s, until 13.900"; "to the end".
    std::string lasting(Place from, Place to) const;
    std::string fault(std::uint32_t position) const { return names_.fault(position); }
    const Names& names() const { return names_; }

    /// Seconds to the millisecond, and finer if it is less than one.
    static std::string span(Duration d);
    /// "a, b and c"
    static std::string listed(const std::vector<std::string>& words);

private:
    const Chronicle& log_;
    Names names_;
};

/// The places in a text at which names of processes stand, as whole words.
std::vector<sim::ProcessId> processes_in(const Outcome& outcome, std::string_view text);
std::vector<LockId> locks_in(const Outcome& outcome, std::string_view text);

}  // namespace lockstep::harness
