#pragma once

#include "core/raft/progress.hpp"
#include "core/raft/quorum.hpp"
#include "core/raft/types.hpp"

#include <cstdint>
#include <variant>
#include <vector>

/// The roles of a replica. What a role knows exists only while it is played.
namespace lockstep::raft {

struct Follower {
    NodeId leader;       ///< zero: nobody known
    LocalTime heard_at;  ///< of the leader, if there is one
    Duration timeout;
    LocalTime deadline;
};

/// Asks whether an election could be won, before it disturbs anybody with a new term (§9.6).
struct PreCandidate {
    MemberSet granted;
    LocalTime deadline;
};

struct Candidate {
    MemberSet granted;  ///< its own vote is in it once that is durable
    LocalTime deadline;
};

struct Leader {
    /// A request for a confirmation, to be answered by acknowledgements of `round` or later.
    struct Asked {
        std::uint64_t context;
        std::uint64_t round;
        LogIndex read_index;
    };
    std::vector<Peer> peers;
    LocalTime heartbeat_due;
    LogIndex opening;               ///< the no-op of this term
    std::uint64_t round = 0;        ///< last one sent
    std::uint64_t round_acked = 0;  ///< last one that a quorum has acknowledged
    std::vector<Asked> asked;       ///< in ascending order of round
};

using Role = std::variant<Follower, PreCandidate, Candidate, Leader>;

}  // namespace lockstep::raft
