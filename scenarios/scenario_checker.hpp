#pragma once

#include "scenarios/scenario.hpp"
#include "scenarios/scenario_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// For scenario_check.cpp and fault_check.cpp alone.
namespace lockstep::scenario {

template <std::size_t n>
bool one_of(const std::array<const char*, n>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

inline bool one_of(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// What a scenario's values must satisfy, seen together. Keeps the first objection.
class Checker {
public:
    explicit Checker(const Scenario& scenario) : s_(scenario) {}

    std::optional<Objection> run() {
        cluster();
        lease();
        lease_options();
        raft();
        surroundings();
        workload();
        expectations();
        for (std::size_t i = 0; i < s_.faults.size(); ++i) fault(s_.faults[i], i);
        phases();
        if (s_.repro) repro(*s_.repro);
        return first_;
    }

private:
    void object(std::string key, std::string message) {
        if (!first_) first_ = Objection{std::move(key), std::move(message)};
    }
    void number(const char* key, std::uint64_t value, std::uint64_t low, std::uint64_t high,
                const char* note = "") {
        if (value < low || value > high)
            object(key, fmt::format("found {}{}; allowed is {} to {}", value, note, low, high));
    }
    void span(const std::string& key, Duration value, Duration low, Duration high) {
        if (value < low || value > high)
            object(key, fmt::format("found {}; allowed is {} to {}", sim::to_string(value),
                                    sim::to_string(low), sim::to_string(high)));
    }
    void range(const char* key, const DurationRange& value, Duration low, Duration high) {
        span(key, value.min, low, high);
        span(key, value.max, low, high);
        if (value.max < value.min)
            object(key, fmt::format("found {}, which ends before it begins", text_of(value)));
    }
    void share(const std::string& key, Ppm value, std::int64_t high = 1'000'000) {
        if (value.value < 0 || value.value > high)
            object(key, fmt::format("found {}; allowed is 0% to {}", text_of(value),
                                    text_of(Ppm{high})));
    }

    void cluster();
    void lease();
    void lease_options();
    void server_limits();
    void raft();
    void surroundings();
    void workload();
    void phases();
    void expectations();
    void repro(const ReproNote& note);
    void fault(const sim::Fault& fault, std::size_t index);
    void fault_times(const sim::Fault& fault, const std::string& key);
    void fault_amounts(const sim::Fault& fault, const std::string& key);
    void strand(const sim::Fault& fault, const std::string& key);
    void trigger(const sim::Trigger& trigger, const std::string& key);
    void aim(const sim::Aim& aim, const std::string& key, bool may_be_trigger);
    void group_aim(const sim::Fault& fault, const std::string& key);
    std::vector<std::string> groups() const;
    void peer(std::string_view name, const std::string& key);
    /// Names of message kinds are ours to check for our own service only.
    bool is_message(std::string_view name) const {
        return s_.service != "raft" || one_of(message_names(), name);
    }
    bool is_process(std::string_view name) const {
        return one_of(server_names(s_), name) || one_of(client_names(s_), name) ||
               one_of(resource_names(s_), name);
    }
    std::string processes() const {
        const auto clients = client_names(s_);
        return fmt::format("n1 to n{}, {}{}", s_.cluster.servers,
                           clients.empty() ? "" : "worker-a to " + clients.back() + ", ",
                           fmt::join(resource_names(s_), ", "));
    }

    const Scenario& s_;
    std::optional<Objection> first_;
};

}  // namespace lockstep::scenario
