#pragma once

#include "core/base/codec.hpp"
#include "core/resource/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// The file of a resource: entries of one size, one behind the other, each with a checksum. Of a
/// store or a row the last valid one counts; of an endpoint all of them do.
namespace lockstep::resource {

inline constexpr std::size_t record_bytes = 7 * 8;
inline constexpr std::size_t call_bytes = 5 * 8;

void encode(const Record& record, Writer& out);
void encode(const TakenCall& call, Writer& out);

/// More than one sync ever covers.
inline constexpr std::size_t last_writes_kept = 64;

struct RecoveredRecord {
    Record record;                  ///< as new if there is none
    std::uint64_t valid_bytes = 0;  ///< cut the file to this, and sync it, before appending
    /// The last writes in the file, oldest first, `last_writes_kept` of them. To be reported as
    /// WriteRecovered, for a crash may have kept some of them from being reported.
    std::vector<Record> last_writes;
};
/// Takes any bytes. Reading stops at the first record that is torn or does not check out.
RecoveredRecord recover(std::span<const std::byte> file);

struct RecoveredCalls {
    std::vector<TakenCall> calls;  ///< in the order in which they took effect
    std::uint64_t valid_bytes = 0;
};
/// Likewise, of an endpoint.
RecoveredCalls recover_calls(std::span<const std::byte> file);

}  // namespace lockstep::resource
