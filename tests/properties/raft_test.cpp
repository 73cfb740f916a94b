#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

Recovered recovered(std::uint64_t base, std::uint64_t last, std::uint64_t term,
                    std::uint64_t hash) {
    return {Term(term), LogIndex(base), LogIndex(last), Term(term), hash};
}

TEST_CASE("properties: RAFT-1 lets one server win a term once more, and names two") {
    Story story;
    story.by(n1, leads(3)).by(n1, leads(3)).by(n2, leads(4));
    CHECK(story.violations() == 0);
    story.by(n3, leads(4)).by(n1, leads(4));
    const Report report = story.end(Raft1);
    CHECK(report.violations == 2);
    CHECK(report.first->evidence == "server n2 and server n3 both became leader of term 4");
}

TEST_CASE("properties: RAFT-2 objects to an overwriting leader and not to a deposed one") {
    SECTION("overwrites") {
        Story story;
        story.by(n1, entry(1, 1, 11)).by(n1, leads(2, 1, 11)).by(n1, entry(1, 2, 12));
        CHECK(story.end(Raft2).verdict == Verdict::Violated);
    }
    SECTION("replaces by a snapshot") {
        Story story;
        story.by(n1, entry(1, 1, 11)).by(n1, leads(2, 1, 11));
        story.by(n1, SnapshotInstalled{LogIndex(1), Term(1), 99, 0});
        CHECK(story.end(Raft2).verdict == Verdict::Violated);
    }
    SECTION("crashed in between") {
        Story story;
        story.by(n1, entry(1, 1, 11)).by(n1, leads(2, 1, 11)).by(n1, sim::ProcessStopped{});
        story.by(n1, entry(1, 3, 12));
        CHECK(story.end(Raft2).verdict == Verdict::Idle);
    }
    SECTION("voted in a higher term in between") {
        Story story;
        story.by(n1, entry(1, 1, 11)).by(n1, leads(2, 1, 11)).by(n1, VoteCast{Term(3), n2});
        story.by(n1, Truncated{LogIndex(1)});
        CHECK(story.end(Raft2).verdict == Verdict::Idle);
    }
}

TEST_CASE("properties: RAFT-3 compares what was recovered and installed too") {
    SECTION("recovered") {
        Story story;
        story.by(n1, entry(1, 1, 11)).by(n2, recovered(0, 1, 1, 12));
        CHECK(story.end(Raft3).verdict == Verdict::Violated);
    }
    SECTION("installed") {
        Story story;
        story.by(n1, entry(1, 1, 11)).by(n2, SnapshotInstalled{LogIndex(1), Term(1), 12, 0});
        CHECK(story.end(Raft3).verdict == Verdict::Violated);
    }
    SECTION("a third term at one index") {
        Story story;
        story.by(n1, entry(1, 1, 11)).by(n2, entry(1, 2, 12)).by(n3, entry(1, 3, 13));
        CHECK(story.violations() == 0);
        story.by(n1, entry(1, 3, 14));
        CHECK(story.end(Raft3).verdict == Verdict::Violated);
    }
    SECTION("long after, over growth of everything") {
        Story story;
        for (std::uint64_t i = 1; i <= 5'000; ++i) story.by(n1, entry(i, 1, i * 7));
        story.by(n2, entry(1, 1, 7)).by(n2, entry(4'000, 1, 28'000));
        CHECK(story.violations() == 0);
        story.by(n3, entry(2, 1, 15));
        CHECK(story.end(Raft3).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: RAFT-3 forgets what every server has compacted, and no more") {
    Story story;
    for (const auto server : {n1, n2, n3})
        for (std::uint64_t i = 1; i <= 10; ++i) story.by(server, entry(i, 1, 100 + i));
    story.by(n1, Compacted{LogIndex(8)}).by(n2, Compacted{LogIndex(6)});
    SECTION("one still holds it") {
        story.by(n3, recovered(0, 10, 1, 110)).by(n2, entry(7, 1, 999));
        CHECK(story.end(Raft3).verdict == Verdict::Violated);
    }
    SECTION("nobody holds it") {
        story.by(n3, Compacted{LogIndex(9)}).by(n3, entry(6, 1, 999));
        CHECK(story.violations() == 0);
        story.by(n3, entry(7, 1, 999));
        CHECK(story.violations() == 1);
    }
}

TEST_CASE("properties: RAFT-4 finds the commit that a new leader lacks") {
    Story story;
    story.by(n1, leads(1)).by(n1, entry(1, 1, 11)).by(n1, entry(2, 1, 12));
    story.by(n2, entry(1, 1, 11)).by(n1, commits(1, 1, 11));
    SECTION("committed by a leader, deposed unawares, after the election") {
        story.by(n2, leads(2, 1, 11));
        CHECK(story.violations() == 0);
        story.by(n1, commits(2, 1, 12));
        CHECK(story.end(Raft4).verdict == Verdict::Violated);
    }
    SECTION("what the later leader holds may still be reported as committed") {
        story.by(n2, entry(2, 1, 12)).by(n2, leads(2, 2, 12)).by(n1, commits(2, 1, 12));
        const Report report = story.end(Raft4);
        CHECK(report.verdict == Verdict::Held);
        CHECK(report.checks == 2);
    }
    SECTION("another entry stands at the index") {
        story.by(n3, entry(1, 2, 99)).by(n3, entry(2, 2, 98)).by(n3, leads(3, 2, 98));
        CHECK(story.end(Raft4).first->evidence.find("with another entry at index 1") !=
              std::string::npos);
    }
    SECTION("a stale candidate of an older term owes nothing to later commits") {
        story.by(n2, leads(5, 1, 11)).by(n2, entry(2, 5, 52)).by(n2, commits(2, 5, 52));
        story.by(n3, entry(1, 1, 11)).by(n3, leads(4, 1, 11));
        CHECK(story.end(Raft4).verdict == Verdict::Held);
    }
    SECTION("a commit of an older term that is told late is still owed") {
        story.by(n2, entry(2, 1, 12)).by(n2, leads(3, 2, 12)).by(n2, commits(2, 3, 12));
        story.by(n1, commits(2, 1, 12)).by(n3, entry(1, 1, 11)).by(n3, leads(2, 1, 11));
        CHECK(story.end(Raft4).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: RAFT-5 compares a snapshot's state, the last server's too") {
    Story story;
    for (const auto server : {n1, n2})
        for (std::uint64_t i = 1; i <= 3; ++i)
            story.by(server, entry(i, 1, i)).by(server, applies(i, i));
    story.by(n1, Compacted{LogIndex(3)}).by(n2, Compacted{LogIndex(3)});
    SECTION("equal") {
        story.by(n3, SnapshotInstalled{LogIndex(3), Term(1), 3, 3});
        CHECK(story.end(Raft5).verdict == Verdict::Held);
    }
    SECTION("different") {
        story.by(n3, SnapshotInstalled{LogIndex(3), Term(1), 3, 4});
        CHECK(story.end(Raft5).verdict == Verdict::Violated);
    }
    SECTION("applied again in another life") {
        story.by(n3, sim::ProcessStarted{2}).by(n3, applies(2, 9));
        CHECK(story.end(Raft5).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: RAFT-6 lets a vote be repeated") {
    Story story;
    story.by(n1, VoteCast{Term(4), n2}).by(n1, VoteCast{Term(4), n2});
    CHECK(story.end(Raft6).verdict == Verdict::Held);
}

TEST_CASE("properties: a log that another life left shorter is no violation by itself") {
    Story story;
    for (std::uint64_t i = 1; i <= 4; ++i) story.by(n1, entry(i, 1, i));
    story.by(n1, sim::ProcessStopped{}).by(n1, recovered(0, 2, 1, 2));
    story.by(n1, entry(3, 2, 33)).by(n2, entry(3, 1, 3)).by(n1, leads(3, 3, 33));
    CHECK(story.violations() == 0);
}

TEST_CASE("properties: indices out of all proportion cost no memory") {
    Story story;
    for (const std::uint64_t index : {1ULL, 1ULL << 40, 5ULL, ~0ULL >> 1, 6ULL})
        story.by(n1, entry(index, 1, index))
            .by(n1, applies(index, index))
            .by(n1, commits(index, 1, index));
    story.by(sim::ProcessId(4'000'000'000), leads(9)).by(n1, recovered(1ULL << 50, 3, 1, 1));
    story.end();
}

}  // namespace
}  // namespace lockstep::properties::test
