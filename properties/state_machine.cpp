#include "properties/state_machine.hpp"

namespace lockstep::properties {

void StateMachine::compare(const Stamp& stamp, LogIndex index, std::uint64_t hash) {
    State* known = states_.find(index);
    if (!known) {
        if (index <= states_.floor() || states_.push(index, {hash, stamp.process})) return;
        states_.extend(index);
        known = &states_.at(index);
    }
    State& state = *known;
    if (!state.first) {
        state = {hash, stamp.process};
        return;
    }
    context_.ledger.checked(PropertyId::Raft5);
    if (state.hash == hash) [[likely]]
        return;
    context_.ledger.object(PropertyId::Raft5, stamp, [&] {
        return fmt::format(
            "after index {} the state of server {} hashes to {:016x}, that of "
            "server {} to {:016x}",
            index.value, context_.name(stamp.process), hash, context_.name(state.first),
            state.hash);
    });
}

}  // namespace lockstep::properties
