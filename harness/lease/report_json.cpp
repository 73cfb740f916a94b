#include "harness/lease/report.hpp"

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
            {"renew_s", seconds_of(setting.renew_every)},
            {"lock_delay_s", seconds_of(setting.lock_delay)}};
}

Json result_json(const SettingResult& result) {
    Json json = setting_json(result.setting);
    json["simulated_s"] = seconds_of(result.simulated);
    Json& figures = json["figures"];
    for (const Metric& metric : metrics()) {
        const Figure& figure = result.figures.*(metric.figure);
        figures[std::string(metric.name)] = {{"unit", metric.unit},
                                             {"value", finite(figure.value)},
                                             {"simulation", interval_json(figure.simulation)},
                                             {"data", interval_json(figure.data)}};
    }
    json["skew_ratio"] = result.figures.skew_ratio;
    json["outage_borne_s"] = seconds_of(result.figures.outage_borne);
    json["digest"] = result.digest;
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

}  // namespace

std::string sweep_json(const Sweep& sweep, const Told& told) {
    Json json{{"command", told.command},
              {"seed", told.seed},
              {"observed_s", seconds_of(sweep.observed)},
              {"whole", sweep.whole},
              {"settings", Json::array()}};
    for (const SettingResult& result : sweep.results)
        json["settings"].push_back(result_json(result));
    for (std::size_t w = 0; w < told.wants.size(); ++w) {
        Json want{{"want", told.wants[w].text}, {"met", Json::array()}};
        for (const auto& judged : told.answer.judged)
            want["met"].push_back(met_name(judged[w].met));
        json["wants"].push_back(want);
    }
    json["front"] = front(sweep);
    if (const auto bend = knee(sweep, front(sweep))) json["knee"] = *bend;
    if (told.answer.chosen) json["chosen"] = *told.answer.chosen;
    if (told.now) json["now"] = result_json(*told.now);
    if (told.checked)
        json["observed"] = {
            {"losses", told.observed->losses},    {"in_s", seconds_of(told.observed->in)},
            {"expected", told.checked->expected}, {"from", told.checked->least},
            {"to", told.checked->most},           {"consistent", told.checked->consistent}};
    json["answer"] = answer_text(sweep, told);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::lease
