#include "core/lock/table.hpp"
#include "tests/core/lock/table_driver.hpp"
#include "tests/support/catch.hpp"

namespace lockstep {
namespace {

using test::AnswerStatus;
using test::TableDriver;

std::vector<std::byte> bytes_of(const lock::Table& table) {
    Writer out;
    table.encode(out);
    return {out.bytes().begin(), out.bytes().end()};
}

/// A table with something of everything: holders, queues, refusals, a tombstone, an ended session,
/// leases in a checkpoint, a lock that is delayed and waited for.
TableDriver furnished() {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2), c = d.session(3);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5);
    d.acquire(c, 1, 5);
    d.acquire(c, 2, 5, true);
    d.cancel(c, 7, 6);
    d.acquire(b, 2, 6);
    d.acquire(a, 2, 6, true);
    d.cancel(a, 2, 6);
    d.release(a, 3, 6, FencingToken(1));
    d.close(d.session(4), 1);
    const SessionId e = d.session(5);
    d.acquire(e, 1, 7);
    d.acquire(c, 8, 7);
    d.checkpoint({{a, seconds(3)}, {b, Duration{0}}});
    d.expire(e, seconds(2));
    return d;
}

}  // namespace

TEST_CASE("lock: a decoded snapshot is the same table") {
    const TableDriver d = furnished();
    const auto bytes = bytes_of(d.table);
    const auto copy = lock::Table::decode(bytes);
    REQUIRE(copy.has_value());
    CHECK(copy->state_hash() == d.table.state_hash());
    CHECK(copy->applied() == d.table.applied());
    CHECK(bytes_of(*copy) == bytes);

    // And goes on as it would have.
    TableDriver before = d, after = d;
    after.table = *copy;
    const SessionId a(1), b(2);
    for (TableDriver* t : {&before, &after}) t->close(a, 9);
    CHECK(before.table.state_hash() == after.table.state_hash());
    CHECK(after.table.holder(LockId(5)) == b);
    CHECK(after.acquire(SessionId(3), 7, 6).answer.status == AnswerStatus::Cancelled);
    CHECK(after.open(4, 4).answer.status == AnswerStatus::SessionOver);
    CHECK(after.table.delayed(LockId(7)));
    std::vector<std::pair<SessionId, std::optional<Duration>>> leases;
    copy->for_each_session(
        [&](SessionId id, Duration, const auto& left) { leases.emplace_back(id, left); });
    CHECK(leases == decltype(leases){{a, seconds(3)}, {b, Duration{0}}, {SessionId(3), {}}});
}

TEST_CASE("lock: no prefix of a snapshot is one") {
    const auto bytes = bytes_of(furnished().table);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        INFO("prefix of " << n << " bytes");
        CHECK_FALSE(lock::Table::decode(std::span(bytes).first(n)).has_value());
    }
    auto longer = bytes;
    longer.push_back(std::byte{0});
    CHECK_FALSE(lock::Table::decode(longer).has_value());
}

TEST_CASE("lock: a snapshot with a flipped byte is refused or is a consistent table") {
    const auto bytes = bytes_of(furnished().table);
    std::size_t taken = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const unsigned flip : {1u, 2u, 4u, 0x80u}) {
            auto changed = bytes;
            changed[at] ^= static_cast<std::byte>(flip);
            auto table = lock::Table::decode(changed);
            if (!table) continue;
            ++taken;
            CHECK(bytes_of(*table) == changed);
            TableDriver d;
            d.table = *std::move(table);
            for (std::uint64_t s = 0; s < 20; ++s) {
                d.cancel(SessionId(s), 1, 5);
                d.cancel(SessionId(s), 2, 6);
                d.end_delay(7, FencingToken(s));
                d.end_hold(7, FencingToken(s));
                d.end_hold(5, FencingToken(s));
            }
            for (std::uint64_t s = 0; s < 20; ++s) d.expire(SessionId(s));
        }
    }
    CHECK(taken > 0);
}

TEST_CASE("lock: a grant below its session's mark keeps no answer, and is in the snapshot") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    d.acquire(a, 1, 5);
    d.acquire(b, 1, 5);
    d.acquire(b, 2, 6, false, 2);  // wants no answer to the request that still waits
    d.close(a, 9);
    CHECK(d.table.holder(LockId(5)) == b);
    CHECK(d.acquire(b, 1, 5).answer.status == AnswerStatus::Stale);
    const auto copy = lock::Table::decode(bytes_of(d.table));
    REQUIRE(copy.has_value());
    CHECK(copy->state_hash() == d.table.state_hash());
    CHECK(copy->holder(LockId(5)) == b);
}

TEST_CASE("lock: each change of the state changes its hash, a void entry only its index") {
    TableDriver d;
    const SessionId a = d.session(1), b = d.session(2);
    // Applies the command to a copy, beside an entry that does nothing: are they told apart?
    const auto changes = [&](const lock::Command& command) {
        lock::Table with = d.table, without = d.table;
        lock::Outcome out;
        with.apply(command, d.table.applied().next(), d.term, out);
        without.skip(d.table.applied().next());
        d.apply(command);
        return with.state_hash() != without.state_hash();
    };
    const auto one = RequestSeq(1), two = RequestSeq(2);
    CHECK(changes(lock::Acquire{a, one, one, LockId(5), false}));
    CHECK_FALSE(changes(lock::Acquire{a, one, one, LockId(5), false}));
    CHECK(changes(lock::Acquire{b, one, one, LockId(5), false}));
    CHECK(changes(lock::Acquire{b, two, one, LockId(5), true}));
    CHECK(changes(lock::Cancel{b, two, one, LockId(5)}));
    CHECK_FALSE(changes(lock::Cancel{b, two, one, LockId(5)}));
    CHECK(changes(lock::Cancel{b, one, one, LockId(5)}));
    CHECK(changes(lock::Cancel{b, RequestSeq(3), two, LockId(5)}));
    CHECK_FALSE(changes(lock::Expire{a, d.term.next()}));
    CHECK(changes(lock::Release{a, two, one, LockId(5), FencingToken(1)}));
    CHECK(changes(lock::Checkpoint{d.term, {{a, seconds(4)}}}));
    CHECK(changes(lock::Checkpoint{d.term, {{a, seconds(3)}}}));
    CHECK_FALSE(changes(lock::Checkpoint{d.term, {{SessionId(77), seconds(3)}}}));
    CHECK_FALSE(changes(lock::Checkpoint{d.term.next(), {{a, seconds(1)}}}));
    CHECK(changes(lock::ClearCheckpoint{a}));
    CHECK_FALSE(changes(lock::ClearCheckpoint{a}));
    const SessionId e = d.session(5);
    CHECK(changes(lock::Acquire{e, one, one, LockId(8), false}));
    const FencingToken held = d.here();
    CHECK_FALSE(changes(lock::EndDelay{LockId(8), held, d.term}));
    CHECK(changes(lock::Expire{e, d.term, seconds(1)}));
    CHECK_FALSE(changes(lock::EndHold{LockId(8), held, d.term}));
    CHECK(changes(lock::EndDelay{LockId(8), held, d.term}));
    CHECK(changes(lock::Close{a, two}));
    CHECK_FALSE(changes(lock::Open{Nonce(1), seconds(10), NodeId(1)}));
}

TEST_CASE("lock: commands have one spelling, and bytes that are none are refused") {
    for (const lock::Command& command :
         {lock::Command(lock::Open{Nonce(3), seconds(1), NodeId(4)}),
          lock::Command(lock::Close{SessionId(3), RequestSeq(2)}),
          lock::Command(lock::Acquire{SessionId(3), RequestSeq(2), RequestSeq(1), LockId(9), true}),
          lock::Command(lock::Expire{SessionId(300), Term(7), seconds(2)}),
          lock::Command(lock::EndHold{LockId(9), FencingToken(70), Term(7)}),
          lock::Command(lock::EndDelay{LockId(9), FencingToken(70), Term(7)}),
          lock::Command(
              lock::Checkpoint{Term(7), {{SessionId(3), seconds(1)}, {SessionId(4), {}}}}),
          lock::Command(lock::ClearCheckpoint{SessionId(300)})}) {
        const Blob blob = lock::encode(command);
        lock::Command back;
        REQUIRE(lock::decode(blob.bytes(), back));
        CHECK(back.index() == command.index());
        CHECK(lock::encode(back) == blob);
        CHECK_FALSE(lock::decode(blob.bytes().first(blob.size() - 1), back));
    }
    lock::Command none;
    CHECK_FALSE(lock::decode({}, none));
    const std::byte unknown[] = {std::byte{10}, std::byte{1}, std::byte{1}};
    CHECK_FALSE(lock::decode(unknown, none));
    CHECK(lock::to_string(lock::Expire{SessionId(300), Term(7), milliseconds(20)}) ==
          "expire session=300 term=7 delay=20ms");
    CHECK(lock::to_string(lock::Checkpoint{Term(7), {{SessionId(3), seconds(1)}}}) ==
          "checkpoint term=7 sessions=1");
}

TEST_CASE("lock: a checkpoint names each session once, in order, and never less than nothing") {
    const auto decodes = [](std::vector<lock::Remaining> leases) {
        lock::Command back;
        return lock::decode(lock::encode(lock::Checkpoint{Term(7), std::move(leases)}).bytes(),
                            back);
    };
    CHECK(decodes({{SessionId(3), seconds(1)}, {SessionId(4), seconds(1)}}));
    CHECK_FALSE(decodes({{SessionId(4), seconds(1)}, {SessionId(3), seconds(1)}}));
    CHECK_FALSE(decodes({{SessionId(4), seconds(1)}, {SessionId(4), seconds(1)}}));
    CHECK_FALSE(decodes({{SessionId(4), -seconds(1)}}));
}

}  // namespace lockstep
