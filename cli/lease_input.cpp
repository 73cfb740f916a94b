#include "cli/lease_input.hpp"

#include "cli/input.hpp"
#include "harness/lease/full.hpp"
#include "harness/lease/rate.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace lockstep::cli {
namespace {

/// A line is a length in seconds, or a start and a length.
Result<data::Series> read_column(const std::string& path, data::Measure measure) {
    std::ifstream in(path);
    if (!in) return Error{fmt::format("cannot be opened: {}", std::strerror(errno)), path, 0, 0};
    data::Series series;
    series.measure = measure;
    series.format = "column";
    series.files = {path};
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
        if (text.empty() || text.front() == '#') continue;
        std::istringstream words(text);
        double first = 0;
        double second = 0;
        if (!(words >> first) || first < 0)
            return Error{"found no length in seconds", path, line, 0};
        const bool timed = static_cast<bool>(words >> second);
        if (line > 1 && !series.points.empty() && timed != series.timed)
            return Error{"some lines have a start, and some have none", path, line, 0};
        series.timed = timed;
        const auto ns = [](double s) { return Duration{static_cast<std::int64_t>(s * 1e9)}; };
        series.points.push_back({timed ? ns(first) : Duration{}, ns(timed ? second : first), 0,
                                 static_cast<std::uint32_t>(line)});
    }
    if (series.points.empty()) return Error{"no lengths in it", path, 0, 0};
    std::ranges::stable_sort(series.points, {}, &data::Point::at);
    if (series.timed)
        series.observed = series.points.back().at + series.points.back().length + Duration{1};
    return series;
}

}  // namespace

Result<lease::Source> lease_source(const std::string& option, const std::string& text,
                                   data::Measure measure, Duration otherwise) {
    if (text.empty()) return lease::Source{};
    if (lease::looks_like_rate(text)) return lease::parse_rate(option, text, otherwise);
    auto series = read_column(text, measure);
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
    plan.jobs = static_cast<unsigned>(
        arguments.jobs > 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency()));
    plan.fidelity = arguments.fidelity == "full" ? lease::Fidelity::Full : lease::Fidelity::Lease;
    return plan;
}

}  // namespace lockstep::cli
