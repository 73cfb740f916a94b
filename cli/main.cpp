#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>

namespace {

using lockstep::harness::ExitCode;
namespace cli = lockstep::cli;

constexpr const char* about =
    "Lockstep runs a distributed lock service in a simulated world, breaks that world on purpose,\n"
    "and checks that the promises of a lock hold. A scenario and a seed decide every bit of a run.";

constexpr const char* first_steps =
    "First steps:\n"
    "  lockstep list                                what scenarios, faults and properties there "
    "are\n"
    "  lockstep run pause-past-lease                the story of one run\n"
    "  lockstep run pause-past-lease --set resource.fencing=none\n"
    "                                               the same, and the store checks no tokens\n"
    "  lockstep explore --seeds 100                 a hundred seeds of every scenario\n"
    "  lockstep explore chaos --seeds 50000 --budget 10m\n"
    "\n"
    "Exit codes: 0 all as expected (a violation that a scenario expects is), 1 a property was\n"
    "violated, 2 bad input, 3 interrupted or gave up, 4 the harness is not to be trusted (digests\n"
    "differ, a required mark was not reached, faults never fired, an expected violation never "
    "came).";

constexpr const char* scenario_help = "A scenario of the catalogue, or the path of a .toml file";
constexpr const char* set_help =
    "Overrides a value of the scenario, as KEY=VALUE; may be given many times";

/// CLI11 reads -1 as the largest number and 010 as eight.
const CLI::Validator& whole_number() {
    static const CLI::Validator validator(
        [](std::string& text) -> std::string {
            std::uint64_t n = 0;
            const char* end = text.data() + text.size();
            const auto [rest, failed] = std::from_chars(text.data(), end, n);
            const bool padded = text.size() > 1 && text.front() == '0';
            if (failed == std::errc() && rest == end && !padded) return "";
            return fmt::format("found '{}'; allowed is a whole number below 2^64", text);
        },
        "");
    return validator;
}

CLI::App* add_run(CLI::App& app, cli::RunArguments& arguments) {
    CLI::App* command = app.add_subcommand("run", "Runs one seed and tells its story");
    command->add_option("scenario", arguments.scenario, scenario_help)->required();
    command->add_option("--seed", arguments.seed, "Which run (default 1)")->check(whole_number());
    command->add_option("--set", arguments.sets, set_help)->allow_extra_args(false);
    command->add_flag("-v,--verbose", arguments.verbose, "Every event and every message");
    command->footer(
        "Prints what happened, with true times, then the verdict of each property. The same seed\n"
        "tells the same story on every machine.\n"
        "\n"
        "Examples:\n"
        "  lockstep run pause-past-lease\n"
        "  lockstep run chaos --seed 4711 --verbose\n"
        "  lockstep run pause-past-lease --set resource.fencing=none --set lease.ttl=5s\n"
        "  lockstep run ./mine.toml --seed 3");
    return command;
}

CLI::App* add_explore(CLI::App& app, cli::ExploreArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("explore", "Runs many seeds and says how they went, in a table");
    command->add_option("scenarios", arguments.scenarios,
                        "Scenarios of the catalogue, or paths of .toml files (default: the whole "
                        "catalogue)");
    command->add_option("--seeds", arguments.seeds, "Seeds of each scenario (default 1000)")
        ->check(whole_number());
    command->add_option("--first-seed", arguments.first_seed, "The first of them (default 1)")
        ->check(whole_number());
    command->add_option("--jobs,-j", arguments.jobs, "Worker processes (default: one a core)")
        ->check(CLI::Range(1, 256));
    command->add_option("--budget", arguments.budget,
                        "Wall time, after which nothing new is begun: 90s, 5m, 2h");
    command->add_option("--set", arguments.sets, set_help)->allow_extra_args(false);
    command->footer(
        "Results do not depend on --jobs. A run that crashes takes down its worker alone and "
        "counts\n"
        "as a failure. A failing seed is printed with its evidence and the command that repeats "
        "it.\n"
        "Ctrl-C prints the table of what has finished.\n"
        "\n"
        "Examples:\n"
        "  lockstep explore\n"
        "  lockstep explore chaos --seeds 50000 --budget 10m\n"
        "  lockstep explore chaos torn-log --first-seed 100001 --seeds 2000 --jobs 2");
    return command;
}

CLI::App* add_digest(CLI::App& app, cli::DigestArguments& arguments) {
    CLI::App* command = app.add_subcommand(
        "digest", "Prints `scenario seed digest` lines, to compare builds and machines");
    command->add_option("scenarios", arguments.scenarios,
                        "Scenarios (default: the whole catalogue)");
    command->add_option("--seeds", arguments.seeds, "Seeds of each scenario (default 20)")
        ->check(whole_number());
    command->add_option("--first-seed", arguments.first_seed, "The first of them (default 1)")
        ->check(whole_number());
    command
        ->add_option("--wire-codec", arguments.wire_codec,
                     "on or off: whether messages are encoded and decoded on their way")
        ->check(CLI::IsMember({"on", "off"}));
    command->add_flag("--twice", arguments.twice,
                      "Runs everything twice in this process, the second time backwards and with "
                      "another heap; exit 4 if a digest differs");
    command->add_option("--set", arguments.sets, set_help)->allow_extra_args(false);
    command->footer(
        "The lines are the same for every build of one plan epoch: compare them byte for byte.\n"
        "\n"
        "Examples:\n"
        "  lockstep digest --seeds 50 > g++.txt\n"
        "  lockstep digest chaos --seeds 5 --twice");
    return command;
}

bool is_command(const CLI::App& app, const std::string& name) {
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    return std::any_of(commands.begin(), commands.end(),
                       [&](const CLI::App* command) { return command->check_name(name); });
}

int dispatch(int argc, char** argv) {
    CLI::App app{about, "lockstep"};
    app.footer(first_steps);
    app.require_subcommand(1);
    app.set_version_flag("--version", cli::version_text());
    app.get_formatter()->column_width(34);

    cli::RunArguments run_arguments;
    cli::ExploreArguments explore_arguments;
    cli::DigestArguments digest_arguments;
    const CLI::App* list =
        app.add_subcommand("list", "What there is: scenarios, services, faults, properties, marks");
    const CLI::App* run = add_run(app, run_arguments);
    const CLI::App* explore = add_explore(app, explore_arguments);
    const CLI::App* digest = add_digest(app, digest_arguments);
    const CLI::App* version = app.add_subcommand("version", "Version, plan epoch and compiler");
    if (argc == 1) {
        fmt::print("{}", app.help());
        return static_cast<int>(ExitCode::BadInput);
    }
    if (argv[1][0] != '-' && !is_command(app, argv[1])) {
        fmt::print(stderr,
                   "lockstep: no command is called '{}'; there are list, run, explore, digest and "
                   "version (lockstep --help says more)\n",
                   argv[1]);
        return static_cast<int>(ExitCode::BadInput);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        fmt::print(stderr, "lockstep: {} (lockstep --help says more)\n", e.what());
        return static_cast<int>(ExitCode::BadInput);
    }
    ExitCode code = ExitCode::BadInput;
    if (list->parsed()) code = cli::list();
    if (run->parsed()) code = cli::run(run_arguments);
    if (explore->parsed()) code = cli::explore(explore_arguments);
    if (digest->parsed()) code = cli::digest(digest_arguments);
    if (version->parsed()) code = cli::version();
    return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int code = dispatch(argc, argv);
        // A table that was cut short by a full disk must not pass for the whole.
        if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
        fmt::print(stderr, "lockstep: the output could not be written: {}\n", std::strerror(errno));
        return static_cast<int>(ExitCode::GaveUp);
    } catch (const std::system_error& e) {  // as fmt reports a full disk
        fmt::print(stderr, "lockstep: the output could not be written: {}\n", e.what());
        return static_cast<int>(ExitCode::GaveUp);
    } catch (const std::exception& e) {
        fmt::print(stderr, "lockstep: a mistake of this program's own: {}\n", e.what());
        return static_cast<int>(ExitCode::Untrustworthy);
    }
}
