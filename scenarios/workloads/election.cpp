#include "scenarios/workloads/workload.hpp"

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

class Election final : public Workload {
public:
    void run(Worker& worker) override {
        const LockId lock(1);
        while (worker.next_turn()) {
            const auto acquired = worker.acquire(lock, worker.settings.workload.wait_max);
            if (acquired.granted()) lead(worker, lock, acquired.token);
        }
        worker.locks.close();
    }

private:
    /// Writes in every period, each on the version of the write before, until it must not act any
    /// more or it has held for as long as it meant to.
    static void lead(Worker& worker, LockId lock, FencingToken token) {
        const auto patience = worker.settings.ttl;
        auto read = worker.read(lock, token);
        if (read.outcome != WriteOutcome::Accepted) return worker.locks.release(lock, patience);
        const LocalTime leave =
            worker.process.now() + worker.prng.between(worker.settings.workload.hold.min,
                                                       worker.settings.workload.hold.max);
        for (std::uint64_t n = 1; worker.process.now() < leave && !worker.stopping; ++n) {
            worker.process.sleep(worker.settings.workload.period);
            if (!worker.locks.may_act(lock)) return;
            // What a write of unknown outcome did, or will do, is not known: give the lock up.
            if (!worker.write(lock, token, n, read)) break;
        }
        worker.release(lock);
    }
};

}  // namespace

std::unique_ptr<Workload> make_election() {
    return std::make_unique<Election>();
}

}  // namespace lockstep::workloads
