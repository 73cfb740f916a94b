#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/lockstep.hpp"
#include "cli/parser.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

namespace {

using lockstep::harness::ExitCode;
namespace cli = lockstep::cli;
namespace harness = lockstep::harness;

constexpr const char* about =
    "Lockstep runs a distributed lock service in a simulated world, breaks that world\n"
    "on purpose, and checks that the promises of a lock hold. A scenario and a seed\n"
    "decide every bit of a run.";

constexpr const char* first_steps =
    "First steps:\n"
    "  lockstep list                          what there is\n"
    "  lockstep run pause-past-lease          the story of one run\n"
    "  lockstep run pause-past-lease --set resource.fencing=none\n"
    "                                         the same, and no token is checked\n"
    "  lockstep explore --seeds 100           a hundred seeds of every scenario\n"
    "  lockstep explore chaos --seeds 50000 --budget 10m\n"
    "  lockstep check history.jsonl           judge what a service did elsewhere\n"
    "\n"
    "Exit codes: 0 all as expected (a violation that a scenario expects is), 1 a\n"
    "property was violated, 2 bad input, 3 interrupted or gave up, 4 the harness is\n"
    "not to be trusted (digests differ, a required mark was not reached, faults never\n"
    "fired, an expected violation never came).";

bool is_command(const CLI::App& app, const std::string& name) {
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    return std::any_of(commands.begin(), commands.end(),
                       [&](const CLI::App* command) { return command->check_name(name); });
}

std::string command_names(const CLI::App& app) {
    std::string names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names += (names.empty() ? "" : ", ") + command->get_name();
    return names;
}

int refuse(const std::string& why) {
    fmt::print(stderr, "{0}: {1} ({0} --help says more)\n", harness::program_name(),
               harness::printable(why));
    return static_cast<int>(ExitCode::BadInput);
}

int dispatch(int argc, char** argv) {
    CLI::App app{about, harness::program_name()};
    app.footer(first_steps);
    cli::Arguments arguments;
    cli::add_commands(app, arguments);
    if (argc == 1) {
        fmt::print("{}", app.help());
        return static_cast<int>(ExitCode::BadInput);
    }
    if (argv[1][0] != '-' && !is_command(app, argv[1]))
        return refuse(
            fmt::format("no command is called '{}'; there are {}", argv[1], command_names(app)));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        return refuse(e.what());
    }
    const std::string command = app.get_subcommands().front()->get_name();
    if (!arguments.no_config && cli::has_settings(command))
        if (const auto error =
                cli::apply_settings(app, arguments.config, app.count("--config") > 0))
            return static_cast<int>(cli::bad_input(*error));
    ExitCode code = ExitCode::AsExpected;
    if (command == "list") code = cli::list(arguments.list);
    if (command == "run") code = cli::run(arguments.run);
    if (command == "explore") code = cli::explore(arguments.explore);
    if (command == "digest") code = cli::digest(arguments.digest);
    if (command == "check") code = cli::check(arguments.check);
    if (command == "completion") fmt::print("{}", cli::bash_completion(app));
    if (command == "version") code = cli::version();
    return static_cast<int>(code);
}

}  // namespace

int lockstep::cli_main(int argc, char** argv) {
    try {
        const std::string_view path = argc > 0 ? argv[0] : "";
        harness::begin_program(std::string(path.substr(path.rfind('/') + 1)));
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
