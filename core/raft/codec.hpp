#pragma once

#include "core/base/codec.hpp"
#include "core/raft/types.hpp"

#include <string>

namespace lockstep::raft {

/// The encoded form of what replicas say to each other. There is one spelling of each message: what
/// `decode` takes, `encode` gives back byte for byte.
///
/// The entries of an AppendRequest follow `prev_index` without a gap; their indices are not sent.
void encode(const Message& message, Writer& out);

/// False if the bytes are not a message, in which case `message` is unspecified. Reads one message
/// and leaves what follows it; takes any bytes.
bool decode(Reader& in, Message& message);

/// For people: `append term=3 prev=7/2 commit=6 round=9 entries=8/3,9/3`.
std::string to_string(const Message& message);

/// The entries of a message or of a record of the log: first the count, then term and command of
/// each. They follow `prev` without a gap.
void encode_entries(std::span<const Entry> entries, LogIndex prev, Writer& out);
void decode_entries(Reader& in, LogIndex prev, std::vector<Entry>& entries);
void encode_snapshot(const Snapshot& snapshot, Writer& out);
Snapshot decode_snapshot(Reader& in);

}  // namespace lockstep::raft
