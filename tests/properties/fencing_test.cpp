#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

Setup mode(FencingMode fencing, bool judged = false) {
    Setup setup = cast();
    setup.fencing = fencing;
    setup.fence2_judged = judged;
    return setup;
}

TEST_CASE("properties: FENCE-1 orders writes by token and n, and reads by token") {
    Story story;
    story.by(store, writes(7, 2, op(alice, 1), 0, 0));
    SECTION("an equal write is taken once") {
        story.by(store, writes(7, 2, op(alice, 1), 1, 1));
    }
    SECTION("a lower n") {
        story.by(store, writes(7, 1, op(alice, 2), 1, 1));
    }
    SECTION("a lower read") {
        story.by(store, reads(6));
    }
    SECTION("a write below a read") {
        story.by(store, reads(8)).by(store, writes(7, 3, op(alice, 2), 1, 1));
    }
    SECTION("a repeat below a read") {
        story.by(store, reads(8)).by(store, WriteRepeated{FencingToken(7), 2, op(alice, 1)});
    }
    CHECK(story.end(Fence1).verdict == Verdict::Violated);
}

TEST_CASE("properties: FENCE-1 accepts what is at or above the mark") {
    Story story;
    story.by(store, writes(7, 2, op(alice, 1), 0, 0)).by(store, reads(7));
    story.by(store, WriteRepeated{FencingToken(7), 2, op(alice, 1)});
    story.by(store, writes(7, 3, op(alice, 2), 1, 1)).by(store, reads(8)).by(store, reads(8));
    story.by(store, writes(8, 1, op(bob, 1), 2, 2));
    const Report report = story.end(Fence1);
    CHECK(report.verdict == Verdict::Held);
    CHECK(report.checks == 6);
}

TEST_CASE("properties: FENCE-1 judges each resource apart") {
    Story story;
    story.by(store, writes(7, 1, op(alice, 1), 0, 0));
    story.by(sim::ProcessId(9), writes(6, 1, op(bob, 1), 0, 0));
    CHECK(story.end(Fence1).verdict == Verdict::Idle);
}

TEST_CASE("properties: FENCE-1 asks of a mode what the mode promises") {
    SECTION("write_only: reads raise nothing") {
        Story story(mode(FencingMode::WriteOnly));
        story.by(store, writes(5, 1, op(alice, 1), 0, 0)).by(store, reads(8));
        story.by(store, writes(7, 1, op(alice, 2), 1, 1)).by(store, reads(6));
        CHECK(story.end(Fence1).verdict == Verdict::Held);
    }
    SECTION("write_only: a lower write is stale") {
        Story story(mode(FencingMode::WriteOnly));
        story.by(store, writes(5, 1, op(alice, 1), 0, 0)).by(store, writes(4, 1, op(bob, 1), 1, 1));
        CHECK(story.end(Fence1).verdict == Verdict::Violated);
    }
    SECTION("none: nothing") {
        Story story(mode(FencingMode::None));
        story.by(store, writes(5, 1, op(alice, 1), 0, 0)).by(store, writes(4, 1, op(bob, 1), 1, 1));
        CHECK(story.end(Fence1).verdict == Verdict::Idle);
    }
}

TEST_CASE("properties: FENCE-2 finds each way to lose or double an update") {
    Story story;
    story.by(store, writes(7, 1, op(alice, 1), 0, 0)).by(alice, acknowledged(op(alice, 1)));
    CHECK(story.violations() == 0);
    SECTION("acknowledged and not in the history") {
        story.by(bob, acknowledged(op(bob, 1)));
        CHECK(story.end(Fence2).first->evidence.find("not in the history") != std::string::npos);
    }
    SECTION("taken twice") {
        story.by(store, writes(8, 1, op(alice, 1), 1, 1));
        CHECK(story.end(Fence2).first->evidence.find("took effect twice") != std::string::npos);
    }
    SECTION("refused first, taken later") {
        story.by(store, refuses(6, 1, op(bob, 1))).by(store, writes(8, 1, op(bob, 1), 1, 1));
        CHECK(story.end(Fence2).first->evidence.find("refused") != std::string::npos);
    }
    SECTION("the resource went back") {
        story.by(store, writes(8, 1, op(bob, 1), 0, 0));
        CHECK(story.end(Fence2).first->evidence.find("that update is lost") != std::string::npos);
    }
}

TEST_CASE("properties: FENCE-2 counts what a store finds at its start, once") {
    const auto recovered = [](std::uint64_t operation, std::uint64_t read, std::uint64_t prior) {
        return WriteRecovered{FencingToken(7), 1, operation, read, prior, prior + 1};
    };
    Story story;
    story.by(store, writes(6, 1, op(alice, 1), 0, 0));
    story.by(store, recovered(op(alice, 1), 0, 0));
    CHECK(story.violations() == 0);
    SECTION("a write that a crash kept from being reported") {
        story.by(store, recovered(op(bob, 1), 1, 1)).by(bob, acknowledged(op(bob, 1)));
        CHECK(story.end(Fence2).verdict == Verdict::Held);
    }
    SECTION("the same, and it overwrote an update") {
        story.by(store, recovered(op(bob, 1), 0, 1));
        CHECK(story.end(Fence2).verdict == Verdict::Violated);
    }
    SECTION("the same, and it is taken again") {
        story.by(store, recovered(op(bob, 1), 1, 1)).by(store, writes(8, 1, op(bob, 1), 2, 2));
        CHECK(story.end(Fence2).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: FENCE-2 names the life of a client that had several") {
    Story story;
    story.by(store, writes(7, 1, op(alice, 1 << 24 | 9), 0, 0));
    story.by(store, writes(8, 1, op(alice, 2 << 24 | 1), 0, 1));
    CHECK(story.end(Fence2).first->evidence ==
          "update 1 of client alice in its life 2 read version 0 of resource store and overwrote "
          "version 1, update 9 of client alice");
}

TEST_CASE("properties: FENCE-2 leaves an unknown outcome open") {
    Story story;
    story.by(store, writes(7, 1, op(alice, 1), 0, 0)).by(store, refuses(7, 1, op(alice, 1)));
    story.by(alice, WriteTold{store, op(alice, 2), 0, WriteOutcome::Unknown});
    story.by(alice, WriteTold{store, op(alice, 3), 0, WriteOutcome::Rejected});
    story.by(store, writes(8, 1, op(alice, 2), 1, 1));
    CHECK(story.end(Fence2).verdict == Verdict::Held);
}

TEST_CASE("properties: FENCE-2 judges the other modes only where it is asked, without excuse") {
    const auto lose = [](Story& story) {
        story.breaks(Assumption::DiskHonest, sim::ProcessKind::Resource);
        story.by(store, writes(7, 1, op(bob, 1), 0, 0)).by(store, writes(8, 1, op(alice, 1), 0, 1));
    };
    for (const FencingMode fencing : {FencingMode::WriteOnly, FencingMode::None}) {
        Story unasked(mode(fencing));
        lose(unasked);
        CHECK(unasked.end(Fence2).verdict == Verdict::Idle);
        Story asked(mode(fencing, true));
        lose(asked);
        CHECK(asked.end(Fence2).verdict == Verdict::Violated);
    }
    Story fenced(mode(FencingMode::Fenced));
    lose(fenced);
    CHECK(fenced.end(Fence2).verdict == Verdict::Excused);
}

// --- rows and endpoints ------------------------------------------------------------------------

TEST_CASE("properties: a row's updates are judged by FENCE-2 alone, whatever their tokens") {
    Story story(mode(FencingMode::Conditional));
    story.by(store, reads(8)).by(store, writes(8, 1, op(bob, 1), 0, 0)).by(store, reads(7));
    story.by(store, writes(7, 1, op(alice, 1), 1, 1)).by(alice, acknowledged(op(alice, 1)));
    story.by(store, refuses(8, 2, op(bob, 2)));
    const bool on_another = GENERATE(false, true);
    if (on_another) story.by(store, writes(9, 1, op(bob, 3), 1, 2));
    const auto reports = story.end();
    CHECK(reports.at(static_cast<std::size_t>(Fence1)).verdict == Verdict::Idle);
    CHECK(reports.at(static_cast<std::size_t>(Fence2)).verdict ==
          (on_another ? Verdict::Violated : Verdict::Held));
}

TEST_CASE("properties: what a row loses with its disk's honesty is excused") {
    Story story(mode(FencingMode::Conditional));
    story.by(store, writes(8, 1, op(bob, 1), 0, 0));
    story.breaks(Assumption::DiskHonest, sim::ProcessKind::Resource);
    story.by(store, writes(9, 1, op(alice, 1), 0, 0));
    CHECK(story.end(Fence2).verdict == Verdict::Excused);
}

constexpr std::uint64_t a_key = std::uint64_t{3} << 32 | 40;

CallAccepted takes(std::uint64_t key, std::uint64_t operation) {
    return {key, operation, FencingToken(7), true};
}
CallAccepted repeats(std::uint64_t key, std::uint64_t operation) {
    return {key, operation, FencingToken(8), false};
}
CallTold hears(std::uint64_t key, std::uint64_t operation,
               WriteOutcome outcome = WriteOutcome::Accepted) {
    return {store, key, operation, outcome};
}

TEST_CASE("properties: FENCE-2 takes all calls of one key for one update") {
    Story story(mode(FencingMode::Conditional));
    story.by(store, takes(a_key, op(alice, 1))).by(alice, hears(a_key, op(alice, 1)));
    story.by(store, repeats(a_key, op(alice, 1)));
    story.by(store, repeats(a_key, op(bob, 1))).by(bob, hears(a_key, op(bob, 1)));
    CHECK(story.violations() == 0);
    SECTION("another key, another call") {
        story.by(store, takes(a_key + 1, op(alice, 2)));
        story.by(store, takes(a_key + (std::uint64_t{1} << 32), op(alice, 3)));
        const Report report = story.end(Fence2);
        CHECK(report.verdict == Verdict::Held);
        CHECK(report.checks == 7);
    }
    SECTION("the same key at another endpoint is another call") {
        story.by(sim::ProcessId(9), takes(a_key, op(alice, 2)));
        CHECK(story.end(Fence2).verdict == Verdict::Held);
    }
    SECTION("a second effect, by another operation") {
        story.by(store, takes(a_key, op(bob, 2)));
        CHECK(
            story.end(Fence2).first->evidence ==
            "update 2 of client bob took effect at endpoint store under the key 3/40, under which "
            "update 1 of client alice had taken effect already: one call, made twice");
    }
    SECTION("a second effect, by a copy of the first") {
        story.by(store, takes(a_key, op(alice, 1)));
        CHECK(story.end(Fence2).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: FENCE-2 wants an acknowledged call in the history, and no other") {
    Story story(mode(FencingMode::Conditional));
    story.by(store, takes(a_key, op(alice, 1)));
    SECTION("told of one that is not there") {
        story.by(bob, hears(a_key + 1, op(bob, 1)));
        CHECK(story.end(Fence2).first->evidence.find("was told that endpoint store took it") !=
              std::string::npos);
    }
    SECTION("answered as a repeat of one that is not there") {
        story.by(store, repeats(a_key + 1, op(bob, 1)));
        CHECK(story.end(Fence2).first->evidence.find("made before") != std::string::npos);
    }
    SECTION("an unknown outcome, and a key that is not known any more") {
        story.by(bob, hears(a_key + 1, op(bob, 1), WriteOutcome::Unknown));
        story.by(bob, hears(a_key + 2, op(bob, 2), WriteOutcome::Rejected));
        story.by(store, takes(a_key + 1, op(bob, 1)));  // an old copy, late
        CHECK(story.end(Fence2).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: FENCE-2 counts what an endpoint finds at its start, once") {
    Story story(mode(FencingMode::Conditional));
    story.by(store, takes(a_key, op(alice, 1)));
    story.by(store, CallRecovered{a_key, op(alice, 1), FencingToken(7)});
    CHECK(story.violations() == 0);
    SECTION("a call that a crash kept from being reported") {
        story.by(store, CallRecovered{a_key + 1, op(bob, 1), FencingToken(8)});
        story.by(store, repeats(a_key + 1, op(bob, 2))).by(bob, hears(a_key + 1, op(bob, 2)));
        CHECK(story.end(Fence2).verdict == Verdict::Held);
    }
    SECTION("the same, and it is taken again") {
        story.by(store, CallRecovered{a_key + 1, op(bob, 1), FencingToken(8)});
        story.by(store, takes(a_key + 1, op(bob, 2)));
        CHECK(story.end(Fence2).verdict == Verdict::Violated);
    }
    SECTION("another operation than the one that had taken effect") {
        story.by(store, CallRecovered{a_key, op(bob, 1), FencingToken(8)});
        CHECK(story.end(Fence2).verdict == Verdict::Violated);
    }
}

// Of each series the newest are remembered: what is too old is not judged, rather than misjudged.
TEST_CASE("properties: FENCE-2 says nothing of calls that are too old to be remembered") {
    Story story(mode(FencingMode::Conditional));
    for (std::uint64_t k = 0; k < 1'000; ++k) story.by(store, takes(a_key + k, op(alice, k + 1)));
    story.by(alice, hears(a_key, op(alice, 1)));
    story.by(store, repeats(a_key + 1, op(bob, 1)));
    CHECK(story.violations() == 0);
    story.by(store, takes(a_key + 980, op(bob, 2)));
    CHECK(story.end(Fence2).violations == 1);
}

TEST_CASE("properties: FENCE-2 leaves calls alone where it is not asked") {
    Story story(mode(FencingMode::None));
    story.by(store, takes(a_key, op(alice, 1))).by(store, takes(a_key, op(bob, 1)));
    CHECK(story.end(Fence2).verdict == Verdict::Idle);
}

}  // namespace
}  // namespace lockstep::properties::test
