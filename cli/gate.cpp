#include "harness/gate/gate.hpp"

#include "cli/commands.hpp"
#include "cli/gate_files.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "harness/gate/baseline.hpp"
#include "harness/gate/failure_files.hpp"
#include "harness/gate/gate_runs.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <unistd.h>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

/// Failures that are shrunk and asked the baseline about; a broken build has them by the hundred.
constexpr std::size_t looked_into = 8;
constexpr const char* default_regressions = "scenarios/regressions";
constexpr const char* default_known = "known.toml";

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The one place that asks for the date.
harness::Day today() {
    const std::time_t now = std::time(nullptr);
    std::tm date{};
    ::gmtime_r(&now, &date);
    return (date.tm_year + 1900) * 10'000 + (date.tm_mon + 1) * 100 + date.tm_mday;
}

std::string base_of(const GateArguments& arguments) {
    if (!arguments.base.empty()) return arguments.base;
    for (const char* commit : {"GITHUB_SHA", "CI_COMMIT_SHA"})
        if (auto value = variable(commit); !value.empty()) return value;
    return "lockstep";
}

/// "2%", "0.5%", "0".
Result<std::uint64_t> share_of(const std::string& text) {
    char* end = nullptr;
    const double percent = std::strtod(text.c_str(), &end);
    const std::string rest = end;
    if (end == text.c_str() || (rest != "%" && text != "0") || !(percent >= 0) || percent > 100)
        return Error{fmt::format("--twice: found '{}'; allowed is a share from 0% to 100%", text),
                     {}};
    return static_cast<std::uint64_t>(percent * 10'000 + 0.5);
}

Result<std::vector<harness::Rate>> rates_of(const GateArguments& arguments) {
    if (arguments.rates.empty()) {
        // They were measured on our own service and its catalogue as it is, and know scenarios by
        // their names.
        const auto is_path = [](const std::string& name) { return !path_of(name).empty(); };
        if (harness::default_service() != "raft" || !arguments.sets.empty() ||
            std::any_of(arguments.scenarios.begin(), arguments.scenarios.end(), is_path))
            return std::vector<harness::Rate>();
        return harness::parse_rates(harness::catalogue_rates(), "the rates of the catalogue");
    }
    const auto text = read_file("--rates", arguments.rates);
    if (!text) return text.error();
    return harness::parse_rates(text.value(), arguments.rates);
}

Result<harness::GatePlan> plan_of(const GateArguments& arguments) {
    harness::GatePlan plan;
    auto scenarios = load_scenarios(
        {arguments.scenarios, arguments.sets, arguments.scenarios_from, arguments.sets_from});
    if (!scenarios) return scenarios.error();
    plan.scenarios = std::move(scenarios).value();
    for (const auto& name : or_catalogue(arguments.scenarios))
        plan.repeats.push_back({name, arguments.sets, arguments.again_without_config});
    plan.whole_catalogue = arguments.scenarios.empty() && arguments.sets.empty() &&
                           harness::default_service() == "raft";
    plan.base = base_of(arguments);
    plan.corpus = arguments.corpus;
    plan.seeds = arguments.seeds;
    plan.min_seeds = arguments.min_seeds.empty()
                         ? (arguments.seeds + 9) / 10
                         : std::strtoull(arguments.min_seeds.c_str(), nullptr, 10);
    if (plan.min_seeds > plan.seeds)
        return Error{fmt::format("--min-seeds: {} are more than the {} of --seeds", plan.min_seeds,
                                 plan.seeds),
                     {}};
    for (const std::uint64_t seeds : {plan.corpus, plan.seeds})
        if (seeds > 0)
            if (const auto fits = check_seeds(1, seeds); !fits) return fits.error();
    if (plan.corpus + plan.seeds == 0)
        return Error{"--seeds, --corpus: 0 seeds show nothing; give at least one of them", {}};
    const auto budget = parse_wall_time("--budget", arguments.budget);
    if (!budget) return budget.error();
    plan.budget = budget.value();
    const auto share = share_of(arguments.twice);
    if (!share) return share.error();
    plan.twice_ppm = share.value();
    plan.jobs = jobs_of(arguments.jobs);
    plan.pr = arguments.pr;
    return plan;
}

/// All that is read before anything runs.
struct Inputs {
    harness::GatePlan plan;
    std::vector<harness::Rate> rates;
    std::vector<harness::KnownFailure> known;
    std::vector<harness::RegressionFile> regressions;
    std::string regressions_note;
    std::chrono::milliseconds shrink_for{0};
};

Result<Inputs> read_inputs(const GateArguments& arguments) {
    Inputs in;
    auto plan = plan_of(arguments);
    if (!plan) return plan.error();
    in.plan = std::move(plan).value();
    auto rates = rates_of(arguments);
    if (!rates) return rates.error();
    in.rates = std::move(rates).value();
    std::error_code code;
    const std::string known_file = arguments.known.empty() && fs::exists(default_known, code)
                                       ? default_known
                                       : arguments.known;
    if (!known_file.empty()) {
        auto known = harness::load_known(known_file);
        if (!known) return known.error();
        in.known = std::move(known).value();
    }
    const bool there = fs::is_directory(default_regressions, code);
    const std::string folder =
        arguments.regressions.empty() && there ? default_regressions : arguments.regressions;
    in.regressions_note = folder.empty() ? fmt::format("none: there is no {}", default_regressions)
                                         : fmt::format("none in {}", folder);
    if (!folder.empty()) {
        auto files = harness::load_regressions(folder);
        if (!files) return files.error();
        in.regressions = std::move(files).value();
    }
    const auto shrink_for = parse_wall_time("--shrink-for", arguments.shrink_for);
    if (!shrink_for) return shrink_for.error();
    in.shrink_for = shrink_for.value();
    if (!arguments.baseline.empty() && ::access(arguments.baseline.c_str(), X_OK) != 0)
        return Error{"--baseline: this is no program that can be run", arguments.baseline};
    return in;
}

/// What is at work, once the runs are through.
void say(const std::string& what, const std::string& scenario,
         const harness::GateFailure& failure) {
    fmt::print(stderr, "gate: {} {} seed {} ({})\n", what, harness::printable(scenario),
               failure.seed, to_string(failure.why));
}

void ask_baseline(const GateArguments& arguments, const harness::GatePlan& plan,
                  harness::GateReport& report) {
    if (arguments.baseline.empty()) return;
    std::size_t asked = 0;
    for (auto& failure : report.failures) {
        if (asked++ == 2 * looked_into || harness::StopSignals::caught()) break;
        const auto& scenario = plan.scenarios[failure.subject];
        harness::BaselineQuestion question;
        question.program = arguments.baseline;
        question.name = plan.repeats[failure.subject].scenario;
        question.file = harness::write_scenario(scenario, arguments.out);
        question.seed = failure.seed;
        question.why = failure.why;
        question.also = failure.also;
        say("asking the baseline about", question.name, failure);
        failure.baseline = harness::ask_baseline(question);
    }
}

void write_repros(const GateArguments& arguments, const Inputs& in, harness::GateReport& report) {
    harness::ReproOptions options;
    options.directory = arguments.out;
    options.shrink = !arguments.no_shrink;
    options.shrink_for = in.shrink_for;
    options.stop = harness::StopSignals::caught;
    options.version = version_number();
    std::size_t written = 0;
    for (auto& failure : report.failures) {
        if (!blocks(failure.standing) || harness::StopSignals::caught()) continue;
        const auto same =
            std::find_if(report.failures.begin(), report.failures.end(), [&](const auto& other) {
                return other.subject == failure.subject && other.why == failure.why &&
                       !other.repro.empty();
            });
        if (same != report.failures.end()) {
            // Met in the corpus already.
            failure.repro = same->repro;
            continue;
        }
        if (written++ == looked_into) break;
        const auto& name = in.plan.repeats[failure.subject].scenario;
        say(arguments.no_shrink ? "explaining" : "shrinking", name, failure);
        harness::write_failure(in.plan.scenarios[failure.subject], name, options, failure);
    }
}

}  // namespace

ExitCode gate(const GateArguments& arguments) {
    const auto begin = std::chrono::steady_clock::now();
    auto read = read_inputs(arguments);
    if (!read) return bad_input(read.error());
    const Inputs& in = read.value();
    auto files = GateFiles::open(arguments);
    if (!files) return bad_input(files.error());
    const harness::StopSignals signals;
    fmt::print(stderr, "gate: base '{}', fresh seeds from {}\n", harness::printable(in.plan.base),
               harness::seed_of(in.plan.base));
    auto regressions = harness::replay_regressions(in.regressions);

    Progress progress("gate");
    std::string stage;
    auto ran = harness::run_corpus_and_fresh(
        in.plan, begin, [&](const std::string& what, const harness::ExploreProgress& p) {
            if (what != stage) progress.finish();
            stage = what;
            progress.show(p);
        });
    progress.finish();
    if (!ran) return bad_input(ran.error());
    harness::GateReport& report = ran.value();
    report.regressions = std::move(regressions);
    report.regressions_note = in.regressions_note;
    report.interrupted = report.interrupted || harness::StopSignals::caught();
    // What is expired must not hide behind what is not.
    auto known_still = in.known;
    std::erase_if(known_still,
                  [](const harness::KnownFailure& known) { return known.expires < today(); });
    harness::find_reasons(in.plan, known_still, report);
    ask_baseline(arguments, in.plan, report);
    harness::set_standings(report, in.known, today());
    report.minimums = harness::minimums(report.all, in.rates);
    write_repros(arguments, in, report);
    report.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    return files.value().write(report);
}

}  // namespace lockstep::cli
