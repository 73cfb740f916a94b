#include "harness/gate/failure_files.hpp"

#include "harness/explain/failure_report.hpp"
#include "harness/explore.hpp"
#include "harness/services.hpp"
#include "harness/shrink/shrink.hpp"
#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace lockstep::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view by_signal = "the process that ran it";

bool write_file(const fs::path& path, const std::string& text) {
    std::error_code code;
    fs::create_directories(path.parent_path(), code);
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.flush();
    return out.good();
}

/// A name for a file, of what may be a path.
std::string file_name(const std::string& scenario, const GateFailure& failure) {
    std::string name = fs::path(scenario).stem().string();
    std::string why = to_string(failure.why);
    why = why.substr(0, why.find('/'));
    return fmt::format("{}-{}-{}.toml", name, why, failure.seed);
}

const properties::Violation* violation_in(const Outcome& outcome, const Fingerprint& why) {
    for (const auto& report : outcome.reports)
        if (why.property == report.id && report.first) return &*report.first;
    return nullptr;
}

std::string reduction(const Shrunk& shrunk) {
    const auto seconds = [](Duration d) { return span_text(d); };
    return fmt::format("{} faults to {}, {} servers to {}, {} clients to {}, {} to {}{}",
                       shrunk.before.faults, shrunk.after.faults, shrunk.before.servers,
                       shrunk.after.servers, shrunk.before.clients, shrunk.after.clients,
                       seconds(shrunk.before.horizon), seconds(shrunk.after.horizon),
                       shrunk.minimal ? "" : " (time ran out before it was minimal)");
}

std::string quoted(const std::string& word) {
    return word.find(' ') == std::string::npos ? word : "'" + word + "'";
}

GateRegression begun(const RegressionFile& file) {
    GateRegression one;
    one.file = file.path;
    one.scenario = file.repro.scenario.name;
    one.was = file.repro.fingerprint;
    one.again = fmt::format("{} replay {}", program_name(), quoted(file.path));
    return one;
}

void tell(const Replay& replayed, GateRegression& one) {
    using Result = GateRegression::Result;
    switch (replayed.result) {
        case Replay::Result::FailsAgain:
            one.result = Result::Fails;
            break;
        case Replay::Result::FailsOtherwise:
            one.result = Result::FailsOtherwise;
            break;
        case Replay::Result::Held:
            one.result = Result::Held;
            break;
        case Replay::Result::NoLongerExercises:
            one.result = Result::NoLongerExercises;
            break;
    }
    // A failure that is back is worse news than the digest's.
    if (replayed.untrustworthy && !failed(one)) one.result = Result::Untrustworthy;
    one.found = replayed.found;
    one.missed = replayed.missed;
    for (const auto& why : replayed.found)
        if (const auto* violation = violation_in(replayed.outcome, why); one.evidence.empty())
            one.evidence = violation != nullptr ? violation->evidence : replayed.outcome.end_detail;
}

}  // namespace

Result<std::vector<RegressionFile>> load_regressions(const std::string& directory) {
    std::error_code code;
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(directory, code))
        if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
    if (code)
        return Error{fmt::format("this folder of regressions cannot be read: {}", code.message()),
                     directory};
    std::sort(paths.begin(), paths.end());
    std::vector<RegressionFile> files;
    for (const auto& path : paths) {
        auto repro = load_repro(path);
        if (!repro) return repro.error();
        files.push_back({path, std::move(repro).value()});
    }
    return files;
}

std::vector<GateRegression> replay_regressions(const std::vector<RegressionFile>& files) {
    std::vector<GateRegression> all;
    for (const auto& file : files) all.push_back(begun(file));
    if (files.empty()) return all;
    std::vector<std::optional<Outcome>> outcomes(files.size());
    ExplorePlan plan;
    plan.subjects = files.size();
    plan.seeds = 1;
    const auto exploration = explore(
        plan,
        [&](std::size_t subject, std::uint64_t seed) {
            Outcome outcome = replay(files[subject].repro).outcome;
            // A repro may end its run before the end, which no exploration does.
            if (outcome.end == End::Cut) outcome.end = End::Finished;
            outcome.seed = seed;
            return outcome;
        },
        [&](std::size_t subject, const Outcome& outcome) { outcomes[subject] = outcome; }, {});
    for (std::size_t i = 0; i < files.size(); ++i) {
        GateRegression& one = all[i];
        if (!outcomes[i]) {
            one.result = GateRegression::Result::NoLongerExercises;
            one.missed.emplace_back(exploration.interrupted ? "interrupted"
                                                            : "no result for too long");
        } else if (outcomes[i]->end == End::Crashed &&
                   outcomes[i]->end_detail.starts_with(by_signal)) {
            one.found = fingerprints(*outcomes[i]);
            one.evidence = outcomes[i]->end_detail;
            const bool same = !one.found.empty() && one.found.front() == one.was;
            one.result =
                same ? GateRegression::Result::Fails : GateRegression::Result::FailsOtherwise;
        } else {
            const Replay replayed = replay(files[i].repro);
            tell(replayed, one);
            if (replayed.outcome.digest != outcomes[i]->digest && !failed(one))
                one.result = GateRegression::Result::Untrustworthy;
        }
    }
    return all;
}

void write_failure(const scenario::Scenario& scenario, const std::string& name,
                   const ReproOptions& options, GateFailure& failure) {
    if (!failure.why.property && failure.evidence.starts_with(by_signal)) {
        failure.trouble = "the run is ended by a signal, which would end the gate, too";
        return;
    }
    ShrinkOptions shrinking;
    // Without shrinking it is pinned all the same.
    shrinking.budget = options.shrink ? options.shrink_for : std::chrono::milliseconds(1);
    shrinking.stop = options.stop;
    const Shrunk shrunk = shrink(scenario, failure.seed, failure.why, shrinking);
    RunOptions logged;
    logged.keep_log = true;
    logged.keep_messages = true;
    const Outcome outcome = run(shrunk.scenario, shrunk.seed, logged);
    const fs::path path = fs::path(options.directory) / file_name(name, failure);
    FailureFacts facts;
    facts.scenario = name;
    facts.seed = failure.seed;
    facts.runs = failure.of_runs;
    facts.failed = failure.runs;
    facts.process_names = outcome.process_names;
    facts.reduction = reduction(shrunk);
    facts.again = failure.again;
    facts.look =
        fmt::format("{} run {} --seed {}", program_name(), quoted(path.string()), shrunk.seed);
    facts.keep = fmt::format("{} accept {}", program_name(), quoted(path.string()));
    auto pinned = shrunk.scenario;
    if (const auto* violation = violation_in(outcome, failure.why)) {
        facts.explanation =
            explain(outcome, harness::resolve(shrunk.scenario, shrunk.seed), *violation);
        failure.report = failure_report(facts);
        pinned.story = facts.explanation.harm + "\n" + facts.explanation.cause;
    }
    Repro repro = make_repro(pinned, outcome, failure.why);
    repro.version = options.version;
    if (write_file(path, to_toml(repro)))
        failure.repro = path.string();
    else
        failure.trouble = fmt::format("{} cannot be written", path.string());
}

std::string write_scenario(const scenario::Scenario& scenario, const std::string& directory) {
    const fs::path path =
        fs::path(directory) / "baseline" / (fs::path(scenario.name).stem().string() + ".toml");
    return write_file(path, scenario::to_toml(scenario)) ? path.string() : "";
}

}  // namespace lockstep::harness
