#pragma once

#include "core/base/codec.hpp"
#include "core/wire/messages.hpp"

#include <string>
#include <string_view>

/// The encoded form of what clients, servers and resources say to each other: the number of the
/// kind, then the fields in their order. Each message has one spelling: what `decode` takes,
/// `encode` gives back byte for byte.
namespace lockstep::wire {

void encode(const Request& message, Writer& out);
void encode(const Reply& message, Writer& out);
void encode(const ResourceRequest& message, Writer& out);
void encode(const ResourceReply& message, Writer& out);

/// Reads one message and leaves what follows it. Takes any bytes; false if they are not a message,
/// in which case `message` is unspecified and the reader has failed.
bool decode(Reader& in, Request& message);
bool decode(Reader& in, Reply& message);
bool decode(Reader& in, ResourceRequest& message);
bool decode(Reader& in, ResourceReply& message);

/// For people: `acquire session=12 seq=3 mark=2 lock=1 try_only=0`.
std::string to_string(const Request& message);
std::string to_string(const Reply& message);
std::string to_string(const ResourceRequest& message);
std::string to_string(const ResourceReply& message);

/// As faults and output name the kind: open, keep-alive, close, acquire, cancel, release.
std::string_view kind_name(const Request& message);
/// not-leader, open-reply, keep-alive-reply, busy, and by operation close-reply, acquire-reply,
/// cancel-reply, release-reply.
std::string_view kind_name(const Reply& message);
/// write, read, call.
std::string_view kind_name(const ResourceRequest& message);
/// write-reply, read-reply, call-reply.
std::string_view kind_name(const ResourceReply& message);

}  // namespace lockstep::wire
