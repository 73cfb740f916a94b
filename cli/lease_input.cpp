#include "cli/lease_input.hpp"

#include "cli/input.hpp"
#include "harness/data/read.hpp"
#include "harness/lease/full.hpp"
#include "harness/lease/rate.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace lockstep::cli {
namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (comma > from) words.push_back(text.substr(from, comma - from));
        from = comma + 1;
    }
    return words;
}

/// The lengths of that measure; a file that holds no other is taken for what the option is about.
Result<data::Series> read_files(const std::string& option, const std::string& text,
                                data::Measure measure) {
    const auto files = words_of(text);
    data::ReadOptions options;
    options.unit = "s";
    auto read = data::read_series(files, options);
    if (!read) return read.error();
    const auto wanted = [&](const data::Series& s) { return s.measure == measure; };
    if (std::ranges::none_of(read.value(), wanted)) {
        options.as = measure;
        read = data::read_series(files, options);
        if (!read) return read.error();
    }
    if (std::ranges::count_if(read.value(), wanted) != 1)
        return Error{fmt::format("{}: these files measure it in {} ways (`{} data` says which); "
                                 "give those of one",
                                 option, std::ranges::count_if(read.value(), wanted),
                                 harness::program_name()),
                     files.front(), 0, 0};
    return std::move(*std::ranges::find_if(read.value(), wanted));
}

}  // namespace

Result<lease::Source> lease_source(const std::string& option, const std::string& text,
                                   data::Measure measure, Duration otherwise) {
    if (text.empty()) return lease::Source{};
    if (lease::looks_like_rate(text)) return lease::parse_rate(option, text, otherwise);
    auto series = read_files(option, text, measure);
    if (!series) return series.error();
    lease::Source source;
    source.series = std::move(series).value();
    return source;
}

namespace {

/// "200ppm", "1%"
Result<Ppm> parse_drift(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data(), end, value);
    const std::string unit(rest, end);
    const std::int64_t scale = unit == "%" ? 10'000 : unit == "ppm" ? 1 : 0;
    if (failed != std::errc() || scale == 0 || value < 0 || value >= 1'000'000 / scale)
        return Error{fmt::format("--drift: '{}' is no drift of a clock; write 1% or 200ppm",
                                 harness::printable(text)),
                     "", 0, 0};
    return Ppm{value * scale};
}

std::optional<Error> read_sources(const LeaseArguments& arguments, lease::Conditions& world) {
    using data::Measure;
    struct Wanted {
        const char* option;
        const std::string& text;
        Measure measure;
        Duration otherwise;
        lease::Source& source;
    };
    const std::string deploys =
        arguments.deploys.empty() && arguments.fidelity == "lease" ? "2/day" : arguments.deploys;
    const Wanted all[] = {
        {"--pauses", arguments.pauses, Measure::Pause, {}, world.pauses},
        {"--rtt", arguments.rtt, Measure::RoundTrip, {}, world.round_trip},
        {"--disk", arguments.disk, Measure::DiskSync, {}, world.disk},
        {"--outages", arguments.outages, Measure::Outage, seconds(10), world.outages},
        {"--partitions", arguments.partitions, Measure::Outage, seconds(10), world.partitions},
        {"--failovers", arguments.failovers, Measure::Outage, seconds(3), world.failovers},
        {"--crashes", arguments.crashes, Measure::Outage, seconds(10), world.crashes},
        {"--deploys", deploys, Measure::Outage, seconds(10), world.deploys},
    };
    for (const Wanted& wanted : all) {
        auto source = lease_source(wanted.option, wanted.text, wanted.measure, wanted.otherwise);
        if (!source) return source.error();
        wanted.source = std::move(source).value();
    }
    // How long a failover takes is known: from the cluster itself.
    lease::Source& failovers = world.failovers;
    if (failovers.per_day > 0 && arguments.failovers.find('x') == std::string::npos) {
        failovers.series = lease::measure_failovers(arguments.seed, 100);
        failovers.series.observed = {std::llround(
            static_cast<double>(failovers.series.points.size()) / failovers.per_day * 86'400e9)};
        failovers.rate_assumed = true;
    }
    return std::nullopt;
}

std::optional<Error> read_settings(const LeaseArguments& arguments, lease::SweepPlan& plan) {
    lease::Choices choices;
    if (!arguments.preset.empty()) {
        const lease::Preset* known = lease::preset(arguments.preset);
        if (known == nullptr)
            return Error{fmt::format("--preset: no '{}'", arguments.preset), "", 0, 0};
        choices.base = known->setting;
    }
    const bool preset = !arguments.preset.empty();
    const std::pair<const std::string*, lease::Choice*> parsed[] = {
        {&arguments.renew, &choices.renew},
        {&arguments.deadline, &choices.deadline},
        {&arguments.lock_delay, &choices.lock_delay}};
    const std::string lease = arguments.lease.empty() && !preset ? "2s..120s" : arguments.lease;
    for (const auto& [text, choice] : parsed) {
        const char* option = text == &arguments.renew      ? "--renew"
                             : text == &arguments.deadline ? "--deadline"
                                                           : "--lock-delay";
        auto read = lease::parse_choice(option, *text);
        if (!read) return read.error();
        *choice = read.value();
    }
    auto read = lease::parse_choice("--lease", lease);
    if (!read) return read.error();
    choices.lease = read.value();
    if (!arguments.lease.empty() || !preset) {
        if (choices.renew.kind == lease::Choice::Kind::Unset)
            choices.renew = lease::parse_choice("--renew", "lease/3").value();
        if (choices.deadline.kind == lease::Choice::Kind::Unset) choices.base.deadline = {};
        choices.base.name.clear();
    }
    choices.points = arguments.points;
    auto settings = lease::settings_of(choices);
    if (!settings) return settings.error();
    plan.settings = std::move(settings).value();
    return std::nullopt;
}

}  // namespace

Result<lease::SweepPlan> lease_plan(const LeaseArguments& arguments) {
    lease::SweepPlan plan;
    if (const auto error = read_sources(arguments, plan.world)) return *error;
    if (const auto error = read_settings(arguments, plan)) return *error;
    const auto span = lease::parse_length("--span", arguments.span);
    if (!span) return span.error();
    plan.span = span.value();
    if (!arguments.budget.empty()) {
        const auto budget = parse_wall_time("--budget", arguments.budget);
        if (!budget) return budget.error();
        plan.budget = budget.value();
    }
    const auto drift = parse_drift(arguments.drift);
    if (!drift) return drift.error();
    plan.world.drift = drift.value();
    plan.seed = arguments.seed;
    plan.jobs = jobs_of(arguments.jobs);
    plan.fidelity = arguments.fidelity == "full" ? lease::Fidelity::Full : lease::Fidelity::Lease;
    return plan;
}

}  // namespace lockstep::cli
