#include "scenarios/workloads/workload.hpp"

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

/// Acquires, reads, and writes so many times, each after a hold and on the write before.
class Counter : public Workload {
public:
    explicit Counter(std::uint32_t writes) : writes_(writes) {}

    void run(Worker& worker) override {
        while (worker.next_turn()) turn(worker, worker.draw_lock());
        worker.locks.close();
    }

private:
    void turn(Worker& worker, LockId lock) const {
        const auto acquired = worker.acquire(lock, worker.settings.workload.wait_max);
        if (!acquired.granted()) return;
        count(worker, lock, acquired.token);
        worker.release(lock);
    }

    void count(Worker& worker, LockId lock, FencingToken token) const {
        auto read = worker.read(lock, token);
        if (read.outcome != WriteOutcome::Accepted) return;
        for (std::uint64_t n = 1; n <= writes_; ++n) {
            worker.rest(worker.settings.workload.hold);
            if (!worker.locks.may_act(lock) || !worker.write(lock, token, n, read)) return;
        }
    }

    const std::uint32_t writes_;
};

class Append final : public Workload {
public:
    void run(Worker& worker) override { Counter(worker.settings.workload.writes).run(worker); }
};

}  // namespace

std::unique_ptr<Workload> make_counter() {
    return std::make_unique<Counter>(1);
}

std::unique_ptr<Workload> make_append() {
    return std::make_unique<Append>();
}

}  // namespace lockstep::workloads
