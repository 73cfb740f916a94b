#include "cli/parser.hpp"

#include "cli/option_checks.hpp"
#include "cli/parser_failures.hpp"
#include "cli/parser_lease.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace lockstep::cli {
namespace {

void add_run(CLI::App& app, RunArguments& arguments) {
    CLI::App* command = app.add_subcommand("run", "Runs one seed and tells its story");
    command->add_option("scenario", arguments.scenario, scenario_help)->required();
    command->add_option("--seed", arguments.seed, "Which run (default 1)")
        ->type_name("N")
        ->check(whole_number());
    add_sets(command, arguments.sets);
    command->add_flag("-v,--verbose", arguments.verbose, "Every event and every message");
    command->add_option("--until", arguments.until, "Ends the run at this simulated time: 12.5s")
        ->type_name("TIME");
    command
        ->add_option("--budget", arguments.budget,
                     "Ends the run without a verdict after 90s, 5m, 2h")
        ->type_name("SPAN")
        ->check(wall_time());
    command
        ->add_option("--events", arguments.events,
                     "File for all events, a line of JSON each; - for stdout")
        ->type_name("FILE");
    command->add_option("--history", arguments.history, "File for `lockstep check`; - for stdout")
        ->type_name("FILE");
    command->add_option("--html", arguments.html, "File for the timeline, a page; - for stdout")
        ->type_name("FILE");
    command->add_option("--perfetto", arguments.perfetto, "File for ui.perfetto.dev; - for stdout")
        ->type_name("FILE");
    command->add_option("--json", arguments.json, "File for the verdicts as JSON; - for stdout")
        ->type_name("FILE");
    command->footer(
        "Prints what happened, with true times, then the verdict of each property. The\n"
        "same seed tells the same story on every machine.\n"
        "\n"
        "Examples:\n"
        "  lockstep run pause-past-lease\n"
        "  lockstep run chaos --seed 4711 --verbose\n"
        "  lockstep run pause-past-lease --set resource.fencing=none --set lease.ttl=5s\n"
        "  lockstep run vote-forgotten --html timeline.html\n"
        "  lockstep run ./mine.toml --seed 3");
}

void add_explore(CLI::App& app, ExploreArguments& arguments) {
    CLI::App* command = app.add_subcommand("explore", "Runs many seeds; how they went, in a table");
    command->add_option("scenarios", arguments.scenarios,
                        "Names or paths of .toml files (default: the catalogue)");
    command->add_option("--seeds", arguments.seeds, "Seeds of each scenario (default 1000)")
        ->type_name("N")
        ->check(whole_number());
    command->add_option("--first-seed", arguments.first_seed, "The first of them (default 1)")
        ->type_name("N")
        ->check(whole_number());
    add_jobs(command, arguments.jobs);
    command
        ->add_option("--budget", arguments.budget,
                     "Begins nothing new after 90s, 5m, 2h of wall time")
        ->type_name("SPAN")
        ->check(wall_time());
    command
        ->add_option("--watchdog", arguments.watchdog,
                     "Gives a run up after this wall time (default 10m)")
        ->type_name("SPAN")
        ->check(wall_time());
    command
        ->add_option("--out", arguments.out,
                     "Keeps results here, to go on later (default .lockstep)")
        ->type_name("DIR")
        ->check(directory());
    command->add_flag("--no-out", arguments.no_out, "Keeps no results");
    command->add_flag("--no-shrink", arguments.no_shrink, "Tells failures as they came");
    command
        ->add_option("--shrink-for", arguments.shrink_for,
                     "Wall time for each kind of failure (default 30s)")
        ->type_name("SPAN")
        ->check(wall_time());
    command->add_option("--shard", arguments.shard, "Only part i of n of the seeds")
        ->type_name("i/n");
    command->add_option("--json", arguments.json, "File for the tables as JSON; - for stdout")
        ->type_name("FILE");
    command->add_option("--junit", arguments.junit, "File for a JUnit report; - for stdout")
        ->type_name("FILE");
    command->add_option("--rates", arguments.rates, "File for the rates that `gate` goes by")
        ->type_name("FILE");
    add_sets(command, arguments.sets);
    command->footer(
        "Results do not depend on --jobs. A run that crashes takes down its worker alone\n"
        "and counts as a failure. A failing seed is printed with its evidence and the\n"
        "command that repeats it, then shrunk and explained. Ctrl-C prints the table of\n"
        "what has finished; the same command goes on from there, after kill -9 too, as\n"
        "long as program, scenarios and seeds are the same. In an array of Slurm, an\n"
        "indexed job of Kubernetes or parallel jobs of GitLab each task takes its part of\n"
        "the seeds; `lockstep merge` puts them together.\n"
        "\n"
        "Examples:\n"
        "  lockstep explore\n"
        "  lockstep explore chaos --seeds 50000 --budget 10m\n"
        "  lockstep explore chaos torn-log --first-seed 100001 --seeds 2000 --jobs 2\n"
        "  lockstep explore --seeds 50000 --shard 2/4 --out results");
}

void add_merge(CLI::App& app, MergeArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("merge", "Puts the results of several machines together");
    command
        ->add_option("directories", arguments.directories,
                     "What shards kept, or folders that contain it")
        ->type_name("DIR")
        ->required();
    command->add_option("--out", arguments.out, "Keeps the merged results here")
        ->type_name("DIR")
        ->check(directory());
    command->add_option("--json", arguments.json, "File for the tables as JSON; - for stdout")
        ->type_name("FILE");
    command->add_option("--junit", arguments.junit, "File for a JUnit report; - for stdout")
        ->type_name("FILE");
    command->add_option("--rates", arguments.rates, "File for the rates that `gate` goes by")
        ->type_name("FILE");
    command->add_flag("--partial", arguments.partial, "Takes what there is, if runs are missing");
    command->footer(
        "Prints the table that one machine would have come to. Parts of different\n"
        "explorations, a part that is there twice, and parts that are missing or not\n"
        "finished are refused, with what to do about it.\n"
        "\n"
        "Examples:\n"
        "  lockstep merge results\n"
        "  lockstep merge results/shard-*-of-4 --json merged.json --out merged");
}

void add_gate_files(CLI::App* command, GateArguments& arguments) {
    const auto file = [&](const char* name, std::string& value, const char* help) {
        command->add_option(name, value, help)->type_name("FILE");
    };
    file("--known", arguments.known, "Failures that may pass (default known.toml)");
    file("--baseline", arguments.baseline, "Another build, asked whether it fails, too");
    file("--rates", arguments.rates, "Rates of a healthy build (default: the catalogue's)");
    file("--junit", arguments.junit, "For a JUnit report; - for stdout");
    file("--json", arguments.json, "For all as JSON; - for stdout");
    file("--summary", arguments.summary, "For a summary in Markdown; - for stdout");
    command
        ->add_option("--regressions", arguments.regressions,
                     "Folder of repros (default scenarios/regressions)")
        ->type_name("DIR");
    command->add_option("--out", arguments.out, "For repros of failures (default .lockstep/gate)")
        ->type_name("DIR")
        ->check(directory());
}

void add_gate(CLI::App& app, GateArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("gate", "What CI runs: regressions, a corpus, fresh seeds");
    command->add_option("scenarios", arguments.scenarios,
                        "Names or paths of .toml files (default: the catalogue)");
    command->add_flag("--pr", arguments.pr, "Of a change: what the baseline has may pass");
    command
        ->add_option("--base", arguments.base,
                     "Text that decides the fresh seeds (default: the commit)")
        ->type_name("TEXT");
    const auto number = [&](const char* name, auto& value, const char* help) {
        return command->add_option(name, value, help)->type_name("N")->check(whole_number());
    };
    number("--seeds", arguments.seeds, "Fresh seeds of each scenario (default 50)");
    number("--corpus", arguments.corpus, "Seeds of each that never change (default 20)");
    number("--min-seeds", arguments.min_seeds, "Fresh ones it takes (default: a tenth)");
    add_jobs(command, arguments.jobs);
    const auto span = [&](const char* name, std::string& value, const char* help) {
        command->add_option(name, value, help)->type_name("SPAN")->check(wall_time());
    };
    span("--budget", arguments.budget, "Wall time for all runs (default 5m)");
    span("--shrink-for", arguments.shrink_for, "Wall time to shrink a failure (default 30s)");
    command->add_flag("--no-shrink", arguments.no_shrink, "Writes repros as they were found");
    command->add_option("--twice", arguments.twice, "Share of runs to run again (default 2%)")
        ->type_name("SHARE");
    add_sets(command, arguments.sets);
    add_gate_files(command, arguments);
    command->footer(
        "docs/ci.md has workflows and the arithmetic of the minimums. Exit codes: 0\n"
        "passed, 1 a failure blocks, 2 bad input, 3 too little was seen to tell, 4 the\n"
        "harness is not to be trusted.\n"
        "\n"
        "Examples:\n"
        "  lockstep gate\n"
        "  lockstep gate --base \"$(git rev-parse HEAD)\" --junit gate.xml\n"
        "  lockstep gate --pr --baseline main/lockstep --budget 10m");
}

void add_confirm(CLI::App& app, ConfirmArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("confirm", "How often a repro's failure comes with other luck");
    command->add_option("repro", arguments.repro, "A repro, as `gate` and `shrink` write it")
        ->type_name("FILE")
        ->required();
    command->add_option("--seeds", arguments.seeds, "How many are tried (default 1000)")
        ->type_name("N")
        ->check(whole_number());
    add_jobs(command, arguments.jobs);
    command->footer(
        "Prints whether the repro's own seed fails now, how many others do, and the\n"
        "chance that it has at most, with 95% confidence: after a fix, with no failure\n"
        "in n runs, near 3/n. Runs in which a fault met nobody count for nothing.\n"
        "Exit codes: 0 it came no more, 1 it did, or another failure, 3 interrupted, or\n"
        "nothing can be said.\n"
        "\n"
        "Examples:\n"
        "  lockstep confirm scenarios/regressions/lost-update.toml --seeds 10000");
}

void add_digest(CLI::App& app, DigestArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("digest", "A digest a run, to compare builds and machines");
    command->add_option("scenarios", arguments.scenarios,
                        "Names or paths of .toml files (default: the catalogue)");
    command->add_option("--seeds", arguments.seeds, "Seeds of each scenario (default 20)")
        ->type_name("N")
        ->check(whole_number());
    command->add_option("--first-seed", arguments.first_seed, "The first of them (default 1)")
        ->type_name("N")
        ->check(whole_number());
    command
        ->add_option("--wire-codec", arguments.wire_codec,
                     "on or off: are messages encoded and decoded?")
        ->type_name("on|off")
        ->check(CLI::IsMember({"on", "off"}).description(""));
    command->add_flag("--twice", arguments.twice,
                      "Runs all again in another process, and compares");
    add_sets(command, arguments.sets);
    command->footer(
        "Prints `scenario seed digest` lines, the same for every build of one plan epoch:\n"
        "compare them byte for byte. --twice runs everything again in another process,\n"
        "backwards and with another heap; exit code 4 if a digest differs.\n"
        "\n"
        "Examples:\n"
        "  lockstep digest --seeds 50 > g++.txt\n"
        "  lockstep digest chaos --seeds 5 --twice");
}

void add_check(CLI::App& app, CheckArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("check", "Judges a history of a service that ran elsewhere");
    command
        ->add_option("history", arguments.file,
                     "JSON lines or Jepsen's EDN, plain or gzip; - for stdin")
        ->type_name("FILE")
        ->required();
    command
        ->add_option("--clock-error", arguments.clock_error,
                     "How far a stamp may be from the true time: 5ms")
        ->type_name("SPAN");
    command->add_option("--ttl", arguments.ttl, "Of leases whose lines name none: 10s")
        ->type_name("SPAN");
    command
        ->add_option("--drift-bound", arguments.drift_bound,
                     "Of clocks' rates, for early ends: 1%, 200ppm")
        ->type_name("SHARE");
    command->add_flag("--json", arguments.json, "The verdict as one JSON object");
    command->footer(
        "Each property for which the history has evidence is held, violated, or\n"
        "undecidable within the clock error, which stamps of several hosts have; the\n"
        "others are idle, with the reason. docs/history-format.md describes the lines.\n"
        "Exit codes: 0 held, 1 violated, 2 a line that is no operation's, 3 undecidable,\n"
        "or nothing to judge.\n"
        "\n"
        "Examples:\n"
        "  lockstep run chaos --history chaos.jsonl\n"
        "  lockstep check chaos.jsonl\n"
        "  lockstep check history.jsonl --clock-error 5ms --ttl 10s\n"
        "  zcat history.edn.gz | lockstep check - --json");
}

void add_list(CLI::App& app, ListArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("list", "Scenarios, services, faults, properties, marks");
    command->add_option("group", arguments.group, "Only one of them (default: all)")
        ->type_name("GROUP")
        ->check(CLI::IsMember(list_groups()).description(""));
    command->add_flag("--markdown", arguments.markdown,
                      "Of properties: the table for docs/properties.md");
    command->footer(
        fmt::format("Groups: {}\n"
                    "\n"
                    "Examples:\n"
                    "  lockstep list scenarios\n"
                    "  lockstep list faults",
                    fmt::join(list_groups(), ", ")));
}

}  // namespace

void add_commands(CLI::App& app, Arguments& arguments) {
    app.require_subcommand(1);
    app.fallthrough();
    app.set_version_flag("--version", version_text());
    app.add_option("--config", arguments.config, "Defaults for options (default: lockstep.toml)");
    app.add_flag("--no-config", arguments.no_config, "Reads no such file");
    app.get_formatter()->column_width(26);
    add_list(app, arguments.list);
    add_run(app, arguments.run);
    add_explore(app, arguments.explore);
    add_merge(app, arguments.merge);
    add_gate(app, arguments.gate);
    add_confirm(app, arguments.confirm);
    add_digest(app, arguments.digest);
    add_check(app, arguments.check);
    add_shrink(app, arguments.shrink);
    add_replay(app, arguments.replay);
    add_accept(app, arguments.accept);
    add_pinpoint(app, arguments.pinpoint);
    add_data(app, arguments.data);
    add_probe(app, arguments.probe);

    add_lease(app, arguments.lease);
    CLI::App* completion =
        app.add_subcommand("completion", "A script for bash, which completes what is typed");
    completion->add_option("shell", arguments.shell, "bash")
        ->type_name("SHELL")
        ->required()
        ->check(CLI::IsMember({"bash"}).description(""));
    completion->footer(
        "In the file that bash reads at its start:\n"
        "  eval \"$(lockstep completion bash)\"");
    app.add_subcommand("version", "Version, plan epoch, compiler, hash of the program")
        ->footer("Two programs with the same hash come to the same digests.");
}

}  // namespace lockstep::cli
