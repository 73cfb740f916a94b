#include "core/raft/wal.hpp"

#include "tests/support/catch.hpp"

using namespace lockstep;
using namespace lockstep::raft;

namespace {

Blob blob(std::string_view text) {
    return Blob::copy_of(std::as_bytes(std::span(text)));
}

Persist changes(std::uint64_t term, std::uint64_t first, std::size_t count) {
    Persist persist;
    persist.has_hard = true;
    persist.hard = HardState{Term(term), NodeId(1)};
    for (std::size_t i = 0; i < count; ++i)
        persist.entries.push_back({LogIndex(first + i), Term(term), blob("command")});
    return persist;
}

std::vector<std::byte> file_of(const Writer& writer) {
    return {writer.bytes().begin(), writer.bytes().end()};
}

}  // namespace

TEST_CASE("raft: an empty log file is a fresh replica") {
    const auto recovery = wal::recover({});
    CHECK_FALSE(recovery.refused);
    CHECK_FALSE(recovery.torn);
    CHECK(recovery.stored.hard == HardState());
    CHECK(recovery.stored.entries.empty());
}

TEST_CASE("raft: a log file without its last bytes loses its last record only") {
    Writer writer;
    wal::encode_append(changes(1, 1, 2), writer);
    const auto first = writer.size();
    wal::encode_append(changes(2, 3, 1), writer);
    auto file = file_of(writer);
    file.resize(file.size() - 3);
    const auto recovery = wal::recover(file);
    CHECK_FALSE(recovery.refused);
    CHECK(recovery.torn);
    CHECK(recovery.valid_bytes == first);
    CHECK(recovery.stored.entries.size() == 2);
    CHECK(recovery.stored.hard.term == Term(1));
}

TEST_CASE("raft: a bad record before a good one is rot") {
    Writer writer;
    wal::encode_append(changes(1, 1, 2), writer);
    wal::encode_append(changes(2, 3, 1), writer);
    auto file = file_of(writer);
    file[20] ^= std::byte{1};
    const auto recovery = wal::recover(file);
    CHECK(recovery.refused);
    CHECK(recovery.valid_bytes == 0);
}

TEST_CASE("raft: good records that no replica can have written are refused") {
    const auto refused = [](const Persist& second) {
        Writer writer;
        wal::encode_append(changes(3, 1, 2), writer);
        const auto first = writer.size();
        wal::encode_append(second, writer);
        const auto recovery = wal::recover(writer.bytes());
        return recovery.refused && recovery.valid_bytes == first && !recovery.reason.empty();
    };
    CHECK_FALSE(refused(changes(3, 3, 1)));
    CHECK(refused(changes(3, 4, 1)));  // a gap
    CHECK(refused(changes(3, 2, 1)));  // again, without a truncation
    CHECK(refused(changes(2, 3, 1)));  // the term goes back
    auto other_vote = changes(3, 3, 0);
    other_vote.hard.vote = NodeId(2);
    CHECK(refused(other_vote));
    Persist cut;
    cut.truncate_from = LogIndex(3);
    CHECK(refused(cut));
    cut.truncate_from = LogIndex(2);
    CHECK_FALSE(refused(cut));
}

TEST_CASE("raft: a rewritten file is whole or refused") {
    const HardState hard{Term(4), NodeId(2)};
    const Snapshot snapshot{LogIndex(7), Term(3), 11, 22, blob("state")};
    const std::vector<Entry> entries{{LogIndex(8), Term(4), blob("x")}};
    Writer writer;
    wal::encode_file(hard, snapshot, entries, writer);
    auto recovery = wal::recover(writer.bytes());
    REQUIRE_FALSE(recovery.refused);
    CHECK(recovery.stored.hard == hard);
    CHECK(recovery.stored.snapshot.index == LogIndex(7));
    CHECK(recovery.stored.snapshot.state == snapshot.state);
    CHECK(recovery.stored.entries.size() == 1);

    // Every byte but those of the first record's header is missed.
    const auto file = file_of(writer);
    for (std::size_t i = 0; i < file.size(); ++i) {
        auto rotten = file;
        rotten[i] ^= std::byte{0x40};
        CHECK(wal::recover(rotten).refused);
    }
    for (std::size_t size = 50; size < file.size(); ++size) {
        INFO("size " << size);
        CHECK(wal::recover(std::span(file).first(size)).refused);
    }
}
