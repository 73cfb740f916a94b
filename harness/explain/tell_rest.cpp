// Late acts, promises of liveness, and whatever has no words of its own.
#include "harness/explain/telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

namespace lockstep::harness {
namespace {

/// When the client last asked for the session to live on.
Place last_wanted(const SessionTale& session, Place by) {
    Place last = session.opened;
    for (const RenewalTale& renewal : session.renewals)
        if (renewal.sent != nowhere && renewal.sent <= by) last = renewal.sent;
    return last;
}

/// A session that nobody renews, and that no leader ended.
bool blame_timers(Telling& t, const HoldTale& hold) {
    const SessionTale* session = t.log.session(hold.session);
    if (session == nullptr || session->opened == nowhere || session->ended <= t.at) return false;
    const Place wanted = last_wanted(*session, t.at);
    const Duration least = stretch(session->ttl, t.settings.drift_bound);
    if (t.log.time(t.at) - t.log.time(wanted) < least) return false;
    const bool proposed = std::any_of(session->proposals.begin(), session->proposals.end(),
                                      [&](const ProposalTale& p) { return p.at < t.at; });
    if (proposed) return false;
    // Who should have: whoever led when the lease was over.
    const LeaderTale* leader = t.log.leader_at(t.log.last_by(t.log.time(wanted) + least));
    if (leader == nullptr) leader = t.log.leader_at(t.at);
    const bool changed = leader != nullptr && leader->from > session->opened;
    t.about(hold);
    t.step(hold.granted != nowhere ? hold.granted : hold.told, Rank::Needed);
    t.step(wanted, Rank::Needed);
    t.troubles({hold.client}, wanted, t.at, Rank::Linked);
    if (leader != nullptr) t.step(leader->from, Rank::Needed);
    t.pivot = fmt::format(
        "{} renewed its session last at {}; the lease is {}, and until {} no leader proposed to "
        "end it{}.",
        t.name(hold.client), t.words.when(wanted), span_text(session->ttl),
        t.words.when(t.violation.at),
        changed ? fmt::format(": {}, elected at {}, never began to time a session that was older "
                              "than its leadership",
                              t.name(leader->server), t.words.when(leader->from))
                : "");
    t.looks_like = changed ? "timers not restarted by a new leader" : "a lease that nobody times";
    t.decide(changed ? leader->from : wanted);
    return true;
}

/// "session 4" in the evidence, each once.
std::set<SessionId> sessions_in(std::string_view text) {
    constexpr std::string_view word = "session ";
    std::set<SessionId> found;
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        std::uint64_t number = 0;
        const char* from = text.data() + at + word.size();
        if (std::from_chars(from, text.data() + text.size(), number).ec == std::errc())
            found.insert(SessionId(number));
    }
    return found;
}

/// What the evidence speaks of may be the end of a lease.
void blame_leases(Telling& t) {
    for (const SessionId id : sessions_in(t.violation.evidence)) {
        const SessionTale* session = t.log.session(id);
        if (session == nullptr || session->ended > t.at || !t.pivot.empty()) continue;
        if (session->reason != events::EndReason::Expired) continue;
        const LeaseAccount account = account_for(t, *session);
        if (!account.flawed) continue;
        t.pivot = account.pivot;
        t.looks_like = account.looks_like;
    }
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
    bool blamed = false;
    for (const HoldTale& hold : t.log.holds()) {
        const auto& locks = t.focus.locks;
        const bool meant = locks.empty() || locks.contains(hold.lock);
        if (!meant || blamed || hold.granted > t.at || hold.freed <= t.at) continue;
        blamed = blame_timers(t, hold);
    }
    if (blamed) return;
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
    if (t.by_event) t.about(t.log.process(t.at));
    t.step(t.at, Rank::Needed);
    blame_leases(t);
    if (t.focus.locks.empty()) return;
    // Who had the locks last.
    std::size_t shown = 0;
    for (auto hold = t.log.holds().rbegin(); hold != t.log.holds().rend() && shown < 2; ++hold) {
        if (!t.focus.locks.contains(hold->lock) || std::min(hold->granted, hold->told) > t.at)
            continue;
        ++shown;
        t.step(hold->granted != nowhere ? hold->granted : hold->told, Rank::Linked);
        t.step(hold->freed, Rank::Linked);
        t.troubles({hold->client}, std::min(hold->granted, hold->told), t.at, Rank::Helpful);
        t.elections(std::min(hold->granted, hold->told), t.at, Rank::Linked);
    }
}

}  // namespace lockstep::harness
