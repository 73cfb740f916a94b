#pragma once

#include "core/events/raft_events.hpp"
#include "properties/context.hpp"

namespace lockstep::properties {

/// RAFT-1 ElectionSafety and RAFT-6 OneVotePerTerm (Raft, section 5.2).
class RaftElections {
public:
    explicit RaftElections(Context& context) : context_(context) {}

    void on(const Stamp&, const events::BecameLeader&);
    void on(const Stamp&, const events::VoteCast&);

private:
    /// What happened in the terms long past cannot be contradicted any more.
    static constexpr std::size_t terms_kept = 512;

    Context& context_;
    FlatMap<Term, sim::ProcessId> leaders_;
    NodeMap<sim::ProcessId, FlatMap<Term, NodeId>> votes_;  ///< of each server, over its lives
};

}  // namespace lockstep::properties
