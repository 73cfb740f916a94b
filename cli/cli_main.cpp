#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/lockstep.hpp"
#include "cli/parser.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"
#include "harness/worker.hpp"
#include "scenarios/scenario_fields.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

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
    "  lockstep pinpoint pause-past-lease --set resource.fencing=none\n"
    "                                         when a failure was decided\n"
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

/// `command`, if it is known, is the one whose help says more.
int refuse(const std::string& why, const std::string& command = "") {
    fmt::print(stderr, "{0}: {1} ({0} {2}--help says more)\n", harness::program_name(),
               harness::printable(why), command.empty() ? "" : command + " ");
    return static_cast<int>(ExitCode::BadInput);
}

/// The command among the words, as far as they were understood.
std::string command_in(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? "" : parsed.front()->get_name();
}

/// What nobody expected, with the option that may have been meant.
std::string about_extras(const CLI::App& app) {
    const auto extras = app.remaining(true);
    const auto option = std::find_if(extras.begin(), extras.end(),
                                     [](const auto& word) { return word.starts_with('-'); });
    if (option == extras.end())
        return fmt::format("'{}' was not expected", extras.empty() ? "" : extras.front());
    std::vector<std::string> names;
    std::vector<const CLI::App*> asked{&app};
    for (const CLI::App* command : app.get_subcommands()) asked.push_back(command);
    for (const CLI::App* at : asked)
        for (const CLI::Option* known : at->get_options())
            for (const auto& name : known->get_lnames()) names.push_back("--" + name);
    const std::string word = option->substr(0, option->find('='));
    // An option of a command, in front of it.
    if (const auto command = command_in(app);
        !command.empty() && std::find(names.begin(), names.end(), word) != names.end())
        return fmt::format("{} comes behind the command: {} {} ...", word, command, word);
    return fmt::format("no option is called '{}'; did you mean {}?", word,
                       lockstep::scenario::nearest(word, names));
}

/// A standard stream that is closed would be the next file that is opened. What is written to
/// standard output must still fail, so that nobody takes it for written.
void open_standard_streams() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        ::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    }
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
        // What is missing may have been written where it has no effect.
        const bool lacks = dynamic_cast<const CLI::RequiredError*>(&e) != nullptr;
        if (lacks && app.count("--no-config") == 0 && cli::has_settings(command_in(app)))
            if (const auto error = cli::apply_settings(app, arguments, app.count("--config") > 0))
                return static_cast<int>(cli::bad_input(*error));
        const bool extras = dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr;
        return refuse(extras ? about_extras(app) : e.what(), command_in(app));
    }
    const std::string command = app.get_subcommands().front()->get_name();
    if (!arguments.no_config && cli::has_settings(command))
        if (const auto error = cli::apply_settings(app, arguments, app.count("--config") > 0))
            return static_cast<int>(cli::bad_input(*error));
    cli::prepare_repeats(app, arguments);
    ExitCode code = ExitCode::AsExpected;
    if (command == "list") code = cli::list(arguments.list);
    if (command == "run") code = cli::run(arguments.run);
    if (command == "explore") code = cli::explore(arguments.explore);
    if (command == "merge") code = cli::merge(arguments.merge);
    if (command == "digest") code = cli::digest(arguments.digest);
    if (command == "pinpoint") code = cli::pinpoint(arguments.pinpoint);
    if (command == "check") code = cli::check(arguments.check);
    if (command == "completion") fmt::print("{}", cli::bash_completion(app));
    if (command == "version") code = cli::version();
    return static_cast<int>(code);
}

}  // namespace

int lockstep::cli_main(int argc, char** argv) {
    open_standard_streams();
    // A file that may grow no further is told as an error, like a full disk.
    ::signal(SIGXFSZ, SIG_IGN);
    try {
        const std::string_view path = argc > 0 ? argv[0] : "";
        harness::begin_program(std::string(path.substr(path.rfind('/') + 1)));
        const int code = dispatch(argc, argv);
        // A table that was cut short by a full disk must not pass for the whole.
        if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
        fmt::print(stderr, "lockstep: the output could not be written: {}\n", std::strerror(errno));
        return static_cast<int>(ExitCode::GaveUp);
    } catch (const harness::NoWorker& e) {
        fmt::print(stderr, "{}: {}\n", harness::program_name(), e.what());
        return static_cast<int>(ExitCode::GaveUp);
    } catch (const std::system_error& e) {  // as fmt reports a full disk
        fmt::print(stderr, "lockstep: the output could not be written: {}\n", e.what());
        return static_cast<int>(ExitCode::GaveUp);
    } catch (const std::exception& e) {
        fmt::print(stderr, "lockstep: a mistake of this program's own: {}\n", e.what());
        return static_cast<int>(ExitCode::Untrustworthy);
    }
}
