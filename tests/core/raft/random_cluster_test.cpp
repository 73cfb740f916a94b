#include "tests/core/raft/random_cluster.hpp"

#include "core/base/prng.hpp"
#include "tests/support/catch.hpp"

namespace {

using lockstep::test::Move;

Move random_move(lockstep::Prng& prng) {
    // Mostly deliveries and disks that answer; now and then something goes wrong.
    static constexpr Move::Kind bag[] = {
        Move::Kind::Deliver, Move::Kind::Deliver, Move::Kind::Deliver,   Move::Kind::Deliver,
        Move::Kind::Deliver, Move::Kind::Deliver, Move::Kind::Deliver,   Move::Kind::Persist,
        Move::Kind::Persist, Move::Kind::Persist, Move::Kind::Persist,   Move::Kind::Propose,
        Move::Kind::Propose, Move::Kind::Tick,    Move::Kind::Tick,      Move::Kind::Confirm,
        Move::Kind::Restart, Move::Kind::Restart, Move::Kind::Duplicate, Move::Kind::Drop,
    };
    const auto place = prng.below(std::size(bag) + 1);
    const auto rare = prng.below(6);
    const auto a = static_cast<std::uint8_t>(prng.below(256));
    const auto b = static_cast<std::uint16_t>(prng.below(65'536));
    static constexpr Move::Kind rarely[] = {Move::Kind::Crash,   Move::Kind::Crash,
                                            Move::Kind::Compact, Move::Kind::Reset,
                                            Move::Kind::Run,     Move::Kind::Run};
    return Move{place < std::size(bag) ? bag[place] : rarely[rare], a, b};
}

}  // namespace

TEST_CASE("raft: long random schedules keep every promise") {
    std::uint64_t leaders = 0;
    std::uint64_t snapshots = 0;
    std::uint64_t confirmed = 0;
    std::uint64_t durable = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        lockstep::Prng prng(seed);
        lockstep::test::RandomCluster cluster(3 + seed % 3, seed);
        for (int i = 0; i < 1'500 && cluster.broken().empty(); ++i) {
            const Move move = random_move(prng);
            cluster.play(move);
        }
        cluster.converge();
        INFO("seed " << seed);
        REQUIRE(cluster.broken() == "");
        leaders += cluster.leaders();
        snapshots += cluster.snapshots_installed();
        confirmed += cluster.confirmed();
        durable += cluster.durable();
    }
    // What was to be tested did happen.
    CHECK(leaders > 1'500);
    CHECK(snapshots > 150);
    CHECK(confirmed > 500);
    CHECK(durable > 10'000);
}
