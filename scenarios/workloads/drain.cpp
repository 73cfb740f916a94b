#include "scenarios/workloads/workload.hpp"

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

/// A worker that is told to stop every so often. It does so with grace, and in the wrong order: its
/// shutdown gives the lock up at once, so that others need not wait, and lets the work in flight
/// run to its end, which comes `drain` later. That work read under the lock, and writes when the
/// lock may long be somebody else's. No lease can catch it, since nothing expired; a resource that
/// fences does.
///
/// A stop is heeded at the next place where work is in flight: between reading and writing.
class Drain final : public Workload {
public:
    void run(Worker& worker) override {
        set_stop(worker);
        while (worker.next_turn()) turn(worker, worker.draw_lock());
        worker.locks.close();
    }

private:
    /// Each worker's stops come at times of its own.
    void set_stop(Worker& worker) {
        const Duration every = worker.settings.workload.stop_every;
        stop_ = worker.process.now() + every / 2 + worker.prng.between(Duration{}, every);
    }

    void turn(Worker& worker, LockId lock) {
        const auto acquired = worker.acquire(lock, worker.settings.workload.wait_max);
        if (!acquired.granted()) return;
        auto read = worker.read(lock, acquired.token);
        if (read.outcome == WriteOutcome::Accepted) {
            worker.rest(worker.settings.workload.hold);
            if (worker.process.now() >= stop_) return drain(worker, lock, acquired.token, read);
            if (worker.locks.may_act(lock)) (void)worker.write(lock, acquired.token, 1, read);
        }
        worker.release(lock);
    }

    void drain(Worker& worker, LockId lock, FencingToken token, world::ReadResult& read) {
        worker.release(lock);
        worker.process.sleep(worker.settings.workload.drain);
        (void)worker.write(lock, token, 1, read);
        set_stop(worker);
    }

    LocalTime stop_;
};

}  // namespace

std::unique_ptr<Workload> make_drain() {
    return std::make_unique<Drain>();
}

}  // namespace lockstep::workloads
