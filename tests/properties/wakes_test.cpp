#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

#include <functional>

// WAKE-1, and what the ends of holds and delays are to LOCK-1, LOCK-4 and GRANT-1.

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

/// Session 4 of bob's holds the lock with token 6; alice's session 5 waits for it.
Story one_waits() {
    Story story;
    story.by(n1, opened(4, bob)).by(n1, opened(5, alice));
    story.by(n1, granted(4, 1, 6)).by(n1, queued(5, 1, 7));
    return story;
}

TEST_CASE("properties: WAKE-1 knows each way in which a lock becomes free") {
    const std::function<void(Story&)> ways[] = {
        [](Story& story) { story.by(n1, released(4, 1, 6, 8)); },
        [](Story& story) { story.by(n1, cancelled(4, 1, 8, CancelEffect::ReleasedGrant)); },
        [](Story& story) { story.by(n1, closed(4, 8)); },
        [](Story& story) { story.by(n1, expired(4, 8, 1)); },
        [](Story& story) { story.by(n1, hold_ended(4, 1, 6, 8)); },
        [](Story& story) {
            story.by(n1, expired(4, 7, 1)).by(n1, delay_starts(4, 6, 7)).by(n1, delay_ends(8));
        },
    };
    for (const auto& frees : ways) {
        INFO("way " << &frees - ways);
        Story granted_there = one_waits();
        frees(granted_there);
        granted_there.by(n1, granted(5, 1, 8)).by(n1, applies(9, 99));
        CHECK(granted_there.end(Wake1).verdict == Verdict::Held);

        Story granted_later = one_waits();
        frees(granted_later);
        granted_later.by(n1, applies(9, 99)).by(n1, granted(5, 1, 9));
        CHECK(granted_later.end(Wake1).verdict == Verdict::Violated);

        Story never = one_waits();
        frees(never);
        CHECK(never.end(Wake1).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: WAKE-1 asks nothing where nobody waits, or a delay begins") {
    Story story = one_waits();
    SECTION("the only waiter has left") {
        story.by(n1, cancelled(5, 1, 8, CancelEffect::LeftQueue)).by(n1, released(4, 1, 6, 9));
    }
    SECTION("its session ended") {
        story.by(n1, expired(5, 8, 1)).by(n1, released(4, 1, 6, 9));
    }
    SECTION("another grant was released") {
        story.by(n1, released(4, 1, 3, 9));
    }
    story.by(n1, applies(20, 99));
    CHECK(story.end(Wake1).verdict == Verdict::Idle);
}

TEST_CASE("properties: WAKE-1 waits for the end of a delay") {
    Story story = one_waits();
    story.by(n1, expired(4, 8, 1)).by(n1, delay_starts(4, 6, 8)).by(n1, applies(9, 99));
    story.by(n1, delay_ends(10));
    SECTION("granted there") {
        story.by(n1, granted(5, 1, 10));
        CHECK(story.end(Wake1).verdict == Verdict::Held);
    }
    SECTION("granted after it") {
        story.by(n1, granted(5, 1, 11));
        CHECK(story.end(Wake1).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: WAKE-1 lets a server that is behind apply what is older") {
    Story story = one_waits();
    story.by(n1, released(4, 1, 6, 8)).by(n2, applies(7, 77)).by(n1, granted(5, 1, 8));
    CHECK(story.end(Wake1).verdict == Verdict::Held);
}

TEST_CASE("properties: WAKE-1 holds a session's end to all of its locks") {
    constexpr LockId mail{2};
    Story story = one_waits();
    story.by(n1, Granted{mail, SessionId(4), RequestSeq(2), FencingToken(8)});
    story.by(n1, Queued{mail, SessionId(5), RequestSeq(2), LogIndex(9), 0});
    story.by(n1, closed(4, 10)).by(n1, granted(5, 1, 10));
    SECTION("both are granted") {
        story.by(n1, Granted{mail, SessionId(5), RequestSeq(2), FencingToken(10)});
        CHECK(story.end(Wake1).verdict == Verdict::Held);
    }
    SECTION("one is not") {
        const Report report = story.end(Wake1);
        REQUIRE(report.verdict == Verdict::Violated);
        CHECK(report.first->evidence.find("lock mail came free at index 10") != std::string::npos);
    }
}

TEST_CASE("properties: WAKE-1 hears who is told of the grant") {
    Story story = one_waits();
    story.by(n1, released(4, 1, 6, 8)).by(n1, granted(5, 1, 8));
    SECTION("its session, twice") {
        story.by(n1, answers(5, 1, 8, AnswerStatus::Granted, 8));
        story.by(n1, answers(5, 1, 9, AnswerStatus::Granted, 8));
        CHECK(story.end(Wake1).verdict == Verdict::Held);
    }
    SECTION("another session") {
        story.by(n1, answers(4, 2, 8, AnswerStatus::Granted, 8));
        CHECK(story.end(Wake1).verdict == Verdict::Violated);
    }
    SECTION("another request of it") {
        story.by(n1, answers(5, 2, 8, AnswerStatus::Granted, 8));
        CHECK(story.end(Wake1).verdict == Verdict::Violated);
    }
    SECTION("somebody is refused, and told the token that is held") {
        story.by(n1, answers(5, 3, 9, AnswerStatus::AlreadyHeld, 8));
        CHECK(story.end(Wake1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: LOCK-1 frees a lock whose hold ended, and no other") {
    Story story = one_waits();
    SECTION("the grant that is held") {
        story.by(n1, hold_ended(4, 1, 6, 8)).by(n1, granted(5, 1, 8));
        CHECK(story.end(Lock1).verdict == Verdict::Held);
    }
    SECTION("an older grant") {
        story.by(n1, hold_ended(4, 1, 3, 8)).by(n1, granted(5, 1, 8));
        CHECK(story.end(Lock1).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: LOCK-1 keeps a lock closed until its delay has ended") {
    Story story = one_waits();
    story.by(n1, expired(4, 8, 1)).by(n1, delay_starts(4, 6, 8));
    SECTION("granted at its end") {
        story.by(n1, delay_ends(9)).by(n1, granted(5, 1, 9));
        CHECK(story.end(Lock1).verdict == Verdict::Held);
    }
    SECTION("granted before") {
        story.by(n1, granted(5, 1, 9));
        const Report report = story.end(Lock1);
        REQUIRE(report.verdict == Verdict::Violated);
        CHECK(report.first->evidence.find("before its delay had ended") != std::string::npos);
    }
}

TEST_CASE("properties: LOCK-4 keeps its order over a delay") {
    Story story = one_waits();
    story.by(n1, opened(6, carol)).by(n1, queued(6, 1, 8));
    story.by(n1, expired(4, 9, 1)).by(n1, delay_starts(4, 6, 9)).by(n1, delay_ends(10));
    SECTION("the first") {
        story.by(n1, granted(5, 1, 10));
        CHECK(story.end(Lock4).verdict == Verdict::Held);
    }
    SECTION("the second") {
        story.by(n1, granted(6, 1, 10));
        CHECK(story.end(Lock4).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: GRANT-1 takes the end of a hold for an end") {
    Story story = one_waits();
    story.by(bob, told(4, 1, 6));
    SECTION("it ended") {
        story.by(n1, hold_ended(4, 1, 6, 8)).by(n1, granted(5, 1, 8));
        CHECK(story.end(Grant1).verdict == Verdict::Held);
    }
    SECTION("another grant's ended") {
        story.by(n1, hold_ended(4, 1, 3, 8)).by(n1, granted(5, 1, 8));
        CHECK(story.end(Grant1).verdict == Verdict::Violated);
    }
}

}  // namespace
}  // namespace lockstep::properties::test
