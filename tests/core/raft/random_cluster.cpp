#include "tests/core/raft/random_cluster.hpp"

#include "core/raft/wal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::test {

RandomCluster::RandomCluster(std::size_t size, std::uint64_t seed) : seed_(seed) {
    config_.max_entries_per_append = 3;
    config_.max_inflight_appends = 2;
    for (std::uint32_t i = 1; i <= size; ++i) {
        config_.members.push_back(NodeId(i));
        nodes_.emplace_back().id = NodeId(i);
    }
    for (Node& node : nodes_) start(node);
}

void RandomCluster::play(const Move& move) {
    Node& node = nodes_[move.a % nodes_.size()];
    const auto place = letters_.empty() ? 0 : move.b % letters_.size();
    switch (move.kind) {
        case Move::Kind::Deliver:
            deliver(place);
            break;
        case Move::Kind::Drop:
            if (!letters_.empty())
                letters_.erase(letters_.begin() + static_cast<std::ptrdiff_t>(place));
            break;
        case Move::Kind::Duplicate:
            if (!letters_.empty()) letters_.push_back(Letter(letters_[place]));
            break;
        case Move::Kind::Persist:
            persist(node, move.b % 4 + 1);
            break;
        case Move::Kind::Tick:
            now_ = now_ + milliseconds(move.b % 3'000);
            step(node, raft::Tick());
            break;
        case Move::Kind::Run:
            run(milliseconds(move.b % 4'000));
            break;
        case Move::Kind::Crash:
            crash(node, move.b % 4, move.b / 4);
            break;
        case Move::Kind::Restart:
            if (!node.replica) start(node);
            break;
        case Move::Kind::Propose:
            if (!node.replica) break;
            ++proposals_;
            node.replica->propose(Blob::copy_of(std::as_bytes(std::span(&proposals_, 1))), now_,
                                  effects_);
            take_effects(node);
            break;
        case Move::Kind::Confirm:
            if (!node.replica) break;
            questions_[++proposals_] = Question{
                node.id, committed(), leaders_.empty() ? 0 : leaders_.rbegin()->first, node.lives};
            node.replica->confirm(proposals_, now_, effects_);
            take_effects(node);
            break;
        case Move::Kind::Compact:
            if (!node.replica || node.applied == 0) break;
            node.replica->compact(LogIndex(node.applied), 0, Blob(), now_, effects_);
            take_effects(node);
            break;
        case Move::Kind::Reset:
            step(node, raft::LinkReset{nodes_[move.b % nodes_.size()].id});
            break;
    }
}

void RandomCluster::start(Node& node) {
    auto recovery = raft::wal::recover(node.file);
    if (recovery.refused) {
        broke(fmt::format("n{} cannot recover from a crash: {}", node.id.value, recovery.reason));
        return;
    }
    node.file.resize(recovery.valid_bytes);
    node.applied = recovery.stored.snapshot.index.value;
    raft::Config config = config_;
    config.self = node.id;
    node.replica.emplace(std::move(config), std::move(recovery.stored),
                         Prng(seed_ + node.id.value * 1'000 + ++node.lives), now_, effects_);
    take_effects(node);
}

void RandomCluster::crash(Node& node, std::size_t kept_writes, std::size_t kept_bytes) {
    if (!node.replica) return;
    node.replica.reset();
    // Appends reach the file in order, the last of them perhaps in part; a new file only whole.
    for (; !node.writes.empty(); node.writes.pop_front()) {
        const Write& write = node.writes.front();
        if (kept_writes == 0 && write.rewrite) break;
        if (write.rewrite) node.file.clear();
        const auto size = kept_writes > 0 ? write.bytes.size() : kept_bytes % write.bytes.size();
        node.file.insert(node.file.end(), write.bytes.begin(),
                         write.bytes.begin() + static_cast<std::ptrdiff_t>(size));
        if (kept_writes == 0) break;
        --kept_writes;
    }
    node.writes.clear();
}

void RandomCluster::step(Node& node, raft::Input input) {
    if (!node.replica) return;
    node.replica->step(std::move(input), now_, effects_);
    take_effects(node);
}

void RandomCluster::take_effects(Node& node) {
    raft::Effects effects = std::exchange(effects_, {});
    for (const auto& event : effects.events) on_event(node, event);
    for (const auto& answer : effects.confirmed) on_confirmation(node, answer);
    if (effects.install.index) {
        ++snapshots_installed_;
        node.applied = effects.install.index.value;
    }
    for (const auto& entry : effects.committed)
        if (entry.index.value != ++node.applied)
            broke(fmt::format("n{} applies {} as number {}", node.id.value, entry.index.value,
                              node.applied));
    for (auto& send : effects.send) letters_.push_back({node.id, send.to, std::move(send.message)});
    for (const auto& persist : effects.persist) {
        Writer writer;
        if (persist.rewrite)
            raft::wal::encode_file(persist.hard, persist.snapshot, persist.entries, writer);
        else
            raft::wal::encode_append(persist, writer);
        node.writes.push_back(
            {persist.id, persist.rewrite, {writer.bytes().begin(), writer.bytes().end()}});
    }
}

void RandomCluster::on_event(Node& node, const events::Event& event) {
    if (const auto* e = std::get_if<events::BecameLeader>(&event)) on_leader(node, *e);
    if (const auto* e = std::get_if<events::VoteCast>(&event)) {
        const auto [it, fresh] = votes_.try_emplace({node.id.value, e->term.value}, e->candidate);
        if (it->second != e->candidate)
            broke(fmt::format("n{} voted twice in term {}", node.id.value, e->term.value));
    }
    if (const auto* e = std::get_if<events::Appended>(&event)) {
        const auto [it, fresh] =
            prefixes_.try_emplace({e->index.value, e->term.value}, e->prefix_hash);
        if (it->second != e->prefix_hash)
            broke(fmt::format("logs with {}/{} differ below", e->index.value, e->term.value));
    }
    if (const auto* e = std::get_if<events::Truncated>(&event))
        if (node.replica && node.replica->leads())
            broke(fmt::format("leader n{} truncated from {}", node.id.value, e->from.value));
    if (const auto* e = std::get_if<events::CommitAdvanced>(&event))
        on_commit(e->index.value, e->prefix_hash);
    if (const auto* e = std::get_if<events::SnapshotInstalled>(&event))
        on_commit(e->index.value, e->prefix_hash);
    if (const auto* e = std::get_if<events::LogDurable>(&event)) on_durable(node, *e);
}

/// What is said to be on the disk would be found there.
void RandomCluster::on_durable(const Node& node, const events::LogDurable& event) {
    ++durable_;
    const raft::Stored found = raft::wal::recover(node.file).stored;
    if (found.snapshot.index >= event.index) return;
    const std::uint64_t place = event.index.value - found.snapshot.index.value - 1;
    if (place >= found.entries.size() || found.entries[place].term != event.term)
        broke(fmt::format("n{} says that {}/{} is durable", node.id.value, event.index.value,
                          event.term.value));
}

void RandomCluster::on_leader(Node& node, const events::BecameLeader& event) {
    const auto [it, fresh] = leaders_.try_emplace(event.term.value, node.id);
    if (!fresh) broke(fmt::format("two leaders in term {}", event.term.value));
    const raft::Log& log = node.replica->log();
    for (const auto& [index, known] : committed_) {
        if (known.second >= event.term.value || LogIndex(index) < log.base_index()) continue;
        if (index > event.last_index.value || log.prefix_hash_at(LogIndex(index)) != known.first)
            broke(fmt::format("leader n{} of term {} lacks committed entry {}", node.id.value,
                              event.term.value, index));
    }
}

void RandomCluster::on_commit(std::uint64_t index, std::uint64_t prefix_hash) {
    const std::uint64_t newest_leader = leaders_.empty() ? 0 : leaders_.rbegin()->first;
    const auto [it, fresh] = committed_.try_emplace(index, prefix_hash, newest_leader);
    if (it->second.first != prefix_hash) broke(fmt::format("two commitments of {}", index));
}

void RandomCluster::on_confirmation(const Node& node, const raft::Confirmation& answer) {
    const Question& question = questions_.at(answer.context);
    if (question.node != node.id || question.life != node.lives) broke("an answer to nobody");
    if (!answer.leads) return;
    ++confirmed_;
    if (answer.read_index.value < question.committed)
        broke(fmt::format("read index {}, but {} was committed", answer.read_index.value,
                          question.committed));
    if (node.replica->term().value < question.max_term)
        broke(fmt::format("n{} of term {} was deposed in term {} when asked", node.id.value,
                          node.replica->term().value, question.max_term));
}

void RandomCluster::persist(Node& node, std::size_t count) {
    PersistId last;
    for (; node.replica && count > 0 && !node.writes.empty(); --count) {
        Write& write = node.writes.front();
        if (write.rewrite) node.file.clear();
        node.file.insert(node.file.end(), write.bytes.begin(), write.bytes.end());
        last = write.id;
        node.writes.pop_front();
    }
    if (last) step(node, raft::Persisted{last});
}

void RandomCluster::deliver(std::size_t place) {
    if (letters_.empty()) return;
    Letter letter = std::move(letters_[place]);
    letters_.erase(letters_.begin() + static_cast<std::ptrdiff_t>(place));
    step(node_of(letter.to), raft::Receive{letter.from, std::move(letter.message)});
}

void RandomCluster::run(Duration span) {
    for (const LocalTime end = now_ + span; now_ < end && broken_.empty();) {
        for (int i = 0; i < 10'000 && !letters_.empty(); ++i) {
            deliver(0);
            for (Node& node : nodes_) persist(node, node.writes.size());
        }
        LocalTime next = end;
        for (Node& node : nodes_)
            if (node.replica) next = std::min(next, node.replica->wake_at());
        now_ = std::max(now_, next);
        for (Node& node : nodes_) {
            if (node.replica && node.replica->wake_at() <= now_) step(node, raft::Tick());
            persist(node, node.writes.size());
        }
    }
}

void RandomCluster::converge() {
    for (Node& node : nodes_)
        if (!node.replica) start(node);
    run(seconds(20));
    if (!broken_.empty()) return;
    const auto leader =
        std::ranges::find_if(nodes_, [](const Node& n) { return n.replica->leads(); });
    if (leader == nodes_.end()) {
        broke("nobody leads");
        return;
    }
    play(Move{Move::Kind::Propose, static_cast<std::uint8_t>(leader - nodes_.begin()), 0});
    const auto last = leader->replica->last_index();
    run(seconds(1));
    for (const Node& node : nodes_)
        if (node.applied != last.value)
            broke(fmt::format("n{} has applied {} of {}", node.id.value, node.applied, last.value));
}

void RandomCluster::broke(std::string what) {
    if (broken_.empty()) broken_ = std::move(what);
}

}  // namespace lockstep::test
