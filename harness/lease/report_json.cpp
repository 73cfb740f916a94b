#include "harness/lease/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace lockstep::lease {
namespace {

using Json = nlohmann::ordered_json;

double seconds_of(Duration d) {
    return static_cast<double>(d.ns) / 1e9;
}

/// JSON has no infinity: what nothing bounds is null.
Json finite(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json interval_json(const Interval& interval) {
    return Json::array({finite(interval.low), finite(interval.high)});
}

Json setting_json(const Setting& setting) {
    return {{"name", setting.name},
            {"lease_s", seconds_of(setting.lease)},
            {"deadline_s", seconds_of(setting.stands_down_after())},
            {"deadline_is_set", setting.deadline.ns > 0},
            {"renew_s", seconds_of(setting.renew_every)},
            {"retry_s", seconds_of(setting.retry_every)},
            {"lock_delay_s", seconds_of(setting.lock_delay)},
            {"drift_bound_ppm", setting.drift_bound.value},
            {"margin_s", seconds_of(setting.margin)},
            {"jitter_percent", setting.jitter_percent},
            {"deadline_grace_s", seconds_of(setting.deadline_grace)},
            {"poll_s", seconds_of(setting.poll_every)},
            {"poll_jitter_percent", setting.poll_jitter_percent},
            {"waiters_count_lease", setting.waiters_count_lease},
            {"expires_late_s", seconds_of(setting.expires_late)},
            {"renewals_write", setting.renewals_write},
            {"failover_extends", setting.failover_extends}};
}

Json harm_json(const Harm& harm) {
    return {{"kind", to_string(harm.kind)},
            {"where", harm.where},
            {"length_s", seconds_of(harm.length)},
            {"times", harm.times},
            {"losses", harm.losses}};
}

Json counts_json(const Counts& counts) {
    return {{"losses", counts.losses},         {"stood_down", counts.stood_down},
            {"taken_over", counts.taken_over}, {"refused_writes", counts.refused_writes},
            {"crashes", counts.crashes},       {"releases", counts.releases},
            {"renewals", counts.renewals}};
}

Json result_json(const SettingResult& result) {
    Json json{{"position", result.position}, {"setting", setting_json(result.setting)}};
    json["simulated_s"] = seconds_of(result.simulated);
    json["counts"] = counts_json(result.counts);
    Json& figures = json["figures"];
    for (const Metric& metric : metrics()) {
        const Figure& figure = result.figures.*(metric.figure);
        figures[std::string(metric.name)] = {{"unit", metric.unit},
                                             {"value", finite(figure.value)},
                                             {"simulation", interval_json(figure.simulation)},
                                             {"data", interval_json(figure.data)},
                                             {"assumed", figure.assumed}};
    }
    json["skew_ratio"] = result.figures.skew_ratio;
    json["skew_s"] = seconds_of(result.figures.skew);
    json["outage_borne_s"] = seconds_of(result.figures.outage_borne);
    json["harms"] = Json::array();
    for (const Harm& harm : result.harms) json["harms"].push_back(harm_json(harm));
    json["causes"] = Json::array();
    for (const Cause& cause : result.causes)
        json["causes"].push_back({{"kind", to_string(cause.kind)},
                                  {"shortest_s", seconds_of(cause.shortest)},
                                  {"losses", cause.losses}});
    json["steps"] = result.steps;
    json["digest"] = fmt::format("{:016x}", result.digest);
    return json;
}

Json input_json(const Input& input) {
    Json json{{"name", input.name}, {"said", input.said}, {"about", input.about}};
    json["measured"] = input.measured;
    if (!input.measured) return json;
    json["count"] = input.count;
    json["observed_s"] = seconds_of(input.observed);
    json["longest_s"] = seconds_of(input.longest);
    json["longest_where"] = input.longest_where;
    json["lengths"] = Json::array();
    for (const data::Bucket& bucket : input.lengths)
        json["lengths"].push_back(
            {{"above_s", seconds_of(bucket.above)},
             {"up_to_s", bucket.up_to == Duration::max() ? Json() : Json(seconds_of(bucket.up_to))},
             {"count", bucket.count}});
    return json;
}

std::string_view met_name(Met met) {
    switch (met) {
        case Met::Yes:
            return "yes";
        case Met::No:
            return "no";
        case Met::NotSeen:
            return "not-seen-in-the-simulated-span";
        case Met::NotInTheData:
            return "cannot-be-shown-from-the-data";
    }
    return "";
}

Json results_json(const std::vector<SettingResult>& results) {
    Json json = Json::array();
    for (const SettingResult& result : results) json.push_back(result_json(result));
    return json;
}

void put_answer(Json& json, const Sweep& sweep, const Told& told) {
    for (std::size_t w = 0; w < told.wants.size(); ++w) {
        Json want{{"want", told.wants[w].text}, {"met", Json::array()}};
        for (const auto& judged : told.answer.judged)
            want["met"].push_back(met_name(judged[w].met));
        json["wants"].push_back(want);
    }
    json["front"] = front(sweep);
    if (const auto bend = knee(sweep, front(sweep))) json["knee"] = *bend;
    if (told.answer.chosen) json["chosen"] = *told.answer.chosen;
    if (told.checked)
        json["observed"] = {
            {"losses", told.observed->losses},    {"in_s", seconds_of(told.observed->in)},
            {"expected", told.checked->expected}, {"from", told.checked->least},
            {"to", told.checked->most},           {"consistent", told.checked->consistent}};
    json["answer"] = answer_text(sweep, told);
    if (!told.emitted.empty()) json["emitted"] = told.emitted;
}

}  // namespace

std::string sweep_json(const Sweep& sweep, const Told& told) {
    Json json{{"lockstep_lease", 1},
              {"command", told.command},
              {"seed", sweep.seed},
              {"span_s", seconds_of(sweep.span)},
              {"fidelity", sweep.fidelity == Fidelity::Full ? "full" : "lease"},
              {"identity", fmt::format("{:016x}", sweep.identity)},
              {"shard", sweep.shard},
              {"shards", sweep.shards},
              {"total", sweep.total},
              {"whole", sweep.whole},
              {"axes", sweep.axes},
              {"observed_s", seconds_of(sweep.observed)},
              {"crashes_a_month", sweep.crashes_a_month},
              {"inputs", Json::array()}};
    for (const Input& input : sweep.inputs) json["inputs"].push_back(input_json(input));
    json["settings"] = results_json(sweep.results);
    json["marked"] = results_json(sweep.marked);
    if (sweep.now) json["now"] = result_json(*sweep.now);
    if (sweep.shards == 1) put_answer(json, sweep, told);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::lease
