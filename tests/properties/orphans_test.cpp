#include "tests/properties/story.hpp"
#include "tests/support/catch.hpp"

#include <functional>

// LOCK-5, LIVE-3 and LIVE-4.

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

/// How long after healing a grant that was given up may go on.
const Duration orphan_bound =
    cast().live1_bound() + stretch(cast().ttl, cast().drift_bound) + cast().slack;

using Act = std::function<void(Story&)>;

/// Alice holds the lock (session 5, token 7), and all is healed at second 30.
Story alice_holds(const Setup& setup = cast()) {
    Story story(setup);
    story.by(n1, opened(5, alice)).by(n1, opened(6, bob)).by(n1, granted(5, 1, 7));
    story.at(seconds(30)).healed();
    return story;
}

TEST_CASE("properties: LOCK-5 knows each way of giving up, and each end") {
    const Act gives_up[] = {
        [](Story& story) { story.by(alice, CancelSent{lock, SessionId(5), RequestSeq(1)}); },
        [](Story& story) { story.by(alice, ReleaseCalled{lock, SessionId(5), FencingToken(7)}); },
        [](Story& story) { story.by(alice, CloseCalled{SessionId(5)}); },
        [](Story& story) { story.by(alice, SessionOverTold{SessionId(5)}); },
        [](Story& story) { story.by(alice, sim::DeadlinePassed{5}); },
    };
    const Act ends[] = {
        [](Story& story) { story.by(n1, released(5, 1, 7, 9)); },
        [](Story& story) { story.by(n1, cancelled(5, 1, 9, CancelEffect::ReleasedGrant)); },
        [](Story& story) { story.by(n1, hold_ended(5, 1, 7, 9)); },
        [](Story& story) { story.by(n1, closed(5, 9)); },
        [](Story& story) { story.by(n1, expired(5, 9, 1)); },
    };
    for (const Act& give_up : gives_up) {
        INFO("gives up: " << &give_up - gives_up);
        for (const Act& end : ends) {
            INFO("ends: " << &end - ends);
            Story in_time = alice_holds();
            give_up(in_time);
            in_time.at(seconds(30) + orphan_bound);
            end(in_time);
            CHECK(in_time.end(Lock5).verdict == Verdict::Held);

            Story late = alice_holds();
            give_up(late);
            late.at(seconds(30) + orphan_bound + Duration{1});
            end(late);
            CHECK(late.end(Lock5).verdict == Verdict::Violated);
        }
        Story never = alice_holds();
        give_up(never);
        never.at(seconds(900));
        const Report report = never.end(Lock5);
        REQUIRE(report.verdict == Verdict::Violated);
        CHECK(report.first->at == sim::SimTime{} + seconds(30) + orphan_bound);
    }
}

TEST_CASE("properties: LOCK-5 counts from giving up, before the grant or after healing") {
    Story story;
    story.by(n1, opened(5, alice)).by(n1, opened(4, bob)).by(n1, granted(4, 1, 6));
    story.by(n1, queued(5, 1, 7));
    SECTION("cancelled while it still waits, and granted") {
        story.by(alice, CancelSent{lock, SessionId(5), RequestSeq(1)});
        story.at(seconds(30)).healed().by(n1, released(4, 1, 6, 8)).by(n1, granted(5, 1, 8));
        story.at(seconds(31) + orphan_bound);
        CHECK(story.end(Lock5).verdict == Verdict::Violated);
    }
    SECTION("its client has lost the session, and is granted the lock") {
        story.by(alice, sim::DeadlinePassed{5});
        story.at(seconds(30)).healed().by(n1, released(4, 1, 6, 8)).by(n1, granted(5, 1, 8));
        story.at(seconds(31) + orphan_bound);
        CHECK(story.end(Lock5).verdict == Verdict::Violated);
    }
    SECTION("given up long after healing") {
        story.at(seconds(30)).healed().by(n1, released(4, 1, 6, 8)).by(n1, granted(5, 1, 8));
        story.at(seconds(80)).by(alice, CloseCalled{SessionId(5)});
        story.at(seconds(80) + orphan_bound);
        CHECK(story.end(Lock5).verdict == Verdict::Idle);
    }
    SECTION("its wait was cancelled in time") {
        story.by(alice, CancelSent{lock, SessionId(5), RequestSeq(1)});
        story.by(n1, cancelled(5, 1, 8, CancelEffect::LeftQueue));
        story.at(seconds(30)).healed().at(seconds(900));
        CHECK(story.end(Lock5).verdict == Verdict::Idle);
    }
}

TEST_CASE("properties: LOCK-5 has nothing to say before healing, or of who holds on") {
    SECTION("not healed") {
        Story story;
        story.by(n1, opened(5, alice)).by(n1, granted(5, 1, 7));
        story.by(alice, CloseCalled{SessionId(5)}).at(seconds(900)).by(n1, closed(5, 9));
        CHECK(story.end(Lock5).verdict == Verdict::Idle);
    }
    SECTION("nobody gave up") {
        Story story = alice_holds();
        story.by(bob, CloseCalled{SessionId(6)});
        story.by(alice, CancelSent{lock, SessionId(5), RequestSeq(2)});
        story.at(seconds(900));
        CHECK(story.end(Lock5).verdict == Verdict::Idle);
    }
}

TEST_CASE("properties: LOCK-5 finds who was kept in a queue") {
    Story story;
    story.by(n1, opened(4, bob)).by(n1, opened(5, alice)).by(n1, opened(6, carol));
    story.by(n1, granted(4, 1, 7)).by(n1, queued(5, 1, 8)).by(n1, queued(6, 1, 9));
    SECTION("a wait that was cancelled is granted") {
        story.by(n1, cancelled(5, 1, 10, CancelEffect::LeftQueue)).by(n1, released(4, 1, 7, 11));
        story.by(n1, granted(5, 1, 11));
        CHECK(story.end(Lock5).verdict == Verdict::Violated);
    }
    SECTION("one that was cancelled before it came is granted") {
        story.by(n1, cancelled(5, 2, 10, CancelEffect::Tombstone)).by(n1, granted(5, 2, 11));
        CHECK(story.end(Lock5).verdict == Verdict::Violated);
    }
    SECTION("a session that ended is granted the lock") {
        story.by(n1, expired(5, 10, 1)).by(n1, released(4, 1, 7, 11)).by(n1, granted(5, 1, 11));
        CHECK(story.end(Lock5).verdict == Verdict::Violated);
    }
    SECTION("the next is granted it") {
        story.by(n1, expired(5, 10, 1)).by(n1, released(4, 1, 7, 11)).by(n1, granted(6, 1, 11));
        CHECK(story.end(Lock5).verdict == Verdict::Held);
    }
    SECTION("somebody is queued behind one that left") {
        story.by(n1, expired(5, 10, 1));
        story.by(n1, Queued{lock, SessionId(4), RequestSeq(2), LogIndex(11), 2});
        const Report report = story.end(Lock5);
        REQUIRE(report.verdict == Verdict::Violated);
        CHECK(report.first->evidence.find("behind 2 others, of whom only 1 still waited") !=
              std::string::npos);
    }
    SECTION("somebody is queued behind those that are left") {
        story.by(n1, expired(5, 10, 1));
        story.by(n1, Queued{lock, SessionId(4), RequestSeq(2), LogIndex(11), 1});
        CHECK(story.end(Lock5).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: LIVE-3 counts from death or healing, whichever is later") {
    SECTION("a death after healing") {
        Story story = alice_holds();
        story.at(seconds(50)).by(alice, sim::ProcessStopped{}).at(seconds(50) + orphan_bound);
        story.by(n1, expired(5, 9, 1));
        CHECK(story.end(Live3).verdict == Verdict::Held);
    }
    SECTION("its next life does not bring it back") {
        Story story = alice_holds();
        story.by(alice, sim::ProcessStopped{}).by(alice, sim::ProcessStarted{2});
        story.at(seconds(900));
        const Report report = story.end(Live3);
        CHECK(report.verdict == Verdict::Violated);
        REQUIRE(report.first.has_value());
        CHECK(report.first->at == sim::SimTime{} + seconds(30) + orphan_bound);
    }
    SECTION("a waiter that died is granted the lock") {
        Story story = alice_holds();
        story.by(n1, queued(6, 1, 8)).by(bob, sim::ProcessStopped{});
        story.at(seconds(40)).by(n1, released(5, 1, 7, 9)).by(n1, granted(6, 1, 9));
        story.at(seconds(31) + orphan_bound).by(n1, expired(6, 10, 1));
        CHECK(story.end(Live3).verdict == Verdict::Violated);
    }
    SECTION("another client died") {
        Story story = alice_holds();
        story.by(bob, sim::ProcessStopped{}).at(seconds(900));
        CHECK(story.end(Live3).verdict == Verdict::Idle);
    }
    SECTION("the run ends before") {
        Story story = alice_holds();
        story.by(alice, sim::ProcessStopped{}).at(seconds(30) + orphan_bound);
        CHECK(story.end(Live3).verdict == Verdict::Idle);
    }
    SECTION("before healing nothing is demanded") {
        Story story;
        story.by(n1, opened(5, alice)).by(n1, granted(5, 1, 7)).by(alice, sim::ProcessStopped{});
        story.at(seconds(900)).by(n1, expired(5, 9, 1));
        CHECK(story.end(Live3).verdict == Verdict::Idle);
    }
}

TEST_CASE("properties: LIVE-3 waits for the end of a delay, and allows it") {
    Setup setup = cast();
    setup.lock_delay = seconds(4);
    const Duration all = orphan_bound + stretch(seconds(4), setup.drift_bound);
    Story story = alice_holds(setup);
    story.by(alice, sim::ProcessStopped{}).at(seconds(40)).by(n1, expired(5, 9, 1));
    SECTION("in time") {
        story.by(n1, delay_starts(5, 7, 9)).at(seconds(30) + all).by(n1, delay_ends(10));
        CHECK(story.end(Live3).verdict == Verdict::Held);
    }
    SECTION("too late") {
        story.by(n1, delay_starts(5, 7, 9));
        story.at(seconds(30) + all + Duration{1}).by(n1, delay_ends(10));
        CHECK(story.end(Live3).verdict == Verdict::Violated);
    }
    SECTION("never") {
        story.by(n1, delay_starts(5, 7, 9)).at(seconds(900));
        CHECK(story.end(Live3).verdict == Verdict::Violated);
    }
    SECTION("there was none") {
        story.at(seconds(900)).by(n1, granted(6, 1, 10));
        CHECK(story.end(Live3).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: LIVE-4 judges each lock that the fresh client came to ask for") {
    constexpr LockId mail{2};
    Story story;
    const auto probe = [&] {
        story.at(seconds(90)).by(sim::ProcessId(), sim::Probing{});
        story.by(carol, acquires(8, 1, Duration::max()));
    };
    SECTION("one is granted, the other not asked for") {
        probe();
        story.by(carol, told(8, 1, 20));
        CHECK(story.end(Live4).checks == 1);
    }
    SECTION("one is granted, the other is not") {
        probe();
        story.by(carol, told(8, 1, 20));
        story.by(carol, AcquireCalled{mail, SessionId(8), RequestSeq(2), Duration::max()});
        story.at(seconds(100)).by(carol, returns(8, 2, AcquireOutcome::TimedOut));
        const Report report = story.end(Live4);
        CHECK(report.verdict == Verdict::Violated);
        CHECK(report.checks == 2);
        CHECK(report.violations == 1);
    }
    SECTION("it is another client's grant, and nothing comes after it") {
        probe();
        story.by(bob, told(6, 1, 20)).at(seconds(200));
        CHECK(story.end(Live4).verdict == Verdict::Violated);
    }
    SECTION("others are still handing it on") {
        probe();
        story.at(seconds(199)).by(n1, granted(6, 1, 20)).at(seconds(200));
        CHECK(story.end(Live4).verdict == Verdict::Idle);
    }
    SECTION("it was granted the lock, and lost its session before it heard so") {
        story.by(n1, opened(8, carol));
        probe();
        story.by(n1, granted(8, 1, 20)).by(carol, sim::DeadlinePassed{8});
        CHECK(story.end(Live4).verdict == Verdict::Held);
    }
    SECTION("granted on asking again") {
        probe();
        story.by(carol, returns(8, 1, AcquireOutcome::SessionOver));
        story.by(carol, acquires(9, 1, Duration::max())).by(carol, told(9, 1, 20));
        CHECK(story.end(Live4).verdict == Verdict::Held);
    }
    SECTION("somebody else asks") {
        story.at(seconds(90)).by(sim::ProcessId(), sim::Probing{});
        story.by(bob, acquires(8, 1, Duration::max())).at(seconds(200));
        CHECK(story.end(Live4).verdict == Verdict::Idle);
    }
    SECTION("it asked before") {
        story.by(carol, acquires(8, 1, Duration::max())).at(seconds(200));
        CHECK(story.end(Live4).verdict == Verdict::Idle);
    }
}

TEST_CASE("properties: LIVE-3 and LIVE-4 demand nothing of a plan that does not heal") {
    Setup setup = cast();
    setup.recoverable = false;
    Story story = alice_holds(setup);
    story.by(alice, sim::ProcessStopped{}).at(seconds(90)).by(sim::ProcessId(), sim::Probing{});
    story.by(carol, acquires(8, 1, Duration::max())).at(seconds(900));
    const std::vector<Report> reports = story.end();
    for (const PropertyId id : {Lock5, Live3, Live4})
        CHECK(reports.at(static_cast<std::size_t>(id)).verdict == Verdict::Idle);
}

}  // namespace
}  // namespace lockstep::properties::test
