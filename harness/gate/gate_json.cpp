#include "harness/export_json.hpp"
#include "harness/gate/gate.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lockstep::harness {
namespace {

using Json = nlohmann::ordered_json;

Json also_codes(const GateFailure& failure) {
    Json codes = Json::array();
    for (const auto id : failure.also) codes.push_back(properties::code_of(id));
    return codes;
}

Json failure_json(const GateReport& report, const GateFailure& one) {
    Json json{{"scenario", report.all.tallies[one.subject].scenario()},
              {"stage", to_string(one.stage)},
              {"seed", one.seed},
              {"runs", one.runs},
              {"of_runs", one.of_runs},
              {"fingerprint", to_string(one.why)},
              {"also", also_codes(one)},
              {"at_ns", one.at_ns},
              {"evidence", one.evidence},
              {"standing", to_string(one.standing)},
              {"blocks", blocks(one.standing)},
              {"again", one.again}};
    if (!one.known.empty()) json["known"] = one.known;
    if (const auto words = baseline_words(one.baseline); !words.empty()) json["baseline"] = words;
    if (!one.repro.empty()) json["repro"] = one.repro;
    return json;
}

Json regression_json(const GateRegression& one) {
    Json found = Json::array();
    for (const auto& why : one.found) found.push_back(to_string(why));
    return {{"file", one.file},
            {"scenario", one.scenario},
            {"result", to_string(one.result)},
            {"fingerprint", to_string(one.was)},
            {"found", found},
            {"missed", one.missed},
            {"evidence", one.evidence},
            {"blocks", failed(one) && blocks(one.standing)},
            {"again", one.again}};
}

Json minimum_json(const Minimum& one) {
    return {{"scenario", one.scenario}, {"what", to_string(one.feat)}, {"name", one.name},
            {"runs", one.runs},         {"found", one.found},          {"least", one.least},
            {"met", one.met()}};
}

Json stage_json(const Batch& batch, std::uint64_t first, std::uint64_t seeds) {
    const Totals sum = totals(batch);
    return {{"first_seed", first},
            {"seeds", seeds},
            {"runs", sum.runs},
            {"not_as_expected", sum.failed},
            {"out_of_time", batch.exploration.out_of_time},
            {"elapsed_ms", batch.exploration.elapsed.count()}};
}

}  // namespace

std::string gate_json(const GateReport& report, const Provenance& provenance) {
    Json json{{"lockstep",
               {{"version", provenance.version},
                {"build", provenance.build},
                {"plan_epoch", scenario::plan_epoch}}},
              {"exit_code", static_cast<int>(exit_code(report))},
              {"base", report.base},
              {"pr", report.pr},
              {"corpus", stage_json(report.corpus, 1, report.corpus_seeds)},
              {"fresh", stage_json(report.fresh, report.fresh_from, report.fresh_seeds)},
              {"min_seeds", report.min_seeds},
              {"twice",
               {{"sampled", report.sampled},
                {"run", report.ran_twice},
                {"different", report.differing.size()}}},
              {"elapsed_ms", report.elapsed.count()}};
    Json failures = Json::array();
    for (const auto& one : report.failures) failures.push_back(failure_json(report, one));
    json["failures"] = std::move(failures);
    Json regressions = Json::array();
    for (const auto& one : report.regressions) regressions.push_back(regression_json(one));
    json["regressions"] = std::move(regressions);
    Json minimums = Json::array();
    for (const auto& one : report.minimums) minimums.push_back(minimum_json(one));
    json["minimums"] = std::move(minimums);
    json["short"] = too_little(report);
    json["doubts"] = gate_doubts(report);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::harness
