#include "cli/lease_input.hpp"

#include "cli/input.hpp"
#include "harness/data/read.hpp"
#include "harness/explore_shard.hpp"
#include "harness/lease/emit.hpp"
#include "harness/lease/full.hpp"
#include "harness/lease/report.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace lockstep::cli {
namespace {

/// "15s/10s/2s": lease, deadline, renewal; the rest is that of `base`.
Result<lease::Setting> parse_now(const std::string& text, const lease::Setting& base) {
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
    lease::Setting setting = base;
    setting.name.clear();
    setting.lease = lengths[0];
    setting.deadline = lengths[1];
    setting.renew_every = lengths[2];
    if (base.retry_every == base.renew_every) setting.retry_every = setting.renew_every;
    if (base.poll_every == base.renew_every) setting.poll_every = setting.renew_every;
    if (const std::string why = lease::why_not(setting); !why.empty())
        return Error{fmt::format("--now '{}': {}", harness::printable(text), why), "", 0, 0};
    return setting;
}

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
        wanted.source.said = wanted.text;
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

/// To what that system takes, so that what is simulated is what will be set. What it cannot take is
/// left out.
std::optional<Error> round_all(const std::string& system, std::vector<lease::Setting>& settings) {
    std::vector<lease::Setting> rounded;
    std::optional<Error> why;
    for (const lease::Setting& setting : settings) {
        const auto emitted = lease::emit(system, setting);
        if (!emitted)
            why = emitted.error();
        else if (std::ranges::find(rounded, emitted.value().setting) == rounded.end())
            rounded.push_back(emitted.value().setting);
    }
    settings = std::move(rounded);
    return settings.empty() ? why : std::nullopt;
}

std::optional<Error> read_settings(const LeaseArguments& arguments, lease::SweepPlan& plan) {
    lease::Choices choices;
    // Who wants another system's settings wants to see that system's.
    const std::string& name = arguments.preset.empty() ? arguments.emit : arguments.preset;
    const bool preset = !name.empty();
    if (preset) {
        const lease::Preset* known = lease::preset(name);
        if (known == nullptr) return Error{fmt::format("--preset: no '{}'", name), "", 0, 0};
        choices.base = known->setting;
    }
    if (!arguments.now.empty()) {
        auto now = parse_now(arguments.now, choices.base);
        if (!now) return now.error();
        plan.now = now.value();
    }
    const std::pair<const std::string*, lease::Choice*> parsed[] = {
        {&arguments.renew, &choices.renew},
        {&arguments.deadline, &choices.deadline},
        {&arguments.lock_delay, &choices.lock_delay}};
    const std::string lease =
        arguments.lease.empty() && arguments.preset.empty() ? "2s..120s" : arguments.lease;
    for (const auto& [text, choice] : parsed) {
        const char* option = text == &arguments.renew      ? "--renew"
                             : text == &arguments.deadline ? "--deadline"
                                                           : "--lock-delay";
        auto read = lease::parse_choice(option, *text);
        if (!read) return read.error();
        *choice = read.value();
        if (choice->is_range()) plan.axes.emplace_back(option + 2);
    }
    auto read = lease::parse_choice("--lease", lease);
    if (!read) return read.error();
    choices.lease = read.value();
    using Kind = lease::Choice::Kind;
    if (choices.lease.kind != Kind::Fixed && !choices.lease.is_range() &&
        choices.lease.kind != Kind::Unset)
        return Error{fmt::format("--lease: '{}' is a share of itself; write 15s or 2s..120s",
                                 harness::printable(lease)),
                     "", 0, 0};
    if (choices.lease.is_range()) plan.axes.insert(plan.axes.begin(), "lease");
    const lease::Setting base = choices.base;
    if (!preset && choices.renew.kind == Kind::Unset)
        choices.renew = lease::parse_choice("--renew", "lease/3").value();
    if (preset && !lease.empty()) {
        // Another lease than the preset's: the rest in its proportion.
        if (choices.renew.kind == Kind::Unset) choices.renew = scaled(base.renew_every, base);
        if (choices.deadline.kind == Kind::Unset && base.deadline.ns > 0)
            choices.deadline = scaled(base.deadline, base);
        choices.base.name.clear();
    }
    choices.points = arguments.points;
    auto settings = lease::settings_of(choices);
    if (!settings) return settings.error();
    plan.settings = std::move(settings).value();
    if (!arguments.emit.empty())
        if (const auto error = round_all(arguments.emit, plan.settings)) return *error;
    // Of the whole cluster they would take hours, and not all can be run there.
    if (!arguments.without_defaults && arguments.fidelity == "lease")
        for (const lease::Preset& known : lease::presets())
            if (known.is_default) plan.marked.push_back(known.setting);
    return std::nullopt;
}

/// Which part of the sweep, as `explore` takes it.
std::optional<Error> read_shard(const LeaseArguments& arguments, lease::SweepPlan& plan) {
    const auto found = harness::find_shard(
        arguments.shard, [](const char* name) -> const char* { return std::getenv(name); });
    if (!found) return found.error();
    const auto& [shard, source] = found.value();
    if (!shard) return std::nullopt;
    if (!source.empty())
        fmt::print(stderr, "lease: part {}, as {} says\n", to_string(*shard), source);
    plan.shard = shard->index - 1;
    plan.shards = shard->count;
    const std::uint64_t all = plan.settings.size() + plan.marked.size() + (plan.now ? 1 : 0);
    if (plan.shards > all)
        return Error{fmt::format("shard {}: there are {} settings alone", to_string(*shard), all),
                     "", 0, 0};
    return std::nullopt;
}

}  // namespace

Result<lease::SweepPlan> lease_plan(const LeaseArguments& arguments) {
    lease::SweepPlan plan;
    if (const auto error = read_sources(arguments, plan.world)) return *error;
    if (const auto error = read_settings(arguments, plan)) return *error;
    if (const auto error = read_shard(arguments, plan)) return *error;
    plan.span = lease::default_span(plan.world);
    if (!arguments.span.empty()) {
        const auto span = lease::parse_length("--span", arguments.span);
        if (!span) return span.error();
        plan.span = span.value();
    }
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

std::string lease_command(const LeaseArguments& arguments) {
    static const LeaseArguments otherwise;
    const std::pair<const char*, std::string LeaseArguments::*> texts[] = {
        {"--pauses", &LeaseArguments::pauses},
        {"--rtt", &LeaseArguments::rtt},
        {"--disk", &LeaseArguments::disk},
        {"--outages", &LeaseArguments::outages},
        {"--partitions", &LeaseArguments::partitions},
        {"--failovers", &LeaseArguments::failovers},
        {"--crashes", &LeaseArguments::crashes},
        {"--deploys", &LeaseArguments::deploys},
        {"--preset", &LeaseArguments::preset},
        {"--emit", &LeaseArguments::emit},
        {"--lease", &LeaseArguments::lease},
        {"--renew", &LeaseArguments::renew},
        {"--deadline", &LeaseArguments::deadline},
        {"--lock-delay", &LeaseArguments::lock_delay},
        {"--drift", &LeaseArguments::drift},
        {"--span", &LeaseArguments::span},
        {"--budget", &LeaseArguments::budget},
        {"--fidelity", &LeaseArguments::fidelity},
        {"--now", &LeaseArguments::now},
    };
    std::string text = harness::program_name() + " lease";
    for (const auto& [option, member] : texts)
        if (arguments.*member != otherwise.*member)
            text += fmt::format(" {} {}", option, harness::shell_word(arguments.*member));
    if (arguments.points != otherwise.points) text += fmt::format(" --points {}", arguments.points);
    if (arguments.without_defaults) text += " --without-defaults";
    return text + fmt::format(" --seed {}", arguments.seed);
}

Result<lease::Sweep> lease_from(const std::vector<std::string>& files, std::string& command) {
    std::vector<lease::Sweep> parts;
    for (const std::string& file : files) {
        const auto text = read_file("--from", file);
        if (!text) return text.error();
        auto sweep = lease::read_sweep(file, text.value(), command);
        if (!sweep) return sweep.error();
        parts.push_back(std::move(sweep).value());
    }
    auto whole = lease::merge(std::move(parts));
    if (!whole) return Error{"--from: " + whole.error().message, "", 0, 0};
    return whole;
}

}  // namespace lockstep::cli
