#pragma once

#include "core/base/blob.hpp"
#include "core/wire/messages.hpp"

#include <span>
#include <string>
#include <variant>

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

/// The leader of `term` found that the session's TTL had run out. Void in an entry of another term:
/// only the leader that timed a session may end it, and only while it leads.
struct Expire {
    SessionId session;
    Term term;
};

using Command = std::variant<Open, Close, Acquire, Cancel, Release, Expire>;

/// Encoded once, when the entry is proposed. Log, messages and disk share the bytes.
Blob encode(const Command& command);

/// False if the bytes are not a command; takes any bytes.
bool decode(std::span<const std::byte> bytes, Command& command);

/// For people: `expire session=12 term=4`.
std::string to_string(const Command& command);

}  // namespace lockstep::lock
