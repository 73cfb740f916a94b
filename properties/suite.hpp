#pragma once

#include "core/events/event.hpp"
#include "properties/property.hpp"
#include "properties/setup.hpp"
#include "sim/world_events.hpp"

#include <memory>
#include <vector>

namespace lockstep::properties {

/// All properties, on one run. Feed it every event in the order of the run, then `finish`.
///
///     Suite suite(setup);
///     suite.on(Stamp{at, process, ordinal}, event);   // each event, ordinals growing
///     suite.finish(end);
///     for (const Report& report : suite.reports()) ...
///
/// An event costs what it changes; in a steady state nothing is allocated. Events that contradict
/// each other are violations, never assertions: they come from the service under test.
class Suite {
public:
    explicit Suite(const Setup& setup);
    ~Suite();
    Suite(Suite&&) noexcept;
    Suite& operator=(Suite&&) noexcept;

    void on(const Stamp& stamp, const events::Event& event);
    void on(const Stamp& stamp, const sim::WorldEvent& event);

    /// The run is over: what is due by now and has not come is a violation. Call once.
    void finish(sim::SimTime end);

    /// One for each property, in the order of PropertyId. Final after `finish`.
    std::vector<Report> reports() const;
    /// How many violations there were so far, excused ones included. Cheap: for stopping a run or
    /// telling its story at the very event.
    std::uint64_t violations() const;

private:
    struct Checkers;
    std::unique_ptr<Checkers> checkers_;
};

}  // namespace lockstep::properties
