#pragma once

#include "core/base/flat_map.hpp"
#include "core/base/strong.hpp"

#include <algorithm>

namespace lockstep::server {

/// Which sessions a checkpoint covers, as one leader must see it: from the moment at which it has
/// proposed or inherited the checkpoint until an entry that clears it was applied. While a clearing
/// entry is on its way the session goes into no checkpoint: that one would lie behind the entry,
/// and take back what it gives.
class Coverage {
public:
    void cover(SessionId session) { sessions_[session].covered = true; }
    bool covered(SessionId session) const {
        const State* state = sessions_.find(session);
        return state != nullptr && state->covered;
    }
    bool clearing(SessionId session) const {
        const State* state = sessions_.find(session);
        return state != nullptr && state->last_clear;
    }
    /// A clearing entry was proposed at `index`.
    void clear_at(SessionId session, LogIndex index) { sessions_[session].last_clear = index; }
    /// The one at `index` was applied.
    void cleared(SessionId session, LogIndex index) {
        State* state = sessions_.find(session);
        if (state == nullptr) return;
        state->covered = false;
        if (state->last_clear <= index) sessions_.erase(session);
    }
    void end(SessionId session) { sessions_.erase(session); }

private:
    struct State {
        bool covered = false;
        LogIndex last_clear;  ///< of those on their way; zero: none
    };
    FlatMap<SessionId, State> sessions_;
};

}  // namespace lockstep::server
