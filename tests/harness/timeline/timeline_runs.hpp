#pragma once

#include "harness/catalogue.hpp"
#include "harness/run.hpp"
#include "harness/services.hpp"
#include "harness/timeline/timeline.hpp"
#include "tests/harness/fixtures.hpp"

#include <string>
#include <vector>

/// Runs, real and made by hand, to draw timelines of.
namespace lockstep::test::timeline {

struct Run {
    Outcome outcome;
    scenario::Resolved settings;
};

inline Run run_of(const std::string& name, std::uint64_t seed,
                  const std::vector<std::string>& sets = {}) {
    const auto scenario = harness::load_scenario(name, sets).value();
    return {harness::run(scenario, seed, {.keep_log = true, .keep_messages = true}),
            harness::resolve(scenario, seed)};
}

/// Server n1, clients a and b, resource store; lock job. Times in milliseconds.
class HandMade {
public:
    static constexpr sim::ProcessId n1{1}, a{2}, b{3}, store{4};
    static constexpr LockId job{1};

    HandMade() {
        run_.outcome = held_outcome(1);
        run_.outcome.process_names = {"n1", "a", "b", "store"};
        using Kind = sim::ProcessKind;
        run_.outcome.process_kinds = {Kind::Server, Kind::Client, Kind::Client, Kind::Resource};
        run_.outcome.lock_names = {"job"};
        run_.outcome.simulated = seconds(10);
    }

    void add(std::int64_t ms, sim::ProcessId who, auto event) {
        add_at(sim::SimTime{ms * 1'000'000}, who, event);
    }
    void add_at(sim::SimTime at, sim::ProcessId who, auto event) {
        if constexpr (std::is_constructible_v<events::Event, decltype(event)>)
            run_.outcome.log.push_back({at, who, events::Event(event)});
        else if constexpr (std::is_constructible_v<sim::WorldEvent, decltype(event)>)
            run_.outcome.log.push_back({at, who, sim::WorldEvent(event)});
        else
            run_.outcome.log.push_back({at, who, std::move(event)});
    }
    /// Granted by the service, and told to the client a millisecond later.
    void grant(std::int64_t ms, sim::ProcessId client, std::uint64_t session, std::uint64_t token) {
        add(ms, n1, events::Granted{job, SessionId(session), RequestSeq(1), FencingToken(token)});
        add(ms + 1, client,
            events::GrantTold{job, SessionId(session), RequestSeq(1), FencingToken(token),
                              LocalTime::never()});
    }
    void send(std::int64_t ms, std::uint64_t number, sim::ProcessId from, sim::ProcessId to,
              const std::string& kind, const std::string& dropped = "") {
        harness::MessageLine line{"a message"};
        line.number = number;
        line.to = to;
        line.kind = kind;
        line.dropped = dropped;
        if (dropped.empty()) line.arrives = sim::SimTime{(ms + 2) * 1'000'000};
        add(ms, from, line);
    }
    void take(std::int64_t ms, std::uint64_t number, sim::ProcessId from, sim::ProcessId to) {
        add(ms, to, harness::MessageTaken{number, from});
    }

    Run& run() { return run_; }
    Outcome& outcome() { return run_.outcome; }

private:
    Run run_;
};

}  // namespace lockstep::test::timeline
