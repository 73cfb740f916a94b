#include "harness/lease/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

std::string csv_number(double value) {
    return std::isinf(value) ? "inf" : fmt::format("{:.6g}", value);
}

}  // namespace

std::string number_text(double value) {
    if (std::isinf(value)) return "?";
    if (value == 0) return "0";
    if (value >= 100) return fmt::format("{:.0f}", value);
    if (value >= 10) return fmt::format("{:.1f}", value);
    if (value >= 1) return fmt::format("{:.2f}", value);
    return fmt::format("{:.2g}", value);
}

std::string seconds_text(double seconds) {
    if (std::isinf(seconds)) return "?";
    const double step = seconds > 0 ? std::pow(10, std::floor(std::log10(seconds)) - 2) : 1;
    return harness::span_text(Duration{std::llround(std::round(seconds / step) * step * 1e9)});
}

bool happened(const Figure& figure) {
    return figure.value > 0 || figure.simulation.high <= figure.value;
}

std::string seconds_text(const Figure& figure) {
    return happened(figure) ? seconds_text(figure.value) : "unknown";
}

std::string setting_text(const Setting& setting) {
    const auto s = [](Duration d) {
        return fmt::format("{:.4g}", static_cast<double>(d.ns) / 1e9);
    };
    const std::string text = fmt::format("{}/{}/{} s", s(setting.lease),
                                         s(setting.stands_down_after()), s(setting.renew_every));
    return setting.name.empty() ? text : fmt::format("{} ({})", text, setting.name);
}

std::string_view to_string(Harm::Kind kind) {
    static constexpr std::string_view names[] = {"stop", "outage", "partition", "failover",
                                                 "slow answer"};
    return names[static_cast<std::size_t>(kind)];
}

bool says_something(const Sweep& sweep) {
    return std::ranges::any_of(sweep.inputs, [](const Input& input) {
        return input.name == "pauses" || input.name == "outages" || input.name == "partitions" ||
               input.name == "failovers" || input.name == "round trips";
    });
}

std::string data_text(const Sweep& sweep, const Figure& figure) {
    if (sweep.observed.ns == 0) return "assumed";
    if (std::isinf(figure.data.high)) return fmt::format("over {}", number_text(figure.data.low));
    return fmt::format("{}-{}", number_text(figure.data.low), number_text(figure.data.high));
}

namespace {

std::string csv_row(const std::string& name, const SettingResult& one) {
    const auto s = [](Duration d) { return static_cast<double>(d.ns) / 1e9; };
    const Figures& f = one.figures;
    std::string out = fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g}", name, s(one.setting.lease),
                                  s(one.setting.stands_down_after()), s(one.setting.renew_every),
                                  s(one.setting.lock_delay));
    for (const Metric& metric : metrics()) {
        const Figure& figure = f.*(metric.figure);
        for (const double value : {figure.value, figure.simulation.low, figure.simulation.high,
                                   figure.data.low, figure.data.high})
            out += "," + csv_number(value);
    }
    return out + fmt::format(",{:.6g},{:.6g},{:.6g}\n", f.skew_ratio, s(f.skew), s(f.outage_borne));
}

}  // namespace

std::string sweep_csv(const Sweep& sweep) {
    std::string out = "name,lease_s,deadline_s,renew_s,lock_delay_s";
    for (const Metric& metric : metrics()) {
        std::string name(metric.name);
        std::ranges::replace(name, ' ', '_');
        for (const char* suffix :
             {"", "_simulation_low", "_simulation_high", "_data_low", "_data_high"})
            out += fmt::format(",{}{}", name, suffix);
    }
    out += ",skew_ratio,skew_s,outage_borne_s\n";
    for (const SettingResult& one : sweep.results) out += csv_row(one.setting.name, one);
    for (const SettingResult& one : sweep.marked) out += csv_row(one.setting.name, one);
    if (sweep.now) out += csv_row("now", *sweep.now);
    return out;
}

}  // namespace lockstep::lease
