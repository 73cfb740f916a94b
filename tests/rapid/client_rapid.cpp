#include "tests/rapid/client_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rapid.hpp"

#include <ostream>

namespace lockstep::test::clients {

std::ostream& operator<<(std::ostream& out, const ClientWorld::Move& m) {
    static const char* const kinds[] = {"wait",    "wake up", "answer", "reset",  "open",
                                        "acquire", "release", "close",  "may-act"};
    return out << kinds[m.kind] << "{which " << m.which << " how " << m.how << " millis "
               << m.millis << "}";
}

namespace {

using Move = ClientWorld::Move;

rc::Gen<Move> move_gen() {
    return rc::gen::build<Move>(
        rc::gen::set(&Move::kind, rc::gen::weightedElement<Move::Kind>({{4, Move::Wait},
                                                                        {8, Move::WakeUp},
                                                                        {14, Move::Answer},
                                                                        {1, Move::Reset},
                                                                        {3, Move::Open},
                                                                        {6, Move::Acquire},
                                                                        {3, Move::Release},
                                                                        {1, Move::Close},
                                                                        {4, Move::MayAct}})),
        rc::gen::set(&Move::which, rc::gen::inRange<std::uint32_t>(0, 12)),
        rc::gen::set(&Move::how, rc::gen::inRange<std::uint32_t>(0, 64)),
        // Short ones for the most part; some last longer than the lease.
        rc::gen::set(&Move::millis,
                     rc::gen::weightedOneOf<std::uint32_t>(
                         {{8, rc::gen::inRange<std::uint32_t>(0, 300)},
                          {2, rc::gen::inRange<std::uint32_t>(0, 4'000)},
                          {1, rc::gen::element<std::uint32_t>(9'849, 9'850, 9'851, 20'000)}})));
}

client::Config config() {
    client::Config c;
    c.self = NodeId(10);
    c.servers = {NodeId(1), NodeId(2), NodeId(3)};
    c.ttl = seconds(10);
    c.renew_every = seconds(3);
    c.drift_bound = Ppm{10'000};
    c.margin = milliseconds(50);
    c.retry_every = milliseconds(500);
    return c;
}

}  // namespace

TEST_CASE(
    "client: whatever servers say and however late it wakes, it believes no more than it may") {
    check_property("client against any servers", [] {
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        const auto moves = *rc::gen::scale(4.0, rc::gen::container<std::vector<Move>>(move_gen()));
        client::Config with = config();
        // Without end, shorter than the lease, longer than it.
        with.hold_max = *rc::gen::element(Duration(), seconds(4), seconds(25));
        with.requests_max = *rc::gen::element<std::uint64_t>(3, 500);
        ClientWorld world(with, seed);
        world.make({Move::Open, 0, 0, 0});
        for (const Move& move : moves) world.make(move);
        world.finish();
    });
}

}  // namespace lockstep::test::clients
