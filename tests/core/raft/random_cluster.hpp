#pragma once

#include "core/raft/replica.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::test {

/// One thing that happens to a random cluster. What the numbers choose from is taken modulo what
/// there is.
struct Move {
    enum class Kind : std::uint8_t {
        Deliver,    ///< the message at place b
        Drop,       ///< likewise
        Duplicate,  ///< likewise
        Persist,    ///< b + 1 writes of node a become durable
        Tick,       ///< b ms pass, then node a is ticked
        Run,      ///< b/8 ms pass and everybody whose time has come is ticked; all is delivered and
                  ///< durable
        Crash,    ///< node a: b of its writes, and a part of the next one, are on the disk
        Restart,  ///< node a
        Propose,  ///< on node a
        Confirm,  ///< on node a
        Compact,  ///< node a, as far as it has applied
        Reset,    ///< the link from a to b
    };
    static constexpr std::uint8_t kinds = 12;
    Kind kind;
    std::uint8_t a;
    std::uint16_t b;
};

/// A cluster under a schedule of moves. It watches what the replicas report, and `broken` says what
/// promise of Raft they broke, if any:
///
///   election safety, log matching, leader completeness, committed entries stay, one durable vote a
///   term, applied in order, confirmations are true, recovery from every crash
class RandomCluster {
public:
    explicit RandomCluster(std::size_t size, std::uint64_t seed);
    void play(const Move& move);
    /// Everybody is up, connected and has a disk that answers: after a while there must be a
    /// leader, and everybody must have what it has.
    void converge();
    const std::string& broken() const { return broken_; }
    std::uint64_t committed() const { return committed_.empty() ? 0 : committed_.rbegin()->first; }
    std::uint64_t leaders() const { return leaders_.size(); }
    std::uint64_t snapshots_installed() const { return snapshots_installed_; }
    std::uint64_t confirmed() const { return confirmed_; }
    std::uint64_t durable() const { return durable_; }

private:
    struct Write {
        PersistId id;
        bool rewrite;
        std::vector<std::byte> bytes;
    };
    struct Node {
        NodeId id;
        std::optional<raft::Replica> replica;
        std::vector<std::byte> file;
        std::deque<Write> writes;
        std::uint64_t applied = 0;
        std::uint64_t lives = 0;
    };
    struct Letter {
        NodeId from;
        NodeId to;
        raft::Message message;
    };
    struct Question {
        NodeId node;
        std::uint64_t committed;  ///< by anybody, when it was asked
        std::uint64_t max_term;   ///< in which a leader had been elected by then
        std::uint64_t life;
    };

    void start(Node& node);
    void crash(Node& node, std::size_t kept_writes, std::size_t kept_bytes);
    void step(Node& node, raft::Input input);
    void take_effects(Node& node);
    void on_event(Node& node, const events::Event& event);
    void on_leader(Node& node, const events::BecameLeader& event);
    void on_durable(const Node& node, const events::LogDurable& event);
    void on_commit(std::uint64_t index, std::uint64_t prefix_hash);
    void on_confirmation(const Node& node, const raft::Confirmation& answer);
    void persist(Node& node, std::size_t count);
    void deliver(std::size_t place);
    void run(Duration span);
    void broke(std::string what);
    Node& node_of(NodeId id) { return nodes_[id.value - 1]; }

    raft::Config config_;
    std::uint64_t seed_;
    std::deque<Node> nodes_;
    std::deque<Letter> letters_;
    LocalTime now_;
    raft::Effects effects_;
    std::string broken_;
    std::uint64_t proposals_ = 0;
    std::uint64_t snapshots_installed_ = 0;
    std::uint64_t confirmed_ = 0;
    std::uint64_t durable_ = 0;
    std::map<std::uint64_t, NodeId> leaders_;                                    ///< by term
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> prefixes_;  ///< by index, term
    std::map<std::pair<std::uint64_t, std::uint64_t>, NodeId> votes_;            ///< by node, term
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>
        committed_;  ///< hash, and term known in
    std::map<std::uint64_t, Question> questions_;
};

}  // namespace lockstep::test
