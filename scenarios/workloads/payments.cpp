#include "core/resource/endpoint.hpp"
#include "scenarios/workloads/workload.hpp"

namespace lockstep::workloads {
namespace {

using events::WriteOutcome;

/// A payment is a call of an endpoint, under the lock that guards it. As long as its outcome is
/// unknown, it is made again: under another grant, in another session, if need be, but always with
/// the same key. Only a crash makes the worker forget it; it has then been made once or not at all.
class Payments final : public Workload {
public:
    void run(Worker& worker) override {
        while (worker.next_turn()) pay(worker, worker.draw_lock());
        worker.locks.close();
    }

private:
    /// A series for each worker, over all its lives. It makes one payment at a time, so that an
    /// endpoint need not remember much of a series.
    std::uint64_t next_key(const Worker& worker) {
        constexpr unsigned slot_bits = 8;
        constexpr unsigned count_bits = 24;
        static_assert(scenario::limits::sessions <= 1U << slot_bits);
        const std::uint32_t series = worker.process.id().value << slot_bits | worker.slot;
        return resource::call_key(series, worker.process.life() << count_bits | ++payments_);
    }

    void pay(Worker& worker, LockId lock) {
        const std::uint64_t key = next_key(worker);
        const std::uint64_t amount = 1 + worker.prng.below(1'000);
        while (!paid(worker, lock, key, amount))
            if (!worker.next_turn()) return;
    }

    /// False: it is to be made again.
    static bool paid(Worker& worker, LockId lock, std::uint64_t key, std::uint64_t amount) {
        const auto acquired = worker.acquire(lock, worker.settings.workload.wait_max);
        if (!acquired.granted()) return false;
        worker.at(Point::BeforeRead);
        worker.rest(worker.settings.workload.hold);
        bool known = false;
        if (worker.locks.may_act(lock)) {
            worker.at(Point::BeforeWrite);
            const auto called = worker.resources.call(worker.resource(lock), lock, acquired.token,
                                                      key, amount, worker.settings.ttl);
            worker.at(Point::AfterWrite);
            known = called.outcome != WriteOutcome::Unknown;
        }
        worker.release(lock);
        return known;
    }

    std::uint32_t payments_ = 0;
};

}  // namespace

std::unique_ptr<Workload> make_payments() {
    return std::make_unique<Payments>();
}

}  // namespace lockstep::workloads
