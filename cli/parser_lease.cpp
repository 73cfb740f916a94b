#include "cli/parser_lease.hpp"

#include "cli/option_checks.hpp"
#include "harness/data/read.hpp"
#include "harness/lease/setting.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace lockstep::cli {

void add_data(CLI::App& app, DataArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("data", "What logs of pauses, latencies and disks contain");
    command->add_option("files", arguments.files, "Plain or gzip; - for standard input")
        ->type_name("FILE")
        ->required();
    command->add_option("--format", arguments.format, "If it is not recognised (see below)")
        ->type_name("NAME");
    command->add_option("--column", arguments.column, "Of a table: its name, or its number")
        ->type_name("NAME");
    command->add_option("--unit", arguments.unit, "Of numbers that carry none: ns us ms s m h")
        ->type_name("UNIT")
        ->check(CLI::IsMember({"ns", "us", "ms", "s", "m", "h"}).description(""));
    command->add_option("--as", arguments.as, "What was measured: pause rtt disk outage lost")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"pause", "rtt", "disk", "outage", "lost"}).description(""));
    command->add_flag("--json", arguments.json, "As one JSON object");
    std::string names;
    for (const auto& format : data::formats())
        names += fmt::format("  {:<18} {}\n", format.name, format.about);
    command->footer("Formats, recognised by the first lines:\n" + names +
                    "\n"
                    "Exit codes: 0, or 2 for a file that cannot be taken for what it says.\n"
                    "\n"
                    "Examples:\n"
                    "  lockstep data gc.log\n"
                    "  lockstep data gc.log.0.gz gc.log.1 gc.log.2\n"
                    "  lockstep data stalls.csv --column pause --unit ms --as pause");
}

void add_probe(CLI::App& app, ProbeArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("probe", "Measures stalls of this machine, and connections");
    command->add_option("--for", arguments.span, "How long (default 10m)")
        ->type_name("SPAN")
        ->check(wall_time());
    command->add_option("--every", arguments.every, "How long each sleep is (default 1ms)")
        ->type_name("SPAN")
        ->check(wall_time());
    command->add_option("--ping", arguments.ping, "Also connects to this address, 5 times a second")
        ->type_name("HOST:PORT");
    command->add_option("--out", arguments.out, "Default probe.txt; - for stdout")
        ->type_name("FILE");
    command->footer(
        "A thread sleeps and looks how late it wakes: a stall is as long as it is late, of\n"
        "the machine, the container or its share of a core. Ctrl-C ends it and keeps what\n"
        "was measured. Nothing is sent but to the one address.\n"
        "\n"
        "Examples:\n"
        "  lockstep probe --for 10m --out probe.txt\n"
        "  lockstep probe --for 24h --ping etcd-0:2379\n"
        "  lockstep data probe.txt");
}

void add_lease(CLI::App& app, LeaseArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("lease", "What each length of a lease costs, from your own logs");
    const auto text = [command](const char* name, std::string& to, const char* help,
                                const char* type) {
        command->add_option(name, to, help)->type_name(type);
    };
    text("--pauses", arguments.pauses, "Stops of the holder: a log, or 1/day x 2s..20s", "DATA");
    text("--rtt", arguments.rtt, "Round trips to the service: a log, or 1ms..5ms", "DATA");
    text("--disk", arguments.disk, "Syncs of the service's disk, likewise", "DATA");
    text("--outages", arguments.outages, "Nobody reaches it: 2/month x 5s..90s", "DATA");
    text("--partitions", arguments.partitions, "The holder does not reach it, likewise", "DATA");
    text("--failovers", arguments.failovers, "It changes its leader: 1/week, lengths as simulated",
         "DATA");
    text("--crashes", arguments.crashes, "Of holders (default 1/week)", "RATE");
    text("--deploys", arguments.deploys, "Graceful releases (default 2/day)", "RATE");
    text("--lease", arguments.lease, "15s, or a range (default 2s..120s)", "SPAN");
    text("--renew", arguments.renew, "5s, a range, or lease/3 (default)", "SPAN");
    text("--deadline", arguments.deadline, "The holder stands down: 10s, lease-30s", "SPAN");
    text("--lock-delay", arguments.lock_delay, "After an expiry, likewise", "SPAN");
    std::vector<std::string> names;
    for (const lease::Preset& known : lease::presets()) names.emplace_back(known.name);
    command->add_option("--preset", arguments.preset, "The settings of a known system")
        ->type_name("NAME")
        ->check(CLI::IsMember(names).description(""));
    command->add_option("--points", arguments.points, "Settings in a range (default 20)")
        ->type_name("N")
        ->check(whole_number())
        ->check(CLI::Range(2, 1'000).description(""));
    text("--drift", arguments.drift, "The holder's clock is slow by: 200ppm, 1%", "SHARE");
    text("--span", arguments.span, "Simulated for each setting (default 90d)", "SPAN");
    command->add_option("--budget", arguments.budget, "Ends settings early after this wall time")
        ->type_name("SPAN")
        ->check(wall_time());
    command->add_option("--seed", arguments.seed, "Of all luck (default 1)")
        ->type_name("N")
        ->check(whole_number());
    add_jobs(command, arguments.jobs, "Threads (default: one a core)");
    command->add_option("--fidelity", arguments.fidelity, "lease (default) or full")
        ->type_name("lease|full")
        ->check(CLI::IsMember({"lease", "full"}).description(""));
    command->add_option("--want", arguments.wants, "A bound: 'losses < 1/month'; may be repeated")
        ->type_name("WANT")
        ->allow_extra_args(false);
    text("--loss-cost", arguments.loss_cost, "What one loss costs, in time: 2h", "SPAN");
    text("--now", arguments.now, "Today's lease/deadline/renewal: 15s/10s/2s", "SETTING");
    text("--observed", arguments.observed, "What it came to: '3 losses in 90d'", "COUNT");
    text("--csv", arguments.csv, "File for all figures, a row a setting; - for stdout", "FILE");
    text("--json", arguments.json, "File for all figures, and the answer; - for stdout", "FILE");
    command->add_flag("--compare", arguments.compare,
                      "Holds the model against what is known, instead");
    command->footer(
        "All settings meet the same pauses and the same luck. Results depend on the seed,\n"
        "not on --jobs. With --want the setting is named that meets all of them at the\n"
        "least cost, as far as span and logs can show it: exit code 3 if none does, or if\n"
        "--observed contradicts the model. --compare ends with 4 if something disagrees.\n"
        "\n"
        "Examples:\n"
        "  lockstep lease --pauses gc.log --lease 2s..120s\n"
        "  lockstep lease --pauses gc.log --outages '2/month x 5s..90s' --preset kubernetes\n"
        "  lockstep lease --pauses gc.log --want 'losses < 1/month' --want 'crash takeover p99 < "
        "20s'\n"
        "  lockstep lease --pauses gc.log --now 15s/10s/2s --observed '3 losses in 90d'\n"
        "  lockstep lease --compare");
}

}  // namespace lockstep::cli
