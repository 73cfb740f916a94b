#include "harness/export_json.hpp"

#include "harness/describe.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <type_traits>
#include <utility>

namespace lockstep::harness {
namespace {

// Keys in the order in which they are set.
using Json = nlohmann::ordered_json;
using properties::PropertyId;

std::string hex(std::uint64_t digest) {
    return fmt::format("{:016x}", digest);
}

/// Evidence may quote bytes of a guest's that are not UTF-8.
std::string written(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string_view end_name(End end) {
    switch (end) {
        case End::Finished:
            return "finished";
        case End::Stuck:
            return "stuck";
        case End::Crashed:
            return "crashed";
        case End::OutOfTime:
            return "out-of-time";
        case End::Cut:
            return "cut";
    }
    return "";
}

std::string_view verdict_name(ExitCode code) {
    switch (code) {
        case ExitCode::AsExpected:
            return "as-expected";
        case ExitCode::Violated:
            return "violated";
        case ExitCode::BadInput:
            return "bad-input";
        case ExitCode::GaveUp:
            return "gave-up";
        case ExitCode::Untrustworthy:
            return "untrustworthy";
    }
    return "";
}

Json program_json(const Provenance& provenance) {
    return {{"version", provenance.version},
            {"build", provenance.build},
            {"plan_epoch", scenario::plan_epoch}};
}

Json codes_json(const std::vector<PropertyId>& ids) {
    Json codes = Json::array();
    for (const PropertyId id : ids) codes.push_back(properties::code_of(id));
    return codes;
}

Json property_json(PropertyId id, const PropertyTally& tally, std::uint64_t foretold) {
    Json excused = Json::object();
    for (const auto& [assumption, runs] : tally.excused_by) excused[assumption] = runs;
    return {{"id", properties::code_of(id)},
            {"name", properties::describe(id).name},
            {"held", tally.held},
            {"violated", tally.violated},
            {"violated_as_expected", foretold},
            {"excused", tally.excused},
            {"excused_by", std::move(excused)},
            {"idle", tally.idle},
            {"judged", tally.judged},
            {"checks", tally.checks}};
}

template <class Faults>
Json faults_json(const Faults& faults) {
    Json list = Json::array();
    for (const auto& [kind, fault] : faults)
        list.push_back({{"kind", kind},
                        {"planned", fault.planned},
                        {"fired", fault.started},
                        {"met_nobody", fault.missed}});
    return list;
}

Json roles_json(const std::map<std::string, std::uint64_t>& roles) {
    Json list = Json::array();
    for (const auto& [role, hits] : roles) list.push_back({{"role", role}, {"hits", hits}});
    return list;
}

Json triggers_json(const TriggerCount& triggers) {
    return {{"waited", triggers.waited},
            {"met", triggers.met},
            {"unmet", triggers.waited - triggers.met}};
}

Json violation_json(const properties::Report& report) {
    Json json{{"property", properties::code_of(report.id)},
              {"name", properties::describe(report.id).name},
              {"violations", report.violations}};
    if (!report.first) return json;
    json["at_ns"] = report.first->at.ns;
    json["evidence"] = report.first->evidence;
    if (report.first->excused_by) json["excused_by"] = need_text(*report.first->excused_by);
    return json;
}

Json failure_json(const Failure& failure, const Repeat& repeat) {
    Json violated = Json::array();
    for (const auto& report : failure.violated) violated.push_back(violation_json(report));
    return {{"seed", failure.seed},         {"digest", hex(failure.digest)},
            {"end", end_name(failure.end)}, {"end_detail", failure.end_detail},
            {"violated", violated},         {"again", repeat_command(repeat, failure.seed)}};
}

Json scenario_json(const Tally& tally, const Repeat& repeat) {
    Json json{{"name", tally.scenario()},
              {"runs", tally.runs()},
              {"as_expected", tally.as_expected()},
              {"not_as_expected", tally.failed()},
              {"steps", tally.steps()},
              {"simulated_ns", tally.simulated().ns},
              {"digest", hex(tally.digest())},
              {"expects_violated", codes_json(tally.demands().violated)},
              {"violated_as_expected_runs", tally.foretold_runs()},
              {"marks_required", tally.marks_required()},
              {"marks_reached", tally.marks_reached()}};
    Json marks = Json::array();
    for (const auto& [mark, count] : tally.marks())
        if (count.required || count.runs > 0)
            marks.push_back({{"mark", mark},
                             {"times", count.times},
                             {"runs", count.runs},
                             {"required", count.required}});
    json["marks"] = std::move(marks);
    json["faults"] = faults_json(tally.faults());
    json["roles"] = roles_json(tally.roles());
    json["triggers"] = triggers_json(tally.triggers());
    Json all = Json::array();
    for (const PropertyId id : properties::all_properties()) {
        const auto& one = tally.properties()[static_cast<std::size_t>(id)];
        all.push_back(property_json(id, one, tally.demands().expects(id) ? one.violated : 0));
    }
    json["properties"] = std::move(all);
    json["doubts"] = tally.doubts();
    Json failures = Json::array();
    for (const auto& failure : tally.failures()) failures.push_back(failure_json(failure, repeat));
    json["failures"] = std::move(failures);
    return json;
}

Json marks_json(const Batch& batch) {
    Json list = Json::array();
    for (const auto& [mark, row] : mark_rows(batch))
        list.push_back({{"mark", mark},
                        {"times", row.times},
                        {"runs", row.runs},
                        {"scenarios", row.scenarios},
                        {"required_by", row.required},
                        {"never_reached_by", row.lacking}});
    return list;
}

Json exploration_json(const Batch& batch) {
    const Exploration& exploration = batch.exploration;
    Json json{{"runs", exploration.total},
              {"finished", exploration.done},
              {"of_earlier", exploration.resumed},
              {"interrupted", exploration.interrupted},
              {"out_of_time", exploration.out_of_time},
              {"whole_catalogue", batch.whole_catalogue},
              {"elapsed_ms", exploration.elapsed.count()}};
    if (batch.shard) json["shard"] = to_string(*batch.shard);
    Json gave_up = Json::array();
    for (const GivenUp& seed : exploration.given_up)
        gave_up.push_back({{"scenario", batch.tallies[seed.subject].scenario()},
                           {"seed", seed.seed},
                           {"again", repeat_command(batch.repeats[seed.subject], seed.seed)}});
    json["gave_up"] = std::move(gave_up);
    return json;
}

/// A field of an event, as a number where it is one.
template <class T>
Json field_json(const Names& names, std::string_view field, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value;
    } else if constexpr (std::is_same_v<T, LockId>) {
        return names.lock(value);
    } else if constexpr (std::is_same_v<T, NodeId> || std::is_same_v<T, sim::ProcessId>) {
        return names.process(value);
    } else if constexpr (requires { value.ns; }) {
        return value.ns;
    } else if constexpr (std::is_enum_v<T>) {
        return field_text(names, field, value);
    } else if constexpr (requires { value.value; }) {
        return value.value;
    } else {
        if (field == "point" || field.ends_with("hash")) return field_text(names, field, value);
        return value;
    }
}

}  // namespace

std::string batch_json(const Batch& batch, const Provenance& provenance) {
    const ExitCode code = exit_code(batch);
    const Totals sum = totals(batch);
    Json json{{"lockstep", program_json(provenance)},
              {"verdict", verdict_name(code)},
              {"exit_code", static_cast<int>(code)},
              {"exploration", exploration_json(batch)},
              {"totals",
               {{"runs", sum.runs},
                {"as_expected", sum.runs - sum.failed},
                {"not_as_expected", sum.failed},
                {"steps", sum.steps},
                {"simulated_ns", sum.simulated.ns}}}};
    Json scenarios = Json::array();
    for (std::size_t i = 0; i < batch.tallies.size(); ++i)
        scenarios.push_back(scenario_json(batch.tallies[i], batch.repeats[i]));
    json["scenarios"] = std::move(scenarios);
    json["faults"] = faults_json(fault_rows(batch));
    json["roles"] = roles_json(role_rows(batch));
    json["triggers"] = triggers_json(trigger_row(batch));
    json["marks"] = marks_json(batch);
    Json all = Json::array();
    for (const PropertyId id : properties::all_properties()) {
        const auto [tally, foretold] = property_row(batch, id);
        all.push_back(property_json(id, tally, foretold));
    }
    json["properties"] = std::move(all);
    json["doubts"] = batch_doubts(batch);
    return written(json, 2) + "\n";
}

std::string outcome_json(const Outcome& outcome, const Demands& demands, const Repeat& repeat,
                         const Provenance& provenance) {
    const Judgement judgement = judge(demands, outcome);
    Json json{{"lockstep", program_json(provenance)},
              {"scenario", repeat.scenario},
              {"set", repeat.sets},
              {"seed", outcome.seed},
              {"digest", hex(outcome.digest)},
              {"end", end_name(outcome.end)},
              {"end_detail", outcome.end_detail},
              {"as_expected",
               judgement.as_expected() && judgement.as_foretold.size() == demands.violated.size()},
              {"expects_violated", codes_json(demands.violated)},
              {"steps", outcome.steps},
              {"events", outcome.events},
              {"messages", outcome.messages},
              {"simulated_ns", outcome.simulated.ns},
              {"drawn", outcome.resolved_lines}};
    Json verdicts = Json::array();
    for (const auto& report : outcome.reports) {
        Json one = violation_json(report);
        one["verdict"] = properties::to_string(report.verdict);
        one["expected"] = demands.expects(report.id);
        one["checks"] = report.checks;
        verdicts.push_back(std::move(one));
    }
    json["properties"] = std::move(verdicts);
    Json marks = Json::array();
    for (const auto& mark : outcome.marks)
        if (mark.reached > 0) marks.push_back({{"mark", mark.mark}, {"times", mark.reached}});
    json["marks"] = std::move(marks);
    std::map<std::string, FaultTally> faults;
    for (const auto& fault : outcome.faults)
        faults[fault.kind] += FaultTally{fault.planned, fault.started, fault.missed, 0};
    json["faults"] = faults_json(faults);
    std::map<std::string, std::uint64_t> roles;
    for (const auto& role : outcome.roles) roles[role.role] += role.hits;
    json["roles"] = roles_json(roles);
    json["triggers"] = triggers_json(outcome.triggers);
    json["again"] = repeat_command(repeat, outcome.seed);
    return written(json, 2) + "\n";
}

void event_lines(const Outcome& outcome, const sim::FaultPlan& plan,
                 const std::function<void(std::string_view line)>& on_line) {
    const Names names(outcome, plan);
    for (const LoggedEvent& logged : outcome.log) {
        Json json{{"at_ns", logged.at.ns}, {"process", names.process(logged.process)}};
        const auto add = [&](const auto& event) {
            json["event"] = event.name;
            event.visit([&](std::string_view field, const auto& value) {
                json[std::string(field)] = field_json(names, field, value);
            });
        };
        std::visit(
            [&](const auto& what) {
                if constexpr (std::is_same_v<std::decay_t<decltype(what)>, MessageLine>) {
                    json["event"] = what.is_note ? "note" : "message";
                    json["text"] = what.text;
                    if (!what.is_note) {
                        json["number"] = what.number;
                        json["to"] = names.process(what.to);
                        json["kind"] = what.kind;
                        if (!what.dropped.empty()) json["dropped"] = what.dropped;
                    }
                } else if constexpr (std::is_same_v<std::decay_t<decltype(what)>, MessageTaken>) {
                    json["event"] = "message-taken";
                    json["number"] = what.number;
                    json["from"] = names.process(what.from);
                } else {
                    std::visit(add, what);
                }
            },
            logged.what);
        on_line(written(json, -1));
    }
}

}  // namespace lockstep::harness
