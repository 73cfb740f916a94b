#pragma once

#include "core/events/raft_events.hpp"
#include "properties/context.hpp"
#include "properties/index_ring.hpp"

namespace lockstep::properties {

/// RAFT-5 StateMachineSafety (Raft, figure 3): the state after an index, by hash. States are kept
/// down to the lowest snapshot, from which a server may apply again after a restart.
class StateMachine {
public:
    explicit StateMachine(Context& context) : context_(context) {}

    void on(const Stamp& stamp, const events::Applied& e) { compare(stamp, e.index, e.state_hash); }
    void on(const Stamp& stamp, const events::SnapshotInstalled& e) {
        compare(stamp, e.index, e.state_hash);
        states_.prune(context_.log_floor);  // the last to install lets go of what it just met
    }
    void on(const Stamp&, const events::Compacted&) { states_.prune(context_.log_floor); }
    void on(const Stamp&, const events::Recovered&) { states_.prune(context_.log_floor); }

private:
    struct State {
        std::uint64_t hash = 0;
        sim::ProcessId first;  ///< who applied it first; none: nobody yet
    };
    void compare(const Stamp& stamp, LogIndex index, std::uint64_t hash);

    Context& context_;
    IndexRing<State> states_;
};

}  // namespace lockstep::properties
