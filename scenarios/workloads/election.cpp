#include "scenarios/workloads/workload.hpp"

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

class Election final : public Workload {
public:
    void run(Worker& worker) override {
        const LockId lock(1);
        while (!worker.stopping) {
            worker.rest(worker.settings.workload.think);
            if (worker.stopping) break;
            if (!worker.locks.has_session()) worker.locks.open();
            worker.at(Point::BeforeAcquire);
            const auto acquired = worker.locks.acquire(lock, worker.settings.workload.wait_max);
            if (!acquired.granted()) continue;
            worker.at(Point::AfterGrant);
            lead(worker, lock, acquired.token);
        }
        worker.locks.close();
    }

private:
    /// Writes in every period, each on the version of the write before, until it must not act any
    /// more or it has held for as long as it meant to.
    static void lead(Worker& worker, LockId lock, FencingToken token) {
        const auto patience = worker.settings.ttl;
        const auto resource = worker.resource(lock);
        worker.at(Point::BeforeRead);
        auto read = worker.resources.read(resource, lock, token, patience);
        if (read.outcome != WriteOutcome::Accepted) return worker.locks.release(lock, patience);
        const LocalTime leave =
            worker.process.now() + worker.prng.between(worker.settings.workload.hold.min,
                                                       worker.settings.workload.hold.max);
        for (std::uint64_t n = 1; worker.process.now() < leave && !worker.stopping; ++n) {
            worker.process.sleep(worker.settings.workload.period);
            if (!worker.locks.may_act(lock)) return;
            worker.at(Point::BeforeWrite);
            const auto written = worker.resources.write(resource, lock, token, n, read.version,
                                                        read.value + 1, patience);
            worker.at(Point::AfterWrite);
            // What a write of unknown outcome did, or will do, is not known: give the lock up.
            if (written.outcome != WriteOutcome::Accepted) break;
            read.version = written.version;
            ++read.value;
        }
        worker.at(Point::BeforeRelease);
        worker.locks.release(lock, patience);
    }
};

}  // namespace

std::unique_ptr<Workload> make_election() {
    return std::make_unique<Election>();
}

}  // namespace lockstep::workloads
