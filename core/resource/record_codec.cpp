#include "core/resource/record_codec.hpp"

#include "core/base/hash.hpp"

namespace lockstep::resource {
namespace {

std::uint64_t checksum(const Record& r) {
    return hash_words(hash_name("record"), r.value, r.version, r.token.value, r.n, r.op,
                      r.read_version);
}

std::uint64_t checksum(const TakenCall& c) {
    return hash_words(hash_name("call"), c.key, c.op, c.value, c.token.value);
}

}  // namespace

void encode(const Record& record, Writer& out) {
    out.u64(checksum(record));
    out.u64(record.value);
    out.u64(record.version);
    out.u64(record.token.value);
    out.u64(record.n);
    out.u64(record.op);
    out.u64(record.read_version);
}

void encode(const TakenCall& call, Writer& out) {
    out.u64(checksum(call));
    out.u64(call.key);
    out.u64(call.op);
    out.u64(call.value);
    out.u64(call.token.value);
}

RecoveredRecord recover(std::span<const std::byte> file) {
    RecoveredRecord recovered;
    Reader in(file);
    while (in.left() >= record_bytes) {
        const std::uint64_t sum = in.u64();
        Record record;
        record.value = in.u64();
        record.version = in.u64();
        record.token = FencingToken(in.u64());
        record.n = in.u64();
        record.op = in.u64();
        record.read_version = in.u64();
        if (checksum(record) != sum) break;
        recovered.record = record;
        if (record.n > 0) {  // else it is a read that raised the mark
            if (recovered.last_writes.size() == last_writes_kept)
                recovered.last_writes.erase(recovered.last_writes.begin());
            recovered.last_writes.push_back(record);
        }
        recovered.valid_bytes += record_bytes;
    }
    return recovered;
}

RecoveredCalls recover_calls(std::span<const std::byte> file) {
    RecoveredCalls recovered;
    Reader in(file);
    while (in.left() >= call_bytes) {
        const std::uint64_t sum = in.u64();
        TakenCall call;
        call.key = in.u64();
        call.op = in.u64();
        call.value = in.u64();
        call.token = FencingToken(in.u64());
        if (checksum(call) != sum) break;
        recovered.calls.push_back(call);
        recovered.valid_bytes += call_bytes;
    }
    return recovered;
}

}  // namespace lockstep::resource
