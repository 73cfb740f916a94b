// Settings from the command line, and the small questions about keys and names.
#include "scenarios/scenario_fields.hpp"
#include "scenarios/scenario_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace lockstep::scenario {

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t least = SIZE_MAX;
    for (const std::string& candidate : candidates) {
        std::vector<std::size_t> row(candidate.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 0; i < name.size(); ++i) {
            std::size_t diagonal = row[0]++;
            for (std::size_t j = 0; j < candidate.size(); ++j) {
                const std::size_t change = diagonal + (name[i] == candidate[j] ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
            }
        }
        if (row.back() < least) {
            least = row.back();
            best = candidate;
        }
    }
    return best;
}

bool is_property_id(std::string_view id) {
    const std::size_t dash = id.find('-');
    if (dash == 0 || dash == std::string_view::npos || dash + 1 == id.size()) return false;
    const std::string_view family = id.substr(0, dash);
    const std::string_view number = id.substr(dash + 1);
    return std::all_of(family.begin(), family.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) &&
           std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

namespace {

/// A key of a fault that its kind does not read. The kind itself may be set: what the new kind does
/// not read goes back to what it is by default.
std::optional<std::string> stray_setting(Scenario& scenario, std::string_view key) {
    const std::size_t close = key.find("].");
    if (!key.starts_with("fault[") || close == std::string_view::npos) return std::nullopt;
    std::size_t position = 0;
    for (const char c : key.substr(6, close - 6))
        position = position * 10 + static_cast<std::size_t>(c - '0');
    sim::Fault& fault = scenario.faults.at(position - 1);
    const std::string_view name = key.substr(close + 2);
    if (name != "kind") return stray_fault_key(fault, name);
    const sim::Fault empty;
    const sim::FaultFields has = sim::fields_of(fault.kind);
    if (!has.lasts) fault.duration = empty.duration;
    if (!has.peers) fault.peers = empty.peers;
    if (!has.peers) fault.direction = empty.direction;
    if (!has.clock) fault.clock = empty.clock;
    if (!has.ppm) fault.ppm = empty.ppm;
    if (!has.amount) fault.amount = empty.amount;
    if (!has.period) fault.period = empty.period;
    if (!has.count) fault.count = empty.count;
    if (!has.strand) fault.strand = empty.strand;
    if (!has.message && !has.message_optional) fault.message = empty.message;
    return std::nullopt;
}

/// One of them, not checked against the rest.
std::optional<Error> set_one(Scenario& changed, std::string_view setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return Error{
            fmt::format("--set: found \"{}\"; allowed is KEY=VALUE, such as resource.fencing=none",
                        setting),
            {}};
    const std::string_view key = setting.substr(0, equals);
    if (key.starts_with("properties.")) {
        const std::string id(key.substr(11));
        std::erase_if(changed.minimum_share, [&](const auto& share) { return share.first == id; });
    }
    if (const auto error = set_value(changed, key, setting.substr(equals + 1)))
        return Error{fmt::format("--set {}: {}", key, *error), {}};
    if (const auto stray = stray_setting(changed, key))
        return Error{fmt::format("--set {}: {}", key, *stray), {}};
    return std::nullopt;
}

}  // namespace

Error about_sets(const std::vector<std::string>& settings, const Objection& objection) {
    std::string all;
    for (const std::string& setting : settings) {
        const auto equals = setting.find('=');
        const std::string key = setting.substr(0, equals);
        if (key == objection.key && equals != std::string::npos)
            return Error{fmt::format("--set {}: {}", key,
                                     as_written(objection.message, setting.substr(equals + 1))),
                         {}};
        all += (all.empty() ? "--set " : " --set ") + setting;
    }
    return Error{fmt::format("{}: {}: {}", all, objection.key, objection.message), {}};
}

std::optional<Error> apply_set(Scenario& scenario, std::string_view setting) {
    return apply_sets(scenario, {std::string(setting)});
}

std::optional<Error> apply_sets(Scenario& scenario, const std::vector<std::string>& settings) {
    Scenario changed = scenario;
    for (const std::string& setting : settings)
        if (auto error = set_one(changed, setting)) return error;
    if (const auto objection = check(changed)) return about_sets(settings, *objection);
    scenario = std::move(changed);
    return std::nullopt;
}

std::vector<std::string> expected_violations(const Scenario& scenario) {
    std::vector<std::string> ids;
    for (const Expectation& expected : scenario.expect)
        if (expected.when_key.empty() ||
            value_of(scenario, expected.when_key) == expected.when_value)
            ids.push_back(expected.violated);
    return ids;
}

}  // namespace lockstep::scenario
