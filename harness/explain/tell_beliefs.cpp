// Two who both may act, and leases that ended too early.
#include "harness/explain/telling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {
namespace {

/// What the two beliefs of an overlap are.
struct Rivals {
    const HoldTale* older = nullptr;
    const HoldTale* newer = nullptr;
};

bool believed_at(const HoldTale& hold, Place place) {
    return hold.told != nowhere && hold.told <= place && place < hold.belief_end;
}

/// The one that was told, or that moved its deadline, and who believed the same.
Rivals rivals_of(const Telling& t) {
    Rivals rivals;
    const auto* moved = t.log.event<events::DeadlineMoved>(t.at);
    for (const HoldTale& hold : t.log.holds()) {
        if (hold.told == t.at) rivals.newer = &hold;
        // A belief that was over, and is again: its end was noted when it was over.
        if (moved != nullptr && hold.session == moved->session && hold.told < t.at)
            rivals.newer = &hold;
    }
    if (rivals.newer == nullptr) return rivals;
    for (const HoldTale& hold : t.log.holds()) {
        if (&hold == rivals.newer || hold.lock != rivals.newer->lock) continue;
        const bool same =
            hold.client == rivals.newer->client && hold.session == rivals.newer->session;
        if (!same && believed_at(hold, t.at)) rivals.older = &hold;
    }
    return rivals;
}

class Belief {
public:
    Belief(Telling& telling, const Rivals& rivals)
        : t_(telling), log_(telling.log), older_(*rivals.older), newer_(*rivals.newer) {}

    void tell() {
        t_.about(older_);
        t_.about(newer_);
        t_.broke = fmt::format(
            "{} had been told at {} that it holds {} (token {}), and still relied on it when {} "
            "was told the same at {} (token {})",
            older(), t_.words.when(older_.told), lock(), older_.token.value, newer(),
            t_.words.when(t_.at), newer_.token.value);
        t_.harm = harm();
        t_.step(older_.granted != nowhere ? older_.granted : older_.told, Rank::Needed);
        t_.step(newer_.granted, Rank::Needed);
        t_.step(t_.at, Rank::Needed);
        t_.troubles({older_.client}, older_.told, t_.at, Rank::Linked);
        why();
        t_.fencing = fencing_of(t_, {&older_});
    }

private:
    std::string older() const { return t_.name(older_.client); }
    std::string newer() const { return t_.name(newer_.client); }
    std::string lock() const { return t_.words.lock(newer_.lock); }

    std::string harm() const {
        const Place until = std::min(older_.belief_end, newer_.belief_end);
        const std::string who = older_.client == newer_.client
                                    ? "two sessions of " + older() + " both"
                                    : fmt::format("{} and {} both", older(), newer());
        if (until == nowhere)
            return fmt::format("{} may act on {} from {} on", who, lock(), t_.words.when(t_.at));
        return fmt::format("{} may act on {} from {} to {} ({})", who, lock(), t_.words.when(t_.at),
                           t_.words.when(until), t_.words.between(t_.at, until));
    }

    void why() {
        if (older_.granted == nowhere && newer_.granted == nowhere) return unreported();
        const SessionTale* session = log_.session(older_.session);
        if (older_.freed == nowhere || older_.freed > t_.at) return granted_twice();
        if (newer_.freed < t_.at) {
            t_.pivot = fmt::format("{}'s grant was over at {}, before {} heard of it.", newer(),
                                   t_.words.when(newer_.freed), newer());
            t_.looks_like = "news of a grant that was over already, taken for a grant";
            return t_.decide(newer_.freed);
        }
        if (log_.event<events::HoldEnded>(older_.freed) != nullptr) {
            t_.pivot = fmt::format(
                "The service ended {}'s hold at {} because it had lasted too "
                "long, and {} did not know.",
                older(), t_.words.when(older_.freed), older());
            t_.looks_like = "a client that does not bound its belief by hold_max";
            return t_.decide(older_.freed);
        }
        if (session != nullptr && older_.freed == session->ended) return lease_ended(*session);
        t_.pivot = fmt::format("{} was taken back from {} at {}, while {} went on.", lock(),
                               older(), t_.words.when(older_.freed), older());
        t_.looks_like = "a release that the holder had not asked for";
        t_.decide(older_.freed);
    }

    void granted_twice() {
        const bool failover = std::any_of(
            log_.leaders().begin(), log_.leaders().end(), [&](const LeaderTale& leader) {
                return older_.granted < leader.from && leader.from < newer_.granted;
            });
        t_.elections(older_.granted, t_.at, Rank::Linked);
        t_.pivot = fmt::format("{} was granted to {} although nothing had ended {}'s grant.",
                               lock(), newer(), older());
        t_.looks_like = failover ? "a grant lost in failover" : "a lock granted twice";
        t_.decide(newer_.granted != nowhere ? newer_.granted : t_.at);
    }

    void lease_ended(const SessionTale& session) {
        const LeaseAccount account = account_for(t_, session);
        t_.pivot = account.pivot;
        t_.looks_like = account.looks_like;
        if (!account.flawed) believed_too_long(session);
        if (t_.decisive == nowhere) t_.decide(session.ended);
    }

    /// The service kept its word; so the client's clock, or its arithmetic, did not.
    void believed_too_long(const SessionTale& session) {
        Place since = session.open_sent;
        for (const RenewalTale& renewal : session.renewals)
            if (renewal.answered != nowhere && renewal.answered <= t_.at && renewal.sent != nowhere)
                since = renewal.sent;
        if (since == nowhere) return;
        const Duration promised = shrink(session.ttl, t_.settings.drift_bound);
        const sim::SimTime over = log_.time(since) + promised;
        const std::string until =
            older_.belief_end == nowhere ? "and on" : "until " + t_.words.when(older_.belief_end);
        t_.pivot += fmt::format(
            " What it may count on, {} from the sending at {}, was over at {}, but {} believed {}.",
            Phrases::span(promised), t_.words.when(since), t_.words.when(over), older(), until);
        t_.looks_like = "a client that acts past its deadline";
        blame_clock();
    }

    /// What kept the client's clock back, if anything is known to have.
    void blame_clock() {
        for (const PauseTale& pause : log_.pauses())
            if (pause.process == older_.client && pause.clock == sim::ClockMode::Frozen &&
                pause.from <= t_.at && older_.told <= pause.to)
                t_.decide(pause.from);
        for (const SpanTale& fault : log_.faults()) {
            if (fault.process != older_.client || fault.from > t_.at || fault.to < older_.told ||
                fault.fault >= t_.settings.plan.size())
                continue;
            const sim::FaultKind kind = t_.settings.plan[fault.fault].kind;
            if (kind == sim::FaultKind::ClockDrift || kind == sim::FaultKind::ClockFreeze)
                t_.decide(fault.from);
        }
    }

    /// Faults of either client's that were on: of a service that tells nothing they are what there
    /// is to go by.
    std::string faults_beside() {
        std::string all;
        for (const SpanTale& fault : log_.faults()) {
            const bool theirs = fault.process == older_.client || fault.process == newer_.client;
            if (!theirs || fault.from > t_.at || fault.to < older_.told) continue;
            t_.step(fault.from, Rank::Needed);
            all += fmt::format("{}{}", all.empty() ? " Meanwhile there was a fault: " : ", ",
                               t_.words.fault(fault.fault));
        }
        return all.empty() ? all : all + ".";
    }

    /// When the client asked for what it was told then.
    Place asked_for(const HoldTale& hold) const {
        for (Place place = hold.told; place-- > 0;) {
            const auto* asked = log_.event<events::AcquireCalled>(place);
            if (asked != nullptr && asked->lock == hold.lock && log_.process(place) == hold.client)
                return place;
        }
        return hold.told;
    }

    struct Slow {
        Place sent = nowhere;
        Place heard = nowhere;
        Duration took{};
    };
    /// The last message of either client that took at least so long.
    Slow slow_message(Place from, Duration least) const {
        Slow last;
        for (Place place = from; place < t_.at; ++place) {
            const auto* taken = std::get_if<MessageTaken>(&log_.at(place).what);
            if (taken == nullptr || (taken->from != older_.client && taken->from != newer_.client))
                continue;
            const Place sent = log_.sending_of(taken->number);
            if (sent == nowhere || sent < from) continue;
            const Duration took = log_.time(place) - log_.time(sent);
            if (took >= least) last = {sent, place, took};
        }
        return last;
    }

    /// A message that was under way for long: what it said was old when it was heard.
    std::string about_slow_message(Place from) {
        constexpr Duration unusual = milliseconds(100);
        Slow slow = slow_message(from, unusual);
        // Nearly as slow as the slowest will do, if it is later.
        for (Slow slower = slow; slower.sent != nowhere;) {
            slow = slower;
            slower = slow_message(from, slow.took * 4 / 3);
        }
        if (slow.sent == nowhere) return "";
        const Place slowest = slow.sent;
        const Place heard = slow.heard;
        const auto& line = std::get<MessageLine>(log_.at(slowest).what);
        t_.decide(slowest, fmt::format("sends {} to {}, which takes it only at {}, {} later",
                                       line.kind, t_.name(line.to), t_.words.when(heard),
                                       t_.words.between(slowest, heard)));
        return fmt::format(" {}'s {} was under way to {} from {} to {}.",
                           t_.name(log_.process(slowest)), line.kind, t_.name(line.to),
                           t_.words.when(slowest), t_.words.when(heard));
    }

    /// A service that reports nothing of what its servers do: the clients' side alone.
    void unreported() {
        const Place since = log_.still_since(older_.client, t_.at);
        t_.pivot =
            fmt::format("{} gave nothing up before {}", older(), t_.words.when(older_.belief_end));
        if (since != nowhere)
            t_.pivot += fmt::format(", having stood still since {}", t_.words.when(since));
        t_.pivot += fmt::format("; the service let {} have {} at {} all the same.", newer(), lock(),
                                t_.words.when(t_.at));
        const Place asked = std::min(asked_for(older_), asked_for(newer_));
        t_.step(asked_for(older_), Rank::Linked);
        t_.step(asked_for(newer_), Rank::Linked);
        t_.pivot += about_slow_message(asked);
        t_.pivot += faults_beside();
        const SessionTale* session = log_.session(older_.session);
        const bool limited = older_.belief_end != nowhere &&
                             log_.world_event<sim::DeadlinePassed>(older_.belief_end) != nullptr;
        t_.looks_like = limited || (session != nullptr && session->passed != nowhere)
                            ? "a lock that is given away before its holder's deadline"
                            : "a lock that two can take at once";
        if (since != nowhere || t_.decisive == nowhere) t_.decide(since != nowhere ? since : t_.at);
    }

    Telling& t_;
    const Chronicle& log_;
    const HoldTale& older_;
    const HoldTale& newer_;
};

}  // namespace

void tell_belief(Telling& t) {
    const Rivals rivals = rivals_of(t);
    if (rivals.older == nullptr || rivals.newer == nullptr) return tell_evidence(t);
    Belief(t, rivals).tell();
}

void tell_early_end(Telling& t) {
    const auto* ended = t.log.event<events::SessionEnded>(t.at);
    const SessionTale* session = ended != nullptr ? t.log.session(ended->session) : nullptr;
    if (session == nullptr) return tell_evidence(t);
    const LeaseAccount account = account_for(t, *session);
    t.pivot = account.pivot;
    t.looks_like = account.looks_like;
    const std::string who = t.name(session->client);
    t.broke = fmt::format("{}'s session was ended at {}, before its lease was over", who,
                          t.words.when(t.at));
    std::vector<const HoldTale*> believed;
    std::string held;
    for (const std::size_t i : t.log.holds_of(session->id)) {
        const HoldTale& hold = t.log.holds()[i];
        if (!believed_at(hold, t.at)) continue;
        believed.push_back(&hold);
        t.about(hold);
        t.step(hold.granted != nowhere ? hold.granted : hold.told, Rank::Linked);
        held = fmt::format("{} still relied on {}, until {}", who, t.words.lock(hold.lock),
                           t.words.when(hold.belief_end));
    }
    t.harm = fmt::format("the lease of {} was ended at {}, earlier than promised{}", who,
                         t.words.when(t.at), held.empty() ? "" : ": " + held);
    t.step(t.at, Rank::Needed);
    if (!believed.empty()) t.fencing = fencing_of(t, believed);
}

}  // namespace lockstep::harness
