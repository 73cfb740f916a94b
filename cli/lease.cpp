#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/lease_emit.hpp"
#include "cli/lease_input.hpp"
#include "cli/lease_tables.hpp"
#include "cli/output.hpp"
#include "cli/status_line.hpp"
#include "harness/lease/compare.hpp"
#include "harness/lease/page.hpp"
#include "harness/lease/report.hpp"
#include "harness/lease/sweep.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
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

Table::Cell head(const char* text) {
    return {text, Tone::Faint};
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

/// Why it could not be written; empty if it was.
std::string write_plot(const std::string& folder, const lease::Plot& plot) {
    auto file = OutputFile::open("--plots", folder + "/" + plot.name + ".svg");
    if (!file) return file.error().file + ": " + file.error().message;
    file.value().write(plot.svg);
    return file.value().close();
}

/// With the longest stop of the log, if there is one.
ExitCode compare(const lease::SweepPlan& plan, const std::string& plots) {
    const auto paint = harness::paint_for(STDOUT_FILENO);
    bool agrees = true;
    std::string why;
    const auto show = [&](const lease::Comparison& comparison) {
        print(comparison, paint);
        agrees = agrees && comparison.agrees();
        if (plots.empty() || comparison.name.empty()) return;
        why = write_plot(plots,
                         {comparison.name, comparison.title, lease::comparison_svg(comparison)});
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
            leases.push_back(milliseconds((stop.ns / 1'000'000 * percent / 100 + 50) / 100 * 100));
        show(lease::compare_longest_stop(pauses, leases, seed));
    }
    show(lease::compare_kubernetes(seed));
    show(lease::compare_fidelities(seed, seconds(20 * 3'600)));
    if (!why.empty()) return bad_input({why, {}});
    return agrees ? ExitCode::AsExpected : ExitCode::Untrustworthy;
}

/// All that is asked of a sweep, read before anything is simulated.
struct Asked {
    lease::Told told;
    double loss_cost_s = 0;
};

/// What is asked, so that a report can say how to come to it again.
std::string asked_text(const LeaseArguments& arguments) {
    std::string text;
    for (const std::string& want : arguments.wants) text += " --want " + harness::shell_word(want);
    for (const auto& [option, value] :
         {std::pair{"--loss-cost", &arguments.loss_cost}, {"--observed", &arguments.observed}})
        if (!value->empty()) text += fmt::format(" {} {}", option, harness::shell_word(*value));
    return text;
}

Result<Asked> asked_of(const LeaseArguments& arguments) {
    Asked asked;
    asked.told.asked = asked_text(arguments);
    for (const std::string& text : arguments.wants) {
        auto want = lease::parse_want(text);
        if (!want) return want.error();
        asked.told.wants.push_back(std::move(want).value());
    }
    if (!arguments.loss_cost.empty()) {
        const auto cost = lease::parse_length("--loss-cost", arguments.loss_cost);
        if (!cost) return cost.error();
        asked.loss_cost_s = static_cast<double>(cost.value().ns) / 1e9;
    }
    if (!arguments.observed.empty()) {
        const auto observed = lease_observed(arguments.observed);
        if (!observed) return observed.error();
        asked.told.observed = observed.value();
    }
    return asked;
}

/// Simulated, or from files.
Result<lease::Sweep> swept(const LeaseArguments& arguments, const lease::SweepPlan& plan,
                           lease::Told& told, bool& interrupted) {
    if (!arguments.from.empty()) return lease_from(arguments.from, told.command);
    told.command = lease_command(arguments);
    StatusLine line;
    lease::SweepPlan shown = plan;
    shown.progress = [&line](double done) { show_share(line, done); };
    const harness::StopSignals signals;
    shown.stop = harness::StopSignals::caught;
    auto made = lease::sweep(shown);
    line.finish();
    interrupted = harness::StopSignals::caught();
    return made;
}

ExitCode code_of(const lease::Told& told) {
    if (told.checked && !told.checked->consistent) return ExitCode::GaveUp;
    return told.wants.empty() || told.answer.chosen || told.answer.keep_now ? ExitCode::AsExpected
                                                                            : ExitCode::GaveUp;
}

std::vector<std::string> files_read(const LeaseArguments& arguments, const lease::SweepPlan& plan) {
    std::vector<std::string> files = arguments.from;
    files.push_back(arguments.observed);
    const lease::Conditions& world = plan.world;
    for (const lease::Source* source :
         {&world.pauses, &world.round_trip, &world.disk, &world.outages, &world.partitions,
          &world.failovers, &world.crashes, &world.deploys})
        files.insert(files.end(), source->series.files.begin(), source->series.files.end());
    return files;
}

/// The files that a report goes to.
struct Files {
    OutputFile csv;
    OutputFile json;
    OutputFile html;
    std::string plots;  ///< a folder

    /// `inputs`: files that are read, which none of these may be.
    using Named = std::array<std::pair<const char*, const std::string*>, 3>;
    static Named named_by(const LeaseArguments& arguments) {
        return {
            {{"--csv", &arguments.csv}, {"--json", &arguments.json}, {"--html", &arguments.html}}};
    }

    /// What can be known to be wrong before there is anything to write. What is there stays.
    static std::optional<Error> check(const LeaseArguments& arguments,
                                      const std::vector<std::string>& inputs) {
        const Named named = named_by(arguments);
        for (const auto& [option, path] : named)
            for (const std::string& input : inputs)
                if (same_file(*path, input))
                    return Error{fmt::format("{}: that file is read, and would be lost", option),
                                 *path, 0, 0};
        for (const auto& [option, path] : named)
            for (const auto& [other, taken] : named)
                if (option != other && !path->empty() &&
                    (same_file(*path, *taken) || (*path == "-" && *taken == "-")))
                    return Error{fmt::format("{}: that file is the one of {}", option, other),
                                 *path, 0, 0};
        for (const auto& [option, path] : named) {
            if (path->empty() || *path == "-") continue;
            std::FILE* file = std::fopen(path->c_str(), "ab");
            if (file == nullptr)
                return Error{fmt::format("{}: cannot be written: {}", option, std::strerror(errno)),
                             *path, 0, 0};
            std::fclose(file);
        }
        if (!arguments.plots.empty()) {
            std::error_code error;
            std::filesystem::create_directories(arguments.plots, error);
            if (error)
                return Error{"--plots: no folder can be made there: " + error.message(),
                             arguments.plots, 0, 0};
        }
        return std::nullopt;
    }

    static Result<Files> open(const LeaseArguments& arguments) {
        std::vector<OutputFile> opened;
        for (const auto& [option, path] : named_by(arguments)) {
            auto file = OutputFile::open(option, *path);
            if (!file) return file.error();
            opened.push_back(std::move(file).value());
        }
        return Files{std::move(opened[0]), std::move(opened[1]), std::move(opened[2]),
                     arguments.plots};
    }

    /// Why one is not whole; empty if all are.
    std::string write(const lease::Sweep& sweep, const lease::Told& told) {
        if (csv) csv.write(lease::sweep_csv(sweep));
        if (json) json.write(lease::sweep_json(sweep, told));
        if (html) html.write(lease::sweep_page(sweep, told));
        for (OutputFile* file : {&csv, &json, &html})
            if (std::string why = file->close(); !why.empty()) return why;
        if (plots.empty()) return "";
        for (const lease::Plot& plot : lease::plots(sweep, told)) {
            if (std::string why = write_plot(plots, plot); !why.empty()) return why;
        }
        return "";
    }
};

bool to_standard_output(const LeaseArguments& arguments) {
    return arguments.csv == "-" || arguments.json == "-" || arguments.html == "-";
}

void print_shard(const lease::Sweep& sweep) {
    fmt::print(
        "\nPart {}/{}: {} of {} settings, and no answer: that takes all parts. Keep each "
        "with --json, then\n  {} lease --from PART.json...\n",
        sweep.shard + 1, sweep.shards,
        sweep.results.size() + sweep.marked.size() + (sweep.now ? 1 : 0), sweep.total,
        harness::program_name());
}

void print(const lease::Sweep& sweep, const lease::Told& told) {
    const auto paint = harness::paint_for(STDOUT_FILENO);
    fmt::print("{}", lease_tables(sweep, told, paint));
    if (!sweep.whole)
        fmt::print("The budget ended some settings early: their intervals are wider.\n");
    if (sweep.shards > 1) return print_shard(sweep);
    fmt::print("\n{}", lease::answer_text(sweep, told, paint, harness::width_for(STDOUT_FILENO)));
    if (!told.emitted.empty()) fmt::print("\n{}", told.emitted);
}

/// What the sweep says to what was asked.
std::optional<Error> answer(lease::Sweep& sweep, Asked& asked) {
    lease::Told& told = asked.told;
    if (told.observed && !sweep.now)
        return Error{"--observed: say with --now under which setting that was counted", "", 0, 0};
    if (told.observed) told.checked = lease::check_observed(*told.observed, sweep.now->figures);
    told.answer = lease::answer(sweep, told.wants, {sweep.crashes_a_month, asked.loss_cost_s});
    if (!lease::says_something(sweep)) {
        told.answer.chosen.reset();
        told.answer.keep_now = false;
    }
    return std::nullopt;
}

}  // namespace

ExitCode lease(const LeaseArguments& arguments) {
    auto read = asked_of(arguments);
    if (!read) return bad_input(read.error());
    Asked& asked = read.value();
    lease::Told& told = asked.told;
    lease::SweepPlan plan;
    if (arguments.from.empty()) {
        auto made = lease_plan(arguments);
        if (!made) return bad_input(made.error());
        plan = std::move(made).value();
        if (told.observed && !plan.now)
            return bad_input(
                {"--observed: say with --now under which setting that was counted", "", 0, 0});
    }
    if (const auto error = Files::check(arguments, files_read(arguments, plan)))
        return bad_input(*error);
    if (arguments.compare) return compare(plan, arguments.plots);
    bool interrupted = false;
    auto made = swept(arguments, plan, told, interrupted);
    if (!made) return bad_input(made.error());
    if (interrupted) {
        fmt::print(stderr, "lease: interrupted, and nothing was written\n");
        return ExitCode::GaveUp;
    }
    lease::Sweep& sweep = made.value();
    const bool part = sweep.shards > 1;
    bool emitted = true;
    if (!part) {
        if (const auto error = answer(sweep, asked)) return bad_input(*error);
        if (!arguments.emit.empty()) {
            auto settings = lease_emit(arguments.emit, sweep, told);
            if (!settings) return bad_input(settings.error());
            told.emitted = std::move(settings.value().text);
            emitted = settings.value().found;
        }
    }
    auto files = Files::open(arguments);
    if (!files) return bad_input(files.error());
    if (const std::string why = files.value().write(sweep, told); !why.empty())
        return bad_input({why, {}});
    if (!to_standard_output(arguments)) print(sweep, told);
    if (part) return ExitCode::AsExpected;
    return emitted ? code_of(told) : ExitCode::GaveUp;
}

}  // namespace lockstep::cli
