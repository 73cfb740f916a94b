// Ten processes in five pairs, a fiber each: every message is answered by one of 64 bytes, and a
// timer is re-armed at each receive. Prints how many messages and steps that took, and the digest.
//   pingpong [rounds]
#include "sim/fiber.hpp"
#include "sim/world.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

struct Ball {
    std::array<std::uint64_t, 8> words{};
};

}  // namespace

template <>
struct lockstep::sim::PayloadTraits<Ball> {
    static constexpr std::uint16_t kind = 1;
    static constexpr const char* name = "ball";
    static void encode(const Ball& ball, lockstep::Writer& out) {
        for (const std::uint64_t word : ball.words) out.u64(word);
    }
    static bool decode(lockstep::Reader& in, Ball& ball) {
        for (std::uint64_t& word : ball.words) word = in.u64();
        return !in.failed();
    }
    static std::string print(const Ball& ball) { return fmt::format("ball {}", ball.words[0]); }
};

namespace {

using namespace lockstep;

constexpr std::uint32_t players = 10;
constexpr sim::TimerId idle_timer = 0;

struct Court {
    std::uint64_t messages = 0;
    std::uint64_t limit = 0;
    std::uint64_t idle = 0;
};

class Player final : public sim::Program {
public:
    Player(sim::World& world, Court& court) : world_(world), court_(court) {}

    void start(sim::Process& process) override {
        const std::uint32_t id = process.id().value;
        const sim::ProcessId partner(id % 2 == 1 ? id + 1 : id - 1);
        process.spawn("player", [this, &process, partner, serves = id % 2 == 1] {
            if (serves) process.send(partner, sim::Payload::make(Ball()));
            for (;;) play(process);
        });
    }
    void on_message(sim::Process&, sim::Envelope& message) override {
        inbox_.push_back({message.from, message.payload.get<Ball>()});
        arrived_.notify_all();
    }
    void on_timer(sim::Process&, sim::TimerId) override { ++court_.idle; }

private:
    struct Received {
        sim::ProcessId from;
        Ball ball;
    };

    void play(sim::Process& process) {
        while (taken_ == inbox_.size()) process.wait(arrived_);
        Received& received = inbox_[taken_++];
        ++received.ball.words[0];
        process.set_timer(idle_timer, process.now() + seconds(1));
        process.send(received.from, sim::Payload::make(received.ball));
        if (taken_ == inbox_.size()) {
            inbox_.clear();
            taken_ = 0;
        }
        if (++court_.messages >= court_.limit) world_.stop();
    }

    sim::World& world_;
    Court& court_;
    std::vector<Received> inbox_;
    std::size_t taken_ = 0;
    sim::Condition arrived_;
};

class Silence final : public sim::Listener {
    void on_world_event(sim::SimTime, sim::ProcessId, const sim::WorldEvent&) override {}
    void on_point(sim::SimTime, sim::ProcessId, std::uint32_t) override {}
};

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
    sim::StackPool stacks;
    Silence listener;
    sim::World world(1, stacks, listener);
    Court court;
    court.limit = rounds * players;
    for (std::uint32_t i = 1; i <= players; ++i)
        world.add_process(
            fmt::format("player-{}", i), sim::ProcessKind::Client,
            [&world, &court](sim::Process&) { return std::make_unique<Player>(world, court); });
    for (std::uint32_t i = 1; i <= players; ++i) world.start(sim::ProcessId(i));
    world.run_until(sim::SimTime::never());
    fmt::print("messages={} steps={} idle={} digest={:016x}\n", court.messages, world.steps(),
               court.idle, world.digest());
    return court.messages == court.limit ? 0 : 1;
}
