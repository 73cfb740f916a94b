#include "core/raft/log.hpp"
#include "core/raft/wal.hpp"
#include "tests/support/rapid.hpp"

#include <algorithm>
#include <vector>

using namespace lockstep;
using raft::Persist;
using raft::Stored;

namespace {

/// What a replica could ask of its disk next, given what is stored.
Persist any_persist(Stored& stored) {
    Persist persist;
    raft::Log log(stored);
    if (*rc::gen::inRange(0, 3) == 0 || !stored.hard.term) {
        stored.hard.term = Term(stored.hard.term.value + *rc::gen::inRange<std::uint64_t>(1, 3));
        stored.hard.vote = NodeId(*rc::gen::inRange<std::uint32_t>(0, 4));
        persist.has_hard = true;
        persist.hard = stored.hard;
    }
    if (!stored.entries.empty() && *rc::gen::inRange(0, 4) == 0) {
        const auto back = *rc::gen::inRange<std::uint64_t>(0, stored.entries.size());
        persist.truncate_from = LogIndex(log.last_index().value - back);
        log.truncate(persist.truncate_from, log.base_index());
    }
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
        const auto bytes = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
        const raft::Entry entry{log.last_index().next(), stored.hard.term,
                                Blob::copy_of(std::as_bytes(std::span(bytes)))};
        log.append(entry);
        persist.entries.push_back(entry);
    }
    return persist;
}

/// A file as a replica leaves it: perhaps rewritten at the start, then appended to.
struct History {
    std::vector<std::byte> file;
    std::vector<std::size_t> ends;  ///< of the file after each write
    std::vector<Stored> states;     ///< after each write
};

History any_history(int least) {
    History history;
    Stored stored;
    Writer writer;
    const auto note = [&] {
        history.ends.push_back(writer.size());
        history.states.push_back(stored);
    };
    note();
    if (*rc::gen::arbitrary<bool>()) {
        stored.hard = {Term(3), NodeId(1)};
        stored.snapshot = {LogIndex(*rc::gen::inRange<std::uint64_t>(1, 9)), Term(2), 5, 6, Blob()};
        stored.entries = {{stored.snapshot.index.next(), Term(3), Blob()}};
        raft::wal::encode_file(stored.hard, stored.snapshot, stored.entries, writer);
        // Renamed into place whole: no crash leaves a part of it.
        history = {};
        note();
    }
    for (int count = *rc::gen::inRange(least, 8); count > 0; --count) {
        raft::wal::encode_append(any_persist(stored), writer);
        note();
    }
    history.file.assign(writer.bytes().begin(), writer.bytes().end());
    return history;
}

bool same(const Stored& a, const Stored& b) {
    return a.hard == b.hard && a.snapshot.index == b.snapshot.index &&
           a.snapshot.term == b.snapshot.term && a.snapshot.state == b.snapshot.state &&
           std::ranges::equal(a.entries, b.entries, [](const auto& x, const auto& y) {
               return x.index == y.index && x.term == y.term && x.command == y.command;
           });
}

}  // namespace

TEST_CASE("raft: a crash leaves what was synced and a prefix of the rest, never anything else") {
    test::check_property("recovery after any crash", [] {
        const auto history = any_history(0);
        const auto writes = history.ends.size();
        const auto synced = *rc::gen::inRange<std::size_t>(0, writes);
        const auto size =
            *rc::gen::inRange<std::size_t>(history.ends[synced], history.file.size() + 1);
        auto file = history.file;
        file.resize(size);
        // The write that tore may have left anything in the part that arrived.
        const auto whole = static_cast<std::size_t>(std::ranges::upper_bound(history.ends, size) -
                                                    history.ends.begin() - 1);
        const auto torn = size - history.ends[whole];
        if (torn > 0 && *rc::gen::arbitrary<bool>())
            file[history.ends[whole] + *rc::gen::inRange<std::size_t>(0, torn)] ^= std::byte{0x21};

        const auto recovery = raft::wal::recover(file);
        RC_ASSERT(!recovery.refused);
        RC_ASSERT(recovery.torn == (torn > 0));
        RC_ASSERT(recovery.valid_bytes == history.ends[whole]);
        RC_ASSERT(whole >= synced);
        RC_ASSERT(same(recovery.stored, history.states[whole]));
    });
}

TEST_CASE("raft: a byte that rotted before the last record is refused") {
    test::check_property("rot is refused", [] {
        const auto history = any_history(2);
        auto file = history.file;
        const auto last = history.ends[history.ends.size() - 2];
        const auto place = *rc::gen::inRange<std::size_t>(0, last);
        file[place] ^= std::byte{*rc::gen::inRange<std::uint8_t>(1, 255)};
        const auto recovery = raft::wal::recover(file);
        RC_ASSERT(recovery.refused);
        RC_ASSERT(recovery.valid_bytes <= place);
    });
}

TEST_CASE("raft: recovery takes any bytes") {
    test::check_property("recover any bytes", [] {
        std::vector<std::byte> file;
        for (const auto b : *rc::gen::arbitrary<std::vector<std::uint8_t>>())
            file.push_back(std::byte{b});
        const auto recovery = raft::wal::recover(file);
        RC_ASSERT(recovery.valid_bytes <= file.size());
        RC_ASSERT(recovery.refused || recovery.torn || recovery.valid_bytes == file.size());
    });
}
