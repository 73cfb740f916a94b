#pragma once

#include "core/base/codec.hpp"
#include "core/resource/store.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// The file of a store: records of one size, one behind the other, each with a checksum. The last
/// valid one counts.
namespace lockstep::resource {

inline constexpr std::size_t record_bytes = 7 * 8;

void encode(const Record& record, Writer& out);

inline constexpr std::size_t last_writes_kept = 64;

struct RecoveredRecord {
    Record record;                  ///< as new if there is none
    std::uint64_t valid_bytes = 0;  ///< cut the file to this, and sync it, before appending
    /// The last writes in the file, oldest first: more of them than one sync ever covers. To be
    /// reported as WriteRecovered, for a crash may have kept some of them from being reported.
    std::vector<Record> last_writes;
};
/// Takes any bytes. Reading stops at the first record that is torn or does not check out.
RecoveredRecord recover(std::span<const std::byte> file);

}  // namespace lockstep::resource
