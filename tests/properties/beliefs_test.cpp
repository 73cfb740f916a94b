#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

TEST_CASE("properties: BELIEF-1 ends a belief at each of its ends") {
    Story story;
    story.at(seconds(1)).by(alice, told(5, 1, 7)).at(seconds(2));
    SECTION("release called") {
        story.by(alice, ReleaseCalled{lock, SessionId(5), FencingToken(7)});
    }
    SECTION("close called") {
        story.by(alice, CloseCalled{SessionId(5)});
    }
    SECTION("loss told") {
        story.by(alice, loss(5, 7));
    }
    SECTION("crash") {
        story.by(alice, sim::ProcessStopped{});
    }
    SECTION("deadline, though nobody was told yet") {
        story.by(alice, sim::DeadlinePassed{5});
    }
    story.by(bob, told(6, 1, 8));
    CHECK(story.end(Belief1).verdict == Verdict::Held);
}

TEST_CASE("properties: BELIEF-1 goes on through what ends another's belief") {
    Story story;
    story.at(seconds(1)).by(alice, told(5, 1, 7)).at(seconds(2));
    SECTION("another client's crash") {
        story.by(bob, sim::ProcessStopped{});
    }
    SECTION("another session's deadline") {
        story.by(alice, sim::DeadlinePassed{4});
    }
    SECTION("a release of an older grant") {
        story.by(alice, ReleaseCalled{lock, SessionId(5), FencingToken(3)});
    }
    SECTION("a pause") {
        story.by(alice, sim::Paused{sim::ClockMode::Runs, 0});
    }
    story.by(bob, told(6, 1, 8));
    CHECK(story.end(Belief1).verdict == Verdict::Violated);
}

TEST_CASE("properties: BELIEF-1 compares clients, lock by lock") {
    Story story;
    story.by(alice, told(5, 1, 7));
    story.by(bob, GrantTold{LockId(2), SessionId(6), RequestSeq(1), FencingToken(7), {}});
    story.by(alice, told(5, 1, 7));
    CHECK(story.end(Belief1).verdict == Verdict::Idle);
}

TEST_CASE("properties: BELIEF-1 takes a telling past the deadline for no belief") {
    Story story;
    story.by(alice, sim::DeadlinePassed{5}).by(alice, told(5, 1, 7)).by(bob, told(6, 1, 8));
    const std::vector<Report> reports = story.at(seconds(5)).end();
    CHECK(reports.at(static_cast<std::size_t>(Belief1)).verdict == Verdict::Idle);
    // but it owed its application the news
    CHECK(reports.at(static_cast<std::size_t>(Act1)).verdict == Verdict::Violated);
}

TEST_CASE("properties: ACT-1 gives no leave at the deadline") {
    const auto asks = [](std::int64_t now, bool yes) {
        return MayActAsked{lock,           SessionId(5),   FencingToken(7),
                           LocalTime{now}, LocalTime{100}, yes};
    };
    Story story;
    story.by(alice, asks(99, true)).by(alice, asks(100, false)).by(alice, asks(101, false));
    CHECK(story.violations() == 0);
    story.by(alice, asks(100, true));
    const Report report = story.end(Act1);
    CHECK(report.verdict == Verdict::Violated);
    CHECK(report.checks == 4);
}

TEST_CASE("properties: a passed deadline is final") {
    Story story;
    story.by(alice, told(5, 1, 7)).by(alice, sim::DeadlinePassed{5});
    SECTION("a late answer that moves it is an offence, and the belief goes on") {
        story.by(alice, DeadlineMoved{SessionId(5), LocalTime{900}});
        story.by(bob, told(6, 1, 8));
        const std::vector<Report> reports = story.end();
        CHECK(reports.at(static_cast<std::size_t>(Act1)).verdict == Verdict::Violated);
        CHECK(reports.at(static_cast<std::size_t>(Belief1)).verdict == Verdict::Violated);
    }
    SECTION("so it is where another was told in between") {
        story.by(bob, told(6, 1, 8));
        story.by(alice, DeadlineMoved{SessionId(5), LocalTime{900}});
        CHECK(story.end(Belief1).verdict == Verdict::Violated);
    }
    SECTION("but without one, another may be told") {
        story.by(alice, loss(5, 7)).by(bob, told(6, 1, 8));
        CHECK(story.end(Belief1).verdict == Verdict::Held);
    }
    SECTION("leave to act on the strength of a later one is, too") {
        story.by(alice, MayActAsked{lock, SessionId(5), FencingToken(7), LocalTime{100},
                                    LocalTime{900}, true});
        CHECK(story.end(Act1).verdict == Verdict::Violated);
    }
    SECTION("another session's moves as it likes") {
        story.by(alice, loss(5, 7)).by(alice, DeadlineMoved{SessionId(9), LocalTime{900}});
        CHECK(story.end(Act1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: ACT-1 takes overlapping pauses for one, over lives") {
    const Duration slack = cast().slack;
    Story story;
    story.by(alice, sim::Paused{sim::ClockMode::Runs, 0});
    story.by(alice, sim::Paused{sim::ClockMode::Frozen, 0});
    SECTION("one resumption ends them") {
        story.by(alice, sim::Resumed{0}).by(alice, told(5, 1, 7));
        story.at(seconds(9)).by(alice, sim::DeadlinePassed{5});
        story.at(seconds(9) + slack + Duration{1}).by(alice, loss(5, 7));
        CHECK(story.end(Act1).verdict == Verdict::Violated);
    }
    SECTION("a new life does not") {
        story.by(alice, sim::ProcessStopped{}).by(alice, sim::ProcessStarted{2});
        story.by(alice, told(5, 1, 7)).at(seconds(9)).by(alice, sim::DeadlinePassed{5});
        story.at(seconds(20)).by(alice, sim::Resumed{0}).by(alice, loss(5, 7));
        CHECK(story.end(Act1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: ACT-1 grants a stalled client slack from its resumption") {
    const Duration slack = cast().slack;
    Story story;
    story.by(alice, told(5, 1, 7)).at(seconds(8)).by(alice, sim::Paused{sim::ClockMode::Runs, 1});
    story.at(seconds(9)).by(alice, sim::DeadlinePassed{5}).at(seconds(20));
    SECTION("told in time after the resumption") {
        story.by(alice, sim::Resumed{1}).at(seconds(20) + slack).by(alice, loss(5, 7));
        CHECK(story.end(Act1).verdict == Verdict::Held);
    }
    SECTION("told too late after it") {
        story.by(alice, sim::Resumed{1})
            .at(seconds(20) + slack + Duration{1})
            .by(alice, loss(5, 7));
        CHECK(story.end(Act1).verdict == Verdict::Violated);
    }
    SECTION("stalled twice over: the last resumption counts") {
        story.by(alice, sim::Paused{sim::ClockMode::Runs, 0}).by(alice, sim::Resumed{1});
        story.at(seconds(30))
            .by(alice, sim::Resumed{0})
            .at(seconds(30) + slack)
            .by(alice, loss(5, 7));
        CHECK(story.end(Act1).verdict == Verdict::Held);
    }
    SECTION("never resumed") {
        CHECK(story.end(Act1).verdict == Verdict::Idle);
    }
    SECTION("crashed instead") {
        story.by(alice, sim::ProcessStopped{});
        CHECK(story.end(Act1).verdict != Verdict::Violated);
    }
}

TEST_CASE("properties: ACT-1 does not excuse what was late before the pause") {
    Story story;
    story.by(alice, told(5, 1, 7)).at(seconds(9)).by(alice, sim::DeadlinePassed{5});
    story.at(seconds(10)).by(alice, sim::Paused{}).at(seconds(11)).by(alice, sim::Resumed{});
    story.by(alice, loss(5, 7));
    CHECK(story.end(Act1).verdict == Verdict::Violated);
}

TEST_CASE("properties: ACT-1 finds news that never came") {
    Story story;
    story.by(alice, told(5, 1, 7)).at(seconds(9)).by(alice, sim::DeadlinePassed{5});
    SECTION("due") {
        story.at(seconds(9) + cast().slack + Duration{1});
        CHECK(story.end(Act1).verdict == Verdict::Violated);
    }
    SECTION("not due yet") {
        story.at(seconds(9) + cast().slack);
        CHECK(story.end(Act1).verdict == Verdict::Idle);
    }
}

/// The deadline of one grant, beside its session's.
constexpr std::uint64_t of_grant(std::uint64_t token, LockId of = lock) {
    return events::grant_deadline_key(of, FencingToken(token));
}

TEST_CASE("properties: BELIEF-1 ends a belief at the deadline of its grant, if that comes first") {
    Story story;
    story.by(alice, told(5, 1, 7)).at(seconds(9));
    SECTION("its own") {
        story.by(alice, sim::DeadlinePassed{of_grant(7)}).by(bob, told(6, 1, 8));
        CHECK(story.end(Belief1).verdict == Verdict::Held);
    }
    SECTION("another grant's") {
        story.by(alice, sim::DeadlinePassed{of_grant(6)}).by(bob, told(6, 1, 8));
        CHECK(story.end(Belief1).verdict == Verdict::Violated);
    }
    SECTION("that of a session with the token's number") {
        story.by(alice, sim::DeadlinePassed{7}).by(bob, told(6, 1, 8));
        CHECK(story.end(Belief1).verdict == Verdict::Violated);
    }
    SECTION("the loss is told, because the hold has ended") {
        story.by(alice, LossTold{lock, SessionId(5), FencingToken(7), LossReason::HoldEnded});
        story.by(bob, told(6, 1, 8));
        CHECK(story.end(Belief1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: BELIEF-1 and ACT-1 tell grants with one token apart by their locks") {
    constexpr LockId mail{2};
    Story story;
    const auto told_until = [&](LockId id, Duration deadline) {
        const GrantTold grant{id, SessionId(5), RequestSeq(id.value), FencingToken(7),
                              LocalTime{deadline.ns}};
        story.by(alice, grant);
    };
    told_until(lock, seconds(12));
    told_until(mail, seconds(9));
    story.at(seconds(9)).by(alice, sim::DeadlinePassed{of_grant(7, mail)});
    SECTION("the earlier one is over") {
        story.by(bob, GrantTold{mail, SessionId(6), RequestSeq(1), FencingToken(8), LocalTime{}});
        story.by(alice, LossTold{mail, SessionId(5), FencingToken(7), LossReason::HoldEnded});
        story.at(seconds(11));
        const std::vector<Report> reports = story.end();
        CHECK(reports.at(static_cast<std::size_t>(Belief1)).verdict == Verdict::Held);
        CHECK(reports.at(static_cast<std::size_t>(Act1)).verdict == Verdict::Held);
    }
    SECTION("the later one goes on") {
        story.by(bob, told(6, 1, 8));
        CHECK(story.end(Belief1).verdict == Verdict::Violated);
    }
}

TEST_CASE("properties: ACT-1 demands the news of a grant's own deadline within slack") {
    Story story;
    story.by(alice, told(5, 1, 7)).at(seconds(9)).by(alice, sim::DeadlinePassed{of_grant(7)});
    const LossTold news{lock, SessionId(5), FencingToken(7), LossReason::HoldEnded};
    SECTION("in time") {
        story.at(seconds(9) + cast().slack).by(alice, news);
        CHECK(story.end(Act1).verdict == Verdict::Held);
    }
    SECTION("too late") {
        story.at(seconds(9) + cast().slack + Duration{1}).by(alice, news);
        CHECK(story.end(Act1).verdict == Verdict::Violated);
    }
    SECTION("its session goes on: its deadline may still move") {
        story.by(alice, news).by(alice, DeadlineMoved{SessionId(5), LocalTime{}});
        CHECK(story.end(Act1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: BELIEF-1 and ACT-1 tell the sessions of one process apart") {
    Story story;
    story.by(alice, told(5, 1, 7));
    SECTION("two of them hold one lock") {
        story.by(alice, told(6, 1, 8));
        const Report report = story.end(Belief1);
        REQUIRE(report.verdict == Verdict::Violated);
        CHECK(report.first->evidence.find("another session of alice believed so") !=
              std::string::npos);
    }
    SECTION("one after the other") {
        story.by(alice, ReleaseCalled{lock, SessionId(5), FencingToken(7)});
        story.by(alice, told(6, 1, 8));
        CHECK(story.end(Belief1).verdict == Verdict::Held);
    }
    SECTION("a session whose deadline passed first is remembered") {
        story.by(alice, sim::DeadlinePassed{9}).by(alice, sim::DeadlinePassed{5});
        story.by(alice, loss(5, 7)).by(alice, DeadlineMoved{SessionId(9), LocalTime{}});
        CHECK(story.end(Act1).verdict == Verdict::Violated);
    }
    SECTION("one of them closes") {
        story.by(alice, CloseCalled{SessionId(6)}).by(bob, told(8, 1, 9));
        CHECK(story.end(Belief1).verdict == Verdict::Violated);
    }
}

}  // namespace
}  // namespace lockstep::properties::test
