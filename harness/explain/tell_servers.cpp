// Grants, elections, logs and confirmations: what servers may not do.
#include "harness/explain/telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace lockstep::harness {
namespace {

bool elected_between(const Telling& t, Place from, Place to) {
    return std::any_of(
        t.log.leaders().begin(), t.log.leaders().end(),
        [&](const LeaderTale& leader) { return from < leader.from && leader.from < to; });
}

/// The last stop of the process between the places.
Place stopped_between(const Telling& t, sim::ProcessId process, Place from, Place to) {
    Place last = nowhere;
    for (const SpanTale& down : t.log.downs())
        if (down.process == process && from < down.from && down.from < to) last = down.from;
    return last;
}

/// A server that voted for two in one term.
struct TwoVotes {
    sim::ProcessId voter;
    Place first = nowhere;
    Place second = nowhere;
};

TwoVotes two_votes(const Telling& t, Term term) {
    std::map<sim::ProcessId, Place> votes;
    for (Place place = 0; place <= t.at && place < t.log.size(); ++place) {
        const auto* vote = t.log.event<events::VoteCast>(place);
        if (vote == nullptr || vote->term != term) continue;
        const auto [known, first] = votes.emplace(t.log.process(place), place);
        if (first) continue;
        if (t.log.event<events::VoteCast>(known->second)->candidate != vote->candidate)
            return {t.log.process(place), known->second, place};
    }
    return {};
}

/// True if somebody voted twice.
bool blame_voter(Telling& t, Term term) {
    const TwoVotes votes = two_votes(t, term);
    if (votes.second == nowhere) return false;
    const auto* first = t.log.event<events::VoteCast>(votes.first);
    const auto* second = t.log.event<events::VoteCast>(votes.second);
    const Place stopped = stopped_between(t, votes.voter, votes.first, votes.second);
    t.about(votes.voter);
    t.step(votes.first, Rank::Needed);
    t.step(votes.second, Rank::Needed);
    t.troubles({votes.voter}, votes.first, votes.second, Rank::Linked);
    t.pivot = fmt::format(
        "{} voted for {} in term {} at {}{}, and for {} in the same term at {}.",
        t.name(votes.voter), t.name(first->candidate), term.value, t.words.when(votes.first),
        stopped == nowhere ? ""
                           : fmt::format(", stopped at {} and came back", t.words.when(stopped)),
        t.name(second->candidate), t.words.when(votes.second));
    t.looks_like =
        stopped == nowhere ? "a server that votes twice in one term" : "a vote forgotten";
    t.decide(stopped != nowhere ? stopped : votes.second);
    return true;
}

/// Who had applied another state under that index, or had another prefix.
template <class E, class Differs>
Place counterpart(const Telling& t, const E& mine, Differs&& differs) {
    for (Place place = t.at; place-- > 0;) {
        const auto* other = t.log.event<E>(place);
        if (other != nullptr && other->index == mine.index && differs(*other)) return place;
    }
    return nowhere;
}

/// What happened to the servers since then: elections, cuts of logs, crashes, disks.
void server_history(Telling& t, const std::vector<sim::ProcessId>& servers, Place from) {
    t.elections(from, t.at, Rank::Linked);
    t.troubles(servers, from, t.at, Rank::Linked);
    for (Place place = from; place < t.at; ++place) {
        const sim::ProcessId process = t.log.process(place);
        if (std::find(servers.begin(), servers.end(), process) == servers.end()) continue;
        if (t.log.event<events::Truncated>(place) != nullptr ||
            t.log.event<events::TornTailCut>(place) != nullptr)
            t.step(place, Rank::Linked);
        const auto* recovered = t.log.event<events::Recovered>(place);
        if (recovered != nullptr && recovered->last_index) t.step(place, Rank::Helpful);
    }
}

}  // namespace

void tell_grants(Telling& t) {
    LockId lock;
    if (const auto* granted = t.log.event<events::Granted>(t.at)) lock = granted->lock;
    if (const auto* told = t.log.event<events::GrantTold>(t.at)) lock = told->lock;
    if (!lock) return tell_evidence(t);
    const HoldTale* newer = nullptr;
    const HoldTale* older = nullptr;
    for (const HoldTale& hold : t.log.holds()) {
        if (hold.lock != lock || std::min(hold.granted, hold.told) > t.at) continue;
        if (hold.granted == t.at || hold.told == t.at)
            newer = &hold;
        else if (hold.freed > t.at || older == nullptr || older->freed <= t.at)
            older = &hold;
    }
    if (newer == nullptr || older == nullptr) return tell_evidence(t);
    t.about(*newer);
    t.about(*older);
    const bool failover = elected_between(t, std::min(older->granted, older->told), t.at);
    t.broke = t.violation.evidence;
    t.harm = fmt::format("{} was granted to {} at {} (token {})", t.words.lock(lock),
                         t.name(newer->client), t.words.when(newer->granted), newer->token.value);
    if (older->freed > t.at)
        t.harm += fmt::format(" while {} held it (token {}, since {})", t.name(older->client),
                              older->token.value, t.words.when(older->granted));
    const Place from = std::min(older->granted, older->told);
    t.step(from, Rank::Needed);
    t.step(older->told, Rank::Helpful);
    t.step(newer->granted, Rank::Needed);
    std::vector<sim::ProcessId> servers;
    for (const LeaderTale& leader : t.log.leaders())
        if (leader.from <= t.at && from <= leader.to) servers.push_back(leader.server);
    server_history(t, servers, from);
    t.pivot = fmt::format("Nothing of what was applied in between had ended {}'s grant.",
                          t.name(older->client));
    t.looks_like = failover ? "a grant lost in failover" : "a lock granted twice";
    if (failover)
        for (const LeaderTale& leader : t.log.leaders())
            if (from < leader.from && leader.from < t.at) t.decide(leader.from);
    if (!failover) t.decide(newer->granted);
    if (older->freed > t.at) t.fencing = fencing_of(t, {older});
}

void tell_elections(Telling& t) {
    Term term;
    if (const auto* leader = t.log.event<events::BecameLeader>(t.at)) term = leader->term;
    if (const auto* vote = t.log.event<events::VoteCast>(t.at)) term = vote->term;
    if (!term) return tell_evidence(t);
    t.broke = t.violation.evidence;
    t.about(t.log.process(t.at));
    std::vector<std::string> leaders;
    for (const LeaderTale& leader : t.log.leaders()) {
        if (leader.term != term || leader.from > t.at) continue;
        leaders.push_back(t.name(leader.server));
        t.about(leader.server);
        t.step(leader.from, Rank::Needed);
    }
    std::size_t votes = 0;
    for (Place place = 0; place <= t.at; ++place)
        if (const auto* vote = t.log.event<events::VoteCast>(place); vote && vote->term == term) {
            t.step(place, Rank::Linked);
            votes += leaders.size() == 1 || vote->candidate == t.log.process(t.at) ? 1U : 0U;
        }
    t.step(t.at, Rank::Needed);
    t.harm = leaders.size() > 1
                 ? fmt::format(
                       "{} both lead term {} from {} on: each may grant what the other has "
                       "given away",
                       t.words.listed(leaders), term.value, t.words.when(t.at))
                 : fmt::format("{} may give two candidates a majority in term {}",
                               t.name(t.log.process(t.at)), term.value);
    if (blame_voter(t, term)) return;
    const std::size_t needed = t.settings.servers.size() / 2 + 1;
    if (votes < needed) {
        t.pivot = fmt::format("{} had {} of the {} votes that it needs when it took the lead.",
                              t.name(t.log.process(t.at)), votes, needed);
        t.looks_like = "a leader without a majority of votes";
    }
    t.decide(t.at);
}

void tell_logs(Telling& t) {
    t.broke = t.violation.evidence;
    const sim::ProcessId process = t.log.process(t.at);
    t.about(process);
    Place other = nowhere;
    std::uint64_t index = 0;
    if (const auto* applied = t.log.event<events::Applied>(t.at)) {
        index = applied->index.value;
        other = counterpart(t, *applied, [&](const events::Applied& o) {
            return o.state_hash != applied->state_hash;
        });
        if (other != nowhere)
            t.harm = fmt::format(
                "{} and {} have applied different states at index {}: their tables "
                "of locks are not the same any more",
                t.name(t.log.process(other)), t.name(process), index);
    } else if (const auto* appended = t.log.event<events::Appended>(t.at)) {
        index = appended->index.value;
        other = counterpart(t, *appended, [&](const events::Appended& o) {
            return o.prefix_hash != appended->prefix_hash;
        });
        if (other != nowhere)
            t.harm = fmt::format("the logs of {} and {} differ at index {}",
                                 t.name(t.log.process(other)), t.name(process), index);
    } else if (const auto* leader = t.log.event<events::BecameLeader>(t.at)) {
        index = leader->last_index.value;
        t.harm = fmt::format("{} leads term {} without what had been committed: grants may be gone",
                             t.name(process), leader->term.value);
    }
    std::vector<sim::ProcessId> servers{process};
    if (other != nowhere) {
        t.about(t.log.process(other));
        servers.push_back(t.log.process(other));
        t.step(other, Rank::Needed);
    }
    for (const sim::ProcessId named : processes_in(t.log.outcome(), t.violation.evidence))
        servers.push_back(named);
    const Place from = other != nowhere ? std::min(other, t.at) : Place{0};
    server_history(t, servers, from);
    // What a disk took back is lost for whoever had counted on it.
    Place lost = nowhere;
    for (const SpanTale& down : t.log.downs()) {
        if (down.from > t.at) continue;
        const auto* stopped = t.log.world_event<sim::ProcessStopped>(down.from);
        if (stopped == nullptr || stopped->how != sim::CrashKind::Power) continue;
        if (std::find(servers.begin(), servers.end(), down.process) != servers.end())
            lost = down.from;
    }
    t.step(t.at, Rank::Needed);
    if (lost != nowhere) {
        t.step(lost, Rank::Needed);
        t.pivot = fmt::format("{} lost power at {}, before the logs differed.",
                              t.name(t.log.process(lost)), t.words.when(lost));
        t.looks_like = "an entry that was counted as durable, and forgotten over a restart";
        return t.decide(lost);
    }
    t.looks_like = elected_between(t, from, t.at) ? "a log that a change of leader did not mend"
                                                  : "a log that was overwritten";
    t.decide(t.at);
}

void tell_quorum(Telling& t) {
    t.broke = t.violation.evidence;
    const sim::ProcessId server = t.log.process(t.at);
    t.about(server);
    t.step(t.at, Rank::Needed);
    if (const auto* renewal = t.log.event<events::RenewalAnswered>(t.at)) {
        t.about(renewal->client);
        t.harm = fmt::format(
            "{} extended the lease of {} at {} without knowing whether it led: "
            "whoever leads may give its locks away",
            t.name(server), t.name(renewal->client), t.words.when(t.at));
        const SessionTale* session = t.log.session(renewal->session);
        if (session == nullptr) return;
        const LeaseAccount account = account_for(t, *session);
        t.pivot = account.pivot;
        t.looks_like = account.looks_like;
        return;
    }
    const auto* answered = t.log.event<events::Answered>(t.at);
    if (answered == nullptr) return tell_evidence(t);
    t.about(answered->client);
    if (answered->lock) t.focus.locks.insert(answered->lock);
    t.harm = fmt::format("{} told {} at {} what it may lose again: no majority has it on disk",
                         t.name(server), t.name(answered->client), t.words.when(t.at));
    t.elections(0, t.at, Rank::Helpful);
    t.troubles({server}, 0, t.at, Rank::Linked);
    t.looks_like = "an answer before a quorum had confirmed it";
    t.decide(t.at);
}

}  // namespace lockstep::harness
