#include "scenarios/workloads/workload.hpp"

#include <optional>
#include <utility>

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

/// Each turn draws one lock of all, or, half of the time, two, which are taken in the order of
/// their numbers: nobody waits for a lock below one that it holds, so that no circle of waiters can
/// close. What they guard is counted up by one each.
class ManyLocks final : public Workload {
public:
    void run(Worker& worker) override {
        while (worker.next_turn()) turn(worker);
        worker.locks.close();
    }

private:
    struct Held {
        LockId lock;
        FencingToken token;
        world::ReadResult read;
    };

    static void turn(Worker& worker) {
        const LockId first = worker.draw_lock();
        const LockId second = worker.draw_lock();
        const bool two = first != second && worker.prng.below(2) == 0;
        auto low = take(worker, two ? std::min(first, second) : first);
        if (!low) return;
        auto high = two ? take(worker, std::max(first, second)) : std::nullopt;
        worker.rest(worker.settings.workload.hold);
        for (auto* held : {&high, &low})
            if (*held) write_back(worker, **held);
        for (auto* held : {&high, &low})
            if (*held) worker.release((*held)->lock);
    }

    static std::optional<Held> take(Worker& worker, LockId lock) {
        const auto acquired = worker.acquire(lock, worker.settings.workload.wait_max);
        if (!acquired.granted()) return std::nullopt;
        return Held{lock, acquired.token, worker.read(lock, acquired.token)};
    }

    static void write_back(Worker& worker, Held& held) {
        if (held.read.outcome == WriteOutcome::Accepted && worker.locks.may_act(held.lock))
            (void)worker.write(held.lock, held.token, 1, held.read);
    }
};

}  // namespace

std::unique_ptr<Workload> make_many_locks() {
    return std::make_unique<ManyLocks>();
}

}  // namespace lockstep::workloads
