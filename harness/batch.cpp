#include "harness/batch.hpp"

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

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
    return out;
}

std::string scenario_table(const Batch& batch, const Paint& paint, std::size_t width) {
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
                 Align::Right, Align::Right});
    table.row({heading("scenario"), heading("runs"), heading("expected"), heading("not"),
               heading("steps"), heading("simulated"), heading("marks"), heading("faults")});
    for (const Tally& tally : batch.tallies) {
        std::uint64_t faults = 0;
        for (const auto& [kind, fault] : tally.faults()) faults += fault.started;
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
                   number(faults)});
        std::vector<std::string> foretold;
        for (const PropertyId id : tally.demands().violated)
            foretold.emplace_back(properties::code_of(id));
        if (!foretold.empty())
            table.note({fmt::format("expects {} violated: so in {} runs", joined(foretold),
                                    grouped(tally.foretold_runs())),
                        Tone::Warn});
    }
    return table.text(paint, "  ", width);
}

std::string fault_table(const Batch& batch, const Paint& paint, std::size_t width) {
    const auto all = fault_rows(batch);
    if (all.empty()) return "";
    Table table({Align::Left, Align::Right, Align::Right, Align::Right});
    table.row({heading("fault"), heading("planned"), heading("fired"), heading("missed")});
    for (const auto& [kind, fault] : all)
        table.row({{kind},
                   number(fault.planned),
                   {grouped(fault.started),
                    fault.started == 0 && fault.planned > 0 ? Tone::Bad : Tone::Plain},
                   number(fault.missed)});
    std::string out = "\n" + table.text(paint, "  ", width);
    std::vector<std::string> roles;
    for (const auto& [role, hits] : role_rows(batch))
        roles.push_back(fmt::format("{} {}", role, grouped(hits)));
    if (!roles.empty())
        out += "  " + wrapped("aimed at a role, and hit: " + joined(roles), 2, width) + "\n";
    const TriggerCount triggers = trigger_row(batch);
    if (triggers.waited > 0)
        out += fmt::format("  waited for a trigger: {}, of which {} were met and {} were not\n",
                           grouped(triggers.waited), grouped(triggers.met),
                           grouped(triggers.waited - triggers.met));
    return out;
}

std::string mark_table(const Batch& batch, const Paint& paint, std::size_t width) {
    const auto rows = mark_rows(batch);
    if (rows.empty()) return "";
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
    table.row({heading("mark"), heading("times"), heading("in runs"), heading("of scenarios"),
               heading("")});
    for (const auto& [mark, row] : rows) {
        const bool lacking = !row.lacking.empty();
        table.row(
            {{mark, lacking ? Tone::Bad : Tone::Plain},
             number(row.times),
             number(row.runs),
             number(row.scenarios),
             {row.required > 0 ? fmt::format("required by {}", row.required) : "", Tone::Faint}});
        if (lacking) table.note({"NEVER REACHED by " + joined(row.lacking), Tone::Bad});
    }
    return "\n" + table.text(paint, "  ", width);
}

std::string property_table(const Batch& batch, const Paint& paint, std::size_t width) {
    Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right,
                 Align::Right, Align::Right});
    table.row({heading("property"), heading(""), heading("held"), heading("violated"),
               heading("excused"), heading("idle"), heading("judged"), heading("checks")});
    for (const PropertyId id : properties::all_properties()) {
        const auto [sum, foretold] = property_row(batch, id);
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
        for (const auto& [assumption, runs] : sum.excused_by)
            table.note({fmt::format("excused by {}: {}", assumption, grouped(runs)), Tone::Faint});
    }
    return "\n" + table.text(paint, "  ", width);
}

std::string failure_text(const Tally& tally, const Failure& failure, const Repeat& repeat,
                         const Paint& paint, std::size_t width) {
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
            out += fmt::format("      {}\n",
                               wrapped(fmt::format("at {}: {}", seconds_text(report.first->at.ns),
                                                   report.first->evidence),
                                       6, width));
    }
    return out + fmt::format("      again: {}\n", repeat_command(repeat, failure.seed));
}

std::string end_line(const Batch& batch, std::size_t doubts, const Paint& paint) {
    const Exploration& exploration = batch.exploration;
    const auto [runs, failed, steps, simulated] = totals(batch);
    const auto ms = std::max<std::int64_t>(exploration.elapsed.count(), 1);
    std::string how = paint(Tone::Good, "all as expected");
    if (failed > 0)
        how = paint(Tone::Bad,
                    fmt::format("{} of {} NOT as expected", grouped(failed), grouped(runs)));
    else if (runs == 0 || exploration.interrupted || !exploration.given_up.empty())
        how = paint(Tone::Warn, "unfinished");
    else if (doubts > 0)
        how = paint(Tone::Bad, "as expected, but not to be trusted (see above)");
    // What was kept from earlier took no time now.
    const std::uint64_t new_runs = runs - std::min(runs, exploration.resumed);
    const std::uint64_t new_steps = steps - std::min(steps, exploration.resumed_steps);
    std::string out = fmt::format(
        "{} runs: {}; {} simulated in {} ({} runs/s, {} steps/s), plan epoch {}\n", grouped(runs),
        how, long_span_text(simulated), span_text(milliseconds(ms)),
        grouped(new_runs * 1'000 / static_cast<std::uint64_t>(ms)),
        grouped(new_steps * 1'000 / static_cast<std::uint64_t>(ms)), scenario::plan_epoch);
    if (exploration.interrupted)
        out += fmt::format("interrupted: {} of {} runs had finished\n", grouped(exploration.done),
                           grouped(exploration.total));
    if (exploration.out_of_time)
        out += fmt::format("the budget is used up: {} of {} runs had finished\n",
                           grouped(exploration.done), grouped(exploration.total));
    return out;
}

}  // namespace

std::string batch_text(const Batch& batch, const Paint& paint, std::size_t width) {
    std::string out = scenario_table(batch, paint, width) + fault_table(batch, paint, width) +
                      mark_table(batch, paint, width) + property_table(batch, paint, width) + "\n";
    for (std::size_t i = 0; i < batch.tallies.size(); ++i) {
        const Tally& tally = batch.tallies[i];
        const auto& failures = tally.failures();
        const std::size_t printed = std::min(failures.size(), failures_printed);
        for (std::size_t k = 0; k < printed; ++k)
            out += failure_text(tally, failures[k], batch.repeats[i], paint, width);
        if (tally.failed() > printed)
            out += fmt::format("      and {} more of {}\n", grouped(tally.failed() - printed),
                               tally.scenario());
    }
    for (const GivenUp& seed : batch.exploration.given_up)
        out += paint(Tone::Warn, fmt::format("GAVE UP  {} seed {}: no result for too long",
                                             batch.tallies[seed.subject].scenario(), seed.seed)) +
               "\n      again: " + repeat_command(batch.repeats[seed.subject], seed.seed) + "\n";
    if (batch.shard)
        return out + end_line(batch, 0, paint) +
               fmt::format(
                   "shard {}: whether marks, faults and expected violations came often "
                   "enough is judged when all are merged\n",
                   to_string(*batch.shard));
    std::vector<std::string> doubts;
    for (const Tally& tally : batch.tallies)
        for (const auto& doubt : tally.doubts())
            doubts.push_back(fmt::format("{}: {}", tally.scenario(), doubt));
    for (const auto& doubt : batch_doubts(batch)) doubts.push_back("all scenarios: " + doubt);
    for (const auto& doubt : doubts) out += paint(Tone::Bad, "DOUBT " + doubt) + "\n";
    return out + end_line(batch, doubts.size(), paint);
}

}  // namespace lockstep::harness
