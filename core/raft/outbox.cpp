#include "core/raft/outbox.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::raft {
namespace {

/// Makes `old` say what `next` does, if nothing is lost by it.
bool supersede(Message& old, const Message& next) {
    if (const auto* b = std::get_if<VoteReply>(&next)) {
        const auto* a = std::get_if<VoteReply>(&old);
        return a != nullptr && a->term == b->term && a->pre == b->pre && a->granted == b->granted;
    }
    if (const auto* b = std::get_if<AppendReply>(&next)) {
        auto* a = std::get_if<AppendReply>(&old);
        if (a == nullptr || a->term != b->term || a->success != b->success) return false;
        // Both held for the same request to the disk: together they say the greater of each.
        if (a->success)
            *a = AppendReply{b->term, std::max(a->index, b->index), Term(),
                             std::max(a->round, b->round), true};
        else
            *a = *b;
        return true;
    }
    if (const auto* b = std::get_if<SnapshotReply>(&next)) {
        auto* a = std::get_if<SnapshotReply>(&old);
        if (a == nullptr || a->term != b->term) return false;
        a->index = std::max(a->index, b->index);
        a->round = std::max(a->round, b->round);
        return true;
    }
    return false;
}

}  // namespace

void Outbox::hold(PersistId needed, Send send) {
    for (Held& held : held_)
        if (held.needed == needed && held.send.to == send.to &&
            supersede(held.send.message, send.message))
            return;
    held_.push_back(Held{needed, std::move(send)});
}

void Outbox::release(PersistId durable, std::vector<Send>& out) {
    auto kept = held_.begin();
    for (auto it = held_.begin(); it != held_.end(); ++it) {
        if (it->needed <= durable) {
            out.push_back(std::move(it->send));
        } else {
            if (kept != it) *kept = std::move(*it);
            ++kept;
        }
    }
    held_.erase(kept, held_.end());
}

void Outbox::drop_vote_requests() {
    std::erase_if(held_, [](const Held& held) {
        return std::holds_alternative<VoteRequest>(held.send.message);
    });
}

}  // namespace lockstep::raft
