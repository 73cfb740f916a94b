// The ping-pong of bench/pingpong.cpp on SimGrid's S4U: ten actors in five pairs, every message
// answered by one of 64 bytes. Prints how many messages that took.
//   bench_simgrid_pingpong [rounds] --cfg=contexts/factory:raw
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>

namespace sg4 = simgrid::s4u;

namespace {

struct Ball {
    std::array<std::uint64_t, 8> words{};
};

constexpr int players = 10;
std::uint64_t messages = 0;

void play(int id, std::uint64_t rounds) {
    const int partner = id % 2 == 1 ? id + 1 : id - 1;
    auto* inbox = sg4::Mailbox::by_name("player-" + std::to_string(id));
    auto* outbox = sg4::Mailbox::by_name("player-" + std::to_string(partner));
    inbox->set_receiver(sg4::Actor::self());
    if (id % 2 == 1) outbox->put(new Ball(), sizeof(Ball));
    for (std::uint64_t i = 0; i < rounds; ++i) {
        auto* ball = inbox->get<Ball>(1.0);  // as ours re-arms a timer of a second
        ++ball->words[0];
        ++messages;
        // Who served has nobody to send the last one to.
        if (i + 1 < rounds || id % 2 == 0) outbox->put_init(ball, sizeof(Ball))->detach();
    }
}

}  // namespace

int main(int argc, char** argv) {
    sg4::Engine engine(&argc, argv);
    const std::uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
    auto* zone = sg4::create_full_zone("world");
    std::array<sg4::Host*, players + 1> hosts{};
    for (int id = 1; id <= players; ++id)
        hosts.at(id) = zone->create_host("host-" + std::to_string(id), 1e9)->seal();
    // Each pair has a delay of its own, or all of them would go in step.
    for (int id = 1; id <= players; id += 2) {
        auto* link = zone->create_link("link-" + std::to_string(id), 1e9)
                         ->set_latency(1e-3 + 37e-6 * id)
                         ->seal();
        zone->add_route(hosts.at(id)->get_netpoint(), hosts.at(id + 1)->get_netpoint(), nullptr,
                        nullptr, {sg4::LinkInRoute(link)});
    }
    zone->seal();
    for (int id = 1; id <= players; ++id)
        sg4::Actor::create("player-" + std::to_string(id), hosts.at(id), play, id, rounds);
    engine.run();
    std::printf("messages=%llu\n", static_cast<unsigned long long>(messages));
    return messages == rounds * players ? 0 : 1;
}
