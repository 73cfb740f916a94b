#pragma once

#include "core/base/codec.hpp"
#include "core/raft/types.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// The log file of a replica.
///
/// A sequence of records, each `magic u32 | length u32 | checksum u64 | type u8 | payload`; the
/// checksum covers length, type and payload. One Persist is one record, and one write: a crash
/// leaves all of it or none.
///
///   Changes  vote and term, truncation, entries, each if there is any. Appended.
///   Base     vote, term and snapshot. Only at the start of a file.
///   Seal     ends what a rewrite put into a new file, before the file was renamed into place.
///
/// A crash tears at most the last write: what does not check out at the end of the file, with no
/// good record behind it, is a torn tail and is cut. A bad record before a good one was synced and
/// has rotted since, and the replica must not start: it may have voted or acknowledged what is
/// gone. (Rot in the very last record looks like a torn tail. The Seal keeps a snapshot from ever
/// being in that place: a rewritten file without its Seal is refused.)
namespace lockstep::raft::wal {

/// What a file holds. An empty file is a fresh replica.
struct Recovery {
    Stored stored;
    std::uint64_t valid_bytes = 0;  ///< how far the records are good
    bool torn = false;              ///< cut the file to `valid_bytes` and sync it before appending
    bool refused = false;           ///< the damage at `valid_bytes` is none that a crash leaves
    std::string_view reason = {};   ///< why it is refused
};

/// The record to append for a Persist without `rewrite`.
void encode_append(const Persist& persist, Writer& out);

/// The whole file that a Persist with `rewrite` asks for.
void encode_file(const HardState& hard, const Snapshot& snapshot, std::span<const Entry> entries,
                 Writer& out);

/// Takes any bytes.
Recovery recover(std::span<const std::byte> file);

}  // namespace lockstep::raft::wal
