#include "tests/properties/pairs.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

const Duration steady = cast().live1_bound();
const Duration slack = cast().slack;

/// Everybody is up from the start and has been served; it is second 60.
Story served() {
    Story story;
    all_up(story);
    story.at(seconds(59)).by(alice, acquires(5, 1, Duration()));
    story.by(alice, returns(5, 1, AcquireOutcome::Held)).at(seconds(60));
    return story;
}

/// Alice tries for the lock now, and has no answer at the end, so much later.
Verdict tries(Story& story, sim::SimTime now, Duration span) {
    story.by(alice, acquires(5, 2, Duration())).at(Duration{now.ns} + span);
    return story.end(Avail1).verdict;
}
constexpr sim::SimTime at60{60'000'000'000};

void cut_off(Story& story, sim::ProcessId who, const std::vector<sim::ProcessId>& from, bool on) {
    for (const sim::ProcessId other : from) {
        story.by(who, sim::LinkTroubled{other, on, true});
        story.by(other, sim::LinkTroubled{who, on, true});
    }
}

TEST_CASE("properties: AVAIL-1 demands an answer within slack of a client that was served") {
    Story story = served();
    SECTION("in time") {
        story.by(alice, acquires(5, 2, Duration())).at(seconds(60) + slack);
        story.by(alice, returns(5, 2, AcquireOutcome::Held));
        const Report report = story.end(Avail1);
        CHECK(report.verdict == Verdict::Held);
        CHECK(report.checks == 2);
    }
    SECTION("too late") {
        story.by(alice, acquires(5, 2, Duration())).at(seconds(60) + slack + Duration{1});
        story.by(alice, returns(5, 2, AcquireOutcome::Held));
        CHECK(story.end(Avail1).verdict == Verdict::Violated);
    }
    SECTION("an acquire that waits may take its time") {
        story.by(alice, acquires(5, 2, Duration::max())).at(seconds(900));
        CHECK(story.end(Avail1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: AVAIL-1 judges each kind of operation") {
    struct Kind {
        std::function<void(Story&)> begins;
        std::function<void(Story&)> ends;
    };
    const FencingToken token(7);
    const Kind kinds[] = {
        {[](Story& s) { s.by(alice, opens(8)); },
         [](Story& s) { s.by(alice, SessionTold{SessionId(8), Nonce(1008), LocalTime{}}); }},
        {[](Story& s) { s.by(alice, RenewalSent{SessionId(5), SendingNo(3)}); },
         [](Story& s) { s.by(alice, DeadlineMoved{SessionId(5), LocalTime{}}); }},
        {[=](Story& s) { s.by(alice, ReleaseCalled{lock, SessionId(5), token}); },
         [=](Story& s) {
             s.by(alice, ReleaseReturned{lock, SessionId(5), token, AnswerStatus::Ok});
         }},
        {[](Story& s) { s.by(alice, CancelSent{lock, SessionId(5), RequestSeq(9)}); },
         [](Story& s) { s.by(n1, cancelled(5, 9, 20, CancelEffect::LeftQueue)); }},
        {[](Story& s) { s.by(alice, CancelSent{lock, SessionId(5), RequestSeq(9)}); },
         [](Story& s) {
             s.by(n1, answers(5, 9, 20, AnswerStatus::Held, 0, events::Operation::Cancel));
         }},
    };
    for (const Kind& kind : kinds)
        for (const bool late : {false, true}) {
            INFO("kind " << &kind - kinds << (late ? ", late" : ", in time"));
            Story story = served();
            story.by(n1, opened(5, alice));
            kind.begins(story);
            story.at(seconds(60) + slack + Duration{late ? 1 : 0});
            kind.ends(story);
            CHECK(story.end(Avail1).verdict == (late ? Verdict::Violated : Verdict::Held));
        }
}

TEST_CASE("properties: AVAIL-1 asks nothing while the client is not the majority's") {
    Story story = served();
    SECTION("it is stalled") {
        story.by(alice, sim::Paused{});
    }
    SECTION("it was stalled until now") {
        story.by(alice, sim::Paused{}).by(alice, sim::Resumed{});
    }
    SECTION("a link of its is troubled") {
        story.by(n3, sim::LinkTroubled{alice, true, false});
    }
    SECTION("a fault is aimed at it") {
        story.by(alice, sim::FaultStarted{0});
    }
    SECTION("it was turned away") {
        story.by(alice, acquires(5, 2, Duration()));
        story.by(n1, LimitMet{Limit::Pending, events::Operation::Acquire, alice});
        story.at(seconds(900));
        CHECK(story.end(Avail1).checks == 1);
        return;
    }
    CHECK(tries(story, at60, steady) == Verdict::Held);
}

TEST_CASE("properties: AVAIL-1 asks nothing while no majority is steady") {
    Story story = served();
    SECTION("two of three are down") {
        story.by(n2, sim::ProcessStopped{}).by(n3, sim::ProcessStopped{});
    }
    SECTION("a disk is slow, and another server down") {
        story.by(n2, sim::DiskTroubled{true}).by(n3, sim::ProcessStopped{});
    }
    SECTION("all are cut off from each other") {
        cut_off(story, n1, {n2, n3}, true);
        cut_off(story, n2, {n3}, true);
    }
    SECTION("a clock of theirs is wrong, and another server down") {
        story.by(n2, sim::FaultStarted{0}).by(n3, sim::ProcessStopped{});
    }
    SECTION("a server came back just now") {
        story.by(n3, sim::ProcessStopped{}).by(n3, sim::ProcessStarted{2});
        CHECK(tries(story, at60, steady) == Verdict::Held);
        return;
    }
    SECTION("a server outside has a bad link, and leads") {
        story.by(n1, sim::LinkTroubled{n2, true, false});
        story.by(n1, sim::DiskTroubled{true});
    }
    CHECK(tries(story, at60, seconds(900)) == Verdict::Held);
}

TEST_CASE("properties: AVAIL-1 goes on whatever happens to a minority that is cut off") {
    Story story = served();
    const std::vector<sim::ProcessId> others{n1, n2};
    const auto asks = [&](Duration span) {
        story.by(alice, acquires(5, 2, Duration())).at(seconds(120) + span);
        return story.end(Avail1).verdict;
    };
    SECTION("it is down, and comes and goes behind a cut") {
        cut_off(story, n3, {n1, n2}, true);
        story.at(seconds(110)).by(n3, sim::ProcessStopped{}).by(n3, sim::ProcessStarted{2});
        story.by(n3, sim::DiskTroubled{true});
        story.at(seconds(119)).by(alice, acquires(5, 7, Duration()));
        story.by(alice, returns(5, 7, AcquireOutcome::Held)).at(seconds(120));
        CHECK(asks(slack + Duration{1}) == Verdict::Violated);
    }
    SECTION("it comes back to the others") {
        cut_off(story, n3, {n1, n2}, true);
        story.at(seconds(119));
        cut_off(story, n3, {n1, n2}, false);
        story.at(seconds(120));
        CHECK(asks(steady) == Verdict::Held);
    }
    SECTION("it is badly connected, and one of the majority leads") {
        story.by(n3, sim::LinkTroubled{n1, true, false}).at(seconds(119));
        story.by(alice, acquires(5, 7, Duration()));
        story.by(alice, returns(5, 7, AcquireOutcome::Held)).at(seconds(120));
        CHECK(asks(slack + Duration{1}) == Verdict::Violated);
    }
    SECTION("it is badly connected, and leads") {
        story.by(n3, leads(2)).by(n3, sim::LinkTroubled{n1, true, false}).at(seconds(120));
        CHECK(asks(seconds(500)) == Verdict::Held);
    }
}

TEST_CASE("properties: AVAIL-1 judges what was due before something changed") {
    Story story = served();
    story.by(alice, acquires(5, 2, Duration()));
    SECTION("a server stops after it was due") {
        story.at(seconds(61)).by(n3, sim::ProcessStopped{});
        CHECK(story.end(Avail1).verdict == Verdict::Violated);
    }
    SECTION("a server stops before it was due") {
        story.by(n3, sim::ProcessStopped{}).at(seconds(61));
        CHECK(story.end(Avail1).verdict == Verdict::Held);
    }
    SECTION("the client stops after it was due") {
        story.at(seconds(61)).by(alice, sim::ProcessStopped{});
        CHECK(story.end(Avail1).verdict == Verdict::Violated);
    }
    SECTION("the session is lost before it was due") {
        story.by(alice, sim::DeadlinePassed{5}).at(seconds(900));
        CHECK(story.end(Avail1).verdict == Verdict::Held);
    }
}

TEST_CASE("properties: AVAIL-1 takes a new nonce for the same opening") {
    Story story = served();
    story.by(alice, opens(8)).at(seconds(60) + slack).by(alice, opens(9));
    story.at(seconds(60) + slack + Duration{1});
    story.by(alice, SessionTold{SessionId(9), Nonce(1009), LocalTime{}});
    CHECK(story.end(Avail1).verdict == Verdict::Violated);
}

TEST_CASE("properties: AVAIL-1 allows for a network that loses messages by nature") {
    Setup setup = cast();
    setup.lossy = true;
    Story story(setup);
    all_up(story);
    story.at(seconds(59)).by(alice, acquires(5, 1, Duration()));
    story.by(alice, returns(5, 1, AcquireOutcome::Held)).at(seconds(60));
    SECTION("LIVE-1's bound") {
        CHECK(tries(story, at60, slack + steady) == Verdict::Held);
    }
    SECTION("and no more") {
        CHECK(tries(story, at60, slack + steady + Duration{1}) == Verdict::Violated);
    }
}

TEST_CASE("properties: AVAIL-1 has nothing to say of a service without leaders") {
    Story story;
    for (const sim::ProcessId process : {n1, n2, n3, alice})
        story.by(process, sim::ProcessStarted{1});
    story.at(seconds(60)).by(alice, acquires(5, 1, Duration())).at(seconds(900));
    CHECK(story.end(Avail1).verdict == Verdict::Idle);
}

}  // namespace
}  // namespace lockstep::properties::test
