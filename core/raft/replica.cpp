#include "core/raft/replica.hpp"

#include "core/base/assert.hpp"
#include "core/base/overloaded.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::raft {
namespace {

std::size_t place_in(std::span<const NodeId> members, NodeId id) {
    const auto it = std::ranges::find(members, id);
    LOCKSTEP_ASSERT(it != members.end(), "id={} is no member", id.value);
    return static_cast<std::size_t>(it - members.begin());
}

}  // namespace

Replica::Replica(Config config, Stored stored, Prng prng, LocalTime now, Effects& effects)
    : config_(std::move(config)),
      self_(place_in(config_.members, config_.self)),
      prng_(prng),
      stored_(std::move(stored)),
      log_(stored_),
      disk_(log_.last_index()),
      commit_(stored_.snapshot.index),
      last_now_(now),
      retransmit_after_(std::max(config_.heartbeat * 2, config_.election_min / 2)) {
    LOCKSTEP_ASSERT(config_.members.size() <= max_members, "members={}", config_.members.size());
    LOCKSTEP_ASSERT(std::ranges::is_sorted(config_.members, std::ranges::less_equal()) &&
                        std::ranges::adjacent_find(config_.members) == config_.members.end(),
                    "members are not in ascending order");
    LOCKSTEP_ASSERT(config_.heartbeat.ns > 0 && config_.heartbeat < config_.election_min &&
                        config_.election_min <= config_.election_max,
                    "heartbeat={} election_min={} election_max={}", config_.heartbeat.ns,
                    config_.election_min.ns, config_.election_max.ns);
    LOCKSTEP_ASSERT(config_.max_entries_per_append > 0 && config_.max_inflight_appends > 0,
                    "entries={} inflight={}", config_.max_entries_per_append,
                    config_.max_inflight_appends);
    LOCKSTEP_ASSERT(log_.last_term() <= term(), "last_term={} term={}", log_.last_term().value,
                    term().value);
    const Duration timeout = draw_timeout();
    role_ = Follower{NodeId(), now, timeout, now + timeout};
    const LogIndex last = log_.last_index();
    effects.events.emplace_back(events::Recovered{term(), log_.base_index(), last, log_.last_term(),
                                                  log_.prefix_hash_at(last)});
    if (stored_.hard.vote) effects.events.emplace_back(events::VoteCast{term(), stored_.hard.vote});
}

void Replica::begin(LocalTime now) {
    LOCKSTEP_ASSERT(now >= last_now_, "now={} last={}", now.ns, last_now_.ns);
    LOCKSTEP_ASSERT(!persist_open_, "a step within a step");
    last_now_ = now;
}

void Replica::finish(Step& s) {
    LOCKSTEP_ASSERT(commit_ >= log_.base_index() && commit_ <= log_.last_index(),
                    "commit={} base={} last={}", commit_.value, log_.base_index().value,
                    log_.last_index().value);
    LOCKSTEP_ASSERT(disk_.durable_index() <= log_.last_index(), "durable={} last={}",
                    disk_.durable_index().value, log_.last_index().value);
    if (!persist_open_) return;
    persist_open_ = false;
    Persist& persist = s.out.persist.back();
    if (!persist.rewrite) return;
    persist.has_hard = true;
    persist.hard = stored_.hard;
    persist.truncate_from = LogIndex();
    persist.snapshot = stored_.snapshot;
    persist.entries = stored_.entries;
}

void Replica::step(Input&& input, LocalTime now, Effects& effects) {
    begin(now);
    Step s{now, effects};
    std::visit(
        Overloaded{[&](const Tick&) { tick(s); }, [&](Receive& received) { receive(received, s); },
                   [&](const Persisted& done) { persisted(done.id, s); },
                   [&](const LinkReset& reset) { reset_link(reset.peer); }},
        input);
    finish(s);
}

void Replica::receive(Receive& received, Step& s) {
    const NodeId from = received.from;
    if (from == config_.self || !place_of(from)) return;  // of another group
    std::visit([&](auto& message) { handle(from, message, s); }, received.message);
}

void Replica::tick(Step& s) {
    std::visit(Overloaded{[&](const Follower& follower) {
                              if (s.now >= follower.deadline) campaign(s);
                          },
                          [&](const PreCandidate& candidate) {
                              if (s.now >= candidate.deadline) campaign(s);
                          },
                          [&](const Candidate& candidate) {
                              if (s.now >= candidate.deadline) campaign(s);
                          },
                          [&](Leader& leader) {
                              if (s.now >= leader.heartbeat_due && still_leads(leader, s))
                                  start_round(leader, s);
                          }},
               role_);
}

std::optional<LogIndex> Replica::propose(Blob command, LocalTime now, Effects& effects) {
    begin(now);
    auto* leader = std::get_if<Leader>(&role_);
    if (leader == nullptr) return std::nullopt;
    Step s{now, effects};
    const LogIndex index = log_.last_index().next();
    append(Entry{index, term(), std::move(command)}, s);
    for (Peer& peer : leader->peers) send_log(*leader, peer, s);
    finish(s);
    return index;
}

void Replica::compact(LogIndex index, std::uint64_t state_hash, Blob state, LocalTime now,
                      Effects& effects) {
    begin(now);
    LOCKSTEP_ASSERT(index <= commit_, "index={} commit={}", index.value, commit_.value);
    if (index <= log_.base_index()) return;
    Step s{now, effects};
    log_.compact(Snapshot{index, log_.term_at(index), log_.prefix_hash_at(index), state_hash,
                          std::move(state)});
    rewrite_file(s);
    s.out.events.emplace_back(events::Compacted{index});
    finish(s);
}

void Replica::persisted(PersistId id, Step& s) {
    const LogIndex durable_before = disk_.durable_index();
    disk_.acknowledge(id, s.now, [&](const HardState& hard) {
        s.out.events.emplace_back(events::VoteCast{hard.term, hard.vote});
    });
    // Before whatever is promised because of it. A leader may have compacted beyond what its own
    // disk has acknowledged.
    const LogIndex durable = disk_.durable_index();
    if (durable > durable_before && durable >= log_.base_index())
        s.out.events.emplace_back(events::LogDurable{durable, log_.term_at(durable)});
    outbox_.release(disk_.acknowledged(), s.out.send);
    std::visit(Overloaded{[](const Follower&) {}, [](const PreCandidate&) {},
                          [&](const Candidate&) { count_own_vote(s); },
                          [&](Leader& leader) { commit_by_quorum(leader, s); }},
               role_);
}

/// The one Persist of this step.
Persist& Replica::changes(Step& s) {
    if (!persist_open_) {
        persist_open_ = true;
        s.out.persist.emplace_back().id = disk_.open(s.now);
        disk_.covers(log_.last_index());
    }
    return s.out.persist.back();
}

void Replica::set_hard(HardState hard, Step& s) {
    LOCKSTEP_ASSERT(hard.term > term() || (hard.term == term() && !stored_.hard.vote && hard.vote),
                    "term={} vote={} was term={} vote={}", hard.term.value, hard.vote.value,
                    term().value, stored_.hard.vote.value);
    stored_.hard = hard;
    Persist& persist = changes(s);
    persist.has_hard = true;
    persist.hard = hard;
    hard_persist_ = persist.id;
    if (hard.vote) disk_.holds_vote(hard);
}

void Replica::rewrite_file(Step& s) {
    changes(s).rewrite = true;
    disk_.covers(log_.last_index());
}

void Replica::append(Entry entry, Step& s) {
    const LogIndex index = entry.index;
    const Term entry_term = entry.term;
    changes(s).entries.push_back(entry);
    log_.append(std::move(entry));
    disk_.covers(index);
    s.out.events.emplace_back(events::Appended{index, entry_term, log_.prefix_hash_at(index)});
}

void Replica::advance_commit(LogIndex index, bool as_leader, Step& s) {
    LOCKSTEP_ASSERT(index > commit_ && index <= log_.last_index(), "index={} commit={} last={}",
                    index.value, commit_.value, log_.last_index().value);
    const auto count = static_cast<std::size_t>(index.value - commit_.value);
    const auto entries = log_.entries_from(commit_.next(), count);
    s.out.committed.insert(s.out.committed.end(), entries.begin(), entries.end());
    commit_ = index;
    s.out.events.emplace_back(
        events::CommitAdvanced{index, term(), log_.prefix_hash_at(index), as_leader});
}

/// Sends once `needed` is durable, and with it the current term: a peer that learns of a term from
/// this replica may rely on it never to act in an earlier one.
void Replica::promise(NodeId to, Message message, PersistId needed, Step& s) {
    needed = std::max(needed, hard_persist_);
    if (disk_.done(needed))
        s.out.send.push_back(Send{to, std::move(message)});
    else
        outbox_.hold(needed, Send{to, std::move(message)});
}

void Replica::become_follower(Term next, NodeId leader, events::StepDownReason reason, Step& s) {
    LOCKSTEP_ASSERT(next >= term(), "next={} term={}", next.value, term().value);
    if (const auto* led = std::get_if<Leader>(&role_)) {
        s.out.events.emplace_back(events::SteppedDown{term(), reason});
        for (const Leader::Asked& asked : led->asked)
            s.out.confirmed.push_back(Confirmation{asked.context, false, LogIndex()});
    }
    outbox_.drop_vote_requests();
    if (next > term()) set_hard(HardState{next, NodeId()}, s);
    const Duration timeout = draw_timeout();
    role_ = Follower{leader, s.now, timeout, s.now + timeout};
}

LocalTime Replica::wake_at() const {
    return std::visit(Overloaded{[](const Follower& follower) { return follower.deadline; },
                                 [](const PreCandidate& candidate) { return candidate.deadline; },
                                 [](const Candidate& candidate) { return candidate.deadline; },
                                 [](const Leader& leader) { return leader.heartbeat_due; }},
                      role_);
}

NodeId Replica::leader() const {
    return std::visit(Overloaded{[](const Follower& follower) { return follower.leader; },
                                 [](const PreCandidate&) { return NodeId(); },
                                 [](const Candidate&) { return NodeId(); },
                                 [&](const Leader&) { return config_.self; }},
                      role_);
}

bool Replica::committed_in_own_term() const {
    const auto* leader = std::get_if<Leader>(&role_);
    return leader != nullptr && commit_ >= leader->opening;
}

/// Without its disk a replica can promise nothing, so that it is of no use as a leader.
bool Replica::disk_hangs(LocalTime now) const {
    return disk_.silent_for(config_.election_max * 2, now);
}

Duration Replica::draw_timeout() {
    return prng_.between(config_.election_min, config_.election_max);
}

std::optional<std::size_t> Replica::place_of(NodeId id) const {
    for (std::size_t i = 0; i < config_.members.size(); ++i)
        if (config_.members[i] == id) return i;
    return std::nullopt;
}

}  // namespace lockstep::raft
