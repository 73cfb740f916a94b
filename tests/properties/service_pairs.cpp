#include "tests/properties/pairs.hpp"

namespace lockstep::properties::test {

using namespace lockstep::events;
using enum PropertyId;

namespace {

const Duration lease_at_most = stretch(cast().ttl, cast().drift_bound);

/// Alice closes her session as soon as all is healed; it ends so much later.
void given_up_for(Story& story, Duration span) {
    story.by(n1, opened(5, alice)).by(n1, granted(5, 1, 7));
    story.at(seconds(30)).healed().by(alice, CloseCalled{SessionId(5)});
    story.at(seconds(30) + span).by(n1, closed(5, 9));
}

/// Alice dies; after healing her lock is free so much later.
void dead_for(Story& story, Duration span) {
    story.by(n1, opened(5, alice)).by(n1, granted(5, 1, 7));
    story.at(seconds(20)).by(alice, sim::ProcessStopped{}).at(seconds(30)).healed();
    story.at(seconds(30) + span).by(n1, expired(5, 9, 1));
}

/// The waiter of session 5 is granted the lock by an entry at the index; it came free at 7.
void woken_at(Story& story, std::uint64_t index) {
    story.by(n1, opened(4, bob)).by(n1, opened(5, alice)).by(n1, granted(4, 1, 6));
    story.by(n1, queued(5, 1, 6)).by(n1, released(4, 1, 6, 7)).by(n1, granted(5, 1, index));
}

/// Leader n1 answers what it has at index 9, which is durable on these.
void answers_when_durable(Story& story, bool follower) {
    story.by(n1, leads(3)).by(n1, durable(9, 3));
    if (follower) story.by(n2, durable(9, 3));
    story.by(n1, answers(5, 1, 9, AnswerStatus::Granted, 9));
}

/// Alice, whom nobody has answered before, tries for the lock.
void tries_for(Story& story, Duration span) {
    all_up(story);
    story.at(seconds(60)).by(alice, acquires(5, 1, Duration()));
    story.at(seconds(60) + span).by(alice, returns(5, 1, AcquireOutcome::Held));
}

/// Both clients are granted the lock, the one after the other. Alice releases hers, which is
/// confirmed: in between, or when bob has his already.
void both_hold(Story& story, bool released_between) {
    story.at(seconds(1));
    for (const auto& [client, session] : {std::pair(alice, 5U), std::pair(bob, 6U)}) {
        story.by(client, opens(session)).by(n1, opened(session, client));
        story.by(client, SessionTold{SessionId(session), Nonce(session + 1000), LocalTime{}});
    }
    const auto release = [&] {
        story.by(alice, ReleaseCalled{lock, SessionId(5), FencingToken(7)});
        story.by(alice, ReleaseReturned{lock, SessionId(5), FencingToken(7), AnswerStatus::Ok});
    };
    story.at(seconds(2)).by(alice, acquires(5, 1, Duration::max())).by(alice, told(5, 1, 7));
    story.by(alice, returns(5, 1, AcquireOutcome::Granted)).at(seconds(3));
    if (released_between) release();
    story.at(seconds(4)).by(bob, acquires(6, 1, Duration::max())).by(bob, told(6, 1, 8));
    story.by(bob, returns(6, 1, AcquireOutcome::Granted)).at(seconds(5));
    if (!released_between) release();
    story.at(seconds(6)).by(bob, ReleaseCalled{lock, SessionId(6), FencingToken(8)});
    story.at(seconds(7));
}

void probes(Story& story, bool granted_all) {
    story.at(seconds(90)).by(sim::ProcessId(), sim::Probing{});
    story.by(carol, acquires(8, 1, Duration::max())).at(seconds(140));
    if (granted_all) story.by(carol, told(8, 1, 20));
}

Pairs pairs_of_locks() {
    const Duration bound = cast().live1_bound() + lease_at_most + cast().slack;
    return {
        {Lock5,
         {[=](Story& story) { given_up_for(story, bound + Duration{1}); },
          [=](Story& story) { given_up_for(story, bound); },
          "client alice gave up lock jobs (token 7) at 30.000000 s"}},
        {Lock6,
         {[](Story& story) {
              story.by(n1, opened(5, alice)).by(n1, answers(5, 1, 7, AnswerStatus::Granted, 7));
              story.by(n1, answers(5, 1, 9, AnswerStatus::Granted, 9));
          },
          [](Story& story) {
              story.by(n1, opened(5, alice)).by(n1, answers(5, 1, 7, AnswerStatus::Granted, 7));
              story.by(n1, answers(5, 1, 9, AnswerStatus::Granted, 7));
          },
          "answered request 1 of alice (session 5) with granted (token 9); it had been answered "
          "granted at index 7 (token 7)"}},
        {Keep1,
         {[](Story& story) {
              story.by(n1, opened(5, alice)).by(alice, SessionOverTold{SessionId(5)});
          },
          [](Story& story) {
              story.by(n1, opened(5, alice)).by(n1, expired(5, 9, 1));
              story.by(alice, SessionOverTold{SessionId(5)});
          },
          "client alice heard that its session 5 is over; its end was applied nowhere"}},
        {Wake1,
         {[](Story& story) { woken_at(story, 8); }, [](Story& story) { woken_at(story, 7); },
          "lock jobs came free at index 7 and was granted to nobody there, though alice (session "
          "5) waited"}},
    };
}

Pairs pairs_of_clusters() {
    const Duration first_answer = cast().live1_bound() + cast().slack;
    const Duration freed = cast().live1_bound() + lease_at_most + cast().slack;
    return {
        {Quorum1,
         {[](Story& story) { answers_when_durable(story, false); },
          [](Story& story) { answers_when_durable(story, true); },
          "server n1, leader of term 3, answered request 1 of session 5 (granted) as of index 9; "
          "an entry of that term from there on was durable on 1 of 3 servers"}},
        {Avail1,
         {[=](Story& story) { tries_for(story, first_answer + Duration{1}); },
          [=](Story& story) { tries_for(story, first_answer); },
          "attempt to acquire by client alice, begun at 60.000000 s, had not finished by"}},
        {Live3,
         {[=](Story& story) { dead_for(story, freed + Duration{1}); },
          [=](Story& story) { dead_for(story, freed); },
          "client alice, which held lock jobs (token 7), died at 20.000000 s"}},
        {Live4,
         {[](Story& story) { probes(story, false); }, [](Story& story) { probes(story, true); },
          "the fresh client carol asked for lock jobs at 90.000000 s"}},
        {Lin1,
         {[](Story& story) { both_hold(story, false); },
          [](Story& story) { both_hold(story, true); }, "jobs"}},
    };
}

}  // namespace

void all_up(Story& story) {
    for (const sim::ProcessId process : {n1, n2, n3, alice, bob, store, carol})
        story.by(process, sim::ProcessStarted{1});
    story.at(seconds(1)).by(n1, leads(1));
}

Pairs service_pairs() {
    Pairs all = pairs_of_locks();
    all.merge(pairs_of_clusters());
    return all;
}

}  // namespace lockstep::properties::test
