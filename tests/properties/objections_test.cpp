#include "properties/ledger.hpp"
#include "tests/properties/pairs.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

// For each property one run that breaks its promise, and one that comes as near as is allowed. A
// property that is added without both fails here.

namespace lockstep::properties::test {
namespace {

using namespace lockstep::events;
using enum PropertyId;

/// A session of alice's that was opened at second 1 and expired by a proposal at that time.
void expiry_at(Story& story, Duration proposed) {
    story.at(seconds(1)).by(alice, opens(5)).at(seconds(2)).by(n1, opened(5, alice));
    story.at(proposed).by(n1, proposes_expiry(5, 9, 1)).by(n1, expired(5, 9, 1));
}

/// Alice's deadline passes while she believes; bob is told that he holds the lock.
void bob_told_at(Story& story, Duration when) {
    story.at(seconds(1)).by(alice, told(5, 1, 7));
    if (when >= seconds(9))
        story.at(seconds(9)).by(alice, sim::DeadlinePassed{5}).by(alice, loss(5, 7));
    story.at(when).by(bob, told(6, 1, 8));
}

void news_after(Story& story, Duration late) {
    story.by(alice, told(5, 1, 7)).at(seconds(9)).by(alice, sim::DeadlinePassed{5});
    story.at(seconds(9) + late).by(alice, loss(5, 7));
}

void leader_after_healing(Story& story, Duration after) {
    story.at(seconds(30)).healed().at(seconds(30) + after).by(n2, leads(4));
}

void told_after_healing(Story& story, Duration after) {
    story.by(alice, acquires(5, 1, Duration::max())).by(n1, granted(5, 1, 7));
    story.at(seconds(30)).healed().at(seconds(30) + after).by(alice, told(5, 1, 7));
}

Pairs first_pairs() {
    return {
        {Raft1,
         {[](Story& story) { story.by(n2, leads(7)).by(n3, leads(7)); },
          [](Story& story) { story.by(n2, leads(7)).by(n3, leads(8)); },
          "server n2 and server n3 both became leader of term 7"}},
        {Raft2,
         {[](Story& story) {
              story.by(n1, entry(1, 1, 11)).by(n1, leads(2, 1, 11)).by(n1, Truncated{LogIndex(1)});
          },
          [](Story& story) {  // a leader appends; once deposed it may truncate
              story.by(n1, leads(2))
                  .by(n1, entry(1, 2, 11))
                  .by(n1, SteppedDown{Term(2), StepDownReason::HigherTerm})
                  .by(n1, Truncated{LogIndex(1)});
          },
          "server n1 truncated its log from index 1 on while it led term 2"}},
        {Raft3,
         {[](Story& story) { story.by(n1, entry(1, 1, 11)).by(n2, entry(1, 1, 12)); },
          [](Story& story) {  // another term at the same index is another entry
              story.by(n1, entry(1, 1, 11)).by(n2, entry(1, 2, 12)).by(n3, entry(1, 1, 11));
          },
          "up to index 1 of term 1"}},
        {Raft4,
         {[](Story& story) {
              story.by(n1, entry(1, 1, 11)).by(n1, commits(1, 1, 11)).by(n2, leads(2, 0, 0));
          },
          [](Story& story) {
              story.by(n1, entry(1, 1, 11))
                  .by(n1, commits(1, 1, 11))
                  .by(n2, entry(1, 1, 11))
                  .by(n2, entry(2, 1, 12))
                  .by(n2, leads(2, 2, 12));
          },
          "server n2 became leader of term 2 without index 1, which server n1 had committed"}},
        {Raft5,
         {[](Story& story) { story.by(n1, applies(3, 33)).by(n2, applies(3, 34)); },
          [](Story& story) { story.by(n1, applies(3, 33)).by(n2, applies(3, 33)); },
          "after index 3 the state of server n2"}},
        {Raft6,
         {[](Story& story) {
              story.by(n1, VoteCast{Term(4), n2})
                  .by(n1, sim::ProcessStopped{})
                  .by(n1, sim::ProcessStarted{2})
                  .by(n1, VoteCast{Term(4), n3});
          },
          [](Story& story) {
              story.by(n1, VoteCast{Term(4), n2})
                  .by(n1, VoteCast{Term(5), n3})
                  .by(n2, VoteCast{Term(4), n3});
          },
          "server n1 voted for both n2 and n3 in term 4"}},
        {Lock1,
         {[](Story& story) {
              story.by(n1, opened(5, alice))
                  .by(n1, opened(6, bob))
                  .by(n1, granted(5, 1, 7))
                  .by(n1, granted(6, 1, 8));
          },
          [](Story& story) {
              story.by(n1, granted(5, 1, 7)).by(n1, released(5, 1, 7, 8)).by(n1, granted(6, 1, 8));
          },
          "lock jobs was granted to bob (session 6) with token 8 while alice (session 5) held it"}},
        {Lock2,
         {[](Story& story) {
              story.by(n1, granted(5, 1, 7)).by(n1, released(5, 1, 7, 8)).by(n1, granted(6, 1, 7));
          },
          [](Story& story) {
              story.by(n1, granted(5, 1, 7)).by(n1, released(5, 1, 7, 8)).by(n1, granted(6, 1, 8));
          },
          "with token 7, after token 7 had been given"}},
        {Lock3,
         {[](Story& story) { expiry_at(story, seconds(1) + milliseconds(9'899)); },
          [](Story& story) { expiry_at(story, seconds(1) + milliseconds(9'900)); },
          "session 5 of client alice expired at index 9: server n1 proposed that 9.899000 s"}},
        {Lock4,
         {[](Story& story) {
              story.by(n1, granted(4, 1, 3))
                  .by(n1, queued(5, 1, 5))
                  .by(n1, queued(6, 1, 6))
                  .by(n1, released(4, 1, 3, 7))
                  .by(n1, granted(6, 1, 7));
          },
          [](Story& story) {  // the first has left
              story.by(n1, granted(4, 1, 3))
                  .by(n1, queued(5, 1, 5))
                  .by(n1, queued(6, 1, 6))
                  .by(n1, cancelled(5, 1, 7, CancelEffect::LeftQueue))
                  .by(n1, released(4, 1, 3, 8))
                  .by(n1, granted(6, 1, 8));
          },
          "lock jobs was granted to session 6 for its request 1, ahead of session 5"}},
        {Grant1,
         {[](Story& story) { story.by(n1, granted(5, 1, 7)).by(alice, told(5, 1, 6)); },
          [](Story& story) { story.by(n1, granted(5, 1, 7)).by(alice, told(5, 1, 7)); },
          "client alice was told that its session 5 holds lock jobs with token 6"}},
        {Act1,
         {[](Story& story) { news_after(story, cast().slack + milliseconds(1)); },
          [](Story& story) { news_after(story, cast().slack); },
          "the deadline of client alice for lock jobs (token 7) passed at 9.000000 s"}},
        {Fence1,
         {[](Story& story) {
              story.by(store, writes(8, 1, op(bob, 1), 0, 0))
                  .by(store, writes(7, 2, op(alice, 1), 1, 1));
          },
          [](Story& story) {
              story.by(store, writes(7, 2, op(alice, 1), 0, 0))
                  .by(store, writes(8, 1, op(bob, 1), 1, 1));
          },
          "resource store took the write with (token 7, n 2) after it had said yes to (token 8, n "
          "1)"}},
        {Fence2,
         {[](Story& story) {
              story.by(store, writes(7, 1, op(bob, 1), 0, 0))
                  .by(store, writes(8, 1, op(alice, 1), 0, 1));
          },
          [](Story& story) {
              story.by(store, writes(7, 1, op(bob, 1), 0, 0))
                  .by(store, writes(8, 1, op(alice, 1), 1, 1));
          },
          "update 1 of client alice read version 0 of resource store and overwrote version 1, "
          "update 1 of client bob"}},
        {Belief1,
         {[](Story& story) { bob_told_at(story, seconds(9) - Duration{1}); },
          [](Story& story) { bob_told_at(story, seconds(9)); },
          "client bob was told at 8.999999 s that it holds lock jobs (token 8), while client alice "
          "believed so since 1.000000 s"}},
        {Live1,
         {[](Story& story) { leader_after_healing(story, cast().live1_bound() + Duration{1}); },
          [](Story& story) { leader_after_healing(story, cast().live1_bound()); },
          "no server led within"}},
        {Live2,
         {[](Story& story) {
              told_after_healing(story, seconds(20 + 4) + cast().slack + Duration{1});
          },
          [](Story& story) { told_after_healing(story, seconds(20 + 4) + cast().slack); },
          "client alice was granted lock jobs at 0.000000 s and was not told"}},
    };
}

const Pairs& pairs() {
    static const Pairs all = [] {
        Pairs made = first_pairs();
        made.merge(service_pairs());
        return made;
    }();
    return all;
}

TEST_CASE("properties: each objects to the run that breaks its promise") {
    for (const PropertyId id : all_properties()) {
        INFO(code_of(id));
        REQUIRE(pairs().count(id) == 1);
        Story story;
        pairs().at(id).breaks(story);
        const Report report = story.end(id);
        REQUIRE(report.id == id);
        CHECK(report.verdict == Verdict::Violated);
        CHECK(report.checks >= 1);
        CHECK(report.violations >= 1);
        REQUIRE(report.first.has_value());
        CHECK_FALSE(report.first->excused_by.has_value());
        INFO(report.first->evidence);
        CHECK(report.first->evidence.find(pairs().at(id).evidence) != std::string::npos);
    }
}

TEST_CASE("properties: each accepts the nearest run that keeps its promise") {
    for (const PropertyId id : all_properties()) {
        Story story;
        pairs().at(id).keeps(story);
        const Report report = story.end(id);
        INFO(code_of(id) << ": " << (report.first ? report.first->evidence : "no violation"));
        CHECK(report.verdict == Verdict::Held);
        CHECK(report.checks >= 1);
        CHECK(report.violations == 0);
    }
}

TEST_CASE("properties: an assumption excuses those that need it, once it was broken") {
    using enum sim::ProcessKind;
    for (const PropertyId id : all_properties())
        for (const Assumption assumption :
             {Assumption::DiskHonest, Assumption::ClockRate, Assumption::ClockRuns,
              Assumption::MajorityLives, Assumption::WritesArriveInLease})
            for (const sim::ProcessKind kind : {Server, Client, Resource}) {
                INFO(code_of(id) << ", " << to_string(assumption) << " of " << to_string(kind));
                Story before;
                before.breaks(assumption, kind);
                pairs().at(id).breaks(before);
                const Report report = before.end(id);
                const Need need{assumption, kind};
                const bool needed =
                    std::find(report.needs.begin(), report.needs.end(), need) != report.needs.end();
                CHECK(report.verdict == (needed ? Verdict::Excused : Verdict::Violated));
                REQUIRE(report.first.has_value());
                CHECK(report.first->excused_by == (needed ? std::optional(need) : std::nullopt));

                Story after;
                pairs().at(id).breaks(after);
                after.at(seconds(1'000)).breaks(assumption, kind);
                CHECK(after.end(id).verdict == Verdict::Violated);
            }
}

TEST_CASE("properties: an excused violation hides none without excuse") {
    Setup setup = cast();
    Ledger ledger(setup);
    const auto at = [](std::int64_t s) { return Stamp{sim::SimTime{s * 1'000'000'000}, {}, 0}; };
    ledger.broken(at(5), {Assumption::DiskHonest, sim::ProcessKind::Server});
    ledger.object(Lock1, at(7), [] { return std::string("late"); });
    const auto report = [&] { return ledger.reports().at(static_cast<std::size_t>(Lock1)); };
    CHECK(report().verdict == Verdict::Excused);
    ledger.object(Lock1, at(3), [] { return std::string("early, reported later"); });
    CHECK(report().verdict == Verdict::Violated);
    CHECK(report().first->evidence == "early, reported later");
    ledger.object(Lock1, at(2), [] { return std::string("another"); });
    CHECK(report().first->evidence == "early, reported later");
    CHECK(report().violations == 3);
}

TEST_CASE("properties: what was given up is idle, not held, and a violation stands") {
    Ledger ledger(cast());
    const auto verdict = [&] {
        return ledger.reports().at(static_cast<std::size_t>(Lin1)).verdict;
    };
    ledger.checked(Lin1);
    CHECK(verdict() == Verdict::Held);
    ledger.forgo(Lin1);
    CHECK(verdict() == Verdict::Idle);
    ledger.object(Lin1, Stamp{sim::SimTime{1}, {}, 1}, [] { return std::string("two holders"); });
    CHECK(verdict() == Verdict::Violated);
}

TEST_CASE("properties: each has needs as declared") {
    CHECK(Story().end(Act1).needs.empty());
    CHECK(Story().end(Raft1).needs ==
          std::vector<Need>{{Assumption::DiskHonest, sim::ProcessKind::Server}});
    CHECK(Story().end(Belief1).needs.size() == 4);
    CHECK(Story().end(Live3).needs ==
          std::vector<Need>{{Assumption::MajorityLives, sim::ProcessKind::Server},
                            {Assumption::DiskHonest, sim::ProcessKind::Server},
                            {Assumption::ClockRate, sim::ProcessKind::Server}});
    CHECK(Story().end(Avail1).needs ==
          std::vector<Need>{{Assumption::MajorityLives, sim::ProcessKind::Server}});
}

TEST_CASE("properties: an empty run leaves each idle") {
    for (const Report& report : Story().end()) {
        INFO(code_of(report.id));
        CHECK(report.verdict == Verdict::Idle);
        CHECK(report.checks == 0);
    }
}

TEST_CASE("properties: ids are found by their spelling") {
    for (const PropertyId id : all_properties()) CHECK(property_of(code_of(id)) == id);
    CHECK_FALSE(property_of("RAFT-99").has_value());
}

}  // namespace
}  // namespace lockstep::properties::test
