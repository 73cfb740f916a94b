#pragma once

#include "core/base/assert.hpp"
#include "core/lock/table.hpp"

#include <utility>
#include <vector>

namespace lockstep::test {

using events::AnswerStatus;

/// Applies commands to a table at consecutive indices of one term.
class TableDriver {
public:
    explicit TableDriver(lock::Limits limits = {}) : table(limits) {}

    const lock::Outcome& apply(const lock::Command& command) {
        // As every entry does, it goes through its encoded form.
        lock::Command decoded;
        const bool understood = lock::decode(lock::encode(command).bytes(), decoded);
        LOCKSTEP_ASSERT(understood, "command={}", lock::to_string(command));
        table.apply(decoded, table.applied().next(), term, out);
        return out;
    }

    const lock::Outcome& open(std::uint32_t client, std::uint64_t nonce,
                              Duration ttl = seconds(10)) {
        return apply(lock::Open{Nonce(nonce), ttl, NodeId(client)});
    }
    SessionId session(std::uint32_t client) { return open(client, client).answer.session; }
    const lock::Outcome& close(SessionId s, std::uint64_t seq) {
        return apply(lock::Close{s, RequestSeq(seq)});
    }
    const lock::Outcome& acquire(SessionId s, std::uint64_t seq, std::uint32_t lock,
                                 bool try_only = false, std::uint64_t mark = 1) {
        return apply(lock::Acquire{s, RequestSeq(seq), RequestSeq(mark), LockId(lock), try_only});
    }
    const lock::Outcome& cancel(SessionId s, std::uint64_t seq, std::uint32_t lock,
                                std::uint64_t mark = 1) {
        return apply(lock::Cancel{s, RequestSeq(seq), RequestSeq(mark), LockId(lock)});
    }
    const lock::Outcome& release(SessionId s, std::uint64_t seq, std::uint32_t lock,
                                 FencingToken token, std::uint64_t mark = 1) {
        return apply(lock::Release{s, RequestSeq(seq), RequestSeq(mark), LockId(lock), token});
    }
    const lock::Outcome& expire(SessionId s, Term proposed_in) {
        return apply(lock::Expire{s, proposed_in});
    }
    const lock::Outcome& expire(SessionId s) { return expire(s, term); }
    const lock::Outcome& expire(SessionId s, Duration delay) {
        return apply(lock::Expire{s, term, delay});
    }
    const lock::Outcome& end_hold(std::uint32_t lock, FencingToken token) {
        return apply(lock::EndHold{LockId(lock), token, term});
    }
    const lock::Outcome& end_delay(std::uint32_t lock, FencingToken token) {
        return apply(lock::EndDelay{LockId(lock), token, term});
    }
    const lock::Outcome& checkpoint(std::vector<lock::Remaining> leases) {
        return apply(lock::Checkpoint{term, std::move(leases)});
    }

    FencingToken here() const { return FencingToken(table.applied().value); }
    std::vector<wire::HeldGrant> grants(SessionId s) const {
        std::vector<wire::HeldGrant> held;
        table.grants(s, held);
        return held;
    }

    lock::Table table;
    lock::Outcome out;
    Term term{3};
};

/// The events of one kind, in their order.
template <class E>
std::vector<E> all(const std::vector<events::Event>& events) {
    std::vector<E> found;
    for (const events::Event& event : events)
        if (const E* e = std::get_if<E>(&event)) found.push_back(*e);
    return found;
}

}  // namespace lockstep::test
