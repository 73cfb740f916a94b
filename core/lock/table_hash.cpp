#include "core/base/hash.hpp"
#include "core/lock/table.hpp"

/// The state's hash is the sum of the hashes of its parts, so that a change costs what changed. The
/// parts form a set: what has an order carries its place (a waiter the index that queued it).
namespace lockstep::lock {
namespace {

/// Keeps a part of one sort from passing for one of another.
enum Sort : std::uint64_t { SessionPart = 1, KeptPart, LockPart, WaiterPart, EndedPart };

}  // namespace

std::uint64_t Table::state_hash() const {
    return hash_words(applied_.value, sum_);
}

std::uint64_t Table::hash_of(SessionId id, const Session& session) {
    return hash_words(SessionPart, id.value, session.client.value, session.nonce.value,
                      session.ttl.ns, session.mark.value, session.checkpoint.has_value(),
                      session.checkpoint.value_or(Duration()).ns);
}

std::uint64_t Table::hash_of(SessionId id, RequestSeq seq, const Kept& kept) {
    return hash_words(KeptPart, id.value, seq.value, kept.operation, kept.status, kept.lock.value,
                      kept.token.value, kept.other_seq.value, kept.cancel_seen);
}

std::uint64_t Table::hash_of(LockId id, const Lock& lock) {
    return hash_words(LockPart, id.value, lock.holder.value, lock.seq.value, lock.token.value,
                      lock.delay.ns);
}

std::uint64_t Table::hash_of(LockId id, const Waiter& waiter) {
    return hash_words(WaiterPart, id.value, waiter.session.value, waiter.seq.value,
                      waiter.since.value);
}

std::uint64_t Table::hash_of(NodeId client, const Ended& ended) {
    return hash_words(EndedPart, client.value, ended.nonce.value, ended.at.value);
}

}  // namespace lockstep::lock
