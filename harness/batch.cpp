#include "harness/verdict.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace lockstep::harness {
namespace {

using properties::PropertyId;
using Align = Table::Align;
using Cell = Table::Cell;

/// Of each scenario's failures so many are printed; the rest is counted.
constexpr std::size_t failures_printed = 5;

Cell heading(std::string_view text) {
    return {std::string(text), Tone::Faint};
}
Cell number(std::uint64_t n, Tone tone_if_any = Tone::Plain) {
    return {grouped(n), n > 0 ? tone_if_any : Tone::Plain};
}

std::string scenario_table(const std::vector<Tally>& tallies, const Paint& paint) {
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
                 Align::Right, Align::Right, Align::Left});
    table.row({heading("scenario"), heading("runs"), heading("as expected"), heading("not"),
               heading("steps"), heading("simulated"), heading("marks"), heading("faults"),
               heading("")});
    for (const Tally& tally : tallies) {
        std::uint64_t faults = 0;
        for (const auto& [kind, fault] : tally.faults()) faults += fault.started;
        std::string foretold;
        for (const PropertyId id : tally.demands().violated)
            foretold +=
                fmt::format("{}{}", foretold.empty() ? "expects " : ", ", properties::code_of(id));
        if (!foretold.empty())
            foretold += fmt::format(" violated: in {} runs", grouped(tally.foretold_runs()));
        const auto reached = tally.marks_reached();
        const auto required = tally.marks_required();
        table.row({{tally.scenario(), Tone::Strong},
                   number(tally.runs()),
                   number(tally.as_expected(), Tone::Good),
                   number(tally.failed(), Tone::Bad),
                   number(tally.steps()),
                   {long_span_text(tally.simulated())},
                   {fmt::format("{}/{}", reached, required),
                    reached < required ? Tone::Bad : Tone::Plain},
                   number(faults),
                   {foretold, Tone::Warn}});
    }
    return table.text(paint);
}

std::string fault_table(const std::vector<Tally>& tallies, const Paint& paint) {
    std::map<std::string, FaultTally> all;
    for (const Tally& tally : tallies)
        for (const auto& [kind, fault] : tally.faults()) all[kind] += fault;
    if (all.empty()) return "";
    Table table({Align::Left, Align::Right, Align::Right, Align::Right});
    table.row({heading("fault"), heading("planned"), heading("fired"), heading("met nobody")});
    for (const auto& [kind, fault] : all)
        table.row({{kind},
                   number(fault.planned),
                   {grouped(fault.started),
                    fault.started == 0 && fault.planned > 0 ? Tone::Bad : Tone::Plain},
                   number(fault.missed)});
    return "\n" + table.text(paint);
}

/// One mark over all scenarios: a scenario that requires it must have reached it by itself.
struct MarkRow {
    std::uint64_t scenarios = 0;
    std::uint64_t runs = 0;
    std::uint64_t times = 0;
    std::uint64_t required = 0;
    std::string lacking;  ///< the scenarios that require it and never reached it
};

std::map<std::string, MarkRow> mark_rows(const std::vector<Tally>& tallies) {
    std::map<std::string, MarkRow> rows;
    for (const Tally& tally : tallies) {
        for (const auto& [mark, count] : tally.marks()) {
            if (!count.required && count.runs == 0) continue;
            MarkRow& row = rows[mark];
            row.scenarios += count.runs > 0 ? 1 : 0;
            row.runs += count.runs;
            row.times += count.times;
            row.required += count.required ? 1 : 0;
            if (count.required && count.runs == 0) row.lacking += " " + tally.scenario();
        }
    }
    return rows;
}

std::string mark_table(const std::vector<Tally>& tallies, const Paint& paint) {
    const auto rows = mark_rows(tallies);
    if (rows.empty()) return "";
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
    table.row({heading("mark"), heading("times"), heading("in runs"), heading("of scenarios"),
               heading("")});
    for (const auto& [mark, row] : rows) {
        const bool lacking = !row.lacking.empty();
        std::string note;
        if (lacking)
            note = "NEVER REACHED by" + row.lacking;
        else if (row.required > 0)
            note = fmt::format("required by {}", row.required);
        table.row({{mark, lacking ? Tone::Bad : Tone::Plain},
                   number(row.times),
                   number(row.runs),
                   number(row.scenarios),
                   {note, lacking ? Tone::Bad : Tone::Faint}});
    }
    return "\n" + table.text(paint);
}

std::string property_table(const std::vector<Tally>& tallies, const Paint& paint) {
    Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right,
                 Align::Right, Align::Right});
    table.row({heading("property"), heading(""), heading("held"), heading("violated"),
               heading("excused"), heading("idle"), heading("judged"), heading("checks")});
    for (const PropertyId id : properties::all_properties()) {
        PropertyTally sum;
        std::uint64_t foretold = 0;
        for (const Tally& tally : tallies) {
            const auto& one = tally.properties()[static_cast<std::size_t>(id)];
            sum += one;
            if (tally.demands().expects(id)) foretold += one.violated;
        }
        const bool never = sum.held + sum.violated == 0;
        const auto& property = properties::describe(id);
        table.row({{std::string(property.code), never ? Tone::Warn : Tone::Plain},
                   {std::string(property.name)},
                   number(sum.held),
                   {grouped(sum.violated), sum.violated > foretold ? Tone::Bad
                                           : sum.violated > 0      ? Tone::Warn
                                                                   : Tone::Plain},
                   number(sum.excused),
                   number(sum.idle),
                   number(sum.judged),
                   number(sum.checks)});
    }
    return "\n" + table.text(paint);
}

std::string failure_text(const Tally& tally, const Failure& failure, const Repeat& repeat,
                         const Paint& paint) {
    std::string out;
    const std::string head =
        paint(Tone::Bad, fmt::format("FAIL  {} seed {}", tally.scenario(), failure.seed));
    if (failure.end != End::Finished)
        out += fmt::format("{}  {}: {}\n", head, failure.end == End::Stuck ? "stuck" : "crashed",
                           failure.end_detail);
    for (const auto& report : failure.violated) {
        const auto& property = properties::describe(report.id);
        out += fmt::format("{}  {} {}\n", head, property.code, property.name);
        if (report.first)
            out += fmt::format("      at {}: {}\n", seconds_text(report.first->at.ns),
                               report.first->evidence);
    }
    return out + fmt::format("      again: {}\n", repeat_command(repeat, failure.seed));
}

std::string end_line(const std::vector<Tally>& tallies, const Exploration& exploration,
                     const Paint& paint) {
    std::uint64_t runs = 0;
    std::uint64_t failed = 0;
    std::uint64_t steps = 0;
    Duration simulated;
    std::uint64_t in_doubt = 0;
    for (const Tally& tally : tallies) {
        runs += tally.runs();
        failed += tally.failed();
        steps += tally.steps();
        simulated += tally.simulated();
        if (!tally.doubts().empty()) ++in_doubt;
    }
    const auto ms = std::max<std::int64_t>(exploration.elapsed.count(), 1);
    std::string how = paint(Tone::Good, "all as expected");
    if (failed > 0)
        how = paint(Tone::Bad,
                    fmt::format("{} of {} NOT as expected", grouped(failed), grouped(runs)));
    else if (exploration.interrupted || !exploration.given_up.empty())
        how = paint(Tone::Warn, "unfinished");
    else if (in_doubt > 0)
        how = paint(Tone::Bad, "as expected, but not to be trusted (see above)");
    std::string out =
        fmt::format("{} runs: {}; {} simulated in {} ({} runs/s, {} steps/s), plan epoch {}\n",
                    grouped(runs), how, long_span_text(simulated), span_text(milliseconds(ms)),
                    grouped(runs * 1'000 / static_cast<std::uint64_t>(ms)),
                    grouped(steps * 1'000 / static_cast<std::uint64_t>(ms)), scenario::plan_epoch);
    if (exploration.interrupted)
        out += fmt::format("interrupted: {} of {} runs had finished\n", grouped(exploration.done),
                           grouped(exploration.total));
    if (exploration.out_of_time)
        out += fmt::format("the budget is used up: {} of {} runs had finished\n",
                           grouped(exploration.done), grouped(exploration.total));
    return out;
}

}  // namespace

std::string batch_text(const std::vector<Tally>& tallies, const std::vector<Repeat>& repeats,
                       const Exploration& exploration, const Paint& paint) {
    std::string out = scenario_table(tallies, paint) + fault_table(tallies, paint) +
                      mark_table(tallies, paint) + property_table(tallies, paint) + "\n";
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        const Tally& tally = tallies[i];
        const auto& failures = tally.failures();
        const std::size_t printed = std::min(failures.size(), failures_printed);
        for (std::size_t k = 0; k < printed; ++k)
            out += failure_text(tally, failures[k], repeats[i], paint);
        if (tally.failed() > printed)
            out += fmt::format("      and {} more of {}\n", grouped(tally.failed() - printed),
                               tally.scenario());
    }
    for (const GivenUp& seed : exploration.given_up)
        out += paint(Tone::Warn, fmt::format("GAVE UP  {} seed {}: no result for too long",
                                             tallies[seed.subject].scenario(), seed.seed)) +
               "\n      again: " + repeat_command(repeats[seed.subject], seed.seed) + "\n";
    for (const Tally& tally : tallies)
        for (const auto& doubt : tally.doubts())
            out += paint(Tone::Bad, fmt::format("DOUBT {}: {}", tally.scenario(), doubt)) + "\n";
    return out + end_line(tallies, exploration, paint);
}

}  // namespace lockstep::harness
