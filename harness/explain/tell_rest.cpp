// Late acts, promises of liveness, and whatever has no words of its own.
#include "harness/explain/telling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {
namespace {

/// The sessions of the clients in focus that were open then.
std::vector<const SessionTale*> open_sessions(const Telling& t) {
    std::vector<const SessionTale*> open;
    for (const auto& [id, session] : t.log.sessions()) {
        const auto& named = t.focus.processes;
        const bool meant = std::find(named.begin(), named.end(), session.client) != named.end();
        if (meant && session.opened < t.at && session.ended > t.at) open.push_back(&session);
    }
    return open;
}

/// A dead client's session that no leader ended.
bool blame_timers(Telling& t) {
    for (const SessionTale* session : open_sessions(t)) {
        const Place dead = t.log.still_since(session->client, t.at);
        if (dead == nowhere || session->ttl.ns == 0) continue;
        if (t.log.time(t.at) - t.log.time(dead) < session->ttl) continue;
        const LeaderTale* leader = t.log.leader_at(t.at);
        const bool changed = leader != nullptr && leader->from > session->opened;
        const bool proposed =
            std::any_of(session->proposals.begin(), session->proposals.end(),
                        [&](const ProposalTale& p) { return p.at > dead && p.at < t.at; });
        if (proposed) continue;
        t.focus.sessions.insert(session->id);
        t.step(session->opened, Rank::Linked);
        t.step(dead, Rank::Needed);
        if (leader != nullptr) t.step(leader->from, Rank::Needed);
        t.pivot = fmt::format(
            "{} was gone from {} on, its lease was {}, and until {} no leader proposed to end its "
            "session{}.",
            t.name(session->client), t.words.when(dead), span_text(session->ttl),
            t.words.when(t.at),
            changed ? fmt::format("; {}, which leads since {}, never timed it",
                                  t.name(leader->server), t.words.when(leader->from))
                    : "");
        t.looks_like =
            changed ? "timers not restarted by a new leader" : "a lease that nobody times";
        t.decide(changed ? leader->from : dead);
        return true;
    }
    return false;
}

}  // namespace

void tell_late_act(Telling& t) {
    const sim::ProcessId client = t.log.process(t.at);
    t.about(client);
    t.broke = t.violation.evidence;
    t.harm = t.violation.evidence;
    t.step(t.at, Rank::Needed);
    SessionId session;
    if (const auto* asked = t.log.event<events::MayActAsked>(t.at)) {
        session = asked->session;
        t.focus.locks.insert(asked->lock);
        t.harm = fmt::format("{} may act on {} at {}, {} past its own deadline", t.name(client),
                             t.words.lock(asked->lock), t.words.when(t.at),
                             Phrases::span(asked->now - asked->deadline));
        if (const HoldTale* hold = t.log.hold(asked->token, t.at, asked->lock)) {
            t.about(*hold);
            t.step(hold->told, Rank::Needed);
            t.step(hold->belief_end, Rank::Needed);
            t.fencing = fencing_of(t, {hold});
        }
    } else if (const auto* moved = t.log.event<events::DeadlineMoved>(t.at)) {
        session = moved->session;
    } else if (const auto* lost = t.log.event<events::LossTold>(t.at)) {
        session = lost->session;
        t.focus.locks.insert(lost->lock);
    }
    t.looks_like = "a client that acts past its deadline";
    if (const SessionTale* tale = t.log.session(session)) {
        t.focus.sessions.insert(session);
        t.step(tale->passed, Rank::Needed);
        if (tale->passed != nowhere && tale->passed < t.at)
            t.pivot = fmt::format("Its deadline passed at {}, {} before.",
                                  t.words.when(tale->passed), t.words.between(tale->passed, t.at));
        t.decide(tale->passed != nowhere && tale->passed < t.at ? tale->passed : t.at);
    }
    t.troubles({client}, t.decisive != nowhere ? t.decisive : t.at, t.at, Rank::Linked);
    if (t.decisive == nowhere) t.decide(t.at);
}

void tell_liveness(Telling& t) {
    tell_evidence(t);
    t.step(t.log.healed(), Rank::Needed);
    const Place healed = t.log.healed() == nowhere ? Place{0} : t.log.healed();
    t.elections(healed, t.at, Rank::Linked);
    if (const LeaderTale* leader = t.log.leader_at(t.at)) t.step(leader->from, Rank::Linked);
    for (const HoldTale& hold : t.log.holds()) {
        const auto& locks = t.focus.locks;
        const bool meant = locks.empty() || locks.contains(hold.lock);
        if (!meant || hold.granted > t.at || hold.freed <= t.at) continue;
        t.about(hold);
        t.step(hold.granted, Rank::Linked);
        const Place still = hold.client ? t.log.still_since(hold.client, t.at) : nowhere;
        if (still != nowhere) t.step(still, Rank::Needed);
    }
    if (blame_timers(t)) return;
    const bool reports_leaders = !t.log.leaders().empty();
    if (reports_leaders && t.log.leader_at(t.at) == nullptr) {
        t.pivot = fmt::format("Nobody leads at {}.", t.words.when(t.at));
        t.looks_like = "servers that cannot elect a leader";
        if (!t.log.leaders().empty()) t.step(t.log.leaders().back().to, Rank::Linked);
    }
}

void tell_evidence(Telling& t) {
    if (t.broke.empty()) t.broke = t.violation.evidence;
    if (t.harm.empty()) t.harm = t.violation.evidence;
    if (t.at >= t.log.size()) return;
    for (const sim::ProcessId process : processes_in(t.log.outcome(), t.violation.evidence))
        t.about(process);
    for (const LockId lock : locks_in(t.log.outcome(), t.violation.evidence))
        t.focus.locks.insert(lock);
    t.about(t.log.process(t.at));
    t.step(t.at, Rank::Needed);
    if (t.focus.locks.empty()) return;
    // Who had the locks last.
    std::size_t shown = 0;
    for (auto hold = t.log.holds().rbegin(); hold != t.log.holds().rend() && shown < 2; ++hold) {
        if (!t.focus.locks.contains(hold->lock) || std::min(hold->granted, hold->told) > t.at)
            continue;
        ++shown;
        t.step(hold->granted != nowhere ? hold->granted : hold->told, Rank::Linked);
        t.step(hold->freed, Rank::Linked);
        t.troubles({hold->client}, std::min(hold->granted, hold->told), t.at, Rank::Linked);
        t.elections(std::min(hold->granted, hold->told), t.at, Rank::Linked);
    }
}

}  // namespace lockstep::harness
