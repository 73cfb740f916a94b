#include "harness/gate/failure_files.hpp"

#include "harness/explore.hpp"
#include "harness/gate/shrunk_failure.hpp"
#include "harness/services.hpp"
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

GateRegression begun(const RegressionFile& file) {
    GateRegression one;
    one.file = file.path;
    one.scenario = file.repro.scenario.name;
    one.was = file.repro.fingerprint;
    one.again = fmt::format("{} replay {}", program_name(), shell_word(file.path));
    return one;
}

void tell(const Repro& repro, const Replay& replayed, GateRegression& one) {
    using Result = GateRegression::Result;
    const bool foretold = is_foretold(repro);
    switch (replayed.result) {
        case Replay::Result::FailsAgain:
            one.result = foretold ? Result::Held : Result::Fails;
            break;
        case Replay::Result::FailsOtherwise:
            one.result = Result::FailsOtherwise;
            break;
        case Replay::Result::Held:
            one.result = foretold ? Result::NoLongerExercises : Result::Held;
            if (foretold)
                one.missed.push_back(fmt::format("{}, which it expects", to_string(one.was)));
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
        if (const auto* violation = violation_of(replayed.outcome, why); one.evidence.empty())
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
            tell(files[i].repro, replayed, one);
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
    auto told = shrink_and_explain(
        {&scenario, {name, {}}, failure.seed, failure.why, failure.of_runs, failure.runs},
        shrinking);
    told.facts.scenario = name;
    if (!options.shrink) told.facts.reduction.clear();
    if (!failure.again.empty()) told.facts.again = failure.again;
    const auto kept =
        keep_repro(told.repro, options.directory, repro_name(name, failure.why, failure.seed));
    if (kept) {
        failure.repro = kept.value();
        tell_where(told.facts, kept.value(), told.repro.seed);
    } else {
        failure.trouble = fmt::format("{}: {}", kept.error().file, kept.error().message);
    }
    failure.report = failure_report(told.facts);
}

std::string write_scenario(const scenario::Scenario& scenario, const std::string& directory) {
    const fs::path path =
        fs::path(directory) / "baseline" / (fs::path(scenario.name).stem().string() + ".toml");
    return write_file(path, scenario::to_toml(scenario)) ? path.string() : "";
}

}  // namespace lockstep::harness
