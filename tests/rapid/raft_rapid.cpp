#include "core/raft/codec.hpp"
#include "core/raft/log.hpp"
#include "core/raft/quorum.hpp"
#include "tests/core/raft/random_cluster.hpp"
#include "tests/support/rapid.hpp"

#include <algorithm>
#include <vector>

using namespace lockstep;
using lockstep::test::Move;
using lockstep::test::RandomCluster;

namespace lockstep::test {
void showValue(const Move& move, std::ostream& os) {
    static constexpr const char* names[] = {"deliver", "drop",    "duplicate", "persist",
                                            "tick",    "run",     "crash",     "restart",
                                            "propose", "confirm", "compact",   "reset"};
    os << names[static_cast<std::size_t>(move.kind)] << ' ' << int{move.a} << ' ' << move.b;
}
}  // namespace lockstep::test

namespace {

/// Small numbers and large ones: those of the field are small, the encoding treats them
/// differently.
rc::Gen<std::uint64_t> number() {
    return rc::gen::oneOf(
        rc::gen::inRange<std::uint64_t>(0, 300),
        rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>())),
        rc::gen::just<std::uint64_t>(UINT64_MAX / 2));
}

Blob any_blob() {
    const auto bytes = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
    return Blob::copy_of(std::as_bytes(std::span(bytes)));
}

raft::Message any_message() {
    const Term term(*number());
    const LogIndex index(*number());
    const Term other(*number());
    const std::uint64_t round = *number();
    const bool yes = *rc::gen::arbitrary<bool>();
    const bool also = *rc::gen::arbitrary<bool>();
    switch (*rc::gen::inRange(0, 6)) {
        case 0:
            return raft::VoteRequest{term, index, other, yes};
        case 1:
            return raft::VoteReply{term, yes, also};
        case 2: {
            raft::AppendRequest request{term, index, other, LogIndex(*number()), round, {}};
            const int count = *rc::gen::inRange(0, 5);
            for (LogIndex at = index; request.entries.size() < static_cast<std::size_t>(count);) {
                at = at.next();
                const Term of(*number());
                request.entries.push_back({at, of, any_blob()});
            }
            return request;
        }
        case 3:
            return raft::AppendReply{term, index, other, round, yes};
        case 4: {
            const std::uint64_t hash = *number();
            return raft::SnapshotRequest{term, round,
                                         raft::Snapshot{index, other, hash, ~hash, any_blob()}};
        }
        default:
            return raft::SnapshotReply{term, index, round};
    }
}

std::vector<std::byte> encoded(const raft::Message& message) {
    Writer writer;
    raft::encode(message, writer);
    return {writer.bytes().begin(), writer.bytes().end()};
}

rc::Gen<Move> any_move() {
    const auto kind = rc::gen::weightedElement<Move::Kind>({{12, Move::Kind::Deliver},
                                                            {2, Move::Kind::Drop},
                                                            {2, Move::Kind::Duplicate},
                                                            {7, Move::Kind::Persist},
                                                            {3, Move::Kind::Tick},
                                                            {3, Move::Kind::Run},
                                                            {2, Move::Kind::Crash},
                                                            {3, Move::Kind::Restart},
                                                            {4, Move::Kind::Propose},
                                                            {2, Move::Kind::Confirm},
                                                            {1, Move::Kind::Compact},
                                                            {1, Move::Kind::Reset}});
    return rc::gen::apply(
        [](Move::Kind k, std::uint8_t a, std::uint16_t b) { return Move{k, a, b}; }, kind,
        rc::gen::inRange<std::uint8_t>(0, 5), rc::gen::inRange<std::uint16_t>(0, 4'000));
}

}  // namespace

TEST_CASE("raft: a majority's value is what counting members gives") {
    test::check_property("quorum arithmetic", [] {
        const auto size = *rc::gen::inRange<std::size_t>(1, 10);
        const auto values = *rc::gen::container<std::vector<std::uint64_t>>(
            size, rc::gen::inRange<std::uint64_t>(0, 12));
        raft::QuorumValues<std::uint64_t> quorum;
        for (const auto value : values) quorum.add(value);
        const auto holders = [&](std::uint64_t least) {
            return static_cast<std::size_t>(
                std::ranges::count_if(values, [&](std::uint64_t v) { return v >= least; }));
        };
        const auto reached = quorum.reached();
        RC_ASSERT(2 * holders(reached) > size);
        RC_ASSERT(2 * holders(reached + 1) <= size);
        RC_ASSERT(2 * raft::quorum_of(size) > size);
        RC_ASSERT(2 * (raft::quorum_of(size) - 1) <= size);
    });
}

TEST_CASE("raft: a hint is where counting down by hand ends") {
    test::check_property("last_at_or_below", [] {
        auto terms =
            *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 6));
        std::ranges::sort(terms);
        raft::Stored stored;
        stored.hard.term = Term(6);
        raft::Log log(stored);
        for (const auto term : terms) log.append({log.last_index().next(), Term(term), Blob()});
        const auto index = *rc::gen::inRange<std::uint64_t>(0, 30);
        const auto limit = *rc::gen::inRange<std::uint64_t>(0, 7);
        std::uint64_t expected = std::min<std::uint64_t>(index, terms.size());
        while (expected > 0 && terms[expected - 1] > limit) --expected;
        RC_ASSERT(log.last_at_or_below(LogIndex(index), Term(limit)).value == expected);
    });
}

TEST_CASE("raft: messages survive their encoding") {
    test::check_property("message round trip", [] {
        const auto message = any_message();
        const auto bytes = encoded(message);
        Reader reader(bytes);
        raft::Message decoded;
        RC_ASSERT(raft::decode(reader, decoded));
        RC_ASSERT(reader.done());
        RC_ASSERT(decoded.index() == message.index());
        RC_ASSERT(raft::to_string(decoded) == raft::to_string(message));
        RC_ASSERT(encoded(decoded) == bytes);
    });
}

TEST_CASE("raft: any bytes are a message in its one spelling, or none") {
    test::check_property("decode any bytes", [] {
        // Bytes alone rarely mean anything: start from a message now and then.
        auto bytes =
            *rc::gen::arbitrary<bool>() ? encoded(any_message()) : std::vector<std::byte>();
        for (const auto b : *rc::gen::arbitrary<std::vector<std::uint8_t>>())
            bytes.push_back(std::byte{b});
        for (int flips = *rc::gen::inRange(0, 3); flips > 0 && !bytes.empty(); --flips) {
            const auto place = *rc::gen::inRange<std::size_t>(0, bytes.size());
            bytes[place] ^= std::byte{*rc::gen::inRange<std::uint8_t>(1, 255)};
        }
        Reader reader(bytes);
        raft::Message decoded;
        if (!raft::decode(reader, decoded)) return;
        const auto taken = bytes.size() - reader.left();
        const auto again = encoded(decoded);
        RC_ASSERT(std::ranges::equal(std::span(bytes).first(taken), again));
    });
}

TEST_CASE("raft: small clusters keep every promise under any schedule") {
    test::check_property("random cluster", [] {
        const auto size = *rc::gen::inRange<std::size_t>(3, 6);
        const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000);
        const auto moves = *rc::gen::scale(4.0, rc::gen::container<std::vector<Move>>(any_move()));
        RandomCluster cluster(size, seed);
        for (const Move& move : moves) cluster.play(move);
        cluster.converge();
        if (!cluster.broken().empty()) RC_FAIL(cluster.broken());
    });
}
