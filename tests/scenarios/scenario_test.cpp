#include "core/events/event.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/scenario_text.hpp"
#include "scenarios/scenario_toml.hpp"
#include "scenarios/scenario_values.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

using namespace lockstep;
using namespace lockstep::scenario;
namespace fs = std::filesystem;

/// The root of the source tree, from this file's own place in it or from the current directory up.
fs::path root() {
    for (fs::path dir = fs::current_path(); dir != dir.parent_path(); dir = dir.parent_path())
        if (fs::exists(dir / "scenarios/catalogue/calm.toml")) return dir;
    FAIL("the tests must run inside the source tree");
    return {};
}

std::vector<fs::path> toml_files(const fs::path& dir) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(dir))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    std::ranges::sort(files, {}, [](const fs::path& file) { return file.stem(); });
    return files;
}

std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// The text of the file. With LOCKSTEP_UPDATE_GOLDEN set, `actual` is written there first: look at
/// the difference.
std::string golden(const fs::path& file, const std::string& actual) {
    if (std::getenv("LOCKSTEP_UPDATE_GOLDEN") != nullptr)
        std::ofstream(file, std::ios::binary) << actual;
    return contents(file);
}

Scenario parsed(const std::string& text) {
    auto scenario = parse_scenario(text, "test.toml");
    if (!scenario) FAIL(to_string(scenario.error()));
    return std::move(scenario).value();
}

std::string refusal(const std::string& text) {
    auto scenario = parse_scenario(text, "t.toml");
    return scenario ? "accepted" : to_string(scenario.error());
}

template <class T>
std::string reparsed(const char* text) {
    T value{};
    if (parse(text, value)) return "refused";
    return text_of(value);
}

const std::vector<std::string> catalogue_names{"calm",
                                               "chaos",
                                               "chaos-with-all-options",
                                               "client-clock-drift",
                                               "clock-5-percent-within-bound",
                                               "clock-fast-beyond-bound",
                                               "clock-slow-beyond-bound",
                                               "cron",
                                               "cut-off-server-returns",
                                               "deposed-leader-renews-nothing",
                                               "disks-that-lie",
                                               "elections-keep-a-dead-lease-alive",
                                               "fencing-none",
                                               "fencing-writes-only",
                                               "frozen-clock",
                                               "full-disk",
                                               "graceful-stop-drains-too-late",
                                               "herd",
                                               "holder-cut-from-service",
                                               "holder-dies-at-the-end-of-trouble",
                                               "killed-while-compacting",
                                               "leader-crash-after-grant",
                                               "leader-crash-loop",
                                               "leader-disk-hangs",
                                               "leader-hears-nothing",
                                               "leaders-before-commit",
                                               "lock-delay",
                                               "lost-acquire-reply",
                                               "lost-open-reply",
                                               "lost-release-reply",
                                               "many-locks",
                                               "minority-partition",
                                               "overload",
                                               "pause-between-check-and-write",
                                               "pause-past-lease",
                                               "payments",
                                               "renewals-through-elections",
                                               "renewed-after-a-checkpoint",
                                               "renewer-stalls",
                                               "restart-of-everything",
                                               "row-without-fencing",
                                               "store-loses-power",
                                               "storm",
                                               "torn-log",
                                               "two-pauses",
                                               "vote-forgotten",
                                               "wait-ends-as-grant-comes",
                                               "waiter-dies-in-line",
                                               "wall-clocks-jump",
                                               "worker-stalls",
                                               "zone-loss"};

}  // namespace

TEST_CASE("scenario: durations are read exactly, in integers") {
    CHECK(reparsed<Duration>("10s") == "10s");
    CHECK(reparsed<Duration>("1.5s") == "1500ms");
    CHECK(reparsed<Duration>("0.000000001s") == "1ns");
    CHECK(reparsed<Duration>("250ms") == "250ms");
    CHECK(reparsed<Duration>("2m") == "120s");
    CHECK(reparsed<Duration>("-3us") == "-3us");
    CHECK(reparsed<Duration>("0.5ns") == "refused");
    CHECK(reparsed<Duration>("0.0000000001s") == "refused");
    for (const char* bad : {"", "s", "10", "10 s", "1e3s", "--1s", "1.s", ".5s", "1.2.3s", "10sec",
                            "+1s", "99999999999999999s", "9300000000s", "1s..2s"})
        CHECK(reparsed<Duration>(bad) == "refused");
    CHECK(reparsed<DurationRange>("2s..5s") == "2s..5s");
    CHECK(reparsed<DurationRange>("2s..2s") == "2s");
    CHECK(reparsed<DurationRange>("2s..") == "refused");
    CHECK(reparsed<DurationRange>("2s...5s") == "refused");
}

TEST_CASE("scenario: percentages are parts in a million") {
    CHECK(reparsed<Ppm>("1%") == "1%");
    CHECK(reparsed<Ppm>("0.02%") == "0.02%");
    CHECK(reparsed<Ppm>("-0.95%") == "-0.95%");
    CHECK(reparsed<Ppm>("200ppm") == "0.02%");
    CHECK(reparsed<Ppm>("0.00001%") == "refused");
    CHECK(reparsed<Ppm>("1") == "refused");
}

TEST_CASE("scenario: the catalogue loads, each file under its own name and with a story") {
    std::vector<std::string> names;
    for (const fs::path& file : toml_files(root() / "scenarios/catalogue")) {
        auto scenario = load_scenario(file.string());
        if (!scenario) FAIL(to_string(scenario.error()));
        CHECK(scenario.value().name == file.stem().string());
        CHECK(scenario.value().story.size() > 100);
        CHECK(!scenario.value().required_marks.empty());
        names.push_back(scenario.value().name);
    }
    CHECK(names == catalogue_names);
}

TEST_CASE("scenario: what is written reads back equal") {
    for (const fs::path& file : toml_files(root() / "scenarios/catalogue")) {
        INFO(file.string());
        const Scenario scenario = load_scenario(file.string()).value();
        CHECK(parsed(to_toml(scenario)) == scenario);
    }
    const Scenario trailing = parsed("# a story\n#\n\n# another comment\n");
    CHECK(trailing.story == "a story");
    CHECK(parsed(to_toml(trailing)) == trailing);
    Scenario odd = parsed("[cluster]\nservers = 5\n");
    odd.story = "One line.\n\nAnother \"line\" \\ of it.";
    odd.expect.push_back({"LOCK-1", "run.quiet", "a\"b\\c"});
    odd.minimum_share.emplace_back("LOCK-1", Ppm{12'345});
    sim::Fault fault;
    fault.kind = sim::FaultKind::Reorder;
    fault.aim = {sim::Aim::By::Role, "next-waiter"};
    fault.peers = {"servers", "!leader"};
    fault.direction = sim::Direction::In;
    fault.ppm = 333'333;
    fault.duration = nanoseconds(1'234'567'891);
    fault.trigger = sim::Trigger{sim::Trigger::On::Message, "acquire-reply",
                                 sim::Aim{sim::Aim::By::Role, "leader"}, 7};
    odd.faults.push_back(fault);
    odd.cluster.zones = 3;
    odd.lease.hold_max = seconds(7);
    odd.lease.checkpoint_every = milliseconds(500);
    odd.limits.waiters = 12;
    odd.service_settings = {{"path", "a \"b\""}, {"retries", "3"}};
    fault = {};
    fault.kind = sim::FaultKind::ZoneLoss;
    fault.aim = {sim::Aim::By::Group, "zone-3"};
    fault.duration = seconds(2);
    odd.faults.push_back(fault);
    fault.kind = sim::FaultKind::CrashLoop;
    fault.aim = {sim::Aim::By::Role, "leader"};
    fault.period = seconds(1);
    fault.amount = milliseconds(300);
    fault.trigger = sim::Trigger{sim::Trigger::On::Disk, "sync-dir", std::nullopt, 2};
    odd.faults.push_back(fault);
    CHECK(parsed(to_toml(odd)) == odd);
}

TEST_CASE("scenario: a pinned scenario gives the same numbers and plan under any seed") {
    for (const char* name : {"chaos", "torn-log", "pause-past-lease"}) {
        INFO(name);
        const auto path = root() / "scenarios/catalogue" / (std::string(name) + ".toml");
        const Scenario scenario = load_scenario(path.string()).value();
        const Resolved drawn = resolve(scenario, 77);
        const Scenario written = parsed(to_toml(pinned(scenario, drawn)));
        const Resolved again = resolve(written, 12'345);
        CHECK(again.plan == drawn.plan);
        CHECK(again.ttl == drawn.ttl);
        CHECK(again.renew_every == drawn.renew_every);
        CHECK(again.election_min == drawn.election_min);
        CHECK(again.election_max == drawn.election_max);
        CHECK(again.server_link.mode == drawn.server_link.mode);
        CHECK(again.client_link.mode == drawn.client_link.mode);
        CHECK(again.wire_codec == drawn.wire_codec);
        CHECK(again.quiet == drawn.quiet);
        CHECK(again.drawn.empty());
    }
}

TEST_CASE(
    "scenario: draws stay in their ranges, differ between seeds, and do not touch each other") {
    const Scenario chaos =
        load_scenario((root() / "scenarios/catalogue/chaos.toml").string()).value();
    Scenario fixed_ttl = chaos;
    fixed_ttl.lease.ttl = {seconds(3), seconds(3)};
    std::vector<std::int64_t> ttls;
    int ordered = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Resolved r = resolve(chaos, seed);
        CHECK((r.ttl >= seconds(2) && r.ttl <= seconds(5)));
        CHECK(r.renew_every == r.ttl / 3);
        CHECK((r.election_min >= milliseconds(300) && r.election_max <= seconds(1)));
        CHECK(r.election_min < r.election_max);
        CHECK(r.quiet > r.live1_bound() + r.ttl);
        ttls.push_back(r.ttl.ns);
        ordered += r.server_link.mode == sim::LinkMode::Ordered ? 1 : 0;
        const Resolved other = resolve(fixed_ttl, seed);
        CHECK(other.election_max == r.election_max);
        CHECK(other.server_link.mode == r.server_link.mode);
        CHECK(other.wire_codec == r.wire_codec);
    }
    std::sort(ttls.begin(), ttls.end());
    CHECK(std::unique(ttls.begin(), ttls.end()) - ttls.begin() > 150);
    CHECK((ordered > 60 && ordered < 140));
    CHECK(resolve(chaos, 5).plan == resolve(chaos, 5).plan);
}

// A seed's meaning may only change together with plan_epoch.
TEST_CASE("scenario: seed 1 of chaos means what it meant") {
    const Scenario chaos =
        load_scenario((root() / "scenarios/catalogue/chaos.toml").string()).value();
    const Resolved r = resolve(chaos, 1);
    std::string text = fmt::format("epoch {}\nttl {}\nelection {} {}\n", plan_epoch, text_of(r.ttl),
                                   text_of(r.election_min), text_of(r.election_max));
    for (const sim::Fault& fault : r.plan)
        text += fmt::format("{} {}\n", text_of(fault.start), fault.label());
    CHECK(text == golden(root() / "tests/scenarios/chaos_seed_1.txt", text));
}

TEST_CASE("scenario: any key can be set, and a refused setting changes nothing") {
    Scenario s =
        load_scenario((root() / "scenarios/catalogue/pause-past-lease.toml").string()).value();
    CHECK(expected_violations(s).empty());
    REQUIRE(!apply_set(s, "resource.fencing=none"));
    CHECK(s.resource.fencing == Fencing::None);
    CHECK(resolve(s, 1).expected_violations == std::vector<std::string>{"FENCE-2"});
    REQUIRE(!apply_set(s, "fault[1].for=12s"));
    CHECK(s.faults.front().duration == seconds(12));
    REQUIRE(!apply_set(s, "lease.ttl=2s..5s"));
    REQUIRE(!apply_set(s, "swarm.kinds=pause,cut"));
    CHECK(s.swarm->kinds.size() == 2);
    for (const Field& field : fields(s)) {
        INFO(field.key);
        Scenario same = s;
        CHECK(!apply_set(same, field.key + "=" + field.value));
        CHECK(same == s);
    }
    const Scenario before = s;
    for (const char* bad :
         {"", "=", "lease.ttl", "lease.ttl=", "lease.ttl=0s", "lease.tll=1s", "fault[2].for=1s",
          "fault[1].for=0s", "fault[1].chance=5%", "cluster.servers=0", "cluster.servers=-1",
          "run.quiet=1s", "resource.fencing=maybe", "swarm.kinds=", "fault[1].aim=worker-z"}) {
        INFO(bad);
        CHECK(apply_set(s, bad));
        CHECK(s == before);
    }
    // Only the whole must make sense.
    const std::vector<std::string> cron{"workload.kind=cron", "resource.kind=endpoint"};
    for (const std::string& half : cron) CHECK(apply_set(s, half));
    CHECK(apply_sets(s, {cron.front(), "run.quiet=1s"}));
    CHECK(s == before);
    CHECK(!apply_sets(s, cron));
    CHECK(s.workload.kind == WorkloadKind::Cron);
}

TEST_CASE("scenario: bad files are refused with place, finding and what is allowed") {
    std::string said;
    for (const fs::path& file : toml_files(root() / "tests/scenarios/bad")) {
        const std::string name = file.filename().string();
        const auto scenario = parse_scenario(contents(file), name);
        said += (scenario ? name + ": accepted" : to_string(scenario.error())) + "\n";
    }
    CHECK(said == golden(root() / "tests/scenarios/bad/expected.txt", said));
}

TEST_CASE("scenario: bytes that are not a text are refused before the parser sees them") {
    using namespace std::string_literals;
    CHECK(refusal("a = 1\n[\0]"s) == "t.toml:2: control character 0x00; a scenario is plain text");
    CHECK(refusal("\x1b[1m").find("control character 0x1b") != std::string::npos);
    for (const char* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82",
                            "\xf4\x90\x80\x80", "# \x80", "\xe0\x80\x80", "\xf0\x80\x80\x80"})
        CHECK(refusal("# line\n"s + bad).find("t.toml:2: byte 0x") == 0);
    CHECK(refusal("# caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92\n") == "accepted");
    CHECK(refusal("\xef\xbb\xbf# byte order mark\r\n[cluster]\r\nservers = 3\r\n") == "accepted");
    CHECK(refusal(std::string(largest_file + 1, '#')).find("262145 bytes") != std::string::npos);
    CHECK(refusal("a = " + std::string(100'000, '[')).find("nested deeper than 32") !=
          std::string::npos);
    CHECK(refusal("a = " + std::string(100'000, '{')).find("nested deeper than 32") !=
          std::string::npos);
    std::string dotted = "a";
    for (int i = 0; i < 100'000; ++i) dotted += ".a";
    CHECK(refusal(dotted + " = 1").find("nested deeper than 32") != std::string::npos);
    CHECK(refusal("a = [ \"]]]]]\", \"" + std::string(40, '[') + "\" ]").find("nested") ==
          std::string::npos);
}

TEST_CASE("scenario: a missing file, a directory and a huge file are refused") {
    CHECK(to_string(load_scenario("no/such.toml").error()) ==
          "no/such.toml: no such file; allowed is a scenario in TOML");
    CHECK(to_string(load_scenario("/").error()) ==
          "/: found a directory; allowed is a scenario in TOML");
    CHECK(!load_scenario("/dev/zero"));
}

TEST_CASE("scenario: names that faults may use are names that exist") {
    CHECK(point_number("before-write") == 3u);
    CHECK(!point_number("nowhere"));
    CHECK(nearest("lease.tll", {"lease.margin", "lease.ttl"}) == "lease.ttl");
    CHECK(is_property_id("FENCE-2"));
    for (const char* bad : {"FENCE", "fence-2", "-2", "FENCE-", "FENCE-2a", ""})
        CHECK(!is_property_id(bad));
}
