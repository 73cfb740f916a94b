#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/lease_input.hpp"
#include "harness/lease/compare.hpp"
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

/// One line on standard error that renews itself, on a terminal alone.
class Meter {
public:
    void show(double done) {
        if (!terminal_) return;
        constexpr int width = 24;
        const int filled = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
        fmt::print(stderr, "\r\x1b[K[{}{}] {:.0f}%", std::string(filled, '#'),
                   std::string(width - filled, '.'), done * 100);
        std::fflush(stderr);
        visible_ = true;
    }
    void finish() {
        if (visible_) fmt::print(stderr, "\r\x1b[K");
        visible_ = false;
    }

private:
    bool terminal_ = ::isatty(STDERR_FILENO) == 1;
    bool visible_ = false;
};

/// Three digits at most, for people.
std::string number(double value) {
    if (std::isinf(value)) return "?";
    if (value == 0) return "0";
    if (value >= 100) return fmt::format("{:.0f}", value);
    if (value >= 10) return fmt::format("{:.1f}", value);
    if (value >= 1) return fmt::format("{:.2f}", value);
    return fmt::format("{:.2g}", value);
}

std::string length(Duration d) {
    return fmt::format("{:.4g}", static_cast<double>(d.ns) / 1e9);
}

std::string spread(const lease::Interval& interval) {
    return fmt::format("{}-{}", number(interval.low), number(interval.high));
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
                   {number(f.losses.value), Tone::Strong},
                   {spread(f.losses.simulation)},
                   {spread(f.losses.data)},
                   {number(f.stood_down.value)},
                   {number(f.taken_over.value)},
                   {number(f.refused_writes.value)},
                   {number(f.double_belief.value)}});
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
                   {number(f.crash_p50.value)},
                   {number(f.crash_p99.value)},
                   {number(f.crash_worst.value)},
                   {number(f.release_p50.value)},
                   {number(f.release_p99.value)},
                   {fmt::format("{:.2e}", f.without_holder.value)},
                   {number(f.renewals.value)},
                   {number(f.failover_adds.value)},
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

}  // namespace

ExitCode lease(const LeaseArguments& arguments) {
    auto made = lease_plan(arguments);
    if (!made) return bad_input(made.error());
    lease::SweepPlan& plan = made.value();
    if (arguments.compare) return compare(plan);
    Meter meter;
    plan.progress = [&meter](double done) { meter.show(done); };
    const auto swept = lease::sweep(plan);
    meter.finish();
    if (!swept) return bad_input(swept.error());
    const auto paint = harness::paint_for(STDOUT_FILENO);
    print_losses(swept.value(), paint);
    print_takeovers(swept.value(), paint);
    if (!swept.value().whole)
        fmt::print("The budget ended some settings early: their intervals are wider.\n");
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
