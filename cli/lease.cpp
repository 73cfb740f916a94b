#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/lease_input.hpp"
#include "cli/output.hpp"
#include "cli/status_line.hpp"
#include "harness/lease/compare.hpp"
#include "harness/lease/report.hpp"
#include "harness/lease/sweep.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

namespace lockstep::cli {
namespace {

using harness::Table;
using harness::Tone;

void show_share(StatusLine& line, double done) {
    if (!line.due()) return;
    constexpr int width = 24;
    const int filled = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
    if (line.on_terminal())
        line.show(fmt::format("[{}{}] {:.0f}%", std::string(filled, '#'),
                              std::string(width - filled, '.'), done * 100));
    else
        line.show(fmt::format("lease: {:.0f}%", done * 100));
}

std::string length(Duration d) {
    return fmt::format("{:.4g}", static_cast<double>(d.ns) / 1e9);
}

std::string spread(const lease::Interval& interval) {
    return fmt::format("{}-{}", lease::number_text(interval.low),
                       lease::number_text(interval.high));
}

Table::Cell head(const char* text) {
    return {text, Tone::Faint};
}

void print_losses(const lease::Sweep& sweep, const harness::Paint& paint) {
    using Align = Table::Align;
    Table table(std::vector<Align>(10, Align::Right));
    table.row({head("lease"), head("renew"), head("deadline"), head("losses"), head("simulation"),
               head("data"), head("stood down"), head("taken over"), head("refused"),
               head("double belief")});
    table.row({head("s"), head("s"), head("s"), head("a month"), head("95%"), head("95%"),
               head("a month"), head("a month"), head("a month"), head("s a year")});
    for (const lease::SettingResult& result : sweep.results) {
        const lease::Figures& f = result.figures;
        table.row({{length(result.setting.lease), Tone::Strong},
                   {length(result.setting.renew_every)},
                   {length(result.setting.stands_down_after())},
                   {lease::number_text(f.losses.value), Tone::Strong},
                   {spread(f.losses.simulation)},
                   {spread(f.losses.data)},
                   {lease::number_text(f.stood_down.value)},
                   {lease::number_text(f.taken_over.value)},
                   {lease::number_text(f.refused_writes.value)},
                   {lease::number_text(f.double_belief.value)}});
    }
    fmt::print("{}\n", table.text(paint));
}

void print_takeovers(const lease::Sweep& sweep, const harness::Paint& paint) {
    using Align = Table::Align;
    Table table(std::vector<Align>(11, Align::Right));
    table.row({head("lease"), head("crash p50"), head("p99"), head("worst"), head("release p50"),
               head("p99"), head("no holder"), head("renewals"), head("failover"), head("skew"),
               head("outage")});
    table.row({head("s"), head("s"), head("s"), head("s"), head("s"), head("s"), head("share"),
               head("/s/1000"), head("adds s"), head("ratio"), head("borne s")});
    for (const lease::SettingResult& result : sweep.results) {
        const lease::Figures& f = result.figures;
        table.row({{length(result.setting.lease), Tone::Strong},
                   {lease::number_text(f.crash_p50.value)},
                   {lease::number_text(f.crash_p99.value)},
                   {lease::number_text(f.crash_worst.value)},
                   {lease::number_text(f.release_p50.value)},
                   {lease::number_text(f.release_p99.value)},
                   {fmt::format("{:.2e}", f.without_holder.value)},
                   {lease::number_text(f.renewals.value)},
                   {lease::number_text(f.failover_adds.value)},
                   {fmt::format("{:.3f}", f.skew_ratio)},
                   {length(f.outage_borne)}});
    }
    fmt::print("{}", table.text(paint));
}

void print(const lease::Comparison& comparison, const harness::Paint& paint) {
    using Align = Table::Align;
    fmt::print("{}\n", paint(Tone::Strong, comparison.title));
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
    table.row(
        {head(comparison.unit.c_str()), head("known"), head("ours"), head("99.9%"), head("")});
    for (const lease::Compared& row : comparison.rows)
        table.row({{row.what},
                   {fmt::format("{:.4g}", row.known)},
                   {fmt::format("{:.4g}", row.ours)},
                   {fmt::format("{:.4g} to {:.4g}", row.interval.low, row.interval.high)},
                   row.agrees() ? Table::Cell{"agrees", Tone::Good}
                                : Table::Cell{"disagrees", Tone::Bad}});
    table.note({fmt::format("Known: {}.", comparison.source), Tone::Faint});
    fmt::print("{}\n", table.text(paint, "  ", harness::width_for(STDOUT_FILENO)));
    std::fflush(stdout);
}

/// With the longest stop of the log, if there is one.
ExitCode compare(const lease::SweepPlan& plan) {
    const auto paint = harness::paint_for(STDOUT_FILENO);
    bool agrees = true;
    const auto show = [&](const lease::Comparison& comparison) {
        print(comparison, paint);
        agrees = agrees && comparison.agrees();
    };
    const std::uint64_t seed = plan.seed;
    show(lease::compare_closed_form(seed));
    show(lease::compare_takeover(seed));
    show(lease::compare_traffic(seed));
    const data::Series& pauses = plan.world.pauses.series;
    if (pauses.timed && !pauses.points.empty()) {
        const Duration stop =
            std::ranges::max_element(pauses.points, {}, &data::Point::length)->length;
        std::vector<Duration> leases;
        for (const std::int64_t percent : {87, 99, 105, 116, 130, 145, 151, 180})
            leases.push_back(milliseconds(stop.ns / 1'000'000 * percent / 100));
        show(lease::compare_longest_stop(pauses, leases, seed));
    }
    show(lease::compare_kubernetes(seed));
    show(lease::compare_fidelities(seed, seconds(20 * 3'600)));
    return agrees ? ExitCode::AsExpected : ExitCode::Untrustworthy;
}

/// "15s/10s/2s": lease, deadline, renewal.
Result<lease::Setting> parse_now(const std::string& text) {
    const Error no{fmt::format("--now '{}': write lease/deadline/renewal, such as 15s/10s/2s",
                               harness::printable(text)),
                   "", 0, 0};
    std::vector<Duration> lengths;
    std::string rest = text + "/";
    for (std::size_t at; (at = rest.find('/')) != std::string::npos; rest.erase(0, at + 1)) {
        const auto length = lease::parse_length("--now", rest.substr(0, at));
        if (!length) return no;
        lengths.push_back(length.value());
    }
    if (lengths.size() != 3) return no;
    lease::Setting setting;
    setting.lease = lengths[0];
    setting.deadline = lengths[1];
    setting.renew_every = lengths[2];
    if (const std::string why = lease::why_not(setting); !why.empty())
        return Error{fmt::format("--now '{}': {}", harness::printable(text), why), "", 0, 0};
    return setting;
}

/// All that is asked besides the sweep, read before anything is simulated.
struct Asked {
    lease::Told told;
    lease::Prices prices;
    std::optional<lease::Setting> now;
};

Result<Asked> asked_of(const LeaseArguments& arguments, const lease::SweepPlan& plan) {
    Asked asked;
    for (const std::string& text : arguments.wants) {
        auto want = lease::parse_want(text);
        if (!want) return want.error();
        asked.told.wants.push_back(std::move(want).value());
    }
    if (!arguments.loss_cost.empty()) {
        const auto cost = lease::parse_length("--loss-cost", arguments.loss_cost);
        if (!cost) return cost.error();
        asked.prices.loss_cost_s = static_cast<double>(cost.value().ns) / 1e9;
    }
    asked.prices.crashes_a_month = plan.world.crashes.per_day * 30;
    if (!arguments.now.empty()) {
        const auto now = parse_now(arguments.now);
        if (!now) return now.error();
        asked.now = now.value();
    }
    if (!arguments.observed.empty()) {
        if (!asked.now)
            return Error{"--observed: say with --now under which setting that was counted", "", 0,
                         0};
        const auto observed = lease::parse_observed(arguments.observed);
        if (!observed) return observed.error();
        asked.told.observed = observed.value();
    }
    asked.told.files = plan.world.pauses.series.files;
    asked.told.seed = plan.seed;
    return asked;
}

/// Today's setting, in the same world.
Result<bool> simulate_now(const lease::SweepPlan& plan, Asked& asked) {
    if (!asked.now) return true;
    lease::SweepPlan today = plan;
    today.settings = {*asked.now};
    auto swept = lease::sweep(today);
    if (!swept) return swept.error();
    asked.told.now = std::move(swept.value().results.front());
    if (asked.told.observed)
        asked.told.checked = lease::check_observed(*asked.told.observed, asked.told.now->figures);
    return true;
}

ExitCode code_of(const lease::Told& told) {
    if (told.checked && !told.checked->consistent) return ExitCode::GaveUp;
    return told.wants.empty() || told.answer.chosen ? ExitCode::AsExpected : ExitCode::GaveUp;
}

}  // namespace

ExitCode lease(const LeaseArguments& arguments) {
    auto made = lease_plan(arguments);
    if (!made) return bad_input(made.error());
    lease::SweepPlan& plan = made.value();
    if (arguments.compare) return compare(plan);
    auto read = asked_of(arguments, plan);
    if (!read) return bad_input(read.error());
    Asked& asked = read.value();
    if (same_file(arguments.csv, arguments.json))
        return bad_input({"--json: that file is the one of --csv", arguments.json});
    auto csv = OutputFile::open("--csv", arguments.csv);
    if (!csv) return bad_input(csv.error());
    auto json = OutputFile::open("--json", arguments.json);
    if (!json) return bad_input(json.error());
    StatusLine line;
    plan.progress = [&line](double done) { show_share(line, done); };
    const auto swept = lease::sweep(plan);
    line.finish();
    if (!swept) return bad_input(swept.error());
    if (const auto now = simulate_now(plan, asked); !now) return bad_input(now.error());
    asked.told.answer = lease::answer(swept.value(), asked.told.wants, asked.prices);
    if (csv.value()) csv.value().write(lease::sweep_csv(swept.value()));
    if (json.value()) json.value().write(lease::sweep_json(swept.value(), asked.told));
    for (OutputFile* file : {&csv.value(), &json.value()})
        if (const std::string why = file->close(); !why.empty()) return bad_input({why, {}});
    if (arguments.csv == "-" || arguments.json == "-") return code_of(asked.told);
    const auto paint = harness::paint_for(STDOUT_FILENO);
    print_losses(swept.value(), paint);
    print_takeovers(swept.value(), paint);
    if (!swept.value().whole)
        fmt::print("The budget ended some settings early: their intervals are wider.\n");
    fmt::print("\n{}", lease::answer_text(swept.value(), asked.told, paint,
                                          harness::width_for(STDOUT_FILENO)));
    return code_of(asked.told);
}

}  // namespace lockstep::cli
