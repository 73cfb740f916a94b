#include "scenarios/workloads/workload.hpp"

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

/// At each tick of its wall clock, which is about the same as the others', every worker asks for
/// lock 1, counts up what it guards, and lets go. Who has not had its turn by the next tick is
/// still in the queue, and does not ask twice.
class Herd final : public Workload {
public:
    void run(Worker& worker) override {
        const LockId lock(1);
        worker.have_session();
        while (!worker.stopping) {
            (void)worker.next_tick();
            if (worker.stopping) break;
            worker.have_session();
            const auto acquired = worker.acquire(lock, worker.settings.workload.wait_max);
            if (!acquired.granted()) continue;
            count(worker, lock, acquired.token);
            worker.release(lock);
        }
        worker.locks.close();
    }

private:
    static void count(Worker& worker, LockId lock, FencingToken token) {
        auto read = worker.read(lock, token);
        if (read.outcome != WriteOutcome::Accepted) return;
        worker.rest(worker.settings.workload.hold);
        if (worker.locks.may_act(lock)) (void)worker.write(lock, token, 1, read);
    }
};

}  // namespace

std::unique_ptr<Workload> make_herd() {
    return std::make_unique<Herd>();
}

}  // namespace lockstep::workloads
