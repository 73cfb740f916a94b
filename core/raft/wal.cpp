#include "core/raft/wal.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
#include "core/raft/codec.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace lockstep::raft::wal {
namespace {

enum class Type : std::uint8_t { Changes = 1, Base = 2, Seal = 3 };

constexpr std::uint32_t magic = 0x7061f54c;  // its four bytes differ: a shifted copy never matches
constexpr std::size_t header_size = 4 + 4 + 8 + 1;

std::uint64_t checksum(std::uint32_t length, Type type, std::span<const std::byte> payload) {
    return hash_bytes(payload, hash_words(length, static_cast<std::uint64_t>(type)));
}

/// A record around the payload that `put_payload` appends. It is written where it belongs, and the
/// header filled in afterwards, so that no record needs a buffer of its own.
void put_record(Type type, Writer& out, auto&& put_payload) {
    const std::size_t start = out.size();
    out.u32(magic);
    out.u32(0);
    out.u64(0);
    out.u8(static_cast<std::uint8_t>(type));
    put_payload();
    const auto payload = out.bytes().subspan(start + header_size);
    LOCKSTEP_ASSERT(payload.size() <= UINT32_MAX, "payload of {} bytes", payload.size());
    const auto length = static_cast<std::uint32_t>(payload.size());
    out.u32_at(start + 4, length);
    out.u64_at(start + 8, checksum(length, type, payload));
}

void put_hard(const HardState& hard, Writer& out) {
    out.id(hard.term);
    out.id(hard.vote);
}

HardState get_hard(Reader& in) {
    HardState hard;
    hard.term = in.id<Term>();
    hard.vote = in.id<NodeId>();
    return hard;
}

void put_changes(const HardState* hard, LogIndex truncate_from, std::span<const Entry> entries,
                 Writer& out) {
    put_record(Type::Changes, out, [&] {
        out.boolean(hard != nullptr);
        if (hard != nullptr) put_hard(*hard, out);
        out.id(truncate_from);
        const LogIndex first = entries.empty() ? LogIndex(1) : entries.front().index;
        out.id(first.prev());
        encode_entries(entries, first.prev(), out);
    });
}

struct Record {
    Type type;
    std::span<const std::byte> payload;
    std::size_t size;
};

/// The record at the start of `bytes`, if there is a good one.
std::optional<Record> record_at(std::span<const std::byte> bytes) {
    Reader in(bytes);
    if (in.u32() != magic) return std::nullopt;
    const auto length = in.u32();
    const auto sum = in.u64();
    const auto type = static_cast<Type>(in.u8());
    const auto payload = in.raw(length);
    if (in.failed() || sum != checksum(length, type, payload)) return std::nullopt;
    return Record{type, payload, header_size + length};
}

/// Whether a good record starts anywhere in `bytes`.
bool any_record_in(std::span<const std::byte> bytes) {
    const auto first = static_cast<std::byte>(magic & 0xff);
    while (bytes.size() >= header_size) {
        const auto it = std::ranges::find(bytes, first);
        bytes = bytes.subspan(static_cast<std::size_t>(it - bytes.begin()));
        if (record_at(bytes)) return true;
        if (!bytes.empty()) bytes = bytes.subspan(1);
    }
    return false;
}

/// Puts the records together, and knows what no run of this program can have written.
class Assembler {
public:
    /// What is wrong with the record, or nothing.
    std::string_view take(const Record& record) {
        Reader in(record.payload);
        std::string_view wrong = "unknown type of record";
        switch (record.type) {
            case Type::Changes:
                wrong = take_changes(in);
                break;
            case Type::Base:
                wrong = take_base(in);
                break;
            case Type::Seal:
                wrong = take_seal(in);
                break;
        }
        if (wrong.empty() && !in.done()) wrong = "malformed record";
        at_start_ = false;
        return wrong;
    }
    bool sealed() const { return !open_; }
    Stored finish() { return std::move(stored_); }

private:
    LogIndex last_index() const {
        return stored_.entries.empty() ? stored_.snapshot.index : stored_.entries.back().index;
    }
    Term last_term() const {
        return stored_.entries.empty() ? stored_.snapshot.term : stored_.entries.back().term;
    }

    std::string_view take_base(Reader& in) {
        if (!at_start_) return "a base after the start of the file";
        stored_.hard = get_hard(in);
        stored_.snapshot = decode_snapshot(in);
        open_ = true;
        if (stored_.snapshot.term > stored_.hard.term) return "snapshot of a term to come";
        return {};
    }

    std::string_view take_seal(Reader& in) {
        if (!open_) return "a seal without a base";
        if (in.id<LogIndex>() != last_index()) return "a seal of another file";
        open_ = false;
        return {};
    }

    std::string_view take_changes(Reader& in) {
        if (in.boolean()) {
            const HardState hard = get_hard(in);
            if (hard.term < stored_.hard.term) return "term goes back";
            if (hard.term == stored_.hard.term && stored_.hard.vote &&
                hard.vote != stored_.hard.vote)
                return "vote changes within a term";
            stored_.hard = hard;
        }
        if (const auto from = in.id<LogIndex>()) {
            if (from <= stored_.snapshot.index || from > last_index())
                return "truncation of nothing";
            stored_.entries.resize(from.value - stored_.snapshot.index.value - 1);
        }
        const auto prev = in.id<LogIndex>();
        std::vector<Entry> entries;
        decode_entries(in, prev, entries);
        if (in.failed() || entries.empty()) return {};
        if (prev != last_index()) return "gap in the entries";
        for (Entry& entry : entries) {
            if (entry.term < last_term() || entry.term > stored_.hard.term)
                return "entry of an impossible term";
            stored_.entries.push_back(std::move(entry));
        }
        return {};
    }

    Stored stored_;
    bool at_start_ = true;
    bool open_ = false;  ///< a base was read, and not yet its seal
};

}  // namespace

void encode_append(const Persist& persist, Writer& out) {
    LOCKSTEP_ASSERT(!persist.rewrite, "id={}", persist.id.value);
    put_changes(persist.has_hard ? &persist.hard : nullptr, persist.truncate_from, persist.entries,
                out);
}

void encode_file(const HardState& hard, const Snapshot& snapshot, std::span<const Entry> entries,
                 Writer& out) {
    put_record(Type::Base, out, [&] {
        put_hard(hard, out);
        encode_snapshot(snapshot, out);
    });
    if (!entries.empty()) put_changes(nullptr, LogIndex(), entries, out);
    put_record(Type::Seal, out,
               [&] { out.id(entries.empty() ? snapshot.index : entries.back().index); });
}

Recovery recover(std::span<const std::byte> file) {
    Recovery recovery;
    Assembler assembler;
    const auto refuse = [&](std::string_view reason) {
        recovery.refused = true;
        recovery.reason = reason;
    };
    auto rest = file;
    while (!rest.empty()) {
        const auto record = record_at(rest);
        if (!record) {
            recovery.torn = true;
            break;
        }
        if (const auto wrong = assembler.take(*record); !wrong.empty()) {
            refuse(wrong);
            return recovery;
        }
        rest = rest.subspan(record->size);
        recovery.valid_bytes += record->size;
    }
    if (!assembler.sealed()) refuse("a rewritten file without its end");
    if (recovery.torn && any_record_in(rest.subspan(1))) refuse("a good record after a bad one");
    if (recovery.refused) {
        recovery.torn = false;
        return recovery;
    }
    recovery.stored = assembler.finish();
    return recovery;
}

}  // namespace lockstep::raft::wal
