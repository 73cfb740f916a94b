#include "harness/text.hpp"

#include "harness/batch.hpp"
#include "harness/verdict.hpp"
#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test {

using harness::Paint;
using harness::Table;
using harness::Tone;

TEST_CASE("text: numbers and spans as people write them") {
    CHECK(harness::grouped(0) == "0");
    CHECK(harness::grouped(999) == "999");
    CHECK(harness::grouped(1'000) == "1,000");
    CHECK(harness::grouped(1'234'567) == "1,234,567");
    CHECK(harness::seconds_text(5'900'999'999) == "5.900");
    CHECK(harness::seconds_text(0) == "0.000");
    CHECK(harness::span_text(seconds(12)) == "12 s");
    CHECK(harness::span_text(milliseconds(3'500)) == "3.5 s");
    CHECK(harness::span_text(milliseconds(-250)) == "-250 ms");
    CHECK(harness::span_text(microseconds(40)) == "40 us");
    CHECK(harness::span_text(nanoseconds(7)) == "7 ns");
    CHECK(harness::long_span_text(seconds(17)) == "17 s");
    CHECK(harness::long_span_text(seconds(245)) == "4 min 05 s");
    CHECK(harness::long_span_text(seconds(3 * 3'600 + 12 * 60)) == "3 h 12 min");
    CHECK(harness::long_span_text(seconds(50 * 3'600)) == "2 days 02 h");
}

TEST_CASE("text: columns are as wide as they need to be, whatever the colour") {
    Table table({Table::Align::Left, Table::Align::Right, Table::Align::Left});
    table.row({{"name"}, {"n"}, {""}});
    table.row({{"a", Tone::Good}, {"1,000", Tone::Bad}, {"x"}});
    CHECK(table.text({}, "") == "name      n\na     1,000  x\n");
    CHECK(table.text(Paint{true}, "") ==
          "name      n\n\x1b[32ma\x1b[0m     \x1b[1;31m1,000\x1b[0m  x\n");
}

TEST_CASE("text: what is broken at a width is indented, and a long word stays whole") {
    CHECK(harness::wrapped("one two three four five six", 4, 24) ==
          "one two three four\n    five six");
    CHECK(harness::wrapped("one two three", 4, 0) == "one two three");
    const std::string word(40, 'x');
    CHECK(harness::wrapped(word + " and " + word, 2, 30) == word + "\n  and\n  " + word);
}

TEST_CASE("text: notes stand under their row, and widen no column") {
    Table table({Table::Align::Left, Table::Align::Right});
    table.row({{"a"}, {"1"}});
    table.note({"as long as it likes", Tone::Bad});
    table.row({{"b"}, {"22"}});
    CHECK(table.text({}, "") == "a   1\n  as long as it likes\nb  22\n");
}

TEST_CASE("text: within a width, the last column and notes are broken at spaces") {
    Table table({Table::Align::Left, Table::Align::Left});
    table.row({{"name"}, {"one two three four five six"}});
    table.row({{"n"}, {"a-word-that-does-not-fit-at-all"}});
    table.note({"a note that is longer than that, too"});
    CHECK(table.text({}, "", 26) ==
          "name  one two three four\n"
          "      five six\n"
          "n     a-word-that-does-not-fit-at-all\n"
          "  a note that is longer\n"
          "  than that, too\n");
    CHECK(table.text({}, "", 0).find("four five six\n") != std::string::npos);
}

TEST_CASE("text: what comes from elsewhere does nothing to a terminal") {
    CHECK(harness::printable("plain, gr\u00fcn \u6f22 \U0001f512") ==
          "plain, gr\u00fcn \u6f22 \U0001f512");
    CHECK(harness::printable("a\x1b[31mb\n\t\x7f") == "a\\x1b[31mb\\x0a\\x09\\x7f");
    CHECK(harness::printable("\xff\xc3") == "\\xff\\xc3");  // not UTF-8, cut off
    CHECK(harness::printable("\xc2\x9b"
                             "31m") == "\\xc2\\x9b31m");  // the other escape
    CHECK(harness::printable("\xc0\xaf\xed\xa0\x80") == "\\xc0\\xaf\\xed\\xa0\\x80");
}

TEST_CASE("text: the table of an exploration") {
    const std::string text = harness::batch_text(mixed_batch(), {});
    CHECK(text == golden("batch.txt", text));
}

TEST_CASE("text: the command that repeats a run can be given to a shell") {
    CHECK(harness::repeat_command({"chaos", {}}, 4711) == "lockstep run chaos --seed 4711");
    CHECK(harness::repeat_command({"./it's mine.toml", {"lease.ttl=5s", "a=[1, 2]"}}, 1) ==
          "lockstep run './it'\\''s mine.toml' --seed 1 --set lease.ttl=5s --set 'a=[1, 2]'");
}

TEST_CASE("text: a command with bytes that a terminal would obey is written out") {
    CHECK(harness::repeat_command({"chaos", {}, true}, 1) ==
          "lockstep run chaos --seed 1 --no-config");
    CHECK(harness::repeat_command({"./it's \x1b[31m\\.toml", {}}, 1) ==
          "lockstep run $'./it\\'s \\x1b[31m\\\\.toml' --seed 1");
}

TEST_CASE("text: the verdict of one run") {
    Outcome outcome = held_outcome(1);
    outcome.marks = {{"lease-expired", 1}, {"two-leaders", 0}};
    outcome.faults = {{"pause", 2, 1, 1}};
    violate(outcome, PropertyId::Fence2, sim::SimTime{20'903'000'000},
            "worker-a's write overwrote worker-b's");
    report_of(outcome, PropertyId::Fence2).violations = 3;
    report_of(outcome, PropertyId::Live2).verdict = Verdict::Idle;
    violate(outcome, PropertyId::Belief1, sim::SimTime{9'000'000'000}, "both believe");
    report_of(outcome, PropertyId::Belief1).verdict = Verdict::Excused;
    report_of(outcome, PropertyId::Belief1).first->excused_by =
        properties::Need{sim::Assumption::ClockRate, sim::ProcessKind::Client};
    harness::Demands demands;
    demands.violated = {PropertyId::Fence2};
    const std::string text = harness::verdict_text(outcome, demands, {});
    CHECK(text == golden("verdict.txt", text));
}

}  // namespace lockstep::test
