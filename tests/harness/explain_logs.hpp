#pragma once

#include "harness/explain/explanation.hpp"
#include "tests/harness/fixtures.hpp"

#include <type_traits>
#include <utility>

/// Logs of failures, written down event by event: three servers, two clients, a store.
namespace lockstep::test::explain {

inline constexpr sim::ProcessId n1{1};
inline constexpr sim::ProcessId n2{2};
inline constexpr sim::ProcessId n3{3};
inline constexpr sim::ProcessId worker_a{4};
inline constexpr sim::ProcessId worker_b{5};
inline constexpr sim::ProcessId store{6};
inline constexpr LockId job{1};
inline constexpr SessionId of_a{2};
inline constexpr SessionId of_b{3};

class FailureLog {
public:
    FailureLog() {
        outcome_ = held_outcome(1);
        outcome_.process_names = {"n1", "n2", "n3", "worker-a", "worker-b", "store"};
        using Kind = sim::ProcessKind;
        outcome_.process_kinds = {Kind::Server, Kind::Server, Kind::Server,
                                  Kind::Client, Kind::Client, Kind::Resource};
        outcome_.lock_names = {"job"};
        settings_.servers = {"n1", "n2", "n3"};
        settings_.clients = {"worker-a", "worker-b"};
        settings_.resources = {"store"};
        settings_.locks = {"job"};
        settings_.ttl = seconds(10);
        settings_.drift_bound = Ppm{10'000};
        settings_.slack = seconds(1);
    }

    /// Times in milliseconds.
    template <class E>
    FailureLog& at(std::int64_t ms, sim::ProcessId process, const E& event) {
        const sim::SimTime time{ms * 1'000'000};
        if constexpr (std::is_constructible_v<sim::WorldEvent, E>)
            outcome_.log.push_back({time, process, sim::WorldEvent(event)});
        else
            outcome_.log.push_back({time, process, events::Event(event)});
        ++ordinal_;
        return *this;
    }
    FailureLog& sent(std::int64_t ms, sim::ProcessId from, sim::ProcessId to,
                     std::uint64_t number) {
        harness::MessageLine line{"a message"};
        line.number = number;
        line.to = to;
        line.kind = "keep-alive";
        outcome_.log.push_back({sim::SimTime{ms * 1'000'000}, from, std::move(line)});
        return *this;
    }
    FailureLog& taken(std::int64_t ms, sim::ProcessId at, sim::ProcessId from,
                      std::uint64_t number) {
        outcome_.log.push_back(
            {sim::SimTime{ms * 1'000'000}, at, harness::MessageTaken{number, from}});
        return *this;
    }
    FailureLog& election(std::int64_t ms, sim::ProcessId server, std::uint64_t term) {
        return at(ms, server, events::BecameLeader{Term(term), LogIndex(1), 7});
    }
    /// Both sessions are opened at once, and worker-a gets the lock.
    FailureLog& begin(sim::ProcessId leader) {
        election(500, leader, 1);
        at(600, leader, events::SessionOpened{of_a, Nonce(8), seconds(10), worker_a});
        at(601, worker_a, events::SessionTold{of_a, Nonce(8), LocalTime{}});
        at(602, leader, events::SessionOpened{of_b, Nonce(9), seconds(10), worker_b});
        at(603, worker_b, events::SessionTold{of_b, Nonce(9), LocalTime{}});
        return grant(700, leader, worker_a, 4);
    }
    FailureLog& grant(std::int64_t ms, sim::ProcessId leader, sim::ProcessId client,
                      std::uint64_t token) {
        const SessionId session = client == worker_a ? of_a : of_b;
        at(ms, leader, events::Granted{job, session, RequestSeq(1), FencingToken(token)});
        return at(ms + 1, client,
                  events::GrantTold{job, session, RequestSeq(1), FencingToken(token), LocalTime{}});
    }
    FailureLog& renewal(std::int64_t ms, sim::ProcessId leader, std::uint64_t number,
                        std::uint64_t term) {
        at(ms, worker_a, events::RenewalSent{of_a, SendingNo(number)});
        at(ms + 1, leader, events::RenewalReceived{of_a, SendingNo(number), worker_a, Term(term)});
        return at(ms + 3, leader,
                  events::RenewalAnswered{of_a, SendingNo(number), worker_a, Term(term)});
    }
    FailureLog& expiry(std::int64_t ms, sim::ProcessId leader, std::uint64_t index,
                       std::uint64_t term, std::uint64_t entry_term) {
        at(ms, leader, events::ExpiryProposed{of_a, Term(term), LogIndex(index)});
        at(ms + 3, leader, events::Applied{LogIndex(index), Term(entry_term), 11});
        return at(
            ms + 3, leader,
            events::SessionEnded{of_a, LogIndex(index), Term(term), events::EndReason::Expired});
    }
    FailureLog& deadline(std::int64_t ms) {
        return at(ms, worker_a, sim::DeadlinePassed{of_a.value});
    }

    /// What the last event, or the one that many before it, violates.
    harness::Explanation why(PropertyId id, std::size_t before = 0,
                             const std::string& evidence = "it was not so") {
        properties::Violation violation{};
        violation.id = id;
        violation.ordinal = before > ordinal_ ? 0 : ordinal_ - before;
        violation.evidence = evidence;
        violation.at = outcome_.log.back().at;
        std::uint64_t ordinal = 0;
        for (const auto& logged : outcome_.log) {
            if (!std::holds_alternative<events::Event>(logged.what) &&
                !std::holds_alternative<sim::WorldEvent>(logged.what))
                continue;
            if (++ordinal == violation.ordinal) violation.at = logged.at;
        }
        return harness::explain(outcome_, settings_, violation);
    }

    Outcome& outcome() { return outcome_; }
    scenario::Resolved& settings() { return settings_; }

private:
    Outcome outcome_;
    scenario::Resolved settings_;
    std::uint64_t ordinal_ = 0;
};

inline bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// The step from which on it could not be helped.
inline std::string decisive_step(const harness::Explanation& explanation) {
    for (const auto& step : explanation.story)
        if (step.decisive) return step.text;
    return "";
}

}  // namespace lockstep::test::explain
