#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

#include <functional>

// LOCK-6 and KEEP-1.

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

Refused refuses(std::uint64_t session, std::uint64_t seq, std::uint64_t index,
                RefusalReason reason) {
    return {lock, SessionId(session), RequestSeq(seq), LogIndex(index), reason};
}

TEST_CASE("properties: LOCK-6 allows the way of a request, and nothing twice") {
    Story story;
    story.by(n1, opened(5, alice)).by(n1, queued(5, 1, 6)).by(n1, granted(5, 1, 7));
    CHECK(story.violations() == 0);
    SECTION("it is released, once") {
        story.by(n1, released(5, 1, 7, 8));
        CHECK(story.end(Lock6).verdict == Verdict::Held);
    }
    SECTION("it is released twice") {
        story.by(n1, released(5, 1, 7, 8)).by(n1, released(5, 1, 7, 9));
        CHECK(story.end(Lock6).verdict == Verdict::Violated);
    }
    SECTION("it is released after its hold ended") {
        story.by(n1, hold_ended(5, 1, 7, 8)).by(n1, released(5, 1, 7, 9));
        CHECK(story.end(Lock6).verdict == Verdict::Violated);
    }
    SECTION("a cancel releases it after it was released") {
        story.by(n1, released(5, 1, 7, 8));
        story.by(n1, cancelled(5, 1, 9, CancelEffect::ReleasedGrant));
        CHECK(story.end(Lock6).verdict == Verdict::Violated);
    }
    SECTION("a cancel comes after it was released") {
        story.by(n1, released(5, 1, 7, 8));
        story.by(n1, cancelled(5, 1, 9, CancelEffect::Tombstone));
        CHECK(story.end(Lock6).verdict == Verdict::Held);
    }
    SECTION("it is cancelled twice") {
        story.by(n1, cancelled(5, 1, 8, CancelEffect::ReleasedGrant));
        story.by(n1, cancelled(5, 1, 9, CancelEffect::Tombstone));
        CHECK(story.end(Lock6).verdict == Verdict::Violated);
    }
    SECTION("it is granted again") {
        story.by(n1, released(5, 1, 7, 8)).by(n1, granted(5, 1, 9));
        const Report report = story.end(Lock6);
        REQUIRE(report.verdict == Verdict::Violated);
        CHECK(report.first->evidence ==
              "request 1 of alice (session 5) for lock jobs was granted after it had been granted");
    }
    SECTION("it is queued again") {
        story.by(n1, released(5, 1, 7, 8)).by(n1, queued(5, 1, 9));
        CHECK(story.end(Lock6).verdict == Verdict::Violated);
    }
    SECTION("it is refused") {
        story.by(n1, refuses(5, 1, 8, RefusalReason::AlreadyHeld));
        CHECK(story.end(Lock6).verdict == Verdict::Violated);
    }
    SECTION("another request of the session") {
        story.by(n1, released(5, 1, 7, 8)).by(n1, granted(5, 2, 9));
        CHECK(story.end(Lock6).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: LOCK-6 takes being turned away for no effect") {
    Story story;
    story.by(n1, opened(5, alice)).by(n1, refuses(5, 1, 6, RefusalReason::LimitReached));
    story.by(n1, answers(5, 1, 6, AnswerStatus::LimitReached)).by(n1, granted(5, 1, 7));
    story.by(n1, answers(5, 1, 7, AnswerStatus::Granted, 7));
    CHECK(story.violations() == 0);
}

TEST_CASE("properties: LOCK-6 compares answers by what their server had applied") {
    using enum AnswerStatus;
    Story story;
    story.by(n1, opened(5, alice));
    const auto violated = [&] { return story.end(Lock6).verdict == Verdict::Violated; };
    SECTION("queued, granted, cancelled, stale") {
        story.by(n1, answers(5, 1, 6, Queued)).by(n1, answers(5, 1, 7, Granted, 7));
        story.by(n1, answers(5, 1, 8, Cancelled)).by(n1, answers(5, 1, 9, Stale));
        CHECK_FALSE(violated());
    }
    SECTION("a deposed leader still says what was true before") {
        story.by(n2, answers(5, 1, 7, Granted, 7)).by(n1, answers(5, 1, 6, Queued));
        CHECK_FALSE(violated());
    }
    SECTION("queued, after it was granted") {
        story.by(n1, answers(5, 1, 7, Granted, 7)).by(n1, answers(5, 1, 8, Queued));
        CHECK(violated());
    }
    SECTION("granted, after it was cancelled") {
        story.by(n1, answers(5, 1, 7, Cancelled)).by(n1, answers(5, 1, 8, Granted, 7));
        CHECK(violated());
    }
    SECTION("anything, after it was stale") {
        story.by(n1, answers(5, 1, 7, Stale)).by(n1, answers(5, 1, 8, Held));
        CHECK(violated());
    }
    SECTION("refused, then granted") {
        story.by(n1, answers(5, 1, 7, Held)).by(n1, answers(5, 1, 8, Granted, 8));
        CHECK(violated());
    }
    SECTION("refused, then cancelled") {
        story.by(n1, answers(5, 1, 7, Held));
        story.by(n1, answers(5, 1, 8, Cancelled, 0, Operation::Cancel));
        CHECK(violated());
    }
    SECTION("refused, and refused to its cancel, too") {
        story.by(n1, answers(5, 1, 7, Held));
        story.by(n1, answers(5, 1, 8, Held, 0, Operation::Cancel));
        CHECK_FALSE(violated());
    }
    SECTION("a release that held and did not") {
        story.by(n1, answers(5, 2, 7, Ok, 0, Operation::Release));
        story.by(n1, answers(5, 2, 8, NotHeld, 0, Operation::Release));
        CHECK(violated());
    }
    SECTION("two requests") {
        story.by(n1, answers(5, 1, 7, Held)).by(n1, answers(5, 2, 8, Granted, 8));
        CHECK(story.end(Lock6).verdict == Verdict::Idle);
    }
    SECTION("a request from long ago is not compared") {
        story.by(n1, answers(5, 1, 7, Held)).by(n1, answers(5, 17, 8, Held));
        story.by(n1, answers(5, 1, 9, Queued));
        CHECK_FALSE(violated());
    }
}

TEST_CASE("properties: LOCK-6 knows when a session is over") {
    using enum AnswerStatus;
    Story story;
    story.by(n1, opened(5, alice));
    const auto violated = [&] { return story.end(Lock6).verdict == Verdict::Violated; };
    SECTION("said before its end") {
        story.by(n1, answers(5, 1, 7, SessionOver)).by(n1, closed(5, 8));
        CHECK(violated());
        return;
    }
    story.by(n1, closed(5, 8));
    SECTION("said after it") {
        story.by(n1, answers(5, 1, 8, SessionOver));
        CHECK_FALSE(violated());
    }
    SECTION("said of an index before it") {
        story.by(n1, answers(5, 1, 7, SessionOver));
        CHECK(violated());
    }
    SECTION("granted after it") {
        story.by(n1, answers(5, 1, 9, Granted, 7));
        CHECK(violated());
    }
    SECTION("a deposed leader says that it was granted before it") {
        story.by(n1, answers(5, 1, 7, Granted, 7));
        CHECK_FALSE(violated());
    }
    SECTION("its close is answered") {
        story.by(n1, answers(5, 9, 8, Ok, 0, Operation::Close));
        story.by(n1, answers(5, 9, 9, SessionOver, 0, Operation::Close));
        CHECK_FALSE(violated());
    }
    SECTION("a close is answered with yes again") {
        story.by(n1, answers(5, 9, 9, Ok, 0, Operation::Close));
        CHECK(violated());
    }
}

TEST_CASE("properties: KEEP-1 hears each way of saying that a session is over") {
    const std::function<void(Story&)> ways[] = {
        [](Story& story) { story.by(alice, SessionOverTold{SessionId(5)}); },
        [](Story& story) {
            story.by(alice, LossTold{lock, SessionId(5), FencingToken(7), LossReason::SessionOver});
        },
        [](Story& story) {
            story.by(alice, ReleaseReturned{lock, SessionId(5), FencingToken(7),
                                            AnswerStatus::SessionOver});
        },
    };
    for (const auto& says : ways) {
        INFO("way " << &says - ways);
        Story before;
        before.by(n1, opened(5, alice));
        says(before);
        CHECK(before.end(Keep1).verdict == Verdict::Violated);

        Story after;
        after.by(n1, opened(5, alice)).by(n1, expired(5, 9, 1));
        says(after);
        CHECK(after.end(Keep1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: KEEP-1 leaves a client to its own deadline, and objects to what never was") {
    Story story;
    SECTION("the deadline passed") {
        story.by(n1, opened(5, alice)).by(alice, loss(5, 7));
        CHECK(story.end(Keep1).verdict == Verdict::Idle);
    }
    SECTION("a service without sessions") {
        story.by(alice, SessionOverTold{SessionId(5)});
        CHECK(story.end(Keep1).verdict == Verdict::Idle);
    }
    SECTION("a session that was never opened") {
        story.by(n1, opened(5, alice)).by(alice, SessionOverTold{SessionId(6)});
        CHECK(story.end(Keep1).verdict == Verdict::Violated);
    }
}

}  // namespace
}  // namespace lockstep::properties::test
