#pragma once

#include "core/base/assert.hpp"
#include "core/server/server.hpp"

#include <deque>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace lockstep::test {

/// A few servers driven by hand, on one clock: messages and disks are instant, unless told
/// otherwise.
class Cluster {
public:
    struct Told {
        LocalTime at;
        NodeId by;
        NodeId to;
        wire::Reply reply;
    };
    struct Reported {
        LocalTime at;
        NodeId by;
        events::Event event;
    };

    explicit Cluster(std::uint32_t servers, std::uint64_t snapshot_every = 2'000)
        : Cluster(servers, with_snapshots(snapshot_every)) {}
    /// As configured, but for the members.
    Cluster(std::uint32_t servers, server::Config config) : config_(std::move(config)) {
        for (std::uint32_t id = 1; id <= servers; ++id) config_.raft.members.push_back(NodeId(id));
        nodes_.resize(servers);
        for (const NodeId id : config_.raft.members) start(id, {});
    }

    server::Server& at(NodeId id) { return *nodes_[id.value - 1].server; }

    /// Runs the clock on; the servers tick when they ask to.
    void run(Duration span) {
        const LocalTime end = now + span;
        for (;;) {
            LocalTime next = end;
            for (const Node& n : nodes_) next = std::min(next, n.server->wake_at());
            now = std::max(now, next);
            for (const NodeId id : config_.raft.members)
                if (at(id).wake_at() <= now) step(id, server::Tick{});
            if (now >= end) return;
        }
    }

    /// Runs until a server serves that can talk to others, and gives it.
    NodeId elect() {
        for (int i = 0; i < 1'000; ++i) {
            for (const NodeId id : config_.raft.members)
                if (at(id).serves() && !cut_.contains(id)) return id;
            run(milliseconds(10));
        }
        LOCKSTEP_ASSERT(false, "nobody was elected by {}", now.ns);
        return {};
    }
    /// Elects another than the one that leads now, which is cut off for as long as that takes.
    NodeId depose(NodeId old) {
        cut(old);
        const NodeId leader = elect();
        heal();
        return leader;
    }
    /// When it became ready to serve in its present term.
    LocalTime ready_at(NodeId leader) const {
        const Term term = nodes_[leader.value - 1].server->replica().term();
        for (const Reported& r : events) {
            const auto* applied = std::get_if<events::Applied>(&r.event);
            if (r.by == leader && applied != nullptr && applied->term == term) return r.at;
        }
        return LocalTime::never();
    }
    NodeId other_than(NodeId id) const { return NodeId(id.value == 1 ? 2 : 1); }

    void ask(NodeId server, std::uint32_t client, wire::Request request) {
        step(server, server::ClientRequest{NodeId(client), std::move(request)});
    }
    /// Opens a session of the client's, whose number is its nonce.
    SessionId open(NodeId server, std::uint32_t client, Duration ttl) {
        replies.clear();
        ask(server, client, wire::Open{Nonce(client), SendingNo(1), ttl});
        return last<wire::OpenReply>().session;
    }
    void acquire(NodeId server, std::uint32_t client, SessionId session, std::uint64_t seq,
                 std::uint32_t lock = 5) {
        ask(server, client,
            wire::Acquire{session, RequestSeq(seq), RequestSeq(1), LockId(lock), false});
    }
    void renew(NodeId server, std::uint32_t client, SessionId session, std::uint64_t sending) {
        ask(server, client, wire::KeepAlive{session, SendingNo(sending)});
    }

    template <class R>
    const R& last() const {
        LOCKSTEP_ASSERT(!replies.empty() && std::holds_alternative<R>(replies.back().reply),
                        "replies={}", replies.size());
        return std::get<R>(replies.back().reply);
    }
    template <class E>
    std::vector<std::pair<LocalTime, E>> reported() const {
        std::vector<std::pair<LocalTime, E>> found;
        for (const Reported& r : events)
            if (const E* e = std::get_if<E>(&r.event)) found.emplace_back(r.at, *e);
        return found;
    }

    /// No message passes between this server and the others.
    void cut(NodeId id) { cut_.insert(id); }
    void heal() { cut_.clear(); }

    /// While held, the server's disk answers nothing; then everything at once.
    void hold_disk(NodeId id) { nodes_[id.value - 1].disk_held = true; }
    /// The oldest request to the held disk is done.
    void sync_one(NodeId id) {
        auto& unsynced = nodes_[id.value - 1].unsynced;
        LOCKSTEP_ASSERT(!unsynced.empty(), "server={}", id.value);
        const PersistId done = unsynced.front();
        unsynced.pop_front();
        step(id, server::Persisted{done});
    }
    void release_disk(NodeId id) {
        nodes_[id.value - 1].disk_held = false;
        flush_disk(id);
        deliver();
    }

    /// A new life from what the disk holds.
    void restart(NodeId id) { start(id, raft::Stored(at(id).replica().stored())); }

    void step(NodeId id, server::Input input) {
        take(id, std::move(input));
        deliver();
    }

    LocalTime now{};
    std::vector<Told> replies;
    std::vector<Reported> events;

private:
    static server::Config with_snapshots(std::uint64_t every) {
        server::Config config;
        config.snapshot_every = every;
        return config;
    }
    struct Node {
        std::unique_ptr<server::Server> server;
        std::deque<PersistId> unsynced;
        bool disk_held = false;
    };
    struct Flight {
        NodeId from;
        NodeId to;
        raft::Message message;
    };

    void start(NodeId id, raft::Stored stored) {
        config_.raft.self = id;
        Node& node = nodes_[id.value - 1];
        node.unsynced.clear();
        server::Effects effects;
        node.server = std::make_unique<server::Server>(
            config_, std::move(stored), Prng(id.value + 100 * ++lives_), now, effects);
        collect(id, effects);
        flush_disk(id);
        deliver();
    }
    void take(NodeId id, server::Input input) {
        server::Effects effects;
        at(id).step(std::move(input), now, effects);
        collect(id, effects);
        if (!nodes_[id.value - 1].disk_held) flush_disk(id);
    }
    void flush_disk(NodeId id) {
        auto& unsynced = nodes_[id.value - 1].unsynced;
        while (!unsynced.empty()) {
            const PersistId done = unsynced.front();
            unsynced.pop_front();
            take(id, server::Persisted{done});
        }
    }
    void collect(NodeId id, server::Effects& effects) {
        for (auto& send : effects.to_peers)
            in_flight_.push_back({id, send.to, std::move(send.message)});
        for (const auto& persist : effects.persist)
            nodes_[id.value - 1].unsynced.push_back(persist.id);
        for (auto& reply : effects.replies)
            replies.push_back({now, id, reply.to, std::move(reply.reply)});
        for (const auto& event : effects.events) events.push_back({now, id, event});
    }
    void deliver() {
        while (!in_flight_.empty()) {
            Flight flight = std::move(in_flight_.front());
            in_flight_.pop_front();
            if (cut_.contains(flight.from) || cut_.contains(flight.to)) continue;
            take(flight.to, server::PeerMessage{flight.from, std::move(flight.message)});
        }
    }

    server::Config config_;
    std::vector<Node> nodes_;
    std::deque<Flight> in_flight_;
    std::set<NodeId> cut_;
    std::uint64_t lives_ = 0;
};

}  // namespace lockstep::test
