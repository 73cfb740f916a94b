#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

const Answered answer = answers(5, 1, 9, AnswerStatus::Granted, 9);

RenewalReceived receives(std::uint64_t session, std::uint64_t sending, std::uint64_t term) {
    return {SessionId(session), SendingNo(sending), alice, Term(term)};
}
RenewalAnswered renews(std::uint64_t session, std::uint64_t sending, std::uint64_t term) {
    return {SessionId(session), SendingNo(sending), alice, Term(term)};
}

TEST_CASE("properties: QUORUM-1 counts entries of the leader's own term, at or above the index") {
    Story story;
    story.by(n1, leads(3)).by(n1, durable(10, 3));
    const auto verdict = [&] { return story.by(n1, answer).end(Quorum1).verdict; };
    SECTION("at the index") {
        story.by(n2, durable(9, 3));
        CHECK(verdict() == Verdict::Held);
    }
    SECTION("below it") {
        story.by(n2, durable(8, 3));
        CHECK(verdict() == Verdict::Violated);
    }
    SECTION("of an older term, on all") {
        story.by(n2, durable(9, 2)).by(n3, durable(9, 2));
        CHECK(verdict() == Verdict::Violated);
    }
    SECTION("it was durable, though a later leader has put something else there") {
        story.by(n2, durable(9, 3)).by(n2, Truncated{LogIndex(9)}).by(n2, durable(12, 4));
        CHECK(verdict() == Verdict::Held);
    }
    SECTION("found at a start") {
        story.by(n2, Recovered{Term(3), LogIndex(0), LogIndex(9), Term(3), 99});
        CHECK(verdict() == Verdict::Held);
    }
    SECTION("found at a start, of an older term") {
        story.by(n2, Recovered{Term(3), LogIndex(0), LogIndex(9), Term(2), 99});
        CHECK(verdict() == Verdict::Violated);
    }
    SECTION("covered by a snapshot that came") {
        story.by(n2, SnapshotInstalled{LogIndex(9), Term(2), 1, 1});
        CHECK(verdict() == Verdict::Held);
    }
    SECTION("covered by a snapshot that was found") {
        story.by(n2, Recovered{Term(3), LogIndex(9), LogIndex(9), Term(2), 99});
        CHECK(verdict() == Verdict::Held);
    }
    SECTION("a snapshot covers less") {
        story.by(n2, Compacted{LogIndex(8)});
        CHECK(verdict() == Verdict::Violated);
    }
}

TEST_CASE("properties: QUORUM-1 lets nobody answer who does not lead") {
    Story story;
    story.by(n1, leads(3)).by(n1, durable(10, 3)).by(n2, durable(10, 3));
    story.by(alice, opens(5)).by(n1, opened(5, alice));
    const SteppedDown down{Term(3), StepDownReason::QuorumLost};
    SECTION("while it leads") {
        story.by(n1, answer).by(n1, receives(5, 2, 3)).by(n1, renews(5, 2, 3)).by(n1, down);
        CHECK(story.end(Quorum1).verdict == Verdict::Held);
    }
    SECTION("a request") {
        story.by(n1, down).by(n1, answer);
        CHECK(story.end(Quorum1).verdict == Verdict::Violated);
    }
    SECTION("a renewal") {
        story.by(n1, down).by(n1, renews(5, 2, 3));
        CHECK(story.end(Quorum1).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: QUORUM-1 does not need the leader's own disk") {
    Story story;
    story.by(n1, leads(3)).by(n2, durable(9, 3)).by(n3, durable(9, 3)).by(n1, answer);
    CHECK(story.end(Quorum1).verdict == Verdict::Held);
}

TEST_CASE("properties: QUORUM-1 judges leaders of services that report what is durable") {
    Story story;
    SECTION("nothing is reported") {
        story.by(n1, leads(3)).by(n1, answer);
        CHECK(story.end(Quorum1).verdict == Verdict::Idle);
    }
    SECTION("it never led") {
        story.by(n1, durable(1, 3)).by(n1, answer);
        CHECK(story.end(Quorum1).verdict == Verdict::Idle);
    }
    SECTION("nothing of its term is durable anywhere") {
        story.by(n1, durable(20, 2)).by(n2, durable(20, 2)).by(n1, leads(3)).by(n1, answer);
        CHECK(story.end(Quorum1).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: QUORUM-1 asks who led when a renewal was received") {
    Story story;
    story.by(n1, opened(5, alice)).by(n1, leads(3));
    SECTION("nobody of a higher term") {
        story.by(n1, receives(5, 1, 3)).by(n1, renews(5, 1, 3));
        CHECK(story.end(Quorum1).verdict == Verdict::Held);
    }
    SECTION("another is elected after it was received") {
        story.by(n1, receives(5, 1, 3)).by(n2, leads(4)).by(n1, renews(5, 1, 3));
        CHECK(story.end(Quorum1).verdict == Verdict::Held);
    }
    SECTION("another had been elected before") {
        story.by(n2, leads(4)).by(n1, receives(5, 1, 3)).by(n1, renews(5, 1, 3));
        const Report report = story.end(Quorum1);
        REQUIRE(report.verdict == Verdict::Violated);
        CHECK(report.first->evidence.find("a leader of term 4 had been elected") !=
              std::string::npos);
    }
    SECTION("it had been, but nothing is answered") {
        story.by(n2, leads(4)).by(n1, receives(5, 1, 3));
        CHECK(story.end(Quorum1).verdict == Verdict::Idle);
    }
    SECTION("a copy comes after the election; it is the first that is answered") {
        story.by(n1, receives(5, 1, 3)).by(n2, leads(4)).by(n1, receives(5, 1, 3));
        story.by(n1, renews(5, 1, 3));
        CHECK(story.violations() == 0);
        story.by(n1, renews(5, 1, 3));
        CHECK(story.end(Quorum1).verdict == Verdict::Violated);
    }
    SECTION("another session's renewal, under the same number") {
        story.by(n1, opened(6, alice)).by(n1, receives(6, 1, 3)).by(n2, leads(4));
        story.by(n1, receives(5, 1, 3)).by(n1, renews(6, 1, 3));
        CHECK(story.end(Quorum1).verdict == Verdict::Held);
    }
    SECTION("received in an earlier leadership of its own") {
        story.by(n2, leads(4)).by(n1, receives(5, 1, 3)).by(n1, leads(5));
        story.by(n1, receives(5, 1, 5)).by(n1, renews(5, 1, 5));
        CHECK(story.end(Quorum1).verdict == Verdict::Held);
    }
    SECTION("an opening is told under a number that was never received") {
        story.by(n1, renews(5, 9, 3));
        CHECK(story.end(Quorum1).verdict == Verdict::Idle);
    }
}

}  // namespace
}  // namespace lockstep::properties::test
