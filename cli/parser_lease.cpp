#include "cli/parser_lease.hpp"

#include "cli/option_checks.hpp"
#include "harness/data/read.hpp"
#include "harness/lease/emit.hpp"
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

namespace {

/// Adds the options of `lease`, by what they are about; and remembers what a sweep that is read
/// from a file cannot have.
class LeaseOptions {
public:
    LeaseOptions(CLI::App& command, LeaseArguments& arguments)
        : command_(command), arguments_(arguments) {}

    void add() {
        add_world();
        add_settings();
        add_simulation();
        add_questions();
        add_results();
    }

private:
    CLI::Option* text(const char* name, std::string& to, const char* help, const char* type) {
        return grouped(command_.add_option(name, to, help)->type_name(type)->check(not_empty()));
    }
    /// What an unset variable of a shell leaves is no wish to leave it off.
    static CLI::Validator not_empty() {
        return {[](std::string& said) { return said.empty() ? "nothing is said" : std::string(); },
                ""};
    }
    CLI::Option* number(const char* name, std::uint64_t& to, const char* help) {
        return grouped(command_.add_option(name, to, help)->type_name("N")->check(whole_number()));
    }
    CLI::Option* grouped(CLI::Option* option) {
        option->group(group_);
        if (of_the_sweep_) sweep_.push_back(option);
        return option;
    }

    void add_world() {
        group_ = "What happens (DATA: files, or a rate and lengths)";
        text("--pauses", arguments_.pauses, "Stops of the holder: gc.log, or 1/day x 2s..20s",
             "DATA");
        text("--rtt", arguments_.rtt, "Round trips to the service: ping.txt, or 1ms..5ms", "DATA");
        text("--disk", arguments_.disk, "Syncs of the service's disk, likewise", "DATA");
        text("--outages", arguments_.outages, "Nobody reaches the service: 2/month x 5s..90s",
             "DATA");
        text("--partitions", arguments_.partitions, "The holder alone does not, likewise", "DATA");
        text("--failovers", arguments_.failovers,
             "The service changes its leader: 1/week (lengths as simulated)", "DATA");
        text("--crashes", arguments_.crashes, "Of holders (default 1/week)", "RATE");
        text("--deploys", arguments_.deploys, "Graceful releases (default 2/day)", "RATE");
        text("--drift", arguments_.drift, "The holder's clock is slow by: 200ppm, 1%", "SHARE");
    }

    void add_settings() {
        group_ = "What is tried (at most two ranges)";
        text("--lease", arguments_.lease, "15s, or a range (default 2s..120s)", "SPAN");
        text("--renew", arguments_.renew, "5s, a range, or lease/3 (default)", "SPAN");
        text("--deadline", arguments_.deadline, "The holder stands down: 10s, lease-30s", "SPAN");
        text("--lock-delay", arguments_.lock_delay, "After an expiry, likewise", "SPAN");
        std::vector<std::string> names;
        for (const lease::Preset& known : lease::presets()) names.emplace_back(known.name);
        text("--preset", arguments_.preset,
             "Settings only, not that system; with --lease, in its proportions", "NAME")
            ->check(CLI::IsMember(names).description(""));
        number("--points", arguments_.points, "Settings in a range (default 20)")
            ->check(CLI::Range(2, 1'000).description(""));
        grouped(command_.add_flag("--without-defaults", arguments_.without_defaults,
                                  "Does not mark the defaults of known systems"));
    }

    void add_simulation() {
        group_ = "How";
        text("--span", arguments_.span,
             "Simulated for each setting (default 90d, or 3 x the longest trace)", "SPAN");
        number("--seed", arguments_.seed, "Of all luck (default 1)");
        text("--fidelity", arguments_.fidelity, "lease (default) or full", "lease|full")
            ->check(CLI::IsMember({"lease", "full"}).description(""));
        text("--budget", arguments_.budget, "Ends settings early after this wall time", "SPAN")
            ->check(wall_time());
        text("--shard", arguments_.shard, "Only this part of the settings: 2/4; see --from", "I/N");
        of_the_sweep_ = false;
        add_jobs(&command_, arguments_.jobs, "Threads (default: one a core)");
        command_.get_option("--jobs")->group(group_);
    }

    void add_questions() {
        group_ = "What is asked";
        grouped(command_
                    .add_option("--want", arguments_.wants,
                                "A bound: 'losses < 1/month'; may be repeated")
                    ->type_name("WANT")
                    ->allow_extra_args(false));
        text("--loss-cost", arguments_.loss_cost, "What one loss costs, in time: 2h", "SPAN");
        of_the_sweep_ = true;
        text("--now", arguments_.now, "Today's lease/deadline/renewal: 15s/10s/2s", "SETTING");
        of_the_sweep_ = false;
        text("--emit", arguments_.emit, "The answer as settings of that system", "kubernetes|etcd")
            ->check(CLI::IsMember(lease::emit_names()).description(""));
        text("--observed", arguments_.observed,
             "What today's came to: '3 losses in 90d', or a log of them", "COUNT");
    }

    void add_results() {
        group_ = "Results";
        const auto file = [this](const char* name, std::string& to, const char* help) {
            files_.push_back(text(name, to, help, "FILE"));
        };
        file("--html", arguments_.html, "File for a page to look at; - for stdout");
        text("--plots", arguments_.plots, "Folder for its plots, as SVG files", "DIR");
        file("--csv", arguments_.csv, "File for all figures, a row a setting; likewise");
        file("--json", arguments_.json, "File for all figures and the answer; likewise");
        CLI::Option* from =
            grouped(command_
                        .add_option("--from", arguments_.from,
                                    "What --json kept, all parts of it, instead of a simulation")
                        ->type_name("FILE"));
        CLI::Option* compare = grouped(command_.add_flag(
            "--compare", arguments_.compare, "Holds the model against what is known, instead"));
        command_.parse_complete_callback([from, compare, sweep = sweep_, files = files_] {
            const auto exclude = [](CLI::Option* one, const std::vector<CLI::Option*>& others) {
                for (CLI::Option* other : others)
                    if (one->count() > 0 && other->count() > 0)
                        throw CLI::ExcludesError(one->get_name(), other->get_name());
            };
            exclude(from, sweep);
            exclude(compare, files);
            exclude(compare, {from});
        });
    }

    CLI::App& command_;
    LeaseArguments& arguments_;
    std::string group_;
    std::vector<CLI::Option*> files_;  ///< that a report goes to
    std::vector<CLI::Option*> sweep_;  ///< what decides what comes of a sweep
    bool of_the_sweep_ = true;
};

}  // namespace

void add_lease(CLI::App& app, LeaseArguments& arguments) {
    CLI::App* command =
        app.add_subcommand("lease", "What each length of a lease costs, from your own logs");
    LeaseOptions(*command, arguments).add();
    command->footer(
        "All settings meet the same pauses and the same luck. Results depend on the seed,\n"
        "not on --jobs or --shard. With --want the setting is named that meets all of\n"
        "them at the least cost, as far as span and logs can show it: exit code 3 if none\n"
        "does, or if --observed contradicts the model. --compare ends with 4 if something\n"
        "disagrees. What a file does not say: 'stops.csv column pause unit ms in 7d'.\n"
        "\n"
        "Examples:\n"
        "  lockstep lease --pauses gc.log --html lease.html\n"
        "  lockstep lease --pauses gc.log --outages '2/month x 5s..90s' --preset kubernetes\n"
        "  lockstep lease --pauses gc.log --want 'losses < 1/month' --want \\\n"
        "    'crash takeover p99 < 20s' --emit kubernetes\n"
        "  lockstep lease --pauses gc.log --now 15s/10s/2s --observed '3 losses in 90d'\n"
        "  lockstep lease --pauses gc.log --lease 10s..60s --deadline 5s..40s --html map.html\n"
        "  lockstep lease --compare");
}

}  // namespace lockstep::cli
