#pragma once

#include "core/raft/types.hpp"

#include <vector>

namespace lockstep::raft {

/// Messages that promise what is not yet durable, withheld until it is.
class Outbox {
public:
    /// A reply that the one before to the same peer is no longer worth sending for takes its place,
    /// so that a disk that hangs does not pile up replies.
    void hold(PersistId needed, Send send);
    /// Moves what needs nothing after `durable` to `out`, in the order it was held.
    void release(PersistId durable, std::vector<Send>& out);
    /// Requests for votes are of no use after the candidacy.
    void drop_vote_requests();

private:
    struct Held {
        PersistId needed;
        Send send;
    };
    std::vector<Held> held_;
};

}  // namespace lockstep::raft
