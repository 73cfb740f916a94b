#pragma once

#include <compare>
#include <cstdint>

namespace lockstep {

/// A number with a meaning of its own. Two of different tags neither compare nor convert, so that
/// a term cannot be passed where an index is meant.
template <class Tag, class Rep>
struct Strong {
    using rep = Rep;
    Rep value{};

    constexpr Strong() = default;
    constexpr explicit Strong(Rep v) : value(v) {}
    constexpr auto operator<=>(const Strong&) const = default;
    constexpr Strong next() const { return Strong(static_cast<Rep>(value + 1)); }
    constexpr Strong prev() const { return Strong(static_cast<Rep>(value - 1)); }
    /// False for zero, which every one of these types keeps for "none".
    constexpr explicit operator bool() const { return value != 0; }
};

/// A Raft term. Zero comes before every election.
using Term = Strong<struct TermTag, std::uint64_t>;
/// A position in the replicated log. The first entry has index 1.
using LogIndex = Strong<struct LogIndexTag, std::uint64_t>;
/// A process as the others address it: server, client or resource. Counted from 1.
using NodeId = Strong<struct NodeIdTag, std::uint32_t>;
/// A session of a client: the log index of the entry that opened it.
using SessionId = Strong<struct SessionIdTag, std::uint64_t>;
/// The number a client gives a request inside its session. Counted from 1.
using RequestSeq = Strong<struct RequestSeqTag, std::uint64_t>;
/// The log index of the entry whose application made a grant. Grows with every grant of a lock.
using FencingToken = Strong<struct FencingTokenTag, std::uint64_t>;
/// One request of a replica to its disk. Counted from 1 in each life.
using PersistId = Strong<struct PersistIdTag, std::uint64_t>;
/// A lock. Names are kept at the edges; inside, a lock is its number, counted from 1.
using LockId = Strong<struct LockIdTag, std::uint32_t>;
/// Drawn by a client for each session that it opens, so that a repeated opening is recognised.
using Nonce = Strong<struct NonceTag, std::uint64_t>;
/// Numbers each sending of a keep-alive or an opening of one client, over all its sessions.
using SendingNo = Strong<struct SendingNoTag, std::uint64_t>;

}  // namespace lockstep
