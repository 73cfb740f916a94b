#include "tests/cli/program.hpp"

namespace lockstep::test::program {
namespace {

/// A log of seven weeks, a stop every quarter of an hour, with one of 12 s on some afternoon.
std::string weeks_of_stops() {
    std::string text = "time,stop_s\n";
    for (int i = 0; i < 7 * 7 * 96; ++i)
        text += std::to_string(1'700'000'000 + i * 900) + (i == 3'000 ? ",12.0\n" : ",0.020\n");
    return text;
}

constexpr const char* quick = " --lease 5s..60s --points 4 --span 20d --without-defaults";

}  // namespace

TEST_CASE("lease command: a page, tables and an answer, and the same again") {
    const Folder folder;
    folder.write("stops.csv", weeks_of_stops());
    const std::string command = std::string(
        "lease --pauses stops.csv --span 20d --lease 5s..60s --points 4 "
        "--now 15s/10s/2s --want 'losses < 10/month' ");
    const Answer first = folder.lockstep_says(command + "--html a.html --json a.json --csv a.csv");
    INFO(first.out);
    CHECK(first.code == 0);
    CHECK(says(first, "kubernetes"));
    CHECK(says(first, "Change to 5/"));
    CHECK(says(first, "<- chosen"));
    CHECK(says(first, "<- now"));
    const Answer second =
        folder.lockstep_says(command + "--html b.html --json b.json --csv b.csv --jobs 1");
    CHECK(second.out == first.out);
    for (const char* kind : {"html", "json", "csv"}) {
        CHECK(!folder.read(std::string("a.") + kind).empty());
        CHECK(folder.read(std::string("a.") + kind) == folder.read(std::string("b.") + kind));
    }
}

TEST_CASE("lease command: parts on several machines make the same report") {
    const Folder folder;
    folder.write("stops.csv", weeks_of_stops());
    const std::string command = "lease --pauses stops.csv --span 20d --lease 5s..60s --points 4";
    const Answer whole = folder.lockstep_says(command + " --html whole.html --json whole.json");
    INFO(whole.out);
    CHECK(whole.code == 0);
    for (const char* part : {"1/3", "2/3", "3/3"}) {
        const Answer one =
            folder.lockstep_says(command + " --shard " + part + " --json " + part[0] + ".json");
        CHECK(one.code == 0);
        CHECK(says(one, std::string("Part ") + part));
    }
    const Answer merged =
        folder.lockstep_says("lease --from 2.json 1.json 3.json --html m.html --json m.json");
    INFO(merged.out);
    CHECK(merged.code == 0);
    CHECK(merged.out == whole.out);
    CHECK(folder.read("m.json") == folder.read("whole.json"));
    CHECK(folder.read("m.html") == folder.read("whole.html"));
    const Answer missing = folder.lockstep_says("lease --from 1.json 3.json");
    CHECK(missing.code == 2);
    CHECK(says(missing, "part 2/3 is missing"));
    // What is read is not written over, nor emptied by a command that fails.
    const Answer over = folder.lockstep_says("lease --from whole.json --json whole.json");
    CHECK(over.code == 2);
    CHECK(says(over, "would be lost"));
    CHECK(folder.lockstep_says("lease --from nowhere.json --html whole.json").code == 2);
    CHECK(folder.read("whole.json") == folder.read("m.json"));
    // Something else can be asked of what was kept.
    const Answer asked = folder.lockstep_says("lease --from whole.json --want 'losses < 10/month'");
    CHECK(asked.code == 0);
    CHECK(says(asked, "Take "));
}

TEST_CASE("lease command: where there is no answer, it says so and ends with 3") {
    const Folder folder;
    folder.write("stops.csv", weeks_of_stops());
    const std::string lease = std::string("lease --pauses stops.csv") + quick;
    // The data cannot show it.
    const Answer doubt = folder.lockstep_says(lease + " --want 'losses < 1/month'");
    INFO(doubt.out);
    CHECK(doubt.code == 3);
    CHECK(says(doubt, "cannot be shown from 49 days"));
    // No setting meets them.
    const Answer none = folder.lockstep_says(
        lease + " --want 'losses < 10/month' --want 'crash takeover p99 < 1s'");
    CHECK(none.code == 3);
    CHECK(says(none, "No setting meets all wants"));
    CHECK(says(none, "crash takeover p99 < 1s alone: by none"));
    // What was counted contradicts the model.
    const Answer other = folder.lockstep_says(
        lease + " --now 15s/10s/2s --observed '40 losses in 30d' --want 'losses < 10/month'");
    CHECK(other.code == 3);
    CHECK(says(other, "there is no recommendation"));
    CHECK(says(other, "--outages"));
    CHECK(!says(other, "Change to"));
}

TEST_CASE("lease command: what was counted can be a log of lost leases") {
    const Folder folder;
    folder.write("stops.csv", weeks_of_stops());
    folder.write("controller.log",
                 "I0301 10:00:00.000000       1 main.go:1] starting\n"
                 "E0310 10:00:00.000000       1 leaderelection.go:1] failed to renew lease "
                 "kube-system/x: timed out waiting for the condition\n"
                 "F0310 10:00:01.000000       1 main.go:2] leaderelection lost\n"
                 "I0330 10:00:00.000000       1 main.go:1] still here\n");
    const Answer answer =
        folder.lockstep_says(std::string("lease --pauses stops.csv --now 15s/10s/2s "
                                         "--observed controller.log") +
                             quick);
    INFO(answer.out);
    CHECK(answer.code == 0);
    CHECK(says(answer, "in 29 d"));
    CHECK(says(answer, "you saw 1: consistent"));
}

TEST_CASE("lease command: the answer as another system's settings is simulated as rounded") {
    const Answer answer = lockstep_says(
        std::string("lease --pauses '1/day x 2s..9s' --want 'losses < 5/month' --emit kubernetes") +
        quick);
    INFO(answer.out);
    CHECK(answer.code == 0);
    CHECK(says(answer, "For kubernetes, as simulated"));
    CHECK(says(answer, "leaseDuration: "));
    const Folder folder;
    const std::string kept =
        std::string("lease --pauses '1/day x 2s..9s' --json kept.json --emit kubernetes") + quick;
    CHECK(folder.lockstep_says(kept).code == 0);
    CHECK(says(folder.lockstep_says("lease --from kept.json --emit kubernetes"), "retryPeriod: "));
    const Answer other = folder.lockstep_says("lease --from kept.json --emit etcd");
    CHECK(other.code == 2);
    CHECK(says(other, "sweep with --emit etcd"));
    const Answer none = lockstep_says(
        std::string("lease --pauses '9/day x 50s' --want 'losses < 1/month' --emit etcd") + quick);
    CHECK(none.code == 3);
    CHECK(says(none, "no settings for etcd"));
}

TEST_CASE("lease command: of a world in which nothing happens nothing is recommended") {
    const Answer answer =
        lockstep_says(std::string("lease --want 'losses < 1/month' --emit etcd") + quick);
    INFO(answer.out);
    CHECK(answer.code == 3);
    CHECK(says(answer, "Nothing that costs leases is known"));
    CHECK(says(answer, "no settings for etcd"));
    CHECK(!says(answer, "Take "));
    CHECK(!says(answer, "<- chosen"));
}

TEST_CASE("lease command: Ctrl-C ends it, and leaves what was there") {
    const Folder folder;
    folder.write("old.json", "old");
    const Answer answer = shell("cd " + folder.path() + " && timeout -s INT 1 " + LOCKSTEP_PROGRAM +
                                " lease --pauses '9/day x 1s..20s' --span 900d --json old.json");
    INFO(answer.out);
    CHECK(says(answer, "interrupted, and nothing was written"));
    CHECK(folder.read("old.json") == "old");
}

TEST_CASE("lease command: bad input is refused with what is wrong") {
    const Folder folder;
    const std::string empty = folder.write("empty.log", "");
    const std::string binary = folder.write("binary.log", std::string("\x7f") + "ELF\x01\x02\x00");
    const std::string numbers = folder.write("numbers.txt", "0.5\n0.25\n3\n");
    const std::string negative = folder.write("negative.csv", "time,stop_s\n1700000000,-3\n");
    refuses("lease --pauses nowhere.log", "nowhere.log");
    refuses("lease --pauses " + empty, "empty.log");
    refuses("lease --pauses " + binary, "binary.log");
    refuses("lease --pauses " + negative, "negative.csv:2");
    refuses("lease --pauses " + numbers, "numbers.txt column NAME unit ms'");
    refuses("lease --pauses '" + numbers + " unit s'", "for how long they were observed");
    refuses("lease --pauses '" + numbers + " unit s in never'", "'never'");
    refuses("lease --pauses '" + numbers + " unit fortnight'", "'fortnight' is no unit");
    refuses("lease --pauses '" + negative + " in 7d'", "negative.csv:2");
    refuses("lease --want 'losses < soon'", "is no bound on losses");
    refuses("lease --now 15s/10s", "lease/deadline/renewal");
    refuses("lease --now 15s/16s/5s", "stands down after 16 s, when its lease of 15 s is over");
    refuses("lease --observed '3 losses in 90d'", "say with --now");
    refuses("lease --now 15s/10s/2s --observed 'many'", "3 losses in 90d");
    refuses("lease --lease 9s..3s", "range that rises");
    refuses("lease --html ''", "--html");
    refuses("lease --csv - --json -", "--json");
    refuses("lease --from x.json --compare", "--from");
    refuses("lease --pauses '" + numbers + "," + numbers + " unit s in 7d'", "there twice");
    refuses("probe --for 1s --out ''", "--out");
    refuses("lease --lease 2s..9s --renew 1s..2s --deadline 1s..2s", "more than two");
    refuses("lease --shard 5/4", "5/4");
    refuses("lease --from nowhere.json", "nowhere.json");
    refuses("lease --from " + numbers, "no result of");
    refuses("lease --outages '2/moon x 3s'", "2/moon");
    refuses("lease --json x --csv x", "--json");
    refuses("lease --pauses '" + numbers + " unit s in 7d' --html " + numbers, "would be lost");
    CHECK(folder.read("numbers.txt") == "0.5\n0.25\n3\n");
    refuses("lease --pauses " + numbers + " --from " + numbers, "--from");
    CHECK(
        lockstep_says("lease --pauses '" + numbers + " unit s in 7d' --points 2 --span 1d").code ==
        0);
}

}  // namespace lockstep::test::program
