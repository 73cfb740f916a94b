#include "core/server/server.hpp"

#include <algorithm>

/// What a leader times: leases, holds, delays, and its own checkpoints. See ADR 7 for the latter.
namespace lockstep::server {

LocalTime Server::Leadership::next_due() const {
    return std::min({leases.next_due(), holds.next_due(), delays.next_due(), checkpoint_due});
}

/// Nothing is known of what an earlier leader had promised: every session gets its full TTL, unless
/// a checkpoint says that less was left and nothing says that more was given since. Holds and
/// delays start anew.
void Server::become_ready(LocalTime now, Effects& effects) {
    Leadership& lead = *leading_;
    lead.ready = true;
    table_.for_each_session([&](SessionId id, Duration ttl, const auto& checkpoint) {
        if (!checkpoint) {
            lead.leases.start(id, ttl, now);
            return;
        }
        lead.leases.start(id, ttl, *checkpoint, now);
        lead.coverage.cover(id);
        effects.events.push_back(events::LeaseInherited{id, *checkpoint, lead.term});
    });
    table_.for_each_lock([&](const lock::Hold& hold, Duration delay) {
        if (delay.ns > 0)
            lead.delays.start(hold, delay, now);
        else if (config_.hold_max.ns > 0)
            lead.holds.start(hold, config_.hold_max, now);
    });
    if (config_.checkpoint_every) lead.checkpoint_due = now + *config_.checkpoint_every;
}

/// What an applied entry began is timed from now on, what it ended no longer.
void Server::follow_outcome(LocalTime now) {
    Leadership& lead = *leading_;
    if (outcome_.opened) lead.leases.start(outcome_.opened, outcome_.ttl, now);
    if (outcome_.ended) {
        lead.leases.end(outcome_.ended);
        lead.coverage.end(outcome_.ended);
        forget_routes(outcome_.ended);
    }
    if (outcome_.cleared) lead.coverage.cleared(outcome_.cleared, table_.applied());
    for (const lock::Hold& hold : outcome_.ended_holds) lead.holds.end(hold);
    for (const lock::Hold& hold : outcome_.ended_delays) lead.delays.end(hold);
    for (const lock::Delay& delay : outcome_.delayed)
        lead.delays.start(delay.after, delay.span, now);
    if (config_.hold_max.ns == 0) return;
    for (const lock::Hold& hold : outcome_.granted) lead.holds.start(hold, config_.hold_max, now);
}

/// Ends what has run its full span on this leader's clock.
void Server::end_due(LocalTime now, Effects& effects) {
    expire_due(now, effects);
    const Term term = leading_->term;
    while (const auto hold = leading_->holds.take_due(now))
        replica_.propose(lock::encode(lock::EndHold{hold->lock, hold->token, term}), now, raft_);
    while (const auto hold = leading_->delays.take_due(now))
        replica_.propose(lock::encode(lock::EndDelay{hold->lock, hold->token, term}), now, raft_);
    if (leading_->checkpoint_due <= now) write_checkpoint(now);
}

void Server::expire_due(LocalTime now, Effects& effects) {
    const Term term = leading_->term;
    while (const auto session = leading_->leases.take_due(now)) {
        const lock::Expire expire{*session, term, config_.lock_delay};
        const auto index = replica_.propose(lock::encode(expire), now, raft_);
        if (!index) return;
        // The entry is reported as appended before it is as proposed.
        effects.events.insert(effects.events.end(), raft_.events.begin(), raft_.events.end());
        raft_.events.clear();
        effects.events.push_back(events::ExpiryProposed{*session, term, *index});
    }
}

/// A session that is left out keeps what the table has of it. One that is about to be cleared must
/// be: this entry would lie behind the one that clears.
void Server::write_checkpoint(LocalTime now) {
    Leadership& lead = *leading_;
    lead.checkpoint_due = now + *config_.checkpoint_every;
    lock::Checkpoint checkpoint{lead.term, {}};
    lead.leases.for_each([&](SessionId session, LocalTime due) {
        if (!lead.coverage.clearing(session))
            checkpoint.leases.push_back({session, std::max(due - now, Duration())});
    });
    if (checkpoint.leases.empty()) return;
    if (!replica_.propose(lock::encode(checkpoint), now, raft_)) return;
    for (const lock::Remaining& lease : checkpoint.leases) lead.coverage.cover(lease.session);
}

}  // namespace lockstep::server
