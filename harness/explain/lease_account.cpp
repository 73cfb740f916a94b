// How a lease ended, and whether the service or the client did what it must not.
#include "harness/explain/telling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {
namespace {

class Account {
public:
    Account(Telling& telling, const SessionTale& session)
        : t_(telling), log_(telling.log), session_(session) {
        find_proposal();
        find_renewals();
    }

    LeaseAccount make() {
        tell_steps();
        if (!unconfirmed() && !unbound() && !timers_kept() && !early()) undisturbed();
        if (account_.decisive != nowhere) t_.decide(account_.decisive);
        return account_;
    }

private:
    std::string client() const { return t_.name(session_.client); }
    std::string when(Place place) const { return t_.words.when(place); }
    Duration promised() const { return shrink(session_.ttl, t_.settings.drift_bound); }

    /// The one that took effect, or else the last.
    void find_proposal() {
        for (const ProposalTale& proposal : session_.proposals) {
            if (proposal.at > t_.at) continue;
            const bool effective =
                proposal.term == session_.end_term && proposal.index == session_.end_index;
            if (proposal_ == nullptr || effective) proposal_ = &proposal;
            if (effective) return;
            if (session_.ended == nowhere) proposal_ = &proposal;
        }
    }

    void find_renewals() {
        const Place until = proposal_ != nullptr ? proposal_->at : t_.at;
        for (const RenewalTale& renewal : session_.renewals) {
            if (renewal.sent == nowhere || renewal.sent > t_.at) continue;
            last_sent_ = &renewal;
            if (renewal.answered == nowhere) continue;
            if (renewal.answered <= until) anchor_ = &renewal;
            if (renewal.answered <= t_.at) last_answered_ = &renewal;
        }
    }

    const LeaderTale* leadership(sim::ProcessId server, Place place) const {
        for (const LeaderTale& leader : log_.leaders())
            if (leader.server == server && leader.from <= place && place <= leader.to)
                return &leader;
        return nullptr;
    }
    /// When the promise began that ends with the proposal.
    Place promise_since() const {
        if (anchor_ != nullptr) return anchor_->sent;
        return session_.open_sent != nowhere ? session_.open_sent : session_.opened;
    }
    Place begins() const {
        const Place since = promise_since();
        return since != nowhere ? since : session_.told;
    }
    Place ends() const { return session_.ended != nowhere ? session_.ended : t_.at; }

    void tell_steps() {
        if (session_.opened != nowhere) t_.step(session_.opened, Rank::Aside);
        if (anchor_ != nullptr) {
            t_.step(
                anchor_->sent, Rank::Linked,
                anchor_->answered == nowhere
                    ? "sends a renewal"
                    : fmt::format("sends a renewal, which {} answers at {} as leader of term {}",
                                  t_.name(anchor_->server), when(anchor_->answered),
                                  anchor_->term.value));
            t_.step(anchor_->answered, Rank::Aside);
        }
        if (proposal_ != nullptr) t_.step(proposal_->at, Rank::Linked);
        t_.step(session_.ended, Rank::Needed);
        t_.step(session_.passed, Rank::Linked);
        if (begins() != nowhere) {
            t_.troubles({session_.client}, begins(), ends(), Rank::Linked);
            std::vector<sim::ProcessId> servers;
            for (const LeaderTale& leader : log_.leaders())
                if (leader.from <= ends() && begins() <= leader.to)
                    servers.push_back(leader.server);
            t_.troubles(servers, begins(), ends(), Rank::Linked);
            t_.elections(begins(), ends(), Rank::Linked);
        }
    }

    /// A renewal that a deposed leader answered.
    bool unconfirmed() {
        for (const RenewalTale& renewal : session_.renewals) {
            if (renewal.answered == nowhere || renewal.answered > t_.at) continue;
            const Place received =
                renewal.received != nowhere ? renewal.received : renewal.answered;
            const LeaderTale* successor = nullptr;
            for (const LeaderTale& leader : log_.leaders())
                if (leader.term > renewal.term && leader.from < received &&
                    (successor == nullptr || leader.term < successor->term))
                    successor = &leader;
            if (successor == nullptr) continue;
            account_.flawed = true;
            account_.decisive = renewal.answered;
            account_.looks_like = "a lease extended without a quorum's confirmation";
            account_.pivot = fmt::format(
                "The renewal that {} sent at {} was answered at {} by {} as leader of term {}, "
                "although {} had been elected for term {} at {}: {} cannot have asked a quorum "
                "whether it still led, and extended a lease of which it knew nothing any more.",
                client(), when(renewal.sent), when(renewal.answered), t_.name(renewal.server),
                renewal.term.value, t_.name(successor->server), successor->term.value,
                when(successor->from), t_.name(renewal.server));
            t_.step(renewal.sent, Rank::Linked);
            t_.step(successor->from, Rank::Needed);
            for (const LeaderTale& leader : log_.leaders())
                if (leader.server == renewal.server && leader.term == renewal.term)
                    t_.step(leader.from, Rank::Helpful);
            t_.troubles({renewal.server}, begins(), ends(), Rank::Linked);
            t_.about(renewal.server);
            t_.about(successor->server);
            return true;
        }
        return false;
    }

    /// The term of the entry at the index at which the session ended; zero if nobody said.
    Term entry_term() const {
        if (session_.ended == nowhere) return {};
        const sim::SimTime at = log_.time(session_.ended);
        for (Place place = log_.last_by(at); place != nowhere && log_.time(place) == at; --place) {
            const auto* applied = log_.event<events::Applied>(place);
            if (applied != nullptr && applied->index == session_.end_index) return applied->term;
            if (place == 0) break;
        }
        return {};
    }

    bool unbound() {
        if (session_.ended == nowhere || session_.reason != events::EndReason::Expired)
            return false;
        const Term entry = entry_term();
        std::string why;
        if (entry && !session_.end_term)
            why = fmt::format(
                "the entry that ended it, {} of term {}, names no term in which "
                "that was asked for",
                session_.end_index.value, entry.value);
        else if (entry && entry != session_.end_term)
            why = fmt::format(
                "its end was asked for in term {}, and took effect as entry {} of "
                "term {}: timed by one leader, and carried out under another",
                session_.end_term.value, session_.end_index.value, entry.value);
        if (why.empty() && proposal_ != nullptr) {
            const LeaderTale* leader = leadership(proposal_->server, proposal_->at);
            if (leader == nullptr || leader->term != proposal_->term)
                why = fmt::format("{} proposed its end in term {} without leading that term",
                                  t_.name(proposal_->server), proposal_->term.value);
        }
        for (const RenewalTale& renewal : session_.renewals) {
            if (!why.empty() || proposal_ == nullptr) break;
            if (renewal.answered == nowhere || renewal.answered > session_.ended) continue;
            if (renewal.term <= session_.end_term) continue;
            why = fmt::format(
                "the leader of term {} renewed it at {}, and yet the proposal of "
                "term {} ended it afterwards",
                renewal.term.value, when(renewal.answered), session_.end_term.value);
            t_.step(renewal.answered, Rank::Needed);
        }
        if (why.empty()) return false;
        account_.flawed = true;
        account_.decisive = proposal_ != nullptr ? proposal_->at : session_.ended;
        account_.looks_like = "an expiry that was not bound to its term";
        account_.pivot = fmt::format("The session of {} ended at {}, but {}{}.", client(),
                                     when(session_.ended), why, renewed_in_between());
        return true;
    }
    /// The renewal that a later leader than the one that timed the session had answered.
    std::string renewed_in_between() {
        const RenewalTale* last = nullptr;
        for (const RenewalTale& renewal : session_.renewals)
            if (renewal.answered != nowhere && renewal.answered <= session_.ended &&
                renewal.sent != nowhere && renewal.term > session_.end_term)
                last = &renewal;
        if (last == nullptr) return "";
        t_.step(last->sent, Rank::Needed,
                fmt::format("sends a renewal, which {} answers at {} as leader of term {}",
                            t_.name(last->server), when(last->answered), last->term.value));
        return fmt::format(
            ", although a renewal sent at {} had been answered at {} by {}, the "
            "leader of term {}",
            when(last->sent), when(last->answered), t_.name(last->server), last->term.value);
    }

    bool inherited(sim::ProcessId server, Place since) const {
        for (Place place = since; place < proposal_->at; ++place) {
            const auto* lease = log_.event<events::LeaseInherited>(place);
            if (lease != nullptr && lease->session == session_.id && log_.process(place) == server)
                return true;
        }
        return false;
    }

    /// A leader that had not led for as long as the lease lasts, and ended it all the same.
    bool timers_kept() {
        if (proposal_ == nullptr) return false;
        const LeaderTale* leader = leadership(proposal_->server, proposal_->at);
        if (leader == nullptr || session_.opened == nowhere || session_.opened > leader->from)
            return false;
        const Duration led = log_.time(proposal_->at) - log_.time(leader->from);
        if (led >= promised() || inherited(leader->server, leader->from)) return false;
        account_.flawed = true;
        account_.decisive = proposal_->at;
        account_.looks_like = "timers not restarted by a new leader";
        account_.pivot = fmt::format(
            "{} had led for only {} when it proposed at {} to end {}'s lease of {}: a new leader "
            "knows nothing of what was promised before it, and must give each session its full "
            "time anew{}.",
            t_.name(leader->server), Phrases::span(led), when(proposal_->at), client(),
            span_text(session_.ttl), renewed_before(*leader));
        t_.step(leader->from, Rank::Needed);
        t_.about(leader->server);
        return true;
    }
    std::string renewed_before(const LeaderTale& leader) const {
        if (anchor_ == nullptr) return "";
        return fmt::format("; the renewal sent at {} had been answered at {}{}",
                           when(anchor_->sent), when(anchor_->answered),
                           anchor_->term < leader.term
                               ? fmt::format(" by the leader of term {}", anchor_->term.value)
                               : "");
    }

    bool early() {
        const Place since = promise_since();
        if (proposal_ == nullptr || since == nowhere) return false;
        const Duration passed = log_.time(proposal_->at) - log_.time(since);
        if (passed >= promised()) return false;
        account_.flawed = true;
        account_.decisive = proposal_->at;
        account_.looks_like =
            "a lease that was cut short: its end was timed from something "
            "earlier than the last renewal";
        account_.pivot = fmt::format(
            "{} proposed the end of {}'s session at {}, only {} after {} had sent {} at {}{}: "
            "{} too early for a lease of {}.",
            t_.name(proposal_->server), client(), when(proposal_->at), Phrases::span(passed),
            client(), anchor_ != nullptr ? "a renewal" : "its opening", when(since),
            anchor_ != nullptr ? fmt::format(", which {} had answered at {}",
                                             t_.name(anchor_->server), when(anchor_->answered))
                               : "",
            Phrases::span(promised() - passed), span_text(session_.ttl));
        return true;
    }

    /// Why no renewal came.
    std::string hindrance() const {
        const Place from = begins();
        if (from == nowhere) return "";
        for (const PauseTale& pause : log_.pauses())
            if (pause.process == session_.client && pause.from <= ends() && from <= pause.to)
                return fmt::format("{} was {} from {} to {}", client(),
                                   pause.strand == 0 ? "paused" : "stalled in part",
                                   when(pause.from), when(pause.to));
        for (const SpanTale& down : log_.downs())
            if (down.process == session_.client && down.from <= ends() && from <= down.to)
                return fmt::format("{} was down from {}", client(), when(down.from));
        if (last_sent_ != nullptr && last_sent_ != last_answered_)
            return fmt::format("no renewal that {} sent after {} was answered", client(),
                               when(from));
        return "";
    }

    /// Everything as it should be: the lease ran out.
    void undisturbed() {
        if (session_.ended == nowhere || session_.reason != events::EndReason::Expired) return;
        const std::string why = hindrance();
        const Place since = begins();
        account_.ran_out = fmt::format(
            "{}'s lease, last renewed {}, ran out as it must, and its session was ended at {}.",
            client(), since == nowhere ? "before" : "at " + when(since), when(session_.ended));
        account_.pivot = why.empty() ? account_.ran_out : why + "; " + account_.ran_out;
    }

    Telling& t_;
    const Chronicle& log_;
    const SessionTale& session_;
    const ProposalTale* proposal_ = nullptr;
    const RenewalTale* anchor_ = nullptr;         ///< answered before the proposal
    const RenewalTale* last_answered_ = nullptr;  ///< before the violation
    const RenewalTale* last_sent_ = nullptr;
    LeaseAccount account_;
};

}  // namespace

LeaseAccount account_for(Telling& telling, const SessionTale& session) {
    telling.about(session.client);
    telling.focus.sessions.insert(session.id);
    return Account(telling, session).make();
}

}  // namespace lockstep::harness
