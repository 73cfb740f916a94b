#include "cli/parser_failures.hpp"

#include "cli/option_checks.hpp"

namespace lockstep::cli {

void add_shrink(CLI::App& app, ShrinkArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("shrink", "The smallest scenario that still fails alike");
    command->add_option("scenario", arguments.scenario, scenario_help)->required();
    command->add_option("--seed", arguments.seed, "The run that fails (default 1)")
        ->type_name("N")
        ->check(whole_number());
    command
        ->add_option("--property", arguments.property, "Which failure (default: the first in time)")
        ->type_name("ID");
    command->add_option("--for", arguments.span, "Ends after this wall time (default 2m)")
        ->type_name("SPAN")
        ->check(wall_time());
    command
        ->add_option("--out", arguments.out,
                     "File for the repro (default: one in .lockstep/repros)")
        ->type_name("FILE");
    add_sets(command, arguments.sets);
    command->footer(
        "Writes the plan of faults out, cuts the run to the failure, then takes away and\n"
        "makes simpler whatever the failure does not need. Prints what happened in what is\n"
        "left, and keeps it as a repro: a scenario that `replay` runs again. The same\n"
        "arguments give the same repro, unless time runs out. A failure that the scenario\n"
        "expects is shrunk like any other. Exit codes: 0, 2 if nothing fails, 3 if\n"
        "interrupted.\n"
        "\n"
        "Examples:\n"
        "  lockstep shrink fencing-none\n"
        "  lockstep shrink chaos --seed 4711 --property LOCK-3 --for 10m --out mine.toml");
}

void add_replay(CLI::App& app, ReplayArguments& arguments) {
    CLI::App* command = app.add_subcommand("replay", "Runs a repro again: does it still fail?");
    command->add_option("repro", arguments.file, "A file that `shrink` or `explore` wrote")
        ->required();
    command
        ->add_option("--against", arguments.against,
                     "Events of another run of it; the first that differs is shown")
        ->type_name("FILE");
    command->add_option("--events", arguments.events, "File for its events; - for stdout")
        ->type_name("FILE");
    command->footer(
        "Under the program that wrote the repro the digest must be the same; under another\n"
        "one a difference is a note. Exit codes: 1 it fails again (or in another way, which\n"
        "is said), 0 it held and every fault found its target, 3 it no longer exercises\n"
        "what it is about: a fault missed its target, 4 the digest differs.\n"
        "\n"
        "Examples:\n"
        "  lockstep replay .lockstep/repros/chaos-LOCK-3-4711.toml\n"
        "  lockstep replay mine.toml --events a.jsonl   # with one program, then with another\n"
        "  lockstep replay mine.toml --against a.jsonl");
}

void add_accept(CLI::App& app, AcceptArguments& arguments) {
    CLI::App* command = app.add_subcommand("accept", "Keeps a repro as a regression");
    command->add_option("repro", arguments.file, "A file that `shrink` or `explore` wrote")
        ->required();
    command->add_option("--to", arguments.to, "The folder (default scenarios/regressions)")
        ->type_name("DIR");
    command->add_option("--name", arguments.name, "Of the file there (default: as it is called)")
        ->type_name("NAME");
    command
        ->add_option("--story", arguments.story,
                     "What it is about (default: what the explanation says)")
        ->type_name("TEXT");
    command->footer(
        "The repro is replayed first: one that no longer exercises what it is about is\n"
        "refused. Nothing is overwritten.\n"
        "\n"
        "Example:\n"
        "  lockstep accept .lockstep/repros/chaos-LOCK-3-4711.toml --name early-expiry");
}

void add_pinpoint(CLI::App& app, PinpointArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("pinpoint", "From which instant on a failing run was bound to fail");
    command->add_option("scenario", arguments.scenario, "A repro, or a scenario: name or path")
        ->required();
    command->add_option("--seed", arguments.seed, "Which run (default: the repro's, or 1)")
        ->type_name("N")
        ->check(whole_number());
    command
        ->add_option("--property", arguments.property,
                     "Which failure (default: the repro's, or the first)")
        ->type_name("ID");
    command->add_option("--points", arguments.points, "Instants to look from (default 40)")
        ->type_name("N")
        ->check(whole_number());
    command->add_option("--html", arguments.html, "File for the run as a page, with the chances")
        ->type_name("FILE");
    command->add_option("--runs", arguments.runs, "Runs from each of them (default 100)")
        ->type_name("N")
        ->check(whole_number());
    add_jobs(command, arguments.jobs);
    add_sets(command, arguments.sets);
    command->footer(
        "Runs the scenario with its own luck up to each of many instants, and with other\n"
        "luck from there on: delays, losses, what a crash leaves of the disk, and when\n"
        "faults strike that have not struck yet. How often it fails in the same way, with\n"
        "the interval at 95%, rises at the instant that decided it. The result does not\n"
        "depend on --jobs. Exit codes: 0, 2 if the run does not fail, 3 if interrupted.\n"
        "\n"
        "Examples:\n"
        "  lockstep pinpoint pause-past-lease --set resource.fencing=none\n"
        "  lockstep pinpoint .lockstep/chaos-4711.toml --points 20 --runs 400");
}

}  // namespace lockstep::cli
