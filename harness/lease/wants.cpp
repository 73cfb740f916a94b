#include "harness/lease/wants.hpp"

#include "harness/lease/decimal.hpp"
#include "harness/lease/report.hpp"
#include "harness/lease/statistics.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::lease {
namespace {

constexpr double month_s = 30.0 * 86'400;
constexpr double year_s = 365.0 * 86'400;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// Words with one space between them.
std::string squeezed(std::string_view text) {
    std::string out;
    for (const char c : trimmed(text))
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c == '-' ? ' ' : c;
    return out;
}

double seconds_of(std::string_view unit) {
    if (unit == "hour") return 3'600;
    if (unit == "day") return 86'400;
    if (unit == "week") return 7 * 86'400.0;
    if (unit == "month") return month_s;
    if (unit == "year") return year_s;
    return 0;
}

std::string names() {
    std::string all;
    for (const Metric& metric : metrics())
        all += (all.empty() ? "" : ", ") + std::string(metric.name);
    return all;
}

Error refused(std::string_view text, const std::string& why) {
    return {fmt::format("--want '{}': {}", harness::printable(text), why), "", 0, 0};
}

/// The bound in the unit of the figure; nothing if it is in no unit that the figure has.
std::optional<double> bound_of(std::string_view text, const Metric& metric) {
    text = trimmed(text);
    std::string_view rest = text;
    const auto number = take_decimal(rest);
    if (!number) return std::nullopt;
    rest = trimmed(rest);
    if (metric.unit == "a month") {
        if (!rest.starts_with('/')) return std::nullopt;
        const double period = seconds_of(rest.substr(1));
        return period > 0 ? std::optional(*number * month_s / period) : std::nullopt;
    }
    if (metric.unit == "share") {
        if (rest == "%") return *number / 100;
        return rest == "ppm" ? std::optional(*number / 1e6) : std::nullopt;
    }
    if (metric.unit == "a second") return rest.empty() ? number : std::nullopt;
    const std::size_t slash = rest.find('/');
    const std::string_view span =
        text.substr(0, text.size() - rest.size() + std::min(slash, rest.size()));
    const auto length = parse_length("--want", span);
    if (!length) return std::nullopt;
    const double in_seconds = static_cast<double>(length.value().ns) / 1e9;
    if (metric.unit == "s") return slash == rest.npos ? std::optional(in_seconds) : std::nullopt;
    if (slash == rest.npos) return std::nullopt;
    const double period = seconds_of(rest.substr(slash + 1));
    return period > 0 ? std::optional(in_seconds * year_s / period) : std::nullopt;
}

std::string_view example_of(const Metric& metric) {
    if (metric.unit == "a month") return "1/month";
    if (metric.unit == "share") return "0.1%";
    if (metric.unit == "a second") return "500";
    return metric.unit == "s" ? "20s" : "10s/year";
}

/// A want that is not met weighs so much more than one that cannot be shown to be met.
constexpr double surely_missed = 1e6;

/// By how much the worst want is missed, as a factor; 0 if none is.
double missed_by(const std::vector<Judged>& judged, const std::vector<Want>& wants) {
    double worst = 0;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        if (judged[i].met == Met::Yes) continue;
        const double bound = std::max(wants[i].at_most, 1e-9);
        worst = std::max(worst, judged[i].met == Met::No ? surely_missed * judged[i].value / bound
                                                         : judged[i].most / bound);
    }
    return worst;
}

}  // namespace

const std::vector<Metric>& metrics() {
    static const std::vector<Metric> all{
        {"losses", "a month", &Figures::losses, true},
        {"stood down", "a month", &Figures::stood_down, true},
        {"taken over", "a month", &Figures::taken_over, true},
        {"refused writes", "a month", &Figures::refused_writes, true},
        {"double belief", "s a year", &Figures::double_belief},
        {"crash takeover mean", "s", &Figures::crash_mean},
        {"crash takeover p50", "s", &Figures::crash_p50},
        {"crash takeover p99", "s", &Figures::crash_p99},
        {"crash takeover worst", "s", &Figures::crash_worst},
        {"release takeover p50", "s", &Figures::release_p50},
        {"release takeover p99", "s", &Figures::release_p99},
        {"release takeover worst", "s", &Figures::release_worst},
        {"without holder", "share", &Figures::without_holder},
        {"renewals", "a second", &Figures::renewals},
        {"failover adds", "s", &Figures::failover_adds},
    };
    return all;
}

namespace {

/// As tables have it, which have less room.
std::string full_name(std::string name) {
    struct Short {
        std::string_view in_tables;
        std::string_view name;
    };
    static constexpr Short shorts[] = {{"no holder", "without holder"},
                                       {"graceful", "release takeover"},
                                       {"crash", "crash takeover"},
                                       {"release", "release takeover"}};
    for (const Short& known : shorts) {
        const bool already = name.starts_with(known.name);
        if (!already && name.starts_with(known.in_tables))
            return std::string(known.name) + name.substr(known.in_tables.size());
    }
    return name;
}

}  // namespace

Result<Want> parse_want(std::string_view text) {
    const std::size_t less = text.find('<');
    if (less == std::string_view::npos)
        return refused(text,
                       "found no '<'; write 'losses < 1/month' or 'crash takeover p99 < 20s'");
    const std::string name = full_name(squeezed(text.substr(0, less)));
    const auto metric = std::ranges::find(metrics(), name, &Metric::name);
    if (metric == metrics().end())
        return refused(text, fmt::format("no figure is called '{}'; there are {}",
                                         harness::printable(name), names()));
    if (name.ends_with(" worst"))
        return refused(text, fmt::format("nothing bounds the worst case; want '{} p99'",
                                         name.substr(0, name.size() - 6)));
    std::string_view bound = text.substr(less + 1);
    if (bound.starts_with('=')) bound.remove_prefix(1);
    const auto value = bound_of(bound, *metric);
    if (value && *value <= 0)
        return refused(text,
                       "no log, however long, shows that something never comes; write 1/year");
    if (!value)
        return refused(text, fmt::format("'{}' is no bound on {}; write '{} < {}'",
                                         harness::printable(trimmed(bound)), metric->name,
                                         metric->name, example_of(*metric)));
    Want want{std::string(trimmed(text)), &*metric, *value, ""};
    if (const std::size_t slash = bound.rfind('/'); slash != std::string_view::npos)
        want.period = trimmed(bound.substr(slash + 1));
    return want;
}

std::string amount_text(const Want& want, double value) {
    const std::string_view unit = want.metric->unit;
    if (unit == "s") return seconds_text(value);
    if (unit == "share") return fmt::format("{:.3g}%", value * 100);
    const double period = seconds_of(want.period);
    if (period > 0 && unit == "a month")
        return fmt::format("{} a {}", number_text(value * period / month_s), want.period);
    if (period > 0 && unit == "s a year")
        return fmt::format("{} s a {}", number_text(value * period / year_s), want.period);
    return fmt::format("{} {}", number_text(value), unit);
}

bool works(const Figures& figures) {
    return figures.renewals.value > 0;
}

Judged judge(const Want& want, const Figures& figures, Duration observed) {
    const Figure& figure = figures.*(want.metric->figure);
    Judged judged;
    judged.value = figure.value;
    judged.most = std::max(figure.simulation.high, figure.data.high);
    if (figure.value > want.at_most || figure.simulation.low > want.at_most) return judged;
    if (figure.data.high > want.at_most) {
        judged.met = Met::NotInTheData;
        // If no more come, the interval of the rate shrinks as the time that was looked grows.
        // What is only assumed stays.
        const double days = static_cast<double>(observed.ns) / 86'400e9;
        const double room = want.at_most - figure.assumed;
        if (want.metric->rare && room > 0)
            judged.days = days * (figure.data.high - figure.assumed) / room;
        return judged;
    }
    judged.met = figure.simulation.high > want.at_most ? Met::NotSeen : Met::Yes;
    return judged;
}

double cost_of(const Figures& figures, const Prices& prices) {
    return prices.crashes_a_month * figures.crash_mean.value +
           figures.losses.value * prices.loss_cost_s;
}

Answer answer(const Sweep& sweep, const std::vector<Want>& wants, const Prices& prices) {
    Answer out;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < sweep.results.size(); ++i) {
        const Figures& figures = sweep.results[i].figures;
        out.costs.push_back(cost_of(figures, prices));
        auto& judged = out.judged.emplace_back();
        for (const Want& want : wants) judged.push_back(judge(want, figures, sweep.observed));
        const double missed = missed_by(judged, wants);
        if (!works(figures)) continue;
        if (missed == 0 && (!out.chosen || out.costs[i] < out.costs[*out.chosen])) out.chosen = i;
        if (missed < nearest) {
            nearest = missed;
            out.nearest = i;
        }
    }
    if (sweep.now && !wants.empty()) {
        const Figures& now = sweep.now->figures;
        out.keep_now =
            std::ranges::all_of(wants,
                                [&](const Want& want) {
                                    return judge(want, now, sweep.observed).met == Met::Yes;
                                }) &&
            (!out.chosen || cost_of(now, prices) <= out.costs[*out.chosen]);
    }
    if (!out.chosen) return out;
    out.nearest = *out.chosen;
    // Of the cheaper settings, the dearest: what it misses is what the choice is paid for.
    std::optional<std::size_t>& cheaper = out.cheaper;
    for (std::size_t i = 0; i < out.costs.size(); ++i)
        if (out.costs[i] < out.costs[*out.chosen] &&
            (!cheaper || out.costs[i] > out.costs[*cheaper]))
            cheaper = i;
    if (!cheaper) return out;
    for (std::size_t w = 0; w < wants.size() && !out.binds; ++w)
        if (out.judged[*cheaper][w].met != Met::Yes) out.binds = w;
    return out;
}

std::vector<std::size_t> front(const Sweep& sweep) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < sweep.results.size(); ++i) {
        const Figures& mine = sweep.results[i].figures;
        if (!works(mine)) continue;
        const bool beaten = std::ranges::any_of(sweep.results, [&](const SettingResult& other) {
            const Figures& f = other.figures;
            return works(f) && f.losses.value <= mine.losses.value &&
                   f.crash_p99.value <= mine.crash_p99.value &&
                   (f.losses.value < mine.losses.value || f.crash_p99.value < mine.crash_p99.value);
        });
        if (!beaten) all.push_back(i);
    }
    std::sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
        const Figures& x = sweep.results[a].figures;
        const Figures& y = sweep.results[b].figures;
        if (x.losses.value != y.losses.value) return x.losses.value < y.losses.value;
        return a < b;
    });
    return all;
}

std::optional<std::size_t> knee(const Sweep& sweep, const std::vector<std::size_t>& front) {
    if (front.size() < 2) return std::nullopt;
    double losses = 0;
    double quickest = std::numeric_limits<double>::infinity();
    double slowest = 0;
    for (const SettingResult& result : sweep.results) {
        if (!works(result.figures)) continue;
        losses = std::max(losses, result.figures.losses.value);
        quickest = std::min(quickest, result.figures.crash_p99.value);
        slowest = std::max(slowest, result.figures.crash_p99.value);
    }
    if (!(losses > 0) || !(slowest > quickest)) return std::nullopt;
    std::optional<std::size_t> best;
    double farthest = -1;
    for (const std::size_t i : front) {
        const Figures& f = sweep.results[i].figures;
        const double x = f.losses.value / losses;
        const double y = (f.crash_p99.value - quickest) / (slowest - quickest);
        // Below the line from (0, 1) to (1, 0).
        const double distance = 1 - x - y;
        if (distance > farthest) {
            farthest = distance;
            best = i;
        }
    }
    return best;
}

Result<Observed> parse_observed(std::string_view text) {
    const Error no{
        fmt::format("--observed '{}': write '3 losses in 90d'", harness::printable(text)), "", 0,
        0};
    std::string_view rest = trimmed(text);
    const auto number = take_decimal(rest);
    rest = trimmed(rest);
    if (!number || *number != std::floor(*number) || *number > 1e9) return no;
    for (const std::string_view word : {"losses", "loss"})
        if (rest.starts_with(word)) {
            rest = trimmed(rest.substr(word.size()));
            break;
        }
    if (!rest.starts_with("in ")) return no;
    const auto in = parse_length("--observed", trimmed(rest.substr(3)));
    if (!in || in.value().ns <= 0) return no;
    return Observed{static_cast<std::uint64_t>(*number), in.value()};
}

namespace {

/// One over the length, in months, of a look that saw the rate `value` and bounds it above by
/// `high`: nothing if the rate is simply known.
double doubt(double value, double high) {
    if (high <= value) return 0;
    if (std::isinf(high)) return high;
    constexpr double rule_of_three = 2.995732273553991;
    if (value <= 0) return high / rule_of_three;
    // As many must have been seen as have that upper bound.
    double few = 0;
    double many = 1e9;
    for (int i = 0; i < 200; ++i) {
        const double count = std::sqrt((few + 1e-9) * many);
        (gamma_quantile(count + 1, 0.975) / count > high / value ? few : many) = count;
    }
    return value / many;
}

}  // namespace

Checked check_observed(const Observed& observed, const Figures& now) {
    const double months = static_cast<double>(observed.in.ns) / 1e9 / month_s;
    const Figure& losses = now.losses;
    Checked checked;
    checked.expected = losses.value * months;
    // What data and simulation leave open of the rate, and on top of that the luck of a count.
    const double open =
        doubt(losses.value, losses.data.high) + doubt(losses.value, losses.simulation.high);
    Interval counts = predicted_counts(open > 0 ? losses.value / open : 0, months * open);
    if (open <= 0) counts = predicted_counts(checked.expected * 1e6, 1e-6);
    checked.least = counts.low;
    checked.most = counts.high;
    const auto count = static_cast<double>(observed.losses);
    checked.consistent = count >= checked.least && count <= checked.most;
    return checked;
}

}  // namespace lockstep::lease
