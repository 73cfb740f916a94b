#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

const Duration bound = cast().live1_bound();
const Duration telling_bound = bound + cast().renew_every + cast().slack;
const SteppedDown steps_down{Term(3), StepDownReason::QuorumLost};

TEST_CASE("properties: LIVE-1 counts the leader that goes on, and the one that commits") {
    Story story;
    story.by(n1, leads(3)).at(seconds(30)).healed();
    SECTION("it leads to the end") {
        story.at(seconds(30) + bound);
        CHECK(story.end(Live1).verdict == Verdict::Held);
    }
    SECTION("it leads past the bound") {
        story.at(seconds(30) + bound).by(n1, steps_down).at(seconds(90));
        CHECK(story.end(Live1).verdict == Verdict::Held);
    }
    SECTION("it has nothing to commit until long after the bound") {
        story.at(seconds(80)).by(n1, commits(1, 3, 1)).at(seconds(90));
        CHECK(story.end(Live1).verdict == Verdict::Held);
    }
    SECTION("another commits, but only after the bound") {
        story.by(n1, steps_down).at(seconds(80)).by(n2, commits(1, 4, 1)).at(seconds(90));
        CHECK(story.end(Live1).verdict == Verdict::Violated);
    }
    SECTION("it steps down, and another comes") {
        story.by(n1, steps_down).at(seconds(31)).by(n2, leads(4)).at(seconds(90));
        CHECK(story.end(Live1).verdict == Verdict::Held);
    }
    SECTION("it steps down, and nobody comes") {
        story.at(seconds(30) + bound - Duration{1}).by(n1, steps_down).at(seconds(90));
        CHECK(story.end(Live1).verdict == Verdict::Violated);
    }
    SECTION("it crashes, and nobody comes") {
        story.by(n1, sim::ProcessStopped{}).at(seconds(90));
        CHECK(story.end(Live1).verdict == Verdict::Violated);
    }
    SECTION("it commits before it crashes") {
        story.by(n1, commits(1, 3, 1)).by(n1, sim::ProcessStopped{}).at(seconds(90));
        CHECK(story.end(Live1).verdict == Verdict::Held);
    }
}

TEST_CASE(
    "properties: LIVE-1 asks nothing before its bound, without healing, or of the unlimited") {
    SECTION("too short a run") {
        Story story;
        story.at(seconds(30)).healed().at(seconds(30) + bound - Duration{1});
        CHECK(story.end(Live1).verdict == Verdict::Idle);
    }
    SECTION("never healed") {
        Story story;
        story.at(seconds(900)).by(n1, steps_down);
        CHECK(story.end(Live1).verdict == Verdict::Idle);
    }
    SECTION("not recoverable") {
        Setup setup = cast();
        setup.recoverable = false;
        Story story(setup);
        story.at(seconds(30)).healed().at(seconds(900));
        CHECK(story.end(Live1).verdict == Verdict::Idle);
    }
}

TEST_CASE("properties: LIVE-1 and LIVE-2 are judged by when they were due") {
    Story story;
    story.by(alice, acquires(5, 1, Duration::max())).by(n1, granted(5, 1, 7));
    story.at(seconds(30)).healed().at(seconds(900));
    story.breaks(Assumption::MajorityLives, sim::ProcessKind::Server);
    const std::vector<Report> reports = story.end();
    const Report& live1 = reports.at(static_cast<std::size_t>(Live1));
    const Report& live2 = reports.at(static_cast<std::size_t>(Live2));
    CHECK(live1.verdict == Verdict::Violated);
    CHECK(live1.first->at == sim::SimTime{} + seconds(30) + bound);
    CHECK(live2.verdict == Verdict::Violated);
    CHECK(live2.first->at == sim::SimTime{} + seconds(30) + telling_bound);
}

TEST_CASE("properties: LIVE-2 lets go of a waiter that is no longer there") {
    Story story;
    story.by(alice, acquires(5, 1, Duration::max()))
        .by(n1, granted(5, 1, 7))
        .at(seconds(30))
        .healed();
    SECTION("cancelled") {
        story.by(alice, CancelSent{lock, SessionId(5), RequestSeq(1)});
    }
    SECTION("closed") {
        story.by(alice, CloseCalled{SessionId(5)});
    }
    SECTION("crashed") {
        story.by(alice, sim::ProcessStopped{});
    }
    SECTION("its deadline passed") {
        story.by(alice, sim::DeadlinePassed{5});
    }
    SECTION("its session ended") {
        story.by(n1, expired(5, 9, 1));
    }
    SECTION("told that its session is over") {
        story.by(alice, SessionOverTold{SessionId(5)});
    }
    SECTION("stalled") {
        story.by(alice, sim::Paused{});
    }
    story.at(seconds(900));
    CHECK(story.end(Live2).verdict != Verdict::Violated);
}

TEST_CASE("properties: LIVE-2 is not silenced by a close that comes too late") {
    Story story;
    story.by(alice, acquires(5, 1, Duration::max()))
        .by(n1, granted(5, 1, 7))
        .at(seconds(30))
        .healed();
    story.at(seconds(31) + telling_bound).by(alice, CloseCalled{SessionId(5)});
    CHECK(story.end(Live2).verdict == Verdict::Violated);
}

TEST_CASE("properties: LIVE-2 counts from the grant, or from a resumption, if that is later") {
    Story story;
    story.by(alice, acquires(5, 1, Duration::max())).at(seconds(30)).healed();
    story.at(seconds(40)).by(n1, granted(5, 1, 7));
    SECTION("from the grant") {
        story.at(seconds(40) + telling_bound);
    }
    SECTION("from a resumption") {
        story.by(alice, sim::Paused{}).at(seconds(50)).by(alice, sim::Resumed{});
        story.at(seconds(50) + telling_bound);
    }
    CHECK(story.violations() == 0);
    story.by(alice, told(5, 1, 7));
    CHECK(story.end(Live2).verdict == Verdict::Held);
}

TEST_CASE("properties: LIVE-2 demands that a bounded wait ends") {
    const Duration waits = stretch(seconds(3), cast().drift_bound) + telling_bound;
    Story story;
    story.at(seconds(20))
        .by(alice, acquires(5, 1, seconds(3)))
        .by(bob, acquires(6, 1, Duration::max()));
    story.at(seconds(30)).healed();
    SECTION("in time") {
        story.at(seconds(30) + waits).by(alice, returns(5, 1, AcquireOutcome::TimedOut));
        CHECK(story.end(Live2).verdict == Verdict::Held);
    }
    SECTION("too late") {
        story.at(seconds(30) + waits + Duration{1})
            .by(alice, returns(5, 1, AcquireOutcome::TimedOut));
        CHECK(story.end(Live2).verdict == Verdict::Violated);
    }
    SECTION("never") {
        story.at(seconds(900));
        const Report report = story.end(Live2);
        CHECK(report.verdict == Verdict::Violated);
        CHECK(report.violations == 1);  // bob's wait has no bound
    }
}

TEST_CASE("properties: LIVE-2 has nothing to say before healing") {
    Story story;
    story.by(alice, acquires(5, 1, seconds(3))).by(n1, granted(5, 1, 7)).at(seconds(900));
    story.by(alice, told(5, 1, 7)).by(alice, returns(5, 1, AcquireOutcome::Granted));
    CHECK(story.end(Live2).verdict == Verdict::Idle);
}

TEST_CASE(
    "properties: LIVE-2 lets go of a grant whose hold ended, and of a wait that met a limit") {
    Story story;
    story.by(alice, acquires(5, 1, Duration::max()));
    SECTION("the hold ended before anybody was told") {
        story.by(n1, granted(5, 1, 7)).at(seconds(30)).healed();
        story.by(n1, hold_ended(5, 1, 7, 9)).at(seconds(900));
        CHECK(story.end(Live2).verdict == Verdict::Idle);
    }
    SECTION("the hold ended, but the telling had been due") {
        story.by(n1, granted(5, 1, 7)).at(seconds(30)).healed();
        story.at(seconds(31) + telling_bound).by(n1, hold_ended(5, 1, 7, 9));
        CHECK(story.end(Live2).verdict == Verdict::Violated);
    }
    SECTION("turned away for a limit") {
        story.by(bob, acquires(6, 1, seconds(3))).at(seconds(30)).healed();
        story.by(bob, returns(6, 1, AcquireOutcome::LimitReached)).at(seconds(900));
        CHECK(story.end(Live2).verdict == Verdict::Held);
    }
}

}  // namespace
}  // namespace lockstep::properties::test
