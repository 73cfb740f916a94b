#include "scenarios/workloads/workload.hpp"

#include <algorithm>

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

/// Every worker of the fleet wakes at every tick and asks for the lock; the job is a call of the
/// endpoint, whose key is the number of the tick. The lock keeps the fleet from working in
/// parallel, the key from working twice. Who does not get the lock before the next tick leaves this
/// one to the others.
///
/// The number is by each worker's own wall clock: one that runs ahead runs jobs early, and the
/// endpoint then turns away the rest of the fleet until it has caught up.
class Cron final : public Workload {
public:
    void run(Worker& worker) override {
        while (!worker.stopping) {
            const std::uint64_t tick = worker.next_tick();
            if (worker.stopping) break;
            if (tick <= done_) continue;  // its clock was set back
            worker.have_session();
            const auto& settings = worker.settings.workload;
            spread(worker);
            const LockId lock = lock_of(tick, worker);
            const auto acquired =
                worker.acquire(lock, std::min(settings.wait_max, settings.period));
            if (!acquired.granted()) continue;
            if (work(worker, lock, acquired.token, tick)) done_ = tick;
            worker.release(lock);
        }
        worker.locks.close();
    }

private:
    /// With several locks there are several jobs; a tick is one job's, in turn.
    static LockId lock_of(std::uint64_t tick, const Worker& worker) {
        return LockId(static_cast<std::uint32_t>(1 + tick % worker.settings.locks.size()));
    }

    /// Not always the same wall clock is the first.
    static void spread(Worker& worker) {
        worker.rest({Duration{}, worker.settings.workload.period / 4});
    }

    /// False if it must leave the job to others.
    static bool work(Worker& worker, LockId lock, FencingToken token, std::uint64_t tick) {
        worker.at(Point::BeforeRead);
        worker.rest(worker.settings.workload.hold);
        while (worker.locks.may_act(lock)) {
            worker.at(Point::BeforeWrite);
            const auto called = worker.resources.call(worker.resource(lock), lock, token, tick,
                                                      token.value, worker.settings.ttl);
            worker.at(Point::AfterWrite);
            if (called.outcome != WriteOutcome::Unknown) return true;
            if (worker.stopping) return false;
        }
        return false;
    }

    std::uint64_t done_ = 0;  ///< the last tick whose job it knows to be done
};

}  // namespace

std::unique_ptr<Workload> make_cron() {
    return std::make_unique<Cron>();
}

}  // namespace lockstep::workloads
