#include "core/lock/wait_queue.hpp"

#include "core/base/prng.hpp"
#include "tests/support/catch.hpp"

#include <deque>

namespace lockstep::lock {
namespace {

Waiter waiter(std::uint64_t since) {
    return {SessionId(1'000 + since), RequestSeq(1), LogIndex(since)};
}

std::vector<std::uint64_t> in_order(const WaitQueue& queue) {
    std::vector<std::uint64_t> places;
    queue.for_each([&](const Waiter& w) { places.push_back(w.since.value); });
    return places;
}

}  // namespace

TEST_CASE("lock: a queue is what a list would be, whatever comes and leaves") {
    Prng prng(11);
    WaitQueue queue;
    std::vector<std::uint64_t> list;
    std::uint64_t next = 1;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t what = prng.below(10);
        // It grows for a while, then shrinks.
        if (what < (i / 2'000 % 2 == 0 ? 6U : 3U)) {
            next += 1 + prng.below(3);
            queue.push(waiter(next));
            list.push_back(next);
        } else if (what < 8 && !list.empty()) {
            const std::uint64_t at = prng.below(list.size());
            queue.leave(LogIndex(list[at]));
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (!list.empty()) {
            REQUIRE(queue.front().since == LogIndex(list.front()));
            queue.pop_front();
            list.erase(list.begin());
        }
        REQUIRE(queue.size() == list.size());
        REQUIRE(queue.empty() == list.empty());
        if (!list.empty()) REQUIRE(queue.front().since == LogIndex(list.front()));
        if (i % 50 == 0) REQUIRE(in_order(queue) == list);
    }
}

TEST_CASE("lock: nobody is found in a queue who left it, was served, or never came") {
    WaitQueue queue;
    for (std::uint64_t since = 10; since <= 14; ++since) queue.push(waiter(since));
    queue.leave(LogIndex(12));
    queue.pop_front();
    CHECK(queue.find(LogIndex(10)) == nullptr);
    CHECK(queue.find(LogIndex(12)) == nullptr);
    CHECK(queue.find(LogIndex(15)) == nullptr);
    REQUIRE(queue.find(LogIndex(13)) != nullptr);
    CHECK(queue.find(LogIndex(13))->session == SessionId(1'013));
    queue.leave(LogIndex(12));  // again
    CHECK(queue.size() == 3);
    queue.leave(LogIndex(11));
    CHECK(queue.front().since == LogIndex(13));
}

}  // namespace lockstep::lock
