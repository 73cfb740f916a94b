#include "sim/event_queue.hpp"

#include "core/base/prng.hpp"
#include "sim/slab.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace lockstep::sim::queue_tests {

TEST_CASE("sim: the queue orders by time, then tie, then sequence") {
    EventQueue queue;
    queue.push({5}, 1, StepKind::Timer, 1);
    queue.push({3}, 9, StepKind::Timer, 2);
    queue.push({3}, 2, StepKind::Timer, 3);
    queue.push({3}, 2, StepKind::Timer, 4);
    queue.push({0}, UINT64_MAX, StepKind::Timer, 5);
    std::vector<std::uint32_t> order;
    QueueEntry entry;
    CHECK_FALSE(queue.take({-1}, entry));
    while (queue.take({5}, entry)) order.push_back(entry.slot);
    CHECK(queue.empty());
    CHECK(order == std::vector<std::uint32_t>{5, 3, 4, 2, 1});
}

TEST_CASE("sim: the queue agrees with sorting under interleaved pushes and pops") {
    Prng draw(7);
    EventQueue queue;
    std::vector<std::tuple<std::int64_t, std::uint64_t, std::uint64_t>> expected;
    for (int round = 0; round < 20'000; ++round) {
        if (expected.empty() || draw.below(5) < 3) {
            const auto time = static_cast<std::int64_t>(draw.below(50));
            const std::uint64_t tie = draw.below(3);
            const std::uint64_t sequence = queue.push({time}, tie, StepKind::Message, 0);
            expected.emplace_back(time, tie, sequence);
            continue;
        }
        const auto least = std::min_element(expected.begin(), expected.end());
        const SimTime due{std::get<0>(*least)};
        QueueEntry entry;
        REQUIRE_FALSE(queue.take(due - nanoseconds(1), entry));
        REQUIRE(queue.take(due, entry));
        REQUIRE(std::tuple(entry.time.ns, entry.tie, entry.sequence) == *least);
        expected.erase(least);
        REQUIRE(queue.size() == expected.size());
    }
}

TEST_CASE("sim: a slab reuses slots and keeps its objects in place") {
    sim::Slab<int> slab;
    const std::uint32_t first = slab.take();
    int* const place = &slab[first];
    *place = 42;
    std::vector<std::uint32_t> others;
    for (int i = 0; i < 1000; ++i) others.push_back(slab.take());
    CHECK(place == &slab[first]);
    CHECK(slab[first] == 42);
    CHECK(slab.in_use() == 1001);
    std::sort(others.begin(), others.end());
    CHECK(std::adjacent_find(others.begin(), others.end()) == others.end());
    for (const std::uint32_t slot : others) slab.give_back(slot);
    CHECK(slab.in_use() == 1);
}

}  // namespace lockstep::sim::queue_tests
