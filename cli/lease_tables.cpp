#include "cli/lease_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep::cli {
namespace {

using harness::Table;
using harness::Tone;

constexpr int bar_width = 8;

std::string length(Duration d) {
    return fmt::format("{:.4g}", static_cast<double>(d.ns) / 1e9);
}

std::string spread(const lease::Interval& interval) {
    if (std::isinf(interval.high)) return fmt::format("over {}", lease::number_text(interval.low));
    return fmt::format("{}-{}", lease::number_text(interval.low),
                       lease::number_text(interval.high));
}

/// Of how long something takes, in seconds.
std::string takes(const lease::Figure& figure) {
    return lease::happened(figure) ? lease::number_text(figure.value) : "-";
}

Table::Cell head(const char* text) {
    return {text, Tone::Faint};
}

/// What is counted goes over decades: a step is a factor of 2.
std::string losses_bar(double losses, double most) {
    if (losses <= 0) return "";
    const double steps = bar_width + std::log2(losses / most);
    return std::string(static_cast<std::size_t>(std::clamp(steps, 1.0, double{bar_width})), '#');
}

std::string share_bar(double value, double most) {
    if (!(most > 0)) return "";
    return std::string(static_cast<std::size_t>(std::ceil(value / most * bar_width)), '#');
}

/// One row of both tables.
struct Row {
    const lease::SettingResult* result;
    std::string name;
    Tone tone = Tone::Plain;
};

std::vector<Row> rows_of(const lease::Sweep& sweep, const lease::Told& told) {
    std::vector<Row> rows;
    const auto best = lease::front(sweep);
    const auto knee = told.wants.empty() ? lease::knee(sweep, best) : std::nullopt;
    for (std::size_t i = 0; i < sweep.results.size(); ++i) {
        Row row{&sweep.results[i], sweep.results[i].setting.name};
        if (!told.wants.empty() && told.answer.chosen == i)
            row = {row.result, "<- chosen", Tone::Good};
        if (knee == i) row = {row.result, "<- knee", Tone::Good};
        rows.push_back(row);
    }
    for (const lease::SettingResult& known : sweep.marked)
        if (std::ranges::none_of(sweep.results, [&](const lease::SettingResult& swept) {
                return swept.setting == known.setting;
            }))
            rows.push_back({&known, known.setting.name, Tone::Faint});
    if (sweep.now) rows.push_back({&*sweep.now, "<- now", Tone::Warn});
    std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.result->setting.lease; });
    return rows;
}

/// The parameters that tell the rows apart, besides the lease.
bool delays_differ(const lease::Sweep& sweep) {
    return std::ranges::find(sweep.axes, "lock-delay") != sweep.axes.end();
}

std::string deciding_table(const lease::Sweep& sweep, const std::vector<Row>& rows,
                           const harness::Paint& paint) {
    const bool delays = delays_differ(sweep);
    using Align = Table::Align;
    Table table({Align::Right, Align::Right, Align::Right, Align::Right, Align::Left, Align::Right,
                 Align::Right, Align::Right, Align::Left, Align::Right, Align::Right, Align::Left});
    table.row({head("lease"), head("deadline"), head("renew"), head("losses"), head(""),
               head("simulation"), head("data"), head("crash p99"), head(""),
               head(delays ? "lock delay" : "graceful"), head("outage"), head("")});
    table.row({head("s"), head("s"), head("s"), head("a month"), head(""), head("95%"), head("95%"),
               head("s"), head(""), head("s"), head("borne s"), head("")});
    double losses = 0;
    double crash = 0;
    for (const Row& row : rows) {
        losses = std::max(losses, row.result->figures.losses.value);
        crash = std::max(crash, row.result->figures.crash_p99.value);
    }
    for (const Row& row : rows) {
        const lease::Setting& setting = row.result->setting;
        const lease::Figures& f = row.result->figures;
        table.row({{length(setting.lease), Tone::Strong},
                   {length(setting.stands_down_after())},
                   {length(setting.renew_every)},
                   {lease::number_text(f.losses.value), Tone::Strong},
                   {losses_bar(f.losses.value, losses), Tone::Bad},
                   {spread(f.losses.simulation)},
                   {lease::data_text(sweep, f.losses)},
                   {takes(f.crash_p99), Tone::Strong},
                   {share_bar(f.crash_p99.value, crash), Tone::Warn},
                   {delays ? length(setting.lock_delay) : takes(f.release_p99)},
                   {length(f.outage_borne)},
                   {row.name, row.tone}});
    }
    return table.text(paint);
}

std::string other_table(const std::vector<Row>& rows, const harness::Paint& paint) {
    using Align = Table::Align;
    std::vector<Align> columns(12, Align::Right);
    columns.push_back(Align::Left);
    Table table(columns);
    table.row({head("lease"), head("stood"), head("taken"), head("refused"), head("double"),
               head("crash"), head("crash"), head("release"), head("no"), head("renewals"),
               head("failover"), head("skew"), head("")});
    table.row({head(""), head("down"), head("over"), head("writes"), head("belief"), head("p50"),
               head("worst"), head("worst"), head("holder"), head("/s/1000"), head("adds"),
               head("borne"), head("")});
    table.row({head("s"), head("a month"), head("a month"), head("a month"), head("s a year"),
               head("s"), head("s"), head("s"), head("share"), head(""), head("s"), head("ratio"),
               head("")});
    for (const Row& row : rows) {
        const lease::Figures& f = row.result->figures;
        table.row({{length(row.result->setting.lease), Tone::Strong},
                   {lease::number_text(f.stood_down.value)},
                   {lease::number_text(f.taken_over.value)},
                   {lease::number_text(f.refused_writes.value)},
                   {lease::number_text(f.double_belief.value)},
                   {takes(f.crash_p50)},
                   {takes(f.crash_worst)},
                   {takes(f.release_worst)},
                   {fmt::format("{:.2e}", f.without_holder.value)},
                   {lease::number_text(f.renewals.value)},
                   {takes(f.failover_adds)},
                   {fmt::format("{:.3f}", f.skew_ratio)},
                   {row.name, row.tone}});
    }
    return table.text(paint);
}

/// What was read, so that one sees whether it is what was meant.
std::string inputs_table(const lease::Sweep& sweep, const harness::Paint& paint) {
    using Align = Table::Align;
    Table table({Align::Left, Align::Left, Align::Left});
    for (const lease::Input& input : sweep.inputs)
        table.row({{input.name, Tone::Faint}, {harness::printable(input.said)}, {input.about}});
    Duration shortest = Duration::max();
    Duration longest{};
    for (const lease::SettingResult& one : sweep.results) {
        shortest = std::min(shortest, one.simulated);
        longest = std::max(longest, one.simulated);
    }
    table.row({{"simulated", Tone::Faint},
               {sweep.whole ? harness::long_span_text(sweep.span)
                            : fmt::format("{} to {}", harness::long_span_text(shortest),
                                          harness::long_span_text(longest))},
               {fmt::format("of each setting, seed {}", sweep.seed)}});
    return table.text(paint);
}

}  // namespace

std::string lease_tables(const lease::Sweep& sweep, const lease::Told& told,
                         const harness::Paint& paint) {
    const auto rows = rows_of(sweep, told);
    // Named in the last column.
    const std::string known =
        sweep.marked.empty()
            ? ""
            : "  " +
                  paint(Tone::Faint,
                        "The names are those of systems with these default settings: settings "
                        "only, not these systems.") +
                  "\n";
    return inputs_table(sweep, paint) + "\n" + deciding_table(sweep, rows, paint) + "\n" +
           other_table(rows, paint) + known;
}

}  // namespace lockstep::cli
