#include "harness/batch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {

PropertyRow property_row(const Batch& batch, properties::PropertyId id) {
    PropertyRow row;
    for (const Tally& tally : batch.tallies) {
        const auto& one = tally.properties()[static_cast<std::size_t>(id)];
        row.sum += one;
        if (tally.demands().expects(id)) row.foretold += one.violated;
    }
    return row;
}

std::map<std::string, MarkRow> mark_rows(const Batch& batch) {
    std::map<std::string, MarkRow> rows;
    for (const Tally& tally : batch.tallies) {
        for (const auto& [mark, count] : tally.marks()) {
            if (!count.required && count.runs == 0) continue;
            MarkRow& row = rows[mark];
            row.scenarios += count.runs > 0 ? 1 : 0;
            row.runs += count.runs;
            row.times += count.times;
            row.required += count.required ? 1 : 0;
            if (count.required && count.runs == 0) row.lacking.push_back(tally.scenario());
        }
    }
    return rows;
}

std::map<std::string, FaultTally> fault_rows(const Batch& batch) {
    std::map<std::string, FaultTally> rows;
    for (const Tally& tally : batch.tallies)
        for (const auto& [kind, fault] : tally.faults()) rows[kind] += fault;
    return rows;
}

std::map<std::string, std::uint64_t> role_rows(const Batch& batch) {
    std::map<std::string, std::uint64_t> rows;
    for (const Tally& tally : batch.tallies)
        for (const auto& [role, hits] : tally.roles()) rows[role] += hits;
    return rows;
}

TriggerCount trigger_row(const Batch& batch) {
    TriggerCount sum;
    for (const Tally& tally : batch.tallies) {
        sum.waited += tally.triggers().waited;
        sum.met += tally.triggers().met;
    }
    return sum;
}

Totals totals(const Batch& batch) {
    Totals sum;
    for (const Tally& tally : batch.tallies) {
        sum.runs += tally.runs();
        sum.failed += tally.failed();
        sum.steps += tally.steps();
        sum.simulated += tally.simulated();
    }
    return sum;
}

std::vector<std::string> batch_doubts(const Batch& batch) {
    std::vector<std::string> doubts;
    const auto rows = fault_rows(batch);
    const auto said_already = [&](const std::string& kind) {
        return std::any_of(batch.tallies.begin(), batch.tallies.end(), [&](const Tally& tally) {
            const auto fault = tally.faults().find(kind);
            return fault != tally.faults().end() && fault->second.planned >= enough_to_see;
        });
    };
    for (const auto& [kind, fault] : rows)
        if (fault.planned >= enough_to_see && fault.started == 0 && !said_already(kind))
            doubts.push_back(
                fmt::format("fault {} was planned {} times over all scenarios and "
                            "never fired",
                            kind, fault.planned));
    const bool enough = std::all_of(batch.tallies.begin(), batch.tallies.end(),
                                    [](const Tally& t) { return t.runs() >= enough_to_see; });
    if (!batch.whole_catalogue || !enough) return doubts;
    for (std::size_t i = 0; i < sim::fault_kinds; ++i) {
        const std::string kind(sim::to_string(static_cast<sim::FaultKind>(i)));
        const auto row = rows.find(kind);
        if (row == rows.end())
            doubts.push_back(fmt::format("fault {} was planned nowhere in the catalogue", kind));
        else if (row->second.started == 0 && row->second.planned < enough_to_see)
            doubts.push_back(fmt::format("fault {} fired nowhere in the catalogue", kind));
    }
    return doubts;
}

ExitCode exit_code(const Batch& batch) {
    const Totals sum = totals(batch);
    if (sum.failed > 0) return ExitCode::Violated;
    if (sum.runs == 0) return ExitCode::GaveUp;
    if (batch.exploration.interrupted || !batch.exploration.given_up.empty())
        return ExitCode::GaveUp;
    if (batch.shard) return ExitCode::AsExpected;
    for (const Tally& tally : batch.tallies)
        if (!tally.doubts().empty()) return ExitCode::Untrustworthy;
    return batch_doubts(batch).empty() ? ExitCode::AsExpected : ExitCode::Untrustworthy;
}

}  // namespace lockstep::harness
