#include "scenarios/workloads/workload.hpp"

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

class Counter final : public Workload {
public:
    void run(Worker& worker) override {
        while (!worker.stopping) {
            worker.rest(worker.settings.workload.think);
            if (worker.stopping) break;
            if (!worker.locks.has_session()) worker.locks.open();
            work_once(worker, worker.draw_lock());
        }
        worker.locks.close();
    }

private:
    static void work_once(Worker& worker, LockId lock) {
        worker.at(Point::BeforeAcquire);
        const auto acquired = worker.locks.acquire(lock, worker.settings.workload.wait_max);
        if (!acquired.granted()) return;
        worker.at(Point::AfterGrant);
        increment(worker, lock, acquired.token);
        worker.at(Point::BeforeRelease);
        worker.locks.release(lock, worker.settings.ttl);
    }

    static void increment(Worker& worker, LockId lock, FencingToken token) {
        const auto patience = worker.settings.ttl;
        worker.at(Point::BeforeRead);
        const auto read = worker.resources.read(worker.resource(lock), lock, token, patience);
        if (read.outcome != WriteOutcome::Accepted) return;
        worker.rest(worker.settings.workload.hold);
        // The check and the write are two steps, and no client can make them one: what lies between
        // them is what fencing is for.
        if (!worker.locks.may_act(lock)) return;
        worker.at(Point::BeforeWrite);
        (void)worker.resources.write(worker.resource(lock), lock, token, 1, read.version,
                                     read.value + 1, patience);
        worker.at(Point::AfterWrite);
    }
};

}  // namespace

std::unique_ptr<Workload> make_counter() {
    return std::make_unique<Counter>();
}

}  // namespace lockstep::workloads
