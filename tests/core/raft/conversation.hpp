#pragma once

#include "core/raft/replica.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::test {

/// A cluster of replicas that is led through a conversation by commands in text. One clock for all;
/// nothing moves unless a command says so.
///
///   cluster n=3 [entries=64] [inflight=16]   starts n1, n2, n3 with empty disks
///   given n1 term=7 [vote=n2] log=1,1,4      restarts n1 from a disk with entries of these terms
///   n1 tick 2s          lets time pass, for everybody, and then ticks n1
///   n1 run 2s           lets time pass, ticks n1 whenever that is due, and settles after each
///   time 2s             lets time pass
///   deliver n1->n2 [k]  the first k (or all) messages that are on the way; also `n1->*`, `*->n1`,
///   `*` drop, duplicate, reverse   likewise; a duplicate comes after everything that is on the way
///   settle              delivers until nothing is on the way; tells only what matters
///   cut n1 / heal       from now on nothing that n1 sends, or is sent, arrives
///   disk n1 manual      writes wait for `persist n1 [k]`; `disk n1 auto` (from the start) does
///   them at once crash n1            n1 and the writes that wait are gone; `restart n1` recovers
///   from its log file reset n1->n2        what is on the way is lost, and n1 is told propose n1
///   text / confirm n1 number / compact n1 index log n1 / state n1   answers with what n1 holds /
///   is
class Conversation {
public:
    /// What the command caused, a line each.
    std::string command(std::string_view line);

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
        bool manual = false;
        bool cut = false;
        std::uint64_t lives = 0;
    };
    struct Letter {
        NodeId from;
        NodeId to;
        raft::Message message;
    };

    void cluster(const std::vector<std::string>& words);
    void given(Node& node, const std::vector<std::string>& words);
    void start(Node& node);
    void step(Node& node, raft::Input input);
    void take_effects(Node& node);
    void persist(Node& node, std::size_t count);
    void on_letters(const std::string& verb, const std::string& link, std::size_t count);
    void deliver(Letter letter);
    void settle();
    void run(Node& node, Duration span);
    void reset(const std::string& link);
    void on_node(Node& node, const std::vector<std::string>& words);
    void tell_log(const Node& node);
    void tell_state(const Node& node);
    void tell(std::string line);
    Node& node_of(std::string_view name);

    raft::Config config_;
    std::deque<Node> nodes_;
    std::vector<Letter> letters_;
    raft::Effects effects_;
    LocalTime now_;
    bool brief_ = false;  ///< only what matters
    std::string out_;
};

/// Runs the commands (lines that start with `> `) of a text and puts what each of them caused
/// beneath it, in place of what stood there. Comments (`#`) and empty lines stay.
std::string converse(std::string_view text);

}  // namespace lockstep::test
