// Recovery takes any bytes for a log file: it refuses them, or gives a replica that can start. What
// it found good is found again, and a torn tail that is cut off is gone for good.
//
// No mutation hits a checksum. Most inputs therefore get theirs mended, record after record, so
// that what lies behind the checksums is reached, too.
#include "core/base/codec.hpp"
#include "core/base/hash.hpp"
#include "core/raft/wal.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

// A record, as core/raft/wal.hpp has it: magic, length, checksum, type.
constexpr std::uint32_t magic = 0x7061f54c;
constexpr std::size_t length_at = 4;
constexpr std::size_t checksum_at = 8;
constexpr std::size_t type_at = 16;
constexpr std::size_t header = 17;

void mend(std::uint8_t* data, std::size_t size) {
    using namespace lockstep;
    while (size >= header) {
        std::memcpy(data, &magic, sizeof magic);
        std::uint32_t length = 0;
        std::memcpy(&length, data + length_at, sizeof length);
        length %= static_cast<std::uint32_t>(size - header + 1);
        std::memcpy(data + length_at, &length, sizeof length);
        const std::uint64_t sum = hash_bytes(fuzz::bytes_of(data + header, length),
                                             hash_words(length, std::uint64_t{data[type_at]}));
        std::memcpy(data + checksum_at, &sum, sizeof sum);
        data += header + length;
        size -= header + length;
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 4 != 0) mend(data, size);
    return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockstep;
    const auto bytes = fuzz::bytes_of(data, size);
    const auto found = raft::wal::recover(bytes);
    fuzz::demand(found.valid_bytes <= bytes.size(), "more is valid than there is");
    if (found.refused) {
        fuzz::demand(!found.reason.empty(), "refused for no reason");
        return 0;
    }
    const auto again = raft::wal::recover(bytes.first(found.valid_bytes));
    fuzz::demand(!again.refused && !again.torn, "what was cut is torn again");
    fuzz::demand(again.valid_bytes == found.valid_bytes, "what was valid is no more");
    fuzz::demand(again.stored.entries.size() == found.stored.entries.size(),
                 "what was recovered is no more");
    // A replica rewrites its file like this.
    Writer out;
    raft::wal::encode_file(found.stored.hard, found.stored.snapshot, found.stored.entries, out);
    const auto rewritten = raft::wal::recover(out.bytes());
    fuzz::demand(!rewritten.refused && !rewritten.torn, "a rewritten file is not taken");
    fuzz::demand(rewritten.stored.entries.size() == found.stored.entries.size(),
                 "a rewritten file holds something else");
    return 0;
}
