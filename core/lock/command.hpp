#pragma once

#include "core/base/blob.hpp"
#include "core/wire/messages.hpp"

#include <span>
#include <string>
#include <variant>
#include <vector>

/// The entries of the log, as the lock table understands them.
namespace lockstep::lock {

/// Opens a session of `client`, known by the index of this entry. `ttl` is as the server settled
/// it.
struct Open {
    Nonce nonce;
    Duration ttl;
    NodeId client;
};

// What a client asks of its session goes into the log as it was asked.
using wire::Acquire;
using wire::Cancel;
using wire::Close;
using wire::Release;

// What the leader of `term` timed. Void in an entry of another term: only the leader that timed
// something may end it, and only while it leads.

/// The session's TTL has run out. Its locks go to nobody else for `delay`, if that is not zero.
struct Expire {
    SessionId session;
    Term term;
    Duration delay{};
};
/// The grant of that token has lasted for as long as one may.
struct EndHold {
    LockId lock;
    FencingToken token;
    Term term;
};
/// The delay that began when the grant of that token expired is over.
struct EndDelay {
    LockId lock;
    FencingToken token;
    Term term;
};

/// What remained of a session's lease when the checkpoint was proposed, on its leader's clock.
struct Remaining {
    SessionId session;
    Duration left;
};
/// The sessions' leases as the leader of `term` timed them: who leads next counts on from here, and
/// not anew. Of a session that is not listed nothing changes. In ascending order of sessions.
struct Checkpoint {
    Term term;
    std::vector<Remaining> leases;
};
/// A renewal came after the session's checkpoint, which counts no more. Void in no term: it only
/// ever gives time.
struct ClearCheckpoint {
    SessionId session;
};

using Command = std::variant<Open, Close, Acquire, Cancel, Release, Expire, EndHold, EndDelay,
                             Checkpoint, ClearCheckpoint>;

/// Encoded once, when the entry is proposed. Log, messages and disk share the bytes.
Blob encode(const Command& command);

/// False if the bytes are not a command; takes any bytes.
bool decode(std::span<const std::byte> bytes, Command& command);

/// For people: `expire session=12 term=4 delay=0ms`.
std::string to_string(const Command& command);

}  // namespace lockstep::lock
