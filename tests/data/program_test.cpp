#include "tests/cli/program.hpp"

#include <string>

namespace lockstep::test::program {
namespace {

std::string log_sample(const std::string& name) {
    return std::string(LOCKSTEP_TEST_DIR) + "/data/samples/" + name;
}

}  // namespace

TEST_CASE("data: lockstep data tells what a log contains") {
    const Answer table = lockstep_says("data " + log_sample("unified-safepoint.log"));
    INFO(table.out);
    CHECK(table.code == 0);
    CHECK(says(table, "longest"));
    CHECK(says(table, "6.501 ms"));
    CHECK(says(table, "skipped  1 pauses of collections"));
    const Answer zipped =
        shell("gzip -c " + log_sample("numbers.txt") + " | " + LOCKSTEP_PROGRAM + " data - --json");
    INFO(zipped.out);
    CHECK(zipped.code == 0);
    CHECK(says(zipped, R"("format":"numbers","files":["stdin"],"count":3)"));
    CHECK(says(zipped, R"("longest_ns":62500000000)"));
    const Answer disk = lockstep_says("data --as disk " + log_sample("numbers.txt"));
    CHECK(says(disk, "syncs of a disk"));
}

TEST_CASE("data: lockstep lease takes units from the files, and the column that holds lengths") {
    const std::string lease = "lease --lease 15s --span 48h ";
    // Nanoseconds, as in all logs of HdrHistogram.
    const Answer buckets =
        lockstep_says("lease --lease 15s --span 1h --pauses " + log_sample("hdr.hlog"));
    INFO(buckets.out);
    CHECK(buckets.code == 0);
    const Folder folder;
    const std::string table =
        folder.write("outages.csv", "time,pause_ms\n1772352000,\n1772352060,20\n1772438400,\n");
    const Answer outages = lockstep_says(lease + "--outages " + table);
    INFO(outages.out);
    CHECK(outages.code == 0);
    // Twenty milliseconds a day cost nothing; twenty seconds would.
    CHECK(says(outages, "15/14.95/5 s: 0 losses a month"));
    CHECK_FALSE(says(outages, "What cost leases"));
    refuses(lease + "--outages " + folder.write("2.csv", "time,a_ms,b_ms\n1772352000,1,2\n"),
            "which of the columns");
}

TEST_CASE("data: the sample logs are what their README says") {
    const std::string folder = std::string(LOCKSTEP_SOURCE_DIR) + "/examples/lease/";
    const auto holds = [&](const std::string& file, const std::string& text) {
        const Answer answer = lockstep_says("data " + folder + file);
        INFO(answer.out);
        CHECK(answer.code == 0);
        CHECK(says(answer, text));
    };
    holds("gc.log.gz", "8,887 in 119 days 23 h");
    holds("outages.csv --as outage", "15 in 120 days 00 h");
    holds("ping.txt", "600 in 9 min 59 s");
    holds("etcd-metrics.txt", "6,891,026 over a time");
    holds("controller.log", "3 in 90 days 00 h");
}

TEST_CASE("data: lockstep data refuses what it cannot take for what it says") {
    refuses("data /nowhere/gc.log", "/nowhere/gc.log: cannot be opened");
    refuses("data " + log_sample("zgc.log"), "zgc.log:1: ZGC stops the program too");
    const Folder folder;
    const std::string log = folder.write("n.txt", std::string(100'000, '1') + "\n");
    refuses("data " + log, "no unit");
    CHECK(shell("gzip -c " + log_sample("unified-safepoint.log") + " | head -c 200 | " +
                LOCKSTEP_PROGRAM + " data -")
              .code == 2);
    CHECK(says(shell("gzip -c " + log_sample("unified-safepoint.log") + " | head -c 200 | " +
                     LOCKSTEP_PROGRAM + " data -"),
               "ends too early"));
}

TEST_CASE("data: lockstep probe writes what lockstep data reads, also when it is interrupted") {
    const Folder folder;
    // Nobody listens there: the refusal is an answer, too.
    const Answer whole = folder.lockstep_says("probe --for 1s --ping 127.0.0.1:1 --out p.txt");
    INFO(whole.out);
    CHECK(whole.code == 0);
    const Answer read = folder.lockstep_says("data p.txt");
    INFO(read.out);
    CHECK(read.code == 0);
    CHECK(says(read, "round trips  lockstep-probe"));
    const Answer cut = shell("cd " + folder.path() + " && timeout -s INT 1 " + LOCKSTEP_PROGRAM +
                             " probe --for 1h --ping 127.0.0.1:1 --out cut.txt; tail -1 cut.txt");
    CHECK(says(cut, "\nend "));
    refuses("probe --for 1s --ping nowhere", "write HOST:PORT");
    refuses("probe --for 1s --ping 127.0.0.1:99999", "1 to 65535");
    refuses("probe --for 1s --out /nowhere/p.txt", "--out: cannot be written");
    refuses("probe --for 1ms --every 1s", "--every");
}

}  // namespace lockstep::test::program
