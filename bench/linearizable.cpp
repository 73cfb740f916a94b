// The linearizability checker alone: ten clients that take turns on one lock, each with a refused
// try of another in between; and how the time for an operation changes with the length of a history
// (it must not). Best of five, in processor time.
//   linearizable [operations]
#include "properties/linearizable_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

using namespace lockstep;
using namespace lockstep::properties;

constexpr std::uint64_t clients = 10;

struct Result {
    double seconds = 0;
    std::size_t kept = 0;
    bool held = false;
};

/// Every client waits in line: its acquire is called long before its turn comes. Two operations a
/// turn, and one try that is refused.
Result check(std::uint64_t operations) {
    const std::clock_t begin = std::clock();
    lin::History history({});
    const LockId lock(1);
    std::int64_t now = 0;
    const auto tick = [&now] { return sim::SimTime{now += 1000}; };
    std::array<lin::CallId, clients> waiting;
    for (std::uint64_t i = 0; i < clients; ++i)
        waiting[i] = history.acquire(lock, SessionId(i + 1), tick());
    std::size_t kept = 0;
    for (std::uint64_t done = 0, turn = 0; done < operations; done += 3, ++turn) {
        const std::uint64_t i = turn % clients;
        const SessionId self(i + 1);
        const FencingToken token(turn + 1);
        history.granted(waiting[i], token, tick());
        const lin::CallId attempt = history.acquire(lock, SessionId(clients + 1), tick());
        history.refused(attempt, tick());
        const lin::CallId release = history.release(lock, self, token, tick());
        history.released(release, tick());
        waiting[i] = history.acquire(lock, self, tick());
        kept = std::max(kept, history.kept());
    }
    history.finish(tick());
    const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    return {took, kept, !history.objection()};
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    for (std::uint64_t operations = 1000; operations <= most; operations *= 10) {
        Result best;
        for (int i = 0; i < 5; ++i) {
            const Result result = check(operations);
            if (!result.held) return 1;
            if (i == 0 || result.seconds < best.seconds) best = result;
        }
        fmt::print("operations={} per_second={:.0f} kept={}\n", operations,
                   static_cast<double>(operations) / best.seconds, best.kept);
    }
    return 0;
}
