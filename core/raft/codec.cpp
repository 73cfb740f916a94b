#include "core/raft/codec.hpp"

#include "core/base/assert.hpp"

#include <fmt/format.h>

namespace lockstep::raft {
namespace {

void put(const VoteRequest& m, Writer& out) {
    out.id(m.term);
    out.id(m.last_index);
    out.id(m.last_term);
    out.boolean(m.pre);
}
void get(Reader& in, VoteRequest& m) {
    m.term = in.id<Term>();
    m.last_index = in.id<LogIndex>();
    m.last_term = in.id<Term>();
    m.pre = in.boolean();
}

void put(const VoteReply& m, Writer& out) {
    out.id(m.term);
    out.boolean(m.pre);
    out.boolean(m.granted);
}
void get(Reader& in, VoteReply& m) {
    m.term = in.id<Term>();
    m.pre = in.boolean();
    m.granted = in.boolean();
}

void put(const AppendRequest& m, Writer& out) {
    out.id(m.term);
    out.id(m.prev_index);
    out.id(m.prev_term);
    out.id(m.commit);
    out.varint(m.round);
    encode_entries(m.entries, m.prev_index, out);
}
void get(Reader& in, AppendRequest& m) {
    m.term = in.id<Term>();
    m.prev_index = in.id<LogIndex>();
    m.prev_term = in.id<Term>();
    m.commit = in.id<LogIndex>();
    m.round = in.varint();
    decode_entries(in, m.prev_index, m.entries);
}

void put(const AppendReply& m, Writer& out) {
    out.id(m.term);
    out.id(m.index);
    out.id(m.hint_term);
    out.varint(m.round);
    out.boolean(m.success);
}
void get(Reader& in, AppendReply& m) {
    m.term = in.id<Term>();
    m.index = in.id<LogIndex>();
    m.hint_term = in.id<Term>();
    m.round = in.varint();
    m.success = in.boolean();
}

void put(const SnapshotRequest& m, Writer& out) {
    out.id(m.term);
    out.varint(m.round);
    encode_snapshot(m.snapshot, out);
}
void get(Reader& in, SnapshotRequest& m) {
    m.term = in.id<Term>();
    m.round = in.varint();
    m.snapshot = decode_snapshot(in);
}

void put(const SnapshotReply& m, Writer& out) {
    out.id(m.term);
    out.id(m.index);
    out.varint(m.round);
}
void get(Reader& in, SnapshotReply& m) {
    m.term = in.id<Term>();
    m.index = in.id<LogIndex>();
    m.round = in.varint();
}

template <std::size_t... I>
bool decode_kind(Reader& in, std::size_t kind, Message& message, std::index_sequence<I...>) {
    return ((kind == I && (get(in, message.emplace<I>()), true)) || ...);
}

std::string text(const VoteRequest& m) {
    return fmt::format("{} term={} last={}/{}", m.pre ? "pre-vote" : "vote", m.term.value,
                       m.last_index.value, m.last_term.value);
}
std::string text(const VoteReply& m) {
    return fmt::format("{} term={} {}", m.pre ? "pre-vote-reply" : "vote-reply", m.term.value,
                       m.granted ? "granted" : "refused");
}
std::string text(const AppendRequest& m) {
    auto out = fmt::format("append term={} prev={}/{} commit={} round={}", m.term.value,
                           m.prev_index.value, m.prev_term.value, m.commit.value, m.round);
    const char* separator = " entries=";
    for (const Entry& entry : m.entries) {
        out += fmt::format("{}{}/{}", separator, entry.index.value, entry.term.value);
        separator = ",";
    }
    return out;
}
std::string text(const AppendReply& m) {
    if (m.success)
        return fmt::format("append-reply term={} ok index={} round={}", m.term.value, m.index.value,
                           m.round);
    return fmt::format("append-reply term={} conflict hint={}/{} round={}", m.term.value,
                       m.index.value, m.hint_term.value, m.round);
}
std::string text(const SnapshotRequest& m) {
    return fmt::format("snapshot term={} index={}/{} round={} bytes={}", m.term.value,
                       m.snapshot.index.value, m.snapshot.term.value, m.round,
                       m.snapshot.state.size());
}
std::string text(const SnapshotReply& m) {
    return fmt::format("snapshot-reply term={} index={} round={}", m.term.value, m.index.value,
                       m.round);
}

}  // namespace

void encode_entries(std::span<const Entry> entries, LogIndex prev, Writer& out) {
    out.varint(entries.size());
    for (const Entry& entry : entries) {
        LOCKSTEP_ASSERT(entry.index == prev.next(), "index={} prev={}", entry.index.value,
                        prev.value);
        prev = entry.index;
        out.id(entry.term);
        out.blob(entry.command);
    }
}

void decode_entries(Reader& in, LogIndex prev, std::vector<Entry>& entries) {
    const std::size_t count = in.count();
    entries.clear();
    if (count > UINT64_MAX - prev.value) in.fail();
    for (std::size_t i = 0; i < count && !in.failed(); ++i) {
        prev = prev.next();
        const auto term = in.id<Term>();
        entries.push_back(Entry{prev, term, in.blob()});
    }
}

void encode_snapshot(const Snapshot& snapshot, Writer& out) {
    out.id(snapshot.index);
    out.id(snapshot.term);
    out.u64(snapshot.prefix_hash);
    out.u64(snapshot.state_hash);
    out.blob(snapshot.state);
}

Snapshot decode_snapshot(Reader& in) {
    Snapshot snapshot;
    snapshot.index = in.id<LogIndex>();
    snapshot.term = in.id<Term>();
    snapshot.prefix_hash = in.u64();
    snapshot.state_hash = in.u64();
    snapshot.state = in.blob();
    return snapshot;
}

void encode(const Message& message, Writer& out) {
    out.u8(static_cast<std::uint8_t>(message.index()));
    std::visit([&](const auto& m) { put(m, out); }, message);
}

bool decode(Reader& in, Message& message) {
    constexpr auto kinds = std::variant_size_v<Message>;
    const std::size_t kind = in.u8();
    return decode_kind(in, kind, message, std::make_index_sequence<kinds>()) && !in.failed();
}

std::string to_string(const Message& message) {
    return std::visit([](const auto& m) { return text(m); }, message);
}

}  // namespace lockstep::raft
