#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::scenario {
namespace {

std::vector<std::string> numbered(const char* one, const char* many, std::uint32_t count) {
    if (count == 1) return {one};
    std::vector<std::string> names;
    for (std::uint32_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}-{}", many, i));
    return names;
}

}  // namespace

std::optional<std::uint32_t> point_number(std::string_view name) {
    const auto found = std::find(point_names.begin(), point_names.end(), name);
    if (found == point_names.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - point_names.begin());
}

std::vector<std::string> message_names() {
    std::vector<std::string> names(raft_messages.begin(), raft_messages.end());
    names.insert(names.end(), client_requests.begin(), client_requests.end());
    names.insert(names.end(), client_replies.begin(), client_replies.end());
    return names;
}

std::vector<std::string> server_names(const Scenario& scenario) {
    std::vector<std::string> names;
    for (std::uint32_t i = 1; i <= scenario.cluster.servers; ++i)
        names.push_back(fmt::format("n{}", i));
    return names;
}

std::vector<std::string> client_names(const Scenario& scenario) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < scenario.cluster.clients; ++i)
        names.push_back(fmt::format("worker-{}", static_cast<char>('a' + i)));
    return names;
}

std::vector<std::string> resource_names(const Scenario& scenario) {
    constexpr std::array<const char*, 3> names{"store", "endpoint", "row"};
    const char* name = names.at(static_cast<std::size_t>(scenario.resource.kind));
    return numbered(name, name, scenario.cluster.locks);
}

std::vector<std::vector<std::string>> zone_members(const Scenario& scenario) {
    std::vector<std::vector<std::string>> zones(scenario.cluster.zones);
    const auto servers = server_names(scenario);
    for (std::size_t i = 0; i < servers.size() && !zones.empty(); ++i)
        zones[i % zones.size()].push_back(servers[i]);
    return zones;
}

std::vector<std::string> lock_names(const Scenario& scenario) {
    return numbered("job", "job", scenario.cluster.locks);
}

Duration shortest_quiet(const Scenario& scenario) {
    const Duration ttl = scenario.lease.ttl.max;
    const Duration live1 = scenario.raft.election_max.max * 10;
    const Duration renewal = scenario.lease.renew_every.value_or(ttl / 3);
    const bool forever = scenario.workload.wait_max == Duration::max();
    const Duration wait =
        forever ? Duration{} : stretch(scenario.workload.wait_max, scenario.lease.drift_bound);
    const Duration delay = scenario.lease.lock_delay.value_or(Duration{});
    const Duration sum = live1 + stretch(ttl, scenario.lease.drift_bound) + renewal + wait + delay +
                         scenario.run.slack;
    // Up to a whole millisecond, for people.
    return milliseconds((sum.ns + 999'999) / 1'000'000);
}

}  // namespace lockstep::scenario
