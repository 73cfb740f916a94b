#include "harness/repro/repro.hpp"

#include "harness/catalogue.hpp"
#include "harness/explore_store.hpp"
#include "harness/services.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/scenario_fields.hpp"
#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <variant>

// Defined by the build.
#ifndef LOCKSTEP_VERSION
#define LOCKSTEP_VERSION "0"
#endif

namespace lockstep::harness {
namespace {

using scenario::Scenario;

std::uint64_t of_hex(std::string_view text) {
    std::uint64_t n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n, 16);
    return n;
}

/// "0.10.2" as numbers; what is none ends it.
std::array<std::uint64_t, 3> numbers_of(std::string_view version) {
    std::array<std::uint64_t, 3> numbers{};
    for (std::uint64_t& number : numbers) {
        const char* end = version.data() + version.size();
        const auto [rest, failed] = std::from_chars(version.data(), end, number);
        if (failed != std::errc() || rest == end || *rest != '.') break;
        version.remove_prefix(static_cast<std::size_t>(rest - version.data()) + 1);
    }
    return numbers;
}

std::optional<Error> refuse_newer(const std::string& version, const std::string& path, int line) {
    if (numbers_of(version) <= numbers_of(own_version())) return std::nullopt;
    return Error{fmt::format("repro.version: written by version {}, which is newer than this "
                             "program's, {}; replay it with that version or a later one",
                             version, own_version()),
                 path, line};
}

/// What a newer version wrote may be no scenario to this one.
std::optional<Error> newer_that_cannot_be_read(const std::string& path) {
    const auto settings = scenario::load_settings(path);
    if (!settings) return std::nullopt;
    for (const auto& setting : settings.value())
        if (setting.field.key == "repro.version")
            return refuse_newer(setting.field.value, path, setting.line);
    return std::nullopt;
}

/// What the seed decides before the run begins, if anything.
std::optional<std::string> drawn_value(const Scenario& s) {
    if (s.swarm) return "[swarm]";
    if (s.lease.ttl.min != s.lease.ttl.max) return "lease.ttl";
    if (s.raft.election_min.min != s.raft.election_min.max) return "raft.election_timeout_min";
    if (s.raft.election_max.min != s.raft.election_max.max) return "raft.election_timeout_max";
    if (s.network.server_links == scenario::LinkChoice::Drawn) return "network.server_links";
    if (s.network.client_links == scenario::LinkChoice::Drawn) return "network.client_links";
    if (s.run.wire_codec == scenario::Switch::Drawn) return "run.wire_codec";
    const auto drawn = [](const sim::Aim& aim) {
        return aim.by == sim::Aim::By::Role && aim.name.starts_with("any-");
    };
    for (std::size_t i = 0; i < s.faults.size(); ++i) {
        const auto& trigger = s.faults[i].trigger;
        if (drawn(s.faults[i].aim)) return fmt::format("fault[{}].aim", i + 1);
        if (trigger && trigger->where && drawn(*trigger->where))
            return fmt::format("fault[{}].when.at", i + 1);
    }
    return std::nullopt;
}

std::string path_to(const std::string& name) {
    return name.ends_with(".toml") || name.find('/') != name.npos ? name : "./" + name;
}

/// Labels of the planned faults that never started, in a run with a log.
std::vector<std::string> never_started(const Outcome& outcome, const sim::FaultPlan& plan) {
    std::vector<bool> started(plan.size());
    for (const LoggedEvent& logged : outcome.log)
        if (const auto* event = std::get_if<sim::WorldEvent>(&logged.what))
            if (const auto* fault = std::get_if<sim::FaultStarted>(event))
                started.at(fault->fault) = true;
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < plan.size(); ++i)
        if (!started[i]) labels.push_back(plan[i].label());
    return labels;
}

bool all_started(const Outcome& outcome) {
    return std::all_of(outcome.faults.begin(), outcome.faults.end(),
                       [](const FaultCount& count) { return count.started == count.planned; });
}

}  // namespace

std::string own_version() {
    return LOCKSTEP_VERSION;
}

std::uint64_t repro_content(const Scenario& scenario) {
    Scenario values = scenario;
    values.name.clear();
    values.story.clear();
    values.repro.reset();
    return content_hash(values);
}

Repro make_repro(const Scenario& pinned, const Outcome& outcome, const Fingerprint& why) {
    Repro repro;
    repro.scenario = pinned;
    repro.seed = outcome.seed;
    repro.plan_epoch = scenario::plan_epoch;
    repro.fingerprint = why;
    repro.digest = outcome.digest;
    repro.content = repro_content(pinned);
    repro.build = build_id();
    repro.version = own_version();
    return repro;
}

std::string to_toml(const Repro& repro) {
    Scenario scenario = repro.scenario;
    scenario.repro = scenario::ReproNote{repro.seed,
                                         repro.plan_epoch,
                                         to_string(repro.fingerprint),
                                         fmt::format("{:016x}", repro.digest),
                                         fmt::format("{:016x}", repro.content),
                                         repro.build,
                                         repro.version};
    return scenario::to_toml(scenario);
}

Result<Repro> load_repro(const std::string& name) {
    const std::string path = path_to(name);
    auto loaded = load_scenario(path, {});
    if (!loaded) {
        if (auto newer = newer_that_cannot_be_read(path)) return *std::move(newer);
        return loaded.error();
    }
    Repro repro;
    repro.scenario = std::move(loaded).value();
    if (!repro.scenario.repro)
        return Error{
            "found no table [repro]: a scenario, or a repro that was cut off; `lockstep "
            "shrink` writes one anew from a scenario and a seed",
            path};
    const scenario::ReproNote& note = *repro.scenario.repro;
    if (auto newer = refuse_newer(note.version, path, 0)) return *std::move(newer);
    const auto fingerprint = parse_fingerprint(note.fingerprint);
    if (!fingerprint)
        return Error{fmt::format("repro.fingerprint: found \"{}\"; allowed is one that `lockstep "
                                 "shrink` has written, of a property that this program has",
                                 note.fingerprint),
                     path};
    repro.seed = note.seed;
    repro.plan_epoch = static_cast<std::uint32_t>(note.plan_epoch);
    repro.fingerprint = *fingerprint;
    repro.digest = of_hex(note.digest);
    repro.content = of_hex(note.content);
    repro.build = note.build;
    repro.version = note.version;
    const auto drawn = drawn_value(repro.scenario);
    if (drawn && repro.plan_epoch != scenario::plan_epoch)
        return Error{
            fmt::format("{}: is drawn from the seed, which in plan epoch {} draws something "
                        "else than in {}, this repro's; write the value out",
                        *drawn, scenario::plan_epoch, repro.plan_epoch),
            path};
    return repro;
}

bool is_foretold(const Repro& repro) {
    if (!repro.fingerprint.property) return false;
    const auto expected = harness::resolve(repro.scenario, repro.seed).expected_violations;
    return std::find(expected.begin(), expected.end(),
                     properties::code_of(*repro.fingerprint.property)) != expected.end();
}

Replay replay(const Repro& repro, const RunOptions& options) {
    Replay replay;
    replay.outcome = harness::run(repro.scenario, repro.seed, options);
    replay.same_build = !repro.build.empty() && repro.build == build_id();
    replay.same_digest = replay.outcome.digest == repro.digest;
    replay.edited = repro_content(repro.scenario) != repro.content;
    const bool as_it_was = !replay.edited && options.reseeds.empty() && !options.until;
    replay.untrustworthy = replay.same_build && as_it_was && !replay.same_digest &&
                           replay.outcome.end != End::OutOfTime;
    const auto resolved = harness::resolve(repro.scenario, repro.seed);
    const auto& foretold = resolved.expected_violations;
    for (const Fingerprint& found : fingerprints(replay.outcome)) {
        if (found == repro.fingerprint) {
            replay.found = fingerprints(replay.outcome);
            replay.result = Replay::Result::FailsAgain;
            return replay;
        }
        const bool as_foretold = found.property && found.property != repro.fingerprint.property &&
                                 std::find(foretold.begin(), foretold.end(),
                                           properties::code_of(*found.property)) != foretold.end();
        if (!as_foretold) replay.found.push_back(found);
    }
    if (!replay.found.empty()) {
        replay.result = Replay::Result::FailsOtherwise;
        return replay;
    }
    if (all_started(replay.outcome)) return replay;
    replay.result = Replay::Result::NoLongerExercises;
    RunOptions logged = options;
    logged.keep_log = true;
    replay.missed =
        never_started(replay.outcome.log.empty() ? harness::run(repro.scenario, repro.seed, logged)
                                                 : replay.outcome,
                      resolved.plan);
    return replay;
}

}  // namespace lockstep::harness
