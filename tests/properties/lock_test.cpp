#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

TEST_CASE("properties: LOCK-1 knows each way in which a lock becomes free") {
    Story story;
    story.by(n1, opened(5, alice)).by(n1, granted(5, 1, 7));
    SECTION("the session ended") {
        story.by(n1, closed(5, 8));
    }
    SECTION("a cancel released the grant that crossed it") {
        story.by(n1, cancelled(5, 1, 8, CancelEffect::ReleasedGrant));
    }
    SECTION("a release") {
        story.by(n1, released(5, 1, 7, 8));
    }
    story.by(n1, granted(6, 1, 8));
    CHECK(story.end(Lock1).verdict == Verdict::Held);
}

TEST_CASE("properties: LOCK-1 is not taken in by the end of something else") {
    Story story;
    story.by(n1, opened(5, alice)).by(n1, granted(5, 1, 7));
    SECTION("another session ended") {
        story.by(n1, closed(4, 8));
    }
    SECTION("a cancel that changed nothing") {
        story.by(n1, cancelled(5, 1, 8, CancelEffect::HadFinalAnswer));
    }
    SECTION("a release of an older grant") {
        story.by(n1, released(5, 1, 3, 8));
    }
    story.by(n1, granted(6, 1, 8));
    CHECK(story.end(Lock1).verdict == Verdict::Violated);
}

TEST_CASE("properties: LOCK-2 holds over the end of sessions, and for each lock apart") {
    Story story;
    story.by(n1, granted(5, 1, 7)).by(n1, closed(5, 8));
    story.by(n1, Granted{LockId(2), SessionId(6), RequestSeq(1), FencingToken(6)});
    CHECK(story.violations() == 0);
    story.by(n1, granted(6, 2, 6));
    CHECK(story.end(Lock2).verdict == Verdict::Violated);
}

TEST_CASE("properties: LOCK-3 counts from the last renewal that was answered by then") {
    Story story;
    story.at(seconds(1)).by(alice, opens(5)).at(seconds(2)).by(n1, opened(5, alice));
    story.at(seconds(4)).by(alice, RenewalSent{SessionId(5), SendingNo(2)});
    const RenewalAnswered answer{SessionId(5), SendingNo(2), alice, Term(1)};
    SECTION("answered in time: the lease runs from second 4") {
        story.at(seconds(5)).by(n1, answer).at(seconds(12)).by(n1, proposes_expiry(5, 9, 1));
        story.by(n1, expired(5, 9, 1));
        CHECK(story.end(Lock3).verdict == Verdict::Violated);
    }
    SECTION("sent and never answered: it runs from second 1") {
        story.at(seconds(12)).by(n1, proposes_expiry(5, 9, 1)).by(n1, expired(5, 9, 1));
        CHECK(story.end(Lock3).verdict == Verdict::Held);
    }
    SECTION("answered after the proposal only") {
        story.at(seconds(12)).by(n1, proposes_expiry(5, 9, 1)).by(n2, answer);
        story.by(n1, expired(5, 9, 1));
        CHECK(story.end(Lock3).verdict == Verdict::Held);
    }
    SECTION("a second proposal, of a later leader, is measured on its own") {
        story.at(seconds(12)).by(n1, proposes_expiry(5, 9, 1)).at(seconds(13)).by(n2, answer);
        story.by(n2, proposes_expiry(5, 10, 2)).by(n2, expired(5, 10, 2));
        CHECK(story.end(Lock3).verdict == Verdict::Violated);
    }
    SECTION("an answer to another's sending of the same number is none to this one") {
        story.at(seconds(5)).by(n1, RenewalAnswered{SessionId(5), SendingNo(2), bob, Term(1)});
        story.by(n1, RenewalAnswered{SessionId(6), SendingNo(2), alice, Term(1)});
        story.at(seconds(12)).by(n1, proposes_expiry(5, 9, 1)).by(n1, expired(5, 9, 1));
        CHECK(story.end(Lock3).verdict == Verdict::Held);
    }
    SECTION("an older sending's answer that comes last moves nothing back") {
        story.at(seconds(6)).by(alice, RenewalSent{SessionId(5), SendingNo(3)});
        story.by(n1, RenewalAnswered{SessionId(5), SendingNo(3), alice, Term(1)}).by(n1, answer);
        story.at(seconds(15)).by(n1, proposes_expiry(5, 9, 1)).by(n1, expired(5, 9, 1));
        CHECK(story.end(Lock3).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: LOCK-3 counts an opening from its first sending") {
    Story story;
    story.at(seconds(1)).by(alice, opens(5)).at(seconds(4)).by(alice, opens(5, false));
    story.at(seconds(5)).by(n1, opened(5, alice));
    story.at(seconds(11)).by(n1, proposes_expiry(5, 9, 1)).by(n1, expired(5, 9, 1));
    CHECK(story.end(Lock3).verdict == Verdict::Held);
}

TEST_CASE("properties: LOCK-3 objects to an expiry that nobody proposed in its term") {
    Story story;
    story.by(alice, opens(5)).by(n1, opened(5, alice)).at(seconds(50));
    story.by(n1, proposes_expiry(5, 9, 1)).by(n2, expired(5, 9, 2));
    CHECK(story.end(Lock3).verdict == Verdict::Violated);
}

TEST_CASE("properties: LOCK-3 has nothing to say of a close") {
    Story story;
    story.by(alice, opens(5)).by(n1, opened(5, alice)).by(n1, closed(5, 9));
    CHECK(story.end(Lock3).verdict == Verdict::Idle);
}

TEST_CASE("properties: LOCK-4 skips those that left, and no others") {
    Story story;
    story.by(n1, granted(4, 1, 3)).by(n1, queued(5, 1, 5)).by(n1, queued(6, 1, 6));
    story.by(n1, queued(5, 1, 7));  // a repeat keeps the first place
    SECTION("in order") {
        story.by(n1, closed(4, 8)).by(n1, granted(5, 1, 8)).by(n1, closed(5, 9));
        story.by(n1, granted(6, 1, 9));
        const Report report = story.end(Lock4);
        CHECK(report.verdict == Verdict::Held);
        CHECK(report.checks == 2);
    }
    SECTION("the first one's session ended") {
        story.by(n1, closed(5, 8)).by(n1, closed(4, 9)).by(n1, granted(6, 1, 9));
        CHECK(story.end(Lock4).verdict == Verdict::Held);
    }
    SECTION("a newcomer is served past the queue") {
        story.by(n1, closed(4, 8)).by(n1, granted(7, 1, 8));
        CHECK(story.end(Lock4).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: LOCK-4 is idle where nobody queues") {
    Story story;
    story.by(n1, granted(4, 1, 3));
    CHECK(story.end(Lock4).verdict == Verdict::Idle);
}

TEST_CASE("properties: GRANT-1 objects when a told grant is overtaken") {
    Story story;
    story.by(n1, granted(5, 1, 7));
    SECTION("told before") {
        story.by(alice, told(5, 1, 7)).by(n1, granted(6, 1, 8));
        CHECK(story.end(Grant1).verdict == Verdict::Violated);
    }
    SECTION("told after") {
        story.by(n1, granted(6, 1, 8));
        CHECK(story.violations() == 1);  // LOCK-1's
        story.by(alice, told(5, 1, 7));
        CHECK(story.end(Grant1).verdict == Verdict::Violated);
    }
    SECTION("ended before") {
        story.by(alice, told(5, 1, 7)).by(n1, closed(5, 8)).by(n1, granted(6, 1, 8));
        CHECK(story.end(Grant1).verdict == Verdict::Held);
    }
    SECTION("told twice, and late") {
        story.by(n1, released(5, 1, 7, 8)).by(n1, granted(6, 1, 8)).by(bob, told(6, 1, 8));
        story.by(alice, told(5, 1, 7));
        CHECK(story.end(Grant1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: GRANT-1 compares lock, token, session and request") {
    Story story;
    story.by(n1, granted(5, 1, 7));
    SECTION("session") {
        story.by(alice, told(6, 1, 7));
    }
    SECTION("request") {
        story.by(alice, told(5, 2, 7));
    }
    SECTION("lock") {
        story.by(alice, GrantTold{LockId(2), SessionId(5), RequestSeq(1), FencingToken(7), {}});
    }
    SECTION("before it was applied") {
        story.by(alice, told(5, 2, 8)).by(n1, granted(5, 2, 8));
    }
    CHECK(story.end(Grant1).verdict == Verdict::Violated);
}

TEST_CASE("properties: GRANT-1 remembers many grants, and does not guess at older ones") {
    Story story;
    for (std::uint64_t i = 1; i <= 200; ++i) {
        story.by(n1, granted(5, i, 2 * i)).by(n1, released(5, i, 2 * i, 2 * i + 1));
    }
    story.by(alice, told(5, 150, 300)).by(alice, told(5, 3, 6));
    CHECK(story.violations() == 0);
    story.by(alice, told(5, 150, 301));
    CHECK(story.end(Grant1).verdict == Verdict::Violated);
}

TEST_CASE("properties: LOCK-3 tells the sendings of one process's sessions apart by session") {
    // Both number their sendings from one.
    Story story;
    story.at(seconds(1)).by(alice, opens(5)).by(alice, opens(6));
    story.by(n1, opened(5, alice)).by(n1, opened(6, alice));
    story.at(seconds(4)).by(alice, RenewalSent{SessionId(5), SendingNo(2)});
    story.at(seconds(8)).by(alice, RenewalSent{SessionId(6), SendingNo(2)});
    story.by(n1, RenewalAnswered{SessionId(5), SendingNo(2), alice, Term(1)});
    SECTION("the one that was renewed at second 4") {
        story.at(seconds(13)).by(n1, proposes_expiry(5, 9, 1)).by(n1, expired(5, 9, 1));
        CHECK(story.end(Lock3).verdict == Verdict::Violated);
    }
    SECTION("long enough after that") {
        story.at(seconds(14)).by(n1, proposes_expiry(5, 9, 1)).by(n1, expired(5, 9, 1));
        CHECK(story.end(Lock3).verdict == Verdict::Held);
    }
    SECTION("the one that was not answered") {
        story.at(seconds(11)).by(n1, proposes_expiry(6, 9, 1)).by(n1, expired(6, 9, 1));
        CHECK(story.end(Lock3).verdict == Verdict::Held);
    }
}

}  // namespace
}  // namespace lockstep::properties::test
