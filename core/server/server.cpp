#include "core/server/server.hpp"

#include "core/base/assert.hpp"
#include "core/base/overloaded.hpp"

#include <algorithm>
#include <iterator>

namespace lockstep::server {
namespace {

/// Empties `from` into `to`, which is empty itself in most steps: then they change places.
template <class T>
void move_to_end(std::vector<T>& from, std::vector<T>& to) {
    if (from.empty()) return;
    if (to.empty()) {
        to.swap(from);
        return;
    }
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
}

bool empty(const raft::Effects& e) {
    return e.send.empty() && e.persist.empty() && e.committed.empty() && e.confirmed.empty() &&
           e.events.empty() && !e.install.index;
}

lock::Table table_of(const raft::Snapshot& snapshot, const lock::Limits& limits) {
    if (!snapshot.index) return lock::Table(limits);
    auto table = lock::Table::decode(snapshot.state.bytes(), limits);
    LOCKSTEP_ASSERT(table.has_value(), "index={} bytes={}", snapshot.index.value,
                    snapshot.state.size());
    LOCKSTEP_ASSERT(table->applied() == snapshot.index, "applied={} index={}",
                    table->applied().value, snapshot.index.value);
    LOCKSTEP_ASSERT(table->state_hash() == snapshot.state_hash, "hash={:016x} expected={:016x}",
                    table->state_hash(), snapshot.state_hash);
    return *std::move(table);
}

}  // namespace

// The table is read before the replica takes what was stored: the members are in that order.
Server::Server(Config config, raft::Stored stored, Prng prng, LocalTime now, Effects& effects)
    : config_(std::move(config)),
      table_(table_of(stored.snapshot, config_.limits)),
      replica_(config_.raft, std::move(stored), prng, now, raft_) {
    LOCKSTEP_ASSERT(config_.ttl_min.ns > 0 && config_.ttl_min <= config_.ttl_max, "min={} max={}",
                    config_.ttl_min.ns, config_.ttl_max.ns);
    settle(now, effects);
}

void Server::step(Input&& input, LocalTime now, Effects& effects) {
    const auto peer = [&](NodeId id) {
        const auto& members = config_.raft.members;
        return id != config_.raft.self && std::binary_search(members.begin(), members.end(), id);
    };
    std::visit(Overloaded{
                   [&](Tick&&) { replica_.step(raft::Tick{}, now, raft_); },
                   // Made in place: a message is not moved more often than it has to be.
                   [&](PeerMessage&& m) {
                       replica_.step(raft::Input(std::in_place_type<raft::Receive>, m.from,
                                                 std::move(m.message)),
                                     now, raft_);
                   },
                   [&](ClientRequest&& m) { on_request(m.from, m.request, now, effects); },
                   [&](Persisted&& m) { replica_.step(raft::Persisted{m.id}, now, raft_); },
                   // Clients send again by themselves; only what goes to other servers is tracked.
                   [&](LinkReset&& m) {
                       if (peer(m.peer)) replica_.step(raft::LinkReset{m.peer}, now, raft_);
                   },
               },
               std::move(input));
    settle(now, effects);
    if (serves() && leading_->next_due() <= now) {
        end_due(now, effects);
        settle(now, effects);
    }
}

LocalTime Server::wake_at() const {
    const LocalTime replica = replica_.wake_at();
    return serves() ? std::min(replica, leading_->next_due()) : replica;
}

/// Gives all that the replica asked for, and what follows from it, until it asks for nothing more.
void Server::settle(LocalTime now, Effects& effects) {
    follow_leadership(effects);
    while (!empty(raft_)) {
        take_raft_effects(now, effects);
        follow_leadership(effects);
    }
}

/// What belongs to a leadership begins and ends with it. Proposals that are still open may yet be
/// committed by another leader: who asked repeats the request there, which takes effect once.
void Server::follow_leadership(Effects& effects) {
    const bool leads = replica_.leads();
    if (!leading_ && !leads) return;
    if (leading_ && (!leads || replica_.term() != leading_->term)) {
        for (const Proposal& p : leading_->proposals) not_leader(p.from, p.request, effects);
        for (const Unconfirmed& u : leading_->unconfirmed) not_leader(u.from, u.request, effects);
        for (const Held& h : leading_->held) not_leader(h.from, h.request, effects);
        leading_.reset();
    }
    if (!leading_ && leads) leading_.emplace(replica_.term());
}

void Server::take_raft_effects(LocalTime now, Effects& effects) {
    move_to_end(raft_.send, effects.to_peers);
    move_to_end(raft_.persist, effects.persist);
    move_to_end(raft_.events, effects.events);
    if (raft_.install.index) restore(std::exchange(raft_.install, {}));
    // What is done about these may ask the replica for more, which is for the next turn.
    committed_.swap(raft_.committed);
    confirmed_.swap(raft_.confirmed);
    for (const raft::Entry& entry : committed_) apply(entry, now, effects);
    // After the entries: an answer that is confirmed reflects all that was committed before it was
    // asked.
    for (const raft::Confirmation& c : confirmed_) on_confirmation(c, now, effects);
    if (serves() && !leading_->held.empty()) take_held(now, effects);
    if (!committed_.empty()) compact_if_due(now);
    committed_.clear();
    confirmed_.clear();
}

void Server::restore(const raft::Snapshot& snapshot) {
    if (snapshot.index == table_.applied()) return;
    LOCKSTEP_ASSERT(snapshot.index > table_.applied(), "index={} applied={}", snapshot.index.value,
                    table_.applied().value);
    LOCKSTEP_ASSERT(!leading_, "term={}", leading_->term.value);
    table_ = table_of(snapshot, config_.limits);
}

void Server::apply(const raft::Entry& entry, LocalTime now, Effects& effects) {
    if (entry.command.empty()) {
        table_.skip(entry.index);
        outcome_.clear();
    } else {
        const bool understood = lock::decode(entry.command.bytes(), command_);
        LOCKSTEP_ASSERT(understood, "index={} bytes={}", entry.index.value, entry.command.size());
        table_.apply(command_, entry.index, entry.term, outcome_);
    }
    effects.events.push_back(events::Applied{entry.index, entry.term, table_.state_hash()});
    effects.events.insert(effects.events.end(), outcome_.events.begin(), outcome_.events.end());
    if (!leading_) return;

    if (leading_->ready) {
        follow_outcome(now);
        answer_applied(entry, effects);
        tell_waiters(effects);
    } else if (entry.term == leading_->term) {
        become_ready(now, effects);
    }
}

void Server::compact_if_due(LocalTime now) {
    const LogIndex applied = table_.applied();
    const LogIndex first = replica_.first_index();
    if (applied <= first || applied.value - first.value <= config_.snapshot_every) return;
    Writer state;
    table_.encode(state);
    replica_.compact(applied, table_.state_hash(), Blob::copy_of(state.bytes()), now, raft_);
}

}  // namespace lockstep::server
